// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/papers/npb/is_problem.hpp"

/// What a rank of IS does alone: the same for every way of communicating.
namespace npb {

/// How many keys fall into each bucket; behind them the five keys whose ranks are checked, on the rank that has them, else 0.
/// Summed over all ranks in one piece.
using bucket_sizes = std::array<std::uint32_t, is_problem::buckets + 5>;

/// Keys leave for their buckets by whole lines of the cache.
struct alignas(128) key_parcel {
  static constexpr std::uint32_t size = 32;
  sort_key keys[size];
  static std::size_t parcels(std::size_t keys) noexcept { return (keys + size - 1) / size; }
};

/// A run of keys of several ranks, and where each bucket of one rank begins in its own.
struct bucket_split {
  std::vector<int> first_bucket;  ///< of each rank, and the number of buckets
  std::vector<int> send_count;    ///< keys of mine that go to each rank: to this one none, those stay where they are
  std::vector<int> send_place;    ///< where they begin
  std::size_t kept = 0;           ///< keys of mine that stay; they begin where what this rank would send itself does
  std::uint64_t below = 0;        ///< keys of all that are in lower buckets than mine

  /// So that each rank gets about as many keys of all.
  bucket_split(const bucket_sizes& mine, const bucket_sizes& all, int rank, int ranks);
  std::span<const sort_key> kept_of(const key_parcel* sorted, int rank) const {
    return {sorted->keys + send_place[std::size_t(rank)], kept};
  }
};

inline bucket_sizes sum_of_sizes(bucket_sizes a, const bucket_sizes& b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

/// Each iteration begins with two other keys, among the first of all.
void change_keys(const is_problem& p, int iteration, std::uint64_t first, std::span<sort_key> keys);

/// Where what comes from each rank begins, if `counts` come; behind them the sum.
std::vector<int> places_of(std::span<const int> counts);

/// The checked keys of those that stand from place `first` on, as bucket_sizes has them.
void note_checked(const is_problem& p, std::span<const sort_key> keys, std::uint64_t first, bucket_sizes& sizes);

/// Sorts keys by bucket. Keeps its tables between the iterations.
class bucket_sorter {
 public:
  explicit bucket_sorter(const is_problem& p) : shift_(p.bucket_shift()), open_(is_problem::buckets) {}

  void count(std::span<const sort_key> keys, bucket_sizes& sizes) const;
  /// After `count`: `sorted` has room for all keys.
  void sort(std::span<const sort_key> keys, const bucket_sizes& sizes, key_parcel* sorted);

 private:
  int shift_;
  std::vector<key_parcel> open_;  ///< what goes next to each bucket
};

/// The ranks of a rank's keys among those of its buckets.
class rank_table {
 public:
  /// For the keys of the buckets from `first_bucket` to before `end_bucket`.
  void begin(const is_problem& p, int first_bucket, int end_bucket);
  void count(std::span<const sort_key> keys) noexcept;
  void finish() noexcept;

  /// After `finish`: how many of the counted keys are less than `key`.
  std::uint32_t less_than(sort_key key) const noexcept { return less_[key - low_]; }
  bool covers(sort_key key) const noexcept { return key - low_ < size_; }
  /// How many of the checked keys have the rank that they must have in this iteration, of those that are mine.
  int right_ranks(const is_problem& p, const bucket_sizes& all, std::uint64_t below, int iteration) const;
  /// The counted keys, in as many pieces as they were counted in, each put where its rank says. Empty if two meet at a place,
  /// one is beyond the end, or they are not ascending.
  std::vector<sort_key> sorted(std::span<const std::span<const sort_key>> pieces) const;

 private:
  sort_key low_ = 0, size_ = 0;
  std::vector<std::uint32_t> less_;
};

/// What a rank has in the end, for the others to look at.
struct sorted_run {
  std::int64_t keys = 0, right_ranks = 0;
  sort_key lowest = 0, highest = 0;
};
sorted_run run_of(const rank_table& table, std::span<const std::span<const sort_key>> pieces, int right_ranks);
/// Whether all checked ranks were right and the keys of all, rank by rank, are ascending and complete.
bool all_right(const is_problem& p, std::span<const sorted_run> runs);

}  // namespace npb
