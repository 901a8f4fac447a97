// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/large_pages.hpp"
#include "bench/papers/common/record.hpp"

/// The vector of the inner product, what it must be, and the sum that all versions form of their part.
namespace inner {

/// Integers below 1024: every sum of their squares is exact, so all versions must agree to the last bit.
constexpr double element(std::size_t i) { return double(i * 7919 % 1021); }

inline double expected(std::size_t n) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::uint64_t(i * 7919 % 1021) * (i * 7919 % 1021);
  return double(sum);
}

/// Where part `rank` of `n` elements in `ranks` parts begins; part `ranks` is the end.
constexpr std::size_t first_of(std::size_t n, std::size_t rank, std::size_t ranks) {
  return n / ranks * rank + (rank < n % ranks ? rank : n % ranks);
}

inline std::vector<double> part_of(std::size_t n, int rank, int ranks) {
  const std::size_t first = first_of(n, std::size_t(rank), std::size_t(ranks));
  std::vector<double> part(first_of(n, std::size_t(rank) + 1, std::size_t(ranks)) - first);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = element(first + i);
  papers::in_large_pages(std::span(part));
  return part;
}

/// In whatever order the processor likes best.
inline double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// What the programs are told, by Armilla and by hand alike.
struct options {
  std::vector<std::uint64_t> elements{40'000'000};

  void add_to(papers::command_line& line) {
    line.number("--elements", elements, "elements of the vector, on all ranks together; one or more numbers", 0, 1'000'000'000);
  }
  static papers::record describe(const char* version, std::uint64_t n, double value, const char* source) {
    papers::record r;
    r.version = version;
    r.size = {{"elements", n}};
    r.unit = "ms";
    r.checks = {{"value", value}};
    r.source = source;
    return r;
  }
};

}  // namespace inner
