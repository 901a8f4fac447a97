// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

/// Which element goes to which member, guessed from a sample.
namespace armilla::detail {

/// The order that was passed by its address. One without state need not be passed: the address may be null.
template <class Order>
const Order& order_behind(const void* order) {
  if constexpr (std::is_empty_v<Order> && std::is_trivially_default_constructible_v<Order>) {
    static constexpr Order stateless{};
    return stateless;
  } else {
    return *static_cast<const Order*>(order);
  }
}

/// Whether one element comes before another, for code that does not know their type.
struct erased_order {
  const void* order;
  bool (*first)(const void* order, const void* a, const void* b);
  bool operator()(const void* a, const void* b) const { return first(order, a, b); }
};
template <class T, class Order>
bool comes_first_erased(const void* order, const void* a, const void* b) {
  return order_behind<Order>(order)(*static_cast<const T*>(a), *static_cast<const T*>(b));
}

/// Where the borders between members lie among the elements of a sample. Several borders that lie close to each other are a
/// group. The elements of a group are those from `low` to `high`.
class border_groups {
 public:
  static constexpr std::size_t no_end = ~std::size_t{0};
  struct group {
    std::size_t low, high;   ///< places in the sample; no_end: the group has no end on that side
    std::size_t begin, end;  ///< of its borders
  };

  /// Nothing is known: all borders are one group, and all elements are in it.
  explicit border_groups(std::size_t borders) : groups_{{no_end, no_end, 0, borders}} {}
  /// `sample` has `many` elements of `size` bytes in order; border k has `wanted[k]` of all `n` elements before it. A border lies
  /// in its group unless the sample is one in some thousand that misleads.
  border_groups(const void* sample, std::size_t many, std::size_t size, std::span<const std::size_t> wanted, std::size_t n,
                erased_order comes_first);

  std::size_t size() const noexcept { return groups_.size(); }
  const group& operator[](std::size_t g) const noexcept { return groups_[g]; }
  /// There are buckets between groups, too: the bucket of group g is 2 * g + 1.
  std::size_t buckets() const noexcept { return 2 * groups_.size() + 1; }
  /// A number that is the same on members whose borders are in the same groups.
  std::uint64_t mark() const noexcept;
  bool one_with_two_ends() const noexcept { return groups_.size() == 1 && groups_[0].low != no_end && groups_[0].high != no_end; }

 private:
  std::vector<group> groups_;
};

/// Buckets in order: those that surely belong to one member, and between them those in which a border between members lies: even
/// and odd numbers.
template <class T>
class partition_plan {
 public:
  partition_plan(const border_groups& groups, const T* sample) : groups_(groups.size()) {
    // Groups without an end overlap with all that lie there: only the first has no low end, only the last no high one.
    if (groups_ == 0 || (groups_ == 1 && groups[0].low == border_groups::no_end && groups[0].high == border_groups::no_end))
      return;
    open_below_ = groups[0].low == border_groups::no_end;
    highs_ = groups_ - std::size_t(groups[groups_ - 1].high == border_groups::no_end);
    ends_ = std::make_unique_for_overwrite<T[]>(groups_ + 1 + highs_);
    for (std::size_t g = 0; g < groups_; ++g) {
      ends_[g] = sample[groups[g].low == border_groups::no_end ? 0 : groups[g].low];
      if (g < highs_) ends_[groups_ + 1 + g] = sample[groups[g].high];
    }
    ends_[groups_] = sample[0];  // after the last group: read, and not used
  }

  /// Budget: no branch that depends on `e`: each would be foretold wrong every second time.
  template <class Order>
  std::size_t bucket_of(const T& e, const Order& comes_first) const {
    if (ends_ == nullptr) return 1;
    const T* const high = ends_.get() + groups_ + 1;
    std::size_t from = 0;  // groups before `from` end before e
    for (std::size_t count = highs_; count != 0;) {
      const std::size_t half = (count + 1) / 2;
      from += half * std::size_t(comes_first(high[from + half - 1], e));
      count -= half;
    }
    const std::size_t behind_low = std::size_t(!comes_first(e, ends_[from])) | std::size_t(open_below_ & (from == 0));
    return 2 * from + (std::size_t(from < groups_) & behind_low);
  }

 private:
  std::size_t groups_, highs_ = 0;
  std::unique_ptr<T[]> ends_;  ///< the low ends, one more element, and the high ends; null: all elements are in one bucket
  bool open_below_ = false;    ///< the first group has no low end
};

/// The places in a part of `part` elements, one at random of each of equal stretches, that make its share of a sample of all `n`.
std::vector<std::size_t> sample_places(std::size_t part, std::size_t n, std::size_t members);

}  // namespace armilla::detail
