// SPDX-License-Identifier: Apache-2.0
// Code that knows nothing of fibers, on a fiber's stack of the default size: libraries with large frames, OpenMP, the C library.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/fiber/solo_rank.hpp"
#include "armilla/parfor.hpp"
#include "armilla/spawn.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace {

using armilla::parfor;
using armilla::spawn;
using armilla::yield;
using armilla::detail::solo_rank;

constexpr int n = 96;
using matrix = std::vector<double>;

// As the kernels of a BLAS do it: blocks packed into arrays on the stack, 128 KiB of them.
[[gnu::noinline]] void multiply(const matrix& a, const matrix& b, matrix& c) {
  constexpr int block = 48;
  alignas(64) double packed_a[2][block * block], packed_b[2][block * block], sums[3][block * block];
  for (int i0 = 0; i0 < n; i0 += block)
    for (int j0 = 0; j0 < n; j0 += block) {
      std::memset(sums, 0, sizeof sums);
      for (int k0 = 0, turn = 0; k0 < n; k0 += block, turn ^= 1) {
        for (int i = 0; i < block; ++i) {
          std::memcpy(packed_a[turn] + i * block, &a[std::size_t((i0 + i) * n + k0)], block * sizeof(double));
          std::memcpy(packed_b[turn] + i * block, &b[std::size_t((k0 + i) * n + j0)], block * sizeof(double));
        }
        for (int i = 0; i < block; ++i)
          for (int k = 0; k < block; ++k)
            for (int j = 0; j < block; ++j)
              sums[turn][i * block + j] += packed_a[turn][i * block + k] * packed_b[turn][k * block + j];
      }
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j) c[std::size_t((i0 + i) * n + j0 + j)] = sums[0][i * block + j] + sums[1][i * block + j];
    }
}

TEST(foreign_code, large_frames_fit_the_default_stack) {
  solo_rank rank;
  matrix a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[std::size_t(i)] = i % 7, b[std::size_t(i)] = i % 5;
  matrix plain(n * n);
  multiply(a, b, plain);
  const auto work = [&] {
    matrix c(n * n);
    multiply(a, b, c);
    yield();
    multiply(a, b, c);
    return c == plain;
  };
  auto first = spawn(work), second = spawn(work);
  EXPECT_TRUE(first.join());
  EXPECT_TRUE(second.join());
}

TEST(foreign_code, the_c_library_is_at_home) {
  solo_rank rank;
  auto f = spawn([] {
    char text[4096];
    std::snprintf(text, sizeof text, "%.40f %300s %La", std::exp(1.0), "x", 1.5L);
    std::vector<int> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[std::size_t(i)] = (i * 7919) % 1000;
    std::qsort(numbers.data(), numbers.size(), sizeof(int),
               [](const void* x, const void* y) { return *static_cast<const int*>(x) - *static_cast<const int*>(y); });
    yield();
    return std::strtod(text, nullptr) + numbers[999];
  });
  EXPECT_NEAR(f.join(), std::exp(1.0) + 999, 1e-12);
}

#ifdef _OPENMP
// The fibers share the thread's team; a region begins and ends between two waits.
TEST(foreign_code, open_mp_runs_inside_fibers) {
  solo_rank rank;
  const auto work = [](int seed) {
    long sum = 0;
    for (int round = 0; round < 5; ++round) {
#pragma omp parallel for reduction(+ : sum) num_threads(3)
      for (int i = 0; i < 1000; ++i) sum += i * seed;
      yield();
    }
    return sum;
  };
  long total = 0;
  parfor(1, 4, [&](int seed) { total += work(seed); });
  EXPECT_EQ(total, 5L * 499500 * (1 + 2 + 3));
}
#endif

}  // namespace
