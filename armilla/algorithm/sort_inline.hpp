// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise.hpp"
#include "armilla/algorithm/exchange_rounds.hpp"
#include "armilla/algorithm/local_sort.hpp"
#include "armilla/algorithm/partition_plan.hpp"
#include "armilla/algorithm/presorted.hpp"
#include "armilla/algorithm/selection.hpp"
#include "armilla/container/array.hpp"
#include "armilla/container/in_functions.hpp"

/// What `sort` does inside.
namespace armilla::detail {

/// Fewer elements than these are sorted by each member for itself.
inline std::size_t few_elements(std::size_t members) { return std::max<std::size_t>(2048, 64 * members); }

/// The elements of a member dealt into buckets, in the member's segment. Behind each bucket is room for one element, so that a
/// bucket may be written to before it is known whether it gets anything.
template <class T, class Order>
class dealt {
 public:
  dealt(const team& t, std::span<const T> part, const placement& where, const partition_plan<T>& plan, const Order& comes_first)
      : plan_(plan), comes_first_(comes_first), borders_(plan.buckets() + 1), room_(room_for(t, where, plan.buckets())) {
    if constexpr (Order::meant == number_order::other)
      deal_and_remember(part);
    else if (const auto middle = plan.only_bucket_with_borders())
      deal_in_three(part, middle->low, middle->high);
    else
      deal(part);
  }
  /// Where bucket b begins among the elements, not counting the room between buckets.
  std::size_t begin(std::size_t b) const noexcept { return borders_[b]; }
  std::size_t size(std::size_t b) const noexcept { return borders_[b + 1] - borders_[b]; }
  std::span<T> bucket(std::size_t b) noexcept { return {mine() + borders_[b] + b, size(b)}; }
  const std::vector<std::uint64_t>& borders() const noexcept { return borders_; }
  /// How many elements are no numbers.
  std::size_t nans() const noexcept { return nans_; }
  /// Where the elements of a member lie.
  global_ptr<const T> at(rank_t m) const { return global_ptr<const T>(room_.blocks.at(m)); }

 private:
  static container_state room_for(const team& t, const placement& where, std::size_t buckets) {
    std::vector<std::size_t> sizes;
    for (rank_t m = 0; m < t.size(); ++m) sizes.push_back(where.count(m) + buckets);
    return {t, placement(std::move(sizes)), sizeof(T), alignof(T), [](std::byte*, std::size_t) {}};
  }
  T* mine() const noexcept { return reinterpret_cast<T*>(global_ptr<std::byte>(room_.blocks.at(room_.me)).local()); }

  void deal_in_three(std::span<const T> part, const T from, const T to) {
    if constexpr (std::floating_point<T>) {
      constexpr bool up = Order::meant == number_order::ascending;
      if (from == from && to == to)  // one comparison an element and border; what is no number is beyond
        return deal_between(
            part, [from](T e) { return up ? e < from : from < e; }, [to](T e) { return up ? !(e <= to) : !(to <= e); });
    }
    deal_between(
        part, [this, from](const T& e) { return comes_first_(e, from); }, [this, to](const T& e) { return comes_first_(to, e); });
  }
  // Budget: no branch, and three stores an element, of which one stays. The bounds are values: the stores might change them else.
  template <class Below, class Beyond>
  void deal_between(std::span<const T> part, const Below comes_below, const Beyond comes_beyond) {
    std::size_t below = 0, beyond = 0, nans = 0;
    for (const T& e : part) {
      below += std::size_t(comes_below(e));
      beyond += std::size_t(comes_beyond(e));
      nans += std::size_t(no_number(e));
    }
    nans_ = nans;
    borders_ = {0, below, part.size() - beyond, part.size()};
    T *low = mine(), *middle = low + borders_[1] + 1, *high = low + borders_[2] + 2;
    for (const T& at : part) {
      const T e = at;
      const std::size_t is_below = std::size_t(comes_below(e)), is_beyond = std::size_t(comes_beyond(e));
      *low = e, *middle = e, *high = e;
      low += is_below, middle += 1 - is_below - is_beyond, high += is_beyond;
    }
  }
  void deal(std::span<const T> part) {
    std::vector<std::size_t> next(plan_.buckets() + 1);
    for (const T& e : part) {
      ++next[plan_.bucket_of(e, comes_first_) + 1];
      nans_ += std::size_t(no_number(e));
    }
    for (std::size_t b = 0; b < plan_.buckets(); ++b) borders_[b + 1] = next[b + 1] += next[b];
    T* const to = mine();
    for (const T& e : part) {
      const std::size_t b = plan_.bucket_of(e, comes_first_);
      to[next[b]++ + b] = e;
    }
  }
  // A comparator of the user is asked once: it may throw, or not say the same twice.
  void deal_and_remember(std::span<const T> part) {
    std::vector<std::uint16_t> bucket(part.size());
    std::vector<std::size_t> next(plan_.buckets() + 1);
    for (std::size_t k = 0; k < part.size(); ++k)
      ++next[(bucket[k] = std::uint16_t(plan_.bucket_of(part[k], comes_first_))) + 1U];
    for (std::size_t b = 0; b < plan_.buckets(); ++b) borders_[b + 1] = next[b + 1] += next[b];
    T* const to = mine();
    for (std::size_t k = 0; k < part.size(); ++k) to[next[bucket[k]]++ + bucket[k]] = part[k];
  }

  const partition_plan<T>& plan_;
  const Order& comes_first_;
  std::vector<std::uint64_t> borders_;
  std::size_t nans_ = 0;
  container_state room_;
};

/// The parts of all members, one behind the other, as one sequence that is to be in order. Each member keeps as many as it has.
template <class T, class Order>
class parts_sort {
 public:
  parts_sort(const team& t, std::span<T> part, const placement& where, const char* operation, const Order& comes_first,
             failure& why)
      : t_(t), part_(part), where_(where), n_(where.size()), operation_(operation), comes_first_(comes_first), why_(why) {
    std::size_t before = 0;
    for (rank_t m = 0; m + 1 < t.size(); ++m) wanted_.push_back(before += where.count(m));
  }

  void run(bool stable) {
    const std::size_t members = std::size_t(t_.size());
    if (members > 1 && n_ < few_elements(members)) return sort_few(stable);
    const found_order found = order_of_parts(t_, std::span<const T>(part_), comes_first_, stable);
    if (members == 1 && found == found_order::none) sort_here(part_.data(), part_.size(), comes_first_, stable);
    agree(t_, operation_, why_);
    if (found == found_order::reversed) {
      reverse_parts(t_, part_, where_);
      return agree(t_, operation_, why_);
    }
    if (members > 1 && found == found_order::none && !sort_by(guess(), stable))
      sort_by(partition_plan<T>(wanted_.size()), stable);
  }

 private:
  void sort_few(bool stable) {
    std::vector<T> all = t_.all_gather_v(std::vector<T>(part_.begin(), part_.end()));
    sort_here(all.data(), all.size(), comes_first_, stable);
    agree(t_, operation_, why_);
    const std::size_t first = t_.rank() == 0 ? 0 : wanted_[std::size_t(t_.rank()) - 1];
    std::copy_n(all.data() + first, part_.size(), part_.data());
    meet(t_);
  }

  partition_plan<T> guess() {
    std::vector<T> sample = t_.all_gather_v(sample_of(std::span<const T>(part_), n_, std::size_t(t_.size())));
    sort_here(sample.data(), sample.size(), comes_first_, false);
    partition_plan<T> plan(std::span<const T>(sample), wanted_, n_, comes_first_);
    agree(t_, operation_, why_);
    return plan;
  }

  /// False, and nothing has changed: a border does not lie in its bucket.
  bool sort_by(const partition_plan<T>& plan, bool stable) {
    dealt<T, Order> mine(t_, part_, where_, plan, comes_first_);
    agree(t_, operation_, why_);
    std::vector<cut<T>> cuts;
    std::vector<std::uint64_t> all = mine.borders();
    all.push_back(mine.nans());
    t_.all_reduce(std::span<std::uint64_t>(all), std::plus<>{});
    for (std::size_t g = 0; g < plan.groups(); ++g) {
      const std::size_t b = 2 * g + 1;
      for (std::size_t k = plan.first_border(g); k < plan.end_border(g); ++k)
        if (wanted_[k] < all[b] || wanted_[k] > all[b + 1]) return false;
      sort_here(mine.bucket(b).data(), mine.size(b), comes_first_, stable);
      for (std::size_t k = plan.first_border(g); k < plan.end_border(g); ++k)
        cuts.push_back({mine.bucket(b), wanted_[k] - all[b]});
    }
    find_cuts(t_, std::span(cuts), comes_first_, why_);
    agree(t_, operation_, why_);
    take_share(mine, plan, cuts);
    sort_here(part_.data(), part_.size(), comes_first_, stable, all.back() != 0);
    agree(t_, operation_, why_);
    return true;
  }

  /// What a member has for which other: where its shares begin, and its buckets.
  void take_share(const dealt<T, Order>& mine, const partition_plan<T>& plan, std::span<const cut<T>> cuts) {
    const std::size_t members = std::size_t(t_.size()), me = std::size_t(t_.rank()), buckets = plan.buckets();
    std::vector<std::uint64_t> shown{0};
    for (std::size_t g = 0; g < plan.groups(); ++g)
      for (std::size_t k = plan.first_border(g); k < plan.end_border(g); ++k)
        shown.push_back(mine.begin(2 * g + 1) + cuts[k].lower);
    shown.push_back(part_.size());
    shown.insert(shown.end(), mine.borders().begin(), mine.borders().end());
    const std::vector<std::uint64_t> of_all = t_.all_gather_v(shown);
    T* to = part_.data();
    for (std::size_t m = 0; m < members; ++m) {
      const std::uint64_t* const of = of_all.data() + m * shown.size();
      const std::uint64_t* const borders = of + members + 1;
      for (std::size_t b = 0; b < buckets; ++b) {
        const std::size_t first = std::max(of[me], borders[b]), end = std::min(of[me + 1], borders[b + 1]);
        if (first >= end) continue;
        get(std::span<T>(to, end - first), mine.at(rank_t(m)) + std::ptrdiff_t(first + b));
        if (m != me) count_moved(end - first);
        to += end - first;
      }
    }
    sync_memory();
    count_elements(part_.size());
  }

  const team& t_;
  std::span<T> part_;
  const placement& where_;
  std::size_t n_;
  const char* operation_;
  const Order& comes_first_;
  failure& why_;
  std::vector<std::size_t> wanted_;  // how many elements lie before each border between members
};

/// The same of elements that others cannot read where they lie (texts, vectors). Each member sorts what it has, finds which of it
/// goes to which member, and gets all its share in one exchange, or in rounds of it; so each element travels at most once.
template <class T, class Order>
void sort_owned(const team& t, std::span<T> part, const placement& where, const char* operation, const Order& comes_first,
                failure& why) {
  sort_here(part.data(), part.size(), comes_first, true);
  agree(t, operation, why);
  const std::size_t members = std::size_t(t.size());
  if (members == 1 || where.size() == 0) return;
  std::vector<cut<T>> cuts;
  std::size_t before = 0;
  for (rank_t m = 0; m + 1 < t.size(); ++m) cuts.push_back({part, before += where.count(m)});
  find_cuts(t, std::span(cuts), comes_first, why);
  agree(t, operation, why);
  std::vector<std::vector<T>> shares(members);
  for (std::size_t m = 0; m < members; ++m) {
    const std::size_t first = m == 0 ? 0 : cuts[m - 1].lower, end = m + 1 == members ? part.size() : cuts[m].lower;
    shares[m].assign(std::move_iterator(part.data() + first), std::move_iterator(part.data() + end));
    if (m != std::size_t(t.rank())) count_moved(end - first);
  }
  std::vector<std::vector<T>> come = exchange_in_rounds(t, std::move(shares));
  T* to = part.data();
  for (std::vector<T>& of_member : come) to = std::move(of_member.begin(), of_member.end(), to);
  count_elements(part.size());
  sort_here(part.data(), part.size(), comes_first, true);
  agree(t, operation, why);
}

/// A container, not a view of one.
template <class V>
concept is_whole = requires(const V& v) {
  { v.places() } -> std::same_as<typename V::value_type*>;
};

template <class V, class Comp, class Proj>
void sort_range(const V& v, const char* operation, bool stable, Comp& comp, Proj& proj) {
  using T = typename V::value_type;
  require_sized(v);
  static_assert(V::writable, "armilla: what is sorted must be writable");
  algorithm_call why(operation);
  const element_order<T, Comp, Proj> comes_first(comp, proj, why);
  const team& t = v.members();
  if (t.size() > 1) refuse_in_functions();
  const auto sort_parts = [&](std::span<T> part, const placement& where) {
    using kept = kept_as<T>;
    if constexpr (std::is_trivially_copyable_v<T>)
      parts_sort<kept, element_order<T, Comp, Proj>>(t, {reinterpret_cast<kept*>(part.data()), part.size()}, where, operation,
                                                     comes_first, why)
          .run(stable);
    else
      sort_owned(t, part, where, operation, comes_first, why);
  };
  if constexpr (is_whole<V>) {
    if (const placement* const where = v.common().where; where->linear())
      return sort_parts(std::span<T>(v.places(), where->count(t.rank())), *where);
  }
  array<T> in_blocks(v.extent(), on(t));
  copy_all(v.reading(), views::all(in_blocks));
  sort_parts(in_blocks.local(), in_blocks.placement());
  copy_all(views::all(in_blocks).reading(), v);
}

}  // namespace armilla::detail
