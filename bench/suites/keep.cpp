// SPDX-License-Identifier: Apache-2.0
// Suite loss, what a job pays ahead of time: copies of its containers in memory and in files, beside a plain copy.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <armilla/algorithms.hpp>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

std::size_t part(const row_context& c) { return std::size_t(c.size) / sizeof(double); }

am::array<double> filled(const row_context& c) {
  am::array<double> x(part(c) * std::size_t(c.ranks));
  double next = c.rank;
  for (double& each : x.local()) each = next += 1;
  return x;
}

/// Milliseconds of `f` on all ranks, from when the last begins until the last has ended.
template <class F>
double ms_together(F&& f) {
  am::barrier();
  const std::uint64_t start = now_ns();
  f();
  am::barrier();
  return double(now_ns() - start) * 1e-6;
}

/// Both generations of copies have their pages before, as in a program that makes checkpoints again and again.
double checkpoint(row_context& c) {
  am::array<double> x = filled(c);
  x.keep(1);
  for (std::uint64_t mark : {0, 1}) x.checkpoint(mark);
  return ms_together([&] {
           for (long i = 0; i < c.iterations; ++i) x.checkpoint(std::uint64_t(i));
         }) /
         double(c.iterations);
}

/// What a checkpoint cannot do without: each rank's part is copied to where the next rank has its own copies.
double copy_to_next(row_context& c) {
  const am::array<double> x = filled(c);
  const everywhere<double> copies(part(c));
  double* const to = copies.of(am::rank_t((c.rank + 1) % c.ranks)).local();
  const double* const from = x.local().data();
  const auto copy = [&] {
    std::memcpy(to, from, part(c) * sizeof(double));
    keep(to);
  };
  copy();  // this rank has not seen those pages before
  const double time = ms_together([&] {
    for (long i = 0; i < c.iterations; ++i) copy();
  });
  verify(to[part(c) - 1] == from[part(c) - 1], "copy");
  return time / double(c.iterations);
}

/// A file in memory, which is gone afterwards.
struct memory_file {
  std::string path = "/dev/shm/armilla-bench-" + std::to_string(am::broadcast(long(::getpid())));
  memory_file() = default;
  memory_file(const memory_file&) = delete;
  ~memory_file() {
    am::barrier();
    ::unlink(path.c_str());
  }
  std::uint64_t bytes() const { return std::filesystem::file_size(path); }
};

double save(row_context& c) {
  const am::array<double> x = filled(c);
  const memory_file file;
  const double time = ms_together([&] { x.save(file.path); });
  verify(file.bytes() >= std::uint64_t(c.size) * std::uint64_t(c.ranks), "what is saved");
  return time;
}

double dd(row_context& c) {
  const memory_file file;
  const std::uint64_t mib = (std::uint64_t(c.size) * std::uint64_t(c.ranks)) >> 20;
  const std::string command = "dd if=/dev/zero of=" + file.path + " bs=1M count=" + std::to_string(mib) + " 2>/dev/null";
  int code = 0;
  const double time = ms_together([&] {
    if (c.rank == 0) code = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe): one rank, one thread
  });
  verify(code == 0 && file.bytes() == mib << 20, "dd");
  return time;
}

}  // namespace

void add_keep(row_table& rows) {
  rows.insert(rows.end(), {{"checkpoint", checkpoint}, {"copy_to_next", copy_to_next}, {"save", save}, {"dd", dd}});
}

}  // namespace bench::suites
