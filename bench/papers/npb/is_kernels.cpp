// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/is_kernels.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "bench/papers/npb/random.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace npb {

namespace {

// Lines that are written whole and not read soon go past the cache, where the processor can do that: they need not be fetched.
#ifdef __SSE2__
void write(const key_parcel& parcel, key_parcel& to) noexcept {
  const auto* const from = reinterpret_cast<const __m128i*>(parcel.keys);
  for (std::size_t i = 0; i < sizeof(key_parcel) / 16; ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to.keys) + i, _mm_load_si128(from + i));
}
void finish_writes() noexcept { _mm_sfence(); }
#else
void write(const key_parcel& parcel, key_parcel& to) noexcept { to = parcel; }
void finish_writes() noexcept {}
#endif

// Streams of keys run faster than the processor fetches by itself while lines leave past its cache.
void ask_ahead(std::span<const sort_key> keys, std::size_t i) noexcept {
  constexpr std::size_t distance = 256;
  __builtin_prefetch(keys.data() + std::min(i + distance, keys.size()));
}

}  // namespace

bucket_split::bucket_split(const bucket_sizes& mine, const bucket_sizes& all, int rank, int ranks)
    : first_bucket(std::size_t(ranks) + 1), send_count(std::size_t(ranks)), send_place(std::size_t(ranks)) {
  std::uint64_t total = 0, seen = 0;
  for (int b = 0; b < is_problem::buckets; ++b) total += all[std::size_t(b)];
  int place = 0;
  for (int b = 0, r = 0; b < is_problem::buckets; ++b) {
    while (r + 1 < ranks && seen >= first_of(total, r + 1, ranks)) {
      first_bucket[std::size_t(++r)] = b;
      send_place[std::size_t(r)] = place;
      if (r == rank) below = seen;
    }
    send_count[std::size_t(r)] += int(mine[std::size_t(b)]);
    place += int(mine[std::size_t(b)]);
    seen += all[std::size_t(b)];
  }
  // Ranks without a bucket: all keys were in the ones before.
  for (int r = ranks; r > 0 && first_bucket[std::size_t(r)] == 0; --r) {
    first_bucket[std::size_t(r)] = is_problem::buckets;
    if (r < ranks) send_place[std::size_t(r)] = place;
    if (r == rank) below = total;
  }
  kept = std::size_t(std::exchange(send_count[std::size_t(rank)], 0));
}

void change_keys(const is_problem& p, int iteration, std::uint64_t first, std::span<sort_key> keys) {
  const auto change = [&](int place, sort_key key) {
    if (const std::uint64_t at = std::uint64_t(place) - first; at < keys.size()) keys[at] = key;
  };
  change(iteration, sort_key(iteration));
  change(iteration + is_problem::iterations, p.key_range() - sort_key(iteration));
}

std::vector<int> places_of(std::span<const int> counts) {
  std::vector<int> places(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), places.begin() + 1);
  return places;
}

void note_checked(const is_problem& p, std::span<const sort_key> keys, std::uint64_t first, bucket_sizes& sizes) {
  for (std::size_t i = 0; i < p.places.size(); ++i) {
    const std::uint64_t at = p.places[i] - first;  // huge if it is before
    sizes[is_problem::buckets + i] = at < keys.size() ? keys[at] : 0;
  }
}

// Several counts at a time, in tables or places apart: one that comes again soon would have to wait for its last store.
void bucket_sorter::count(std::span<const sort_key> keys, bucket_sizes& sizes) const {
  constexpr std::size_t ways = 8;
  const int shift = shift_;
  std::array<std::uint32_t, is_problem::buckets> table[ways] = {};
  const std::size_t whole = keys.size() / ways * ways;
  for (std::size_t i = 0; i < whole; i += ways) {
    ask_ahead(keys, i);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < ways; ++j) ++table[j][keys[i + j] >> shift];
  }
  for (std::size_t i = whole; i < keys.size(); ++i) ++table[0][keys[i] >> shift];
  for (std::size_t b = 0; b < is_problem::buckets; ++b) {
    sizes[b] = 0;
    for (const auto& t : table) sizes[b] += t[b];
  }
}

void bucket_sorter::sort(std::span<const sort_key> keys, const bucket_sizes& sizes, key_parcel* sorted) {
  constexpr std::uint32_t n = key_parcel::size;
  constexpr std::size_t ways = 16;
  const int shift = shift_;
  key_parcel* const open = open_.data();
  std::array<std::uint32_t, is_problem::buckets> begin, next;
  for (std::uint32_t b = 0, place = 0; b < is_problem::buckets; place += sizes[b++]) begin[b] = next[b] = place;
  // A full parcel leaves when the next key of its bucket comes: its last key is no longer on its way to the cache then, where a
  // wider load would have to wait for it. The first parcel of a bucket may begin with the end of the bucket before, which is
  // written last.
  const auto put = [&](sort_key key) {
    const sort_key b = key >> shift;
    const std::uint32_t place = next[b]++;
    if (place % n == 0 && place > begin[b]) [[unlikely]]
      write(open[b], sorted[place / n - 1]);
    open[b].keys[place % n] = key;
  };
  const std::size_t whole = keys.size() / ways * ways;
  for (std::size_t i = 0; i < whole; i += ways) {
    ask_ahead(keys, i);
#pragma GCC unroll 16
    for (std::size_t j = 0; j < ways; ++j) put(keys[i + j]);
  }
  for (std::size_t i = whole; i < keys.size(); ++i) put(keys[i]);
  finish_writes();
  for (std::uint32_t b = 0; b < is_problem::buckets; ++b)
    for (std::uint32_t place = std::max(begin[b], (next[b] - 1) / n * n); place < next[b]; ++place)
      sorted[place / n].keys[place % n] = open[b].keys[place % n];
}

void rank_table::begin(const is_problem& p, int first_bucket, int end_bucket) {
  low_ = sort_key(first_bucket) << p.bucket_shift();
  size_ = sort_key(end_bucket - first_bucket) << p.bucket_shift();
  less_.assign(size_, 0);
}

// Keys come sorted by bucket: from four places they hit four parts of the table.
void rank_table::count(std::span<const sort_key> keys) noexcept {
  std::uint32_t* const counts = less_.data() - low_;
  const std::size_t quarter = keys.size() / 4;
  for (std::size_t i = 0; i < quarter; ++i)
    for (std::size_t j = 0; j < 4; ++j) ++counts[keys[j * quarter + i]];
  for (std::size_t i = 4 * quarter; i < keys.size(); ++i) ++counts[keys[i]];
}

void rank_table::finish() noexcept {
  std::uint32_t sum = 0;
  for (std::uint32_t& n : less_) {
    const std::uint32_t here = n;
    n = sum;
    sum += here;
  }
}

int rank_table::right_ranks(const is_problem& p, const bucket_sizes& all, std::uint64_t below, int iteration) const {
  int right = 0;
  for (int i = 0; i < 5; ++i)
    if (const sort_key key = all[std::size_t(is_problem::buckets + i)]; covers(key))
      right += std::int64_t(below + less_than(key)) == p.expected(i, iteration);
  return right;
}

std::vector<sort_key> rank_table::sorted(std::span<const std::span<const sort_key>> pieces) const {
  constexpr sort_key none = std::numeric_limits<sort_key>::max();
  std::size_t size = 0;
  for (const auto keys : pieces) size += keys.size();
  std::vector<std::uint32_t> place = less_;
  std::vector<sort_key> all(size, none);
  for (const auto keys : pieces)
    for (const sort_key key : keys) {
      if (!covers(key) || place[key - low_] >= all.size() || all[place[key - low_]] != none) return {};
      all[place[key - low_]++] = key;
    }
  return std::is_sorted(all.begin(), all.end()) ? all : std::vector<sort_key>{};
}

sorted_run run_of(const rank_table& table, std::span<const std::span<const sort_key>> pieces, int right_ranks) {
  const std::vector<sort_key> sorted = table.sorted(pieces);
  sorted_run run{.keys = std::int64_t(sorted.size()), .right_ranks = right_ranks};
  if (!sorted.empty()) run.lowest = sorted.front(), run.highest = sorted.back();
  return run;
}

bool all_right(const is_problem& p, std::span<const sorted_run> runs) {
  std::int64_t keys = 0, right = 0, highest = -1;
  for (const sorted_run& r : runs) {
    if (r.keys != 0 && r.lowest < highest) return false;
    if (r.keys != 0) highest = r.highest;
    keys += r.keys;
    right += r.right_ranks;
  }
  return keys == std::int64_t(p.keys()) && right == std::int64_t(p.places.size()) * is_problem::iterations;
}

}  // namespace npb
