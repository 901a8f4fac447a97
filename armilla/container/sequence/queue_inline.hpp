// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/container/image/images.hpp"
#include "armilla/container/place/named_parts.hpp"
#include "armilla/container/sequence/array_inline.hpp"
#include "armilla/hints.hpp"
#include "armilla/view.hpp"

namespace armilla::detail {

template <class T>
class first_come {
 public:
  void push(T item) { items_.push_back(std::move(item)); }
  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  const std::deque<T>& all() const noexcept { return items_; }
  T take() {
    T first = std::move(items_.front());
    items_.pop_front();
    return first;
  }
  template <class Iterator>
  void push_all(Iterator first, Iterator last) {
    items_.insert(items_.end(), first, last);
  }
  void take_some(std::vector<T>& to, std::size_t n) {
    const auto end = items_.begin() + std::ptrdiff_t(n);
    if constexpr (std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>) {
      to.resize(n);
      std::copy(items_.begin(), end, to.begin());
    } else {
      to.assign(std::make_move_iterator(items_.begin()), std::make_move_iterator(end));
    }
    items_.erase(items_.begin(), end);
  }

 private:
  std::deque<T> items_;
};

/// A heap. It compares first and moves then: where a comparison throws it is as it has been before.
template <class T, class Compare>
class largest_first {
 public:
  void push(T item) {
    using std::swap;
    std::size_t at = items_.size();
    while (at != 0 && Compare{}(items_[(at - 1) / 2], item)) at = (at - 1) / 2;
    items_.push_back(std::move(item));
    for (std::size_t from = items_.size() - 1; from != at; from = (from - 1) / 2) swap(items_[from], items_[(from - 1) / 2]);
  }
  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  const std::vector<T>& all() const noexcept { return items_; }
  T take() {
    const std::size_t at = place_for_last();
    T first = std::move(items_.front());
    T last = std::move(items_.back());
    items_.pop_back();
    if (!items_.empty()) fill_way_to(at, last);
    return first;
  }

 private:
  /// Where the last item goes if the first leaves.
  std::size_t place_for_last() const {
    const std::size_t n = items_.size() - 1;
    std::size_t at = 0;
    for (std::size_t child = 1; child < n; child = 2 * at + 1) {
      if (child + 1 < n && Compare{}(items_[child], items_[child + 1])) ++child;
      if (!Compare{}(items_[n], items_[child])) break;
      at = child;
    }
    return at;
  }
  /// Each on the way from the first place goes up by one, and `last` where it ends.
  void fill_way_to(std::size_t at, T& last) {
    using std::swap;
    for (; at != 0; at = (at - 1) / 2) swap(items_[at], last);
    swap(items_[0], last);
  }

  std::vector<T> items_;
};

/// What lies on the owner; the other members have an empty one.
template <class T, class Store>
class queue_part {
 public:
  using value_type = T;
  explicit queue_part(rank_t owner) : owner_(owner) {}
  rank_t owner() const noexcept { return owner_; }

  void push(T item) { items_.push(std::move(item)); }
  /// Whether `take` that throws has taken nothing.
  static constexpr bool takes_all_or_none = requires(Store& s, const T* at) { s.push_all(at, at); };
  template <class Items>
  void take(Items& items) {
    if constexpr (std::is_same_v<Items, std::vector<T>>)
      items_.push_all(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    else
      items_.push_all(items.begin(), items.end());
  }
  template <class Items>
  void push_all(Items items) {
    if constexpr (takes_all_or_none)
      take(items);
    else
      for (auto&& item : items) items_.push(std::move(item));
  }
  std::optional<T> pop() { return items_.empty() ? std::nullopt : std::optional<T>(items_.take()); }
  std::vector<T> pop_some(std::size_t most) {
    std::vector<T> some;
    if constexpr (requires { items_.take_some(some, most); }) items_.take_some(some, std::min(most, items_.size()));
    while (some.size() != most && !items_.empty()) try {
        some.push_back(items_.take());
      } catch (const passing&) { throw; } catch (...) {
        if (some.empty()) throw;
        break;  // the next two-way call throws it
      }
    return some;
  }
  std::size_t size() const noexcept { return items_.size(); }
  const auto& all() const noexcept { return items_.all(); }
  void replace(Store items) { items_ = std::move(items); }

  /// Whether the owner may push without a message: none of its own is under way, which comes before.
  bool takes_at_once() const noexcept { return under_way_ == 0; }
  void sends() noexcept { ++under_way_; }
  /// Does for the owner what it has sent itself.
  template <auto Member, class... A>
  auto do_own(A... arguments) {
    --under_way_;
    return (this->*Member)(std::move(arguments)...);
  }

 private:
  rank_t owner_;
  std::size_t under_way_ = 0;
  Store items_;
};

/// What a queue and its handle do alike.
template <class T, class Store>
class queue_verbs {
 protected:
  using part = queue_part<T, Store>;

 public:
  using value_type = T;

  /// One-way call: the item is in the queue at the next fence of its team or of all ranks at the latest. Those of one rank come
  /// in their order.
  void push(const T& item) {
    part* const here = own();
    if (here == nullptr) return async(named(), to_completion<&part::push>(), item);
    if (here->takes_at_once()) try {
        return here->push(item);
      } catch (...) {}  // the message throws it again, and the next fence reports it
    here->sends();
    async(named(), to_completion<&part::template do_own<&part::push, T>>(), item);
  }
  /// The same for all items of a range, in one message. Those that are in one piece and travel as bytes are copied into it at
  /// once.
  template <class Range>
  void push_range(const Range& items) {
    const auto first = std::begin(items);
    const auto last = std::end(items);
    if constexpr (may_view<decltype(first)>())
      push_many(view<T>(std::to_address(first), std::size_t(last - first)));
    else
      push_many(std::vector<T>(first, last));
  }
  /// Two-way call: the first item, which is out of the queue then, or nothing if it had none. It stands behind what this rank
  /// pushed.
  [[nodiscard]] future<std::optional<T>> pop() {
    if (part* const here = own()) {
      here->sends();
      return call<&part::template do_own<&part::pop>>(named());
    }
    return call<&part::pop>(named());
  }
  /// Two-way call: the first items, `most` of them or all that there are, in one message.
  [[nodiscard]] future<std::vector<T>> pop_some(std::size_t most) {
    if (part* const here = own()) {
      here->sends();
      return call<&part::template do_own<&part::pop_some, std::size_t>>(named(), most);
    }
    return call<&part::pop_some>(named(), most);
  }
  /// Two-way call: how many it has. Behind a fence, and before the next push or pop, the same on all ranks.
  [[nodiscard]] future<std::size_t> count() const { return call<&part::size>(named()); }
  /// The rank, of the job, on which the items lie.
  rank_t owner() const noexcept { return items_.rank(); }

 private:
  template <class Iterator>
  static constexpr bool may_view() {
    if constexpr (trivially_sendable<T> && std::contiguous_iterator<std::remove_const_t<Iterator>>)
      return std::is_same_v<std::iter_value_t<Iterator>, T>;
    else
      return false;
  }
  template <class Items>
  void push_many(Items all) {
    part* const here = own();
    if (here == nullptr) return async(named(), to_completion<&part::template push_all<Items>>(), std::move(all));
    if constexpr (part::takes_all_or_none)
      if (here->takes_at_once()) try {
          return here->take(all);
        } catch (...) {}
    here->sends();
    async(named(), to_completion<&part::template do_own<&part::template push_all<Items>, Items>>(), std::move(all));
  }

 protected:
  explicit queue_verbs(object_ref<part> items) noexcept : items_(items) {}
  /// A usage_error of a queue that was moved from, and of a handle that names none.
  const object_ref<part>& named() const {
    if (items_.rank() < 0) [[unlikely]]
      throw_moved_from();
    return items_;
  }
  /// The items, where they lie on this rank; otherwise null.
  part* own() const { return named().rank() == head_here("queue").rank ? items_.local() : nullptr; }
  object_ref<part> items_;
};

template <class T, class Store>
class owned_queue : public queue_verbs<T, Store> {
  static_assert(sendable_value<T>, "armilla: the items of a queue go to its owner and back: they must be sendable");
  using verbs = queue_verbs<T, Store>;
  using typename verbs::part;

 public:
  /// Names the queue on all members: a small value to copy, keep and send. `h->push(item)` on any rank.
  class handle_type : public verbs {
   public:
    handle_type() : verbs(object_ref<part>{}) {}
    handle_type* operator->() noexcept { return this; }

   private:
    friend owned_queue;
    explicit handle_type(const verbs& of) : verbs(of) {}
  };

  /// The items lie on `owner`, a number in the team.
  owned_queue(const team& members, rank_t owner, const making& how)
      : owned_queue(named_parts<part>(members, checked_owner(members, owner)), how) {}
  owned_queue(owned_queue&& other) noexcept : verbs(other), parts_(std::move(other.parts_)), kept_(std::move(other.kept_)) {
    other.items_ = {};
  }
  owned_queue& operator=(owned_queue&& other) noexcept {
    std::swap(this->items_, other.items_);
    parts_ = std::move(other.parts_);
    kept_ = std::move(other.kept_);
    return *this;
  }
  ~owned_queue() = default;

  /// How many items it had at the last fence of the queue's team or of all ranks. No message.
  std::size_t size() const noexcept { return parts_.size(); }
  bool empty() const noexcept { return size() == 0; }
  const team& members() const { return parts_.members(); }
  handle_type handle() const noexcept { return handle_type(*this); }

  void clear() {
    const named_algorithm name("clear");
    members().fence();
    parts_.mine().replace(Store());
    parts_.count();
  }
  void save(const std::string& path) const { images::save(*this, path); }
  void load(const std::string& path) { images::load(*this, members(), path); }
  void keep(int copies) { images::keep(*this, copies); }
  void checkpoint(std::uint64_t mark = 0) { images::checkpoint(*this, mark); }

 protected:
  template <class Queue>
  recovered<Queue, rank_t> recover_as(const team& t) {
    return images::recover<Queue>(*this, t);
  }

 private:
  friend images;
  static saved_type image_type() { return saved_sequence<T>(); }
  image_numbers numbers_of_image() const { return {std::uint64_t(this->owner())}; }
  /// The old owner, or if it is lost the first member.
  static rank_t options_of(const team& t, const image_numbers& numbers) {
    return std::max<rank_t>(0, t.rank_of(rank_t(numbers[0])));
  }
  void put_image(piece_writer& to) const { put_elements<T>(to, parts_.mine().all()); }
  void take_image(image_reader& from) {
    const rank_t owner = members().rank_of(this->owner());
    std::vector<std::uint64_t> borders(std::size_t(members().size()) + 1, 0);
    std::fill(borders.begin() + owner + 1, borders.end(), from.elements());
    from.deal(borders);
    Store items;
    if (members().rank() == owner)
      take_elements<T>(from, 0, from.elements(), [&items](T&& each) { items.push(std::move(each)); });
    from.agree();
    parts_.mine().replace(std::move(items));
    parts_.count();
  }
  // Behind the agreement bodies that name it by its handle find it on the owner.
  owned_queue(named_parts<part> made, const making& how) : verbs(made.of(made.mine().owner())), parts_(std::move(made)) {
    parts_.note(&how);
    require_same_owner(parts_.members(), parts_.mine().owner());
  }
  named_parts<part> parts_;
  keeping<owned_queue> kept_;
};

}  // namespace armilla::detail
