// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "armilla/team/collectives.hpp"

/// Which element goes to which member, guessed from a sample.
namespace armilla::detail {

/// Buckets in order: those that surely belong to one member, and between them those in which a border between members lies: even
/// and odd numbers. A bucket with borders has the elements from `low` to `high`.
template <class T>
class partition_plan {
 public:
  /// Nothing is known: all borders lie in one bucket.
  explicit partition_plan(std::size_t borders) : groups_{{{}, {}, 0, borders}} {}

  /// `sample` is in order; border k has `wanted[k]` of all `n` elements before it. A border lies in its bucket unless the sample
  /// is one in some thousand that misleads.
  template <class Order>
  partition_plan(std::span<const T> sample, std::span<const std::size_t> wanted, std::size_t n, const Order& comes_first) {
    const double size = double(sample.size()), margin = 1.6 * std::sqrt(size) + 1;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const double at = double(wanted[k]) / double(n) * size;
      group next{{}, {}, k, k + 1};
      if (at - margin >= 0) next.low = sample[std::size_t(at - margin)];
      if (at + margin < size - 1) next.high = sample[std::size_t(at + margin) + 1];
      if (!groups_.empty() && overlap(groups_.back(), next, comes_first)) {
        groups_.back().high = next.high;
        groups_.back().end = next.end;
      } else {
        groups_.push_back(next);
      }
    }
    list_ends(sample);
  }

  /// Where all borders lie in one bucket with two ends: these.
  struct ends {
    T low, high;
  };
  std::optional<ends> only_bucket_with_borders() const {
    if (groups_.size() != 1 || !groups_[0].low || !groups_[0].high) return std::nullopt;
    return ends{*groups_[0].low, *groups_[0].high};
  }

  std::size_t buckets() const noexcept { return 2 * groups_.size() + 1; }
  /// The borders that lie in the bucket 2 * g + 1.
  std::size_t groups() const noexcept { return groups_.size(); }
  std::size_t first_border(std::size_t g) const noexcept { return groups_[g].begin; }
  std::size_t end_border(std::size_t g) const noexcept { return groups_[g].end; }

  /// Budget: no branch that depends on `e`: each would be foretold wrong every second time.
  template <class Order>
  std::size_t bucket_of(const T& e, const Order& comes_first) const {
    if (lows_.empty()) return 1;
    const T* high = highs_.data();
    std::size_t from = 0;  // groups before `from` end before e
    for (std::size_t count = highs_.size(); count != 0;) {
      const std::size_t half = (count + 1) / 2;
      from += half * std::size_t(comes_first(high[from + half - 1], e));
      count -= half;
    }
    const std::size_t behind_low = std::size_t(!comes_first(e, lows_[from])) | std::size_t(open_below_ & (from == 0));
    return 2 * from + (std::size_t(from < groups_.size()) & behind_low);
  }

 private:
  struct group {
    std::optional<T> low, high;  // nothing: no end
    std::size_t begin, end;      // of borders
  };
  template <class Order>
  static bool overlap(const group& a, const group& b, const Order& comes_first) {
    return !a.high || !b.low || !comes_first(*a.high, *b.low);
  }
  // Groups without an end overlap with all that lie there: only the first has no low end, only the last no high one.
  void list_ends(std::span<const T> sample) {
    if (groups_.empty() || sample.empty()) return;
    open_below_ = !groups_.front().low;
    for (const group& g : groups_) {
      lows_.push_back(g.low.value_or(sample[0]));
      if (g.high) highs_.push_back(*g.high);
    }
    lows_.push_back(sample[0]);  // behind the last group: read, and not used
  }

  std::vector<group> groups_;
  std::vector<T> lows_, highs_;  ///< of the groups; empty: all is one bucket
  bool open_below_ = false;      ///< the first group has no low end
};

/// So many elements of all members together are looked at.
inline std::size_t sample_size(std::size_t n, std::size_t members) { return std::min(n / 16, std::size_t(8192) + 512 * members); }

/// Elements of this member's part, one at random of each of equal stretches.
template <class T>
std::vector<T> sample_of(std::span<const T> part, std::size_t n, std::size_t members) {
  const std::size_t mine = std::size_t(double(sample_size(n, members)) * double(part.size()) / double(n));
  std::vector<T> some;
  some.reserve(mine);
  std::minstd_rand random(std::minstd_rand::result_type(part.size() + 1));
  for (std::size_t k = 0; k < mine; ++k) {
    const std::size_t begin = k * part.size() / mine, end = (k + 1) * part.size() / mine;
    some.push_back(part[begin + random() % (end - begin)]);
  }
  return some;
}

}  // namespace armilla::detail
