// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/call.hpp"
#include "armilla/container/place/fetched_bytes.hpp"
#include "armilla/container/place/state.hpp"
#include "armilla/distributed.hpp"
#include "armilla/team/collectives/values.hpp"

/// Containers of elements that are no plain bytes (texts, vectors): each rank has its own in its own memory, and the others ask
/// it for copies.
namespace armilla::detail {

/// Elements of this type lie where other ranks load and store them.
template <class T>
inline constexpr bool lies_in_segments = std::is_trivially_copyable_v<T>;

/// A member's part of a container, by its name.
template <class T>
using part_name = object_ref<std::vector<T>>;

[[noreturn, gnu::cold]] void throw_part_ended(object_id part);
/// All members make a container of the same size, element and distribution, or all throw usage_error.
void require_same_container(const team& t, failure& why, const container_kind& mine);

template <class T>
std::vector<T>& part_here(part_name<T> name) {
  std::vector<T>* const here = name.local();
  if (here == nullptr) [[unlikely]]
    throw_part_ended(object_access::id(name));
  return *here;
}

// What a member does for others.
template <class T>
std::vector<T> copy_run(part_name<T> name, std::size_t first, std::size_t n) {
  const std::vector<T>& part = part_here(name);
  std::vector<T> some;
  some.reserve(n);
  for (std::size_t k = first; k < first + n; ++k) some.push_back(copy_of(part[k]));
  return some;
}
template <class T>
void write_run(part_name<T> name, std::size_t first, std::vector<T> values) {
  std::move(values.begin(), values.end(), part_here(name).begin() + std::ptrdiff_t(first));
}
template <class T>
std::vector<T> copy_places(part_name<T> name, const std::vector<std::size_t>& places) {
  std::vector<T> some;
  for (const std::size_t place : places) some.push_back(copy_of(part_here(name)[place]));
  return some;
}
template <class T>
void write_places(part_name<T> name, const std::vector<std::size_t>& places, std::vector<T> values) {
  for (std::size_t k = 0; k < places.size(); ++k) part_here(name)[places[k]] = std::move(values[k]);
}
template <class T>
T copy_place(part_name<T> name, std::size_t place) {
  return copy_of(part_here(name)[place]);
}
template <class T>
void write_place(part_name<T> name, std::size_t place, T value) {
  part_here(name)[place] = std::move(value);
}

/// A run of another member's elements.
template <class T>
class fetched_elements final : public fetched_run {
 public:
  fetched_elements(part_name<T> from, std::size_t first, std::size_t n)
      : elements_(call(from.rank(), &copy_run<T>, from, first, n).get()), from_(from), first_(first) {}
  void* data() noexcept override { return elements_.data(); }
  void put_back() override { call(from_.rank(), &write_run<T>, from_, first_, std::move(elements_)).get(); }

 private:
  std::vector<T> elements_;
  part_name<T> from_;
  std::size_t first_;
};

/// What such a container is made of. The functions that change it are collective.
template <class T>
class owned_state {
 public:
  team members;
  armilla::placement where;
  rank_t me = 0;  ///< this rank's number among the members
  [[no_unique_address]] order_check order;

  owned_state() = default;
  owned_state(const team& t, armilla::placement p) : members(t), where(std::move(p)), me(t.rank()) {
    require_few_elements(where, sizeof(T));
    failure why;
    std::vector<T> mine;
    if (const std::uint64_t bytes = most_bytes(); bytes >= large_request) {
      require_same_container(t, why, kind());
      require_memory(t, "container", where.count(me) * sizeof(T), bytes);
    }
    try {
      mine.resize(where.count(me));
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    parts_.reset(new distributed<std::vector<T>>(object_access::of_members<std::vector<T>>(t, std::move(mine))));
    require_same_container(t, why, kind());
  }
  owned_state(owned_state&& other) noexcept { *this = std::move(other); }
  owned_state& operator=(owned_state&& other) noexcept {
    give_up();
    members = std::move(other.members);
    where = std::exchange(other.where, {});
    me = other.me;
    parts_ = std::exchange(other.parts_, nullptr);
    order = std::move(other.order);
    return *this;
  }
  ~owned_state() { give_up(); }

  std::size_t count() const noexcept { return parts_ == nullptr ? 0 : part().size(); }
  T* first() const noexcept { return parts_ == nullptr ? nullptr : part().data(); }
  /// The part of member `m`.
  part_name<T> name(rank_t m) const { return parts_->on(members.world_rank(m)); }

  /// Elements [first, first + n) of one run: this rank's where they lie, else a copy of the first ones, and n says of how many.
  template <class Element>
  Element* window(const void* reader, std::size_t first, std::size_t& n, scratch& s) const {
    const auto [member, place] = where.locate(first);
    if (member == me) return part().data() + place;
    const fetch_of_part part{*this, member};
    if constexpr (std::is_const_v<Element>)
      return static_cast<Element*>(s.read({reader, &where, member, place}, n, sizeof(T), fetch, &part));
    n = std::min(n, scratch::most<T>);
    return static_cast<Element*>(s.keep(fetch(&part, place, n), n, true).data());
  }

  /// `added` elements follow this rank's. Then indices go from member to member.
  void grow(std::vector<T>& more, std::size_t added) {
    part().insert(part().end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.begin() + std::ptrdiff_t(added)));
    show_counts();
  }
  /// Of each member's elements the first `n` stay.
  void keep(std::size_t n) {
    part().erase(part().begin() + std::ptrdiff_t(n), part().end());
    show_counts();
  }

 private:
  struct fetch_of_part {
    const owned_state& of;
    rank_t member;
  };
  static std::unique_ptr<fetched_run> fetch(const void* how, std::size_t first, std::size_t n) {
    const auto& part = *static_cast<const fetch_of_part*>(how);
    return std::make_unique<fetched_elements<T>>(part.of.name(part.member), first, n);
  }
  container_kind kind() const {
    return {mark_with_type(members, mark_of_container(where, sizeof(T)), sign_of_type<T>), parts_of_container, &where};
  }
  /// Of the member with the greatest part.
  std::uint64_t most_bytes() const {
    std::size_t most = 0;
    for (rank_t m = 0; m < where.members(); ++m) most = std::max(most, where.count(m));
    return most * sizeof(T);
  }
  std::vector<T>& part() const noexcept { return **parts_; }
  void show_counts() {
    const meeting here(members);
    where = armilla::placement(members.all_gather(part().size()));
  }
  // Others may still ask until the members meet next.
  void give_up() noexcept {
    if (parts_ != nullptr && current_head != nullptr && current_head->objects != nullptr) retain(members, std::move(parts_));
    parts_ = nullptr;
  }

  std::shared_ptr<distributed<std::vector<T>>> parts_;
};

template <class T>
using element_state = std::conditional_t<lies_in_segments<T>, container_state, owned_state<T>>;

/// Where this rank's elements begin; null if the container was made without ranks.
template <class T>
T* first_of(const container_state& s) noexcept {
  if (s.blocks.empty()) return nullptr;
  return reinterpret_cast<T*>(global_ptr<std::byte>(s.blocks.at(s.me)).local());
}
template <class T>
T* first_of(const owned_state<T>& s) noexcept {
  return s.first();
}

/// Element i of such a container, read or written by the expression that names it.
template <class T>
class owned_element {
 public:
  owned_element(part_name<T> part, std::size_t place) noexcept : part_(part), place_(place) {}
  owned_element(const owned_element&) = delete;
  owned_element& operator=(const owned_element&) = delete;

  T get() const {
    return part_.rank() == current_head->rank ? T(copy_of(part_here(part_)[place_]))
                                              : call(part_.rank(), &copy_place<T>, part_, place_).get();
  }
  operator T() const&& { return get(); }
  void operator=(const T& value) const&& {
    if (part_.rank() == current_head->rank)
      part_here(part_)[place_] = copy_of(value);
    else
      call(part_.rank(), &write_place<T>, part_, place_, value).get();
  }

 private:
  part_name<T> part_;
  std::size_t place_;
};

}  // namespace armilla::detail
