// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/papers/sort/radix.hpp"

namespace sorting {

namespace am = armilla;

// parallel
/// Keys in this rank's segment, where others can write.
class segment_keys {
 public:
  explicit segment_keys(std::size_t n) : begin_(am::allocate<key>(n + 1)), size_(n) {}
  segment_keys(segment_keys&& other) noexcept : begin_(std::exchange(other.begin_, {})), size_(other.size_) {}
  ~segment_keys() { am::deallocate(begin_); }

  const am::global_ptr<key>& begin() const { return begin_; }
  std::span<key> local() const { return {begin_.local(), size_}; }
  operator std::span<const key>() const { return local(); }  // NOLINT(google-explicit-constructor): that is what it is

 private:
  am::global_ptr<key> begin_;
  std::size_t size_;
};

/// Which rank sorts which digits, and where in its part the keys of each rank and digit lie: by digit, then by rank.
class digit_shares {
 public:
  using counts = std::vector<std::vector<std::uint64_t>>;  // by rank, by digit

  digit_shares(const counts& of, std::uint64_t total) : owner_(of[0].size()), place_(owner_.size()), sizes_(of.size()) {
    std::uint64_t before = 0;
    for (std::size_t d = 0; d < owner_.size(); ++d) {
      std::uint64_t n = 0;
      for (std::size_t r = 0; r < of.size(); ++r) {
        if (r == std::size_t(am::rank())) place_[d] = n;
        n += of[r][d];
      }
      owner_[d] = std::size_t((before + n / 2) * of.size() / (total + 1));  // the digit's middle decides
      place_[d] += sizes_[owner_[d]];
      sizes_[owner_[d]] += n;
      before += n;
    }
  }
  std::size_t owner(std::size_t digit) const { return owner_[digit]; }
  std::uint64_t place(std::size_t digit) const { return place_[digit]; }  ///< of this rank's keys in the owner's part
  std::uint64_t size(std::size_t rank) const { return sizes_[rank]; }

 private:
  std::vector<std::size_t> owner_;
  std::vector<std::uint64_t> place_, sizes_;
};

struct key_range {
  key low = std::numeric_limits<key>::max(), high = std::numeric_limits<key>::min();
};
inline key_range range_of(std::span<const key> keys) {
  key_range r;
  for (const key k : keys) r.low = std::min(r.low, k), r.high = std::max(r.high, k);
  return r;
}

/// Writes this rank's keys into the parts of all ranks: straight, where their memory is mapped; else range by range.
inline void spread(std::span<const key> input, const radix_plan& plan, const std::vector<std::uint64_t>& counts,
                   const digit_shares& shares, const std::vector<am::global_ptr<key>>& parts) {
  std::vector<key*> places(plan.digits), mapped;
  for (const am::global_ptr<key>& p : parts) mapped.push_back(p.local());
  std::uint64_t remote_keys = 0;
  for (std::size_t d = 0; d < plan.digits; ++d)
    if (mapped[shares.owner(d)] == nullptr) remote_keys += counts[d];
  std::vector<key> far(remote_keys);
  std::uint64_t at = 0;
  for (std::size_t d = 0; d < plan.digits; ++d) {
    key* const part = mapped[shares.owner(d)];
    places[d] = part != nullptr ? part + shares.place(d) : &far[std::exchange(at, at + counts[d])];
  }
  line_spreader(places).spread(input, plan);
  for (std::size_t d = 0; d < plan.digits; ++d)
    if (const std::size_t owner = shares.owner(d); mapped[owner] == nullptr)
      am::store(parts[owner] + std::ptrdiff_t(shares.place(d)), std::span<const key>(places[d], counts[d]));
  am::fence();
}

/// A radix sort: the ranks count the upper digit, agree on which rank sorts which digits, write every key where its digit is
/// gathered, and sort each digit's keys by the lower bits within their cache.
inline segment_keys sort_best(std::span<const key> input) {
  const auto wider = [](key_range a, key_range b) { return key_range{std::min(a.low, b.low), std::max(a.high, b.high)}; };
  const auto total = am::all_reduce(std::uint64_t(input.size()), std::plus<>{});
  const key_range range = am::all_reduce(range_of(input), wider);
  const radix_plan plan = radix_plan::of(total, range.low, range.high);
  const digit_shares::counts counts = am::all_gather(count_digits(input, plan));
  const digit_shares shares(counts, total);

  segment_keys mine(shares.size(std::size_t(am::rank())));
  spread(input, plan, counts[std::size_t(am::rank())], shares, am::all_gather(mine.begin()));

  std::span<key> rest = mine.local();
  std::vector<key> other;
  for (std::size_t d = 0; d < plan.digits; ++d) {
    if (shares.owner(d) != std::size_t(am::rank())) continue;
    std::uint64_t n = 0;
    for (const auto& of_rank : counts) n += of_rank[d];
    if (other.size() < n) other.resize(n);
    sort_bucket(rest.first(n), other.data(), plan);
    rest = rest.subspan(n);
  }
  return mine;
}
// end of parallel

}  // namespace sorting
