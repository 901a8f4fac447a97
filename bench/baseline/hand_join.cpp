// SPDX-License-Identifier: Apache-2.0
// A join by hand: two threads deal both inputs to partitions that fit into a cache, and join half of the partitions each.
#include <sched.h>

#include <atomic>
#include <barrier>
#include <bit>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "bench/baseline/hand.hpp"
#include "bench/kernels/keys.hpp"

namespace bench::hand {
namespace {

constexpr std::size_t threads = 2, partitions = 2048;

void pin_to(std::size_t core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

std::size_t partition_of(std::uint64_t key) { return key % partitions; }

/// An input in partitions, of which each has a run by each thread.
class dealt {
 public:
  explicit dealt(const std::vector<keyed>& in)
      : in_(in), out_(std::make_unique_for_overwrite<keyed[]>(in.size())), counts_(threads * partitions + 1) {}

  void count(std::size_t me) {
    for (const keyed& e : half(me)) ++counts_[partition_of(e.key) * threads + me + 1];
  }
  void add_up() {
    for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
  }
  void deal(std::size_t me) {
    std::vector<std::size_t> at(partitions);
    for (std::size_t p = 0; p < partitions; ++p) at[p] = counts_[p * threads + me];
    for (const keyed& e : half(me)) out_[at[partition_of(e.key)]++] = e;
  }
  std::span<const keyed> in(std::size_t p) const {
    return {&out_[counts_[p * threads]], counts_[(p + 1) * threads] - counts_[p * threads]};
  }

 private:
  std::span<const keyed> half(std::size_t me) const {
    const std::size_t begin = in_.size() * me / threads;
    return std::span(in_).subspan(begin, in_.size() * (me + 1) / threads - begin);
  }
  const std::vector<keyed>& in_;
  std::unique_ptr<keyed[]> out_;
  std::vector<std::size_t> counts_;
};

struct joined {
  std::uint64_t key, left, right;
};

void join_partition(std::span<const keyed> left, std::span<const keyed> right, std::vector<std::uint32_t>& heads,
                    std::vector<std::uint32_t>& next, std::vector<joined>& out) {
  heads.assign(std::bit_ceil(left.size() + 1), 0);
  next.resize(left.size() + 1);
  const auto head = [&](std::uint64_t key) -> std::uint32_t& { return heads[key / partitions & (heads.size() - 1)]; };
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    std::uint32_t& first = head(left[i].key);
    next[i + 1] = first;
    first = i + 1;
  }
  for (const keyed& e : right)
    for (std::uint32_t i = head(e.key); i != 0; i = next[i])
      if (left[i - 1].key == e.key) out.push_back({e.key, left[i - 1].value, e.value});
}

/// How many elements the result has.
std::size_t join_all(const std::vector<keyed>& left, const std::vector<keyed>& right) {
  dealt l(left), r(right);
  std::vector<joined> out[threads];
  std::barrier counted(threads, [&]() noexcept { l.add_up(), r.add_up(); });
  std::barrier all_dealt(threads);
  const auto work = [&](std::size_t me) {
    l.count(me), r.count(me);
    counted.arrive_and_wait();
    l.deal(me), r.deal(me);
    all_dealt.arrive_and_wait();
    out[me].reserve(right.size() / threads + right.size() / 16);
    std::vector<std::uint32_t> heads, next;
    for (std::size_t p = me * partitions / threads; p < (me + 1) * partitions / threads; ++p)
      join_partition(l.in(p), r.in(p), heads, next, out[me]);
  };
  std::thread other([&] { pin_to(1), work(1); });
  work(0);
  other.join();
  return out[0].size() + out[1].size();
}

/// By rank 0 alone. The others sleep: their cores are free.
double join(row_context& c) {
  std::atomic_ref<long> done(*c.scratch<long>());
  if (c.rank == 0) done = 0;
  c.sync();
  double sum = 0;
  if (c.rank == 0) {
    const std::size_t n = std::size_t(c.size);
    const std::vector<keyed> left = join_keys(0, n, n), right = join_keys(n, n, n);
    for (long i = -1; i < c.iterations; ++i) {  // one to warm up
      const std::uint64_t start = now_ns();
      const std::size_t found = join_all(left, right);
      if (i >= 0) sum += double(now_ns() - start);
      verify(found == size_of_join(n), "a join by hand");
    }
    done = 1;
  }
  while (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  c.sync();
  return sum / double(c.iterations);
}

}  // namespace

void add_joins(row_table& rows) { rows.push_back({"hand_join_sketch", join}); }

}  // namespace bench::hand
