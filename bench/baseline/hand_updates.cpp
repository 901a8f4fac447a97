// SPDX-License-Identifier: Apache-2.0
// The histogram on shared memory: by atomics on each other's tables, and by blocks that the owner works off in place.
#include <cstring>

#include "bench/baseline/hand.hpp"
#include "bench/kernels/updates.hpp"

namespace bench::hand {
namespace {

using updates::words;

constexpr std::size_t table_bytes = words * 8;
constexpr long block_items = 1024;
constexpr int blocks = 8;  // of a pair

/// A part of the stream from one rank to another; the reader works in place and hands it back.
struct alignas(64) block {
  std::atomic<std::uint32_t> full{0};
  std::uint32_t items = 0;
  bool last = false;
  alignas(64) std::uint64_t index[block_items];
};

struct layout {
  row_context& c;
  std::uint64_t* table(int rank) const { return c.scratch<std::uint64_t>(std::size_t(rank) * table_bytes); }
  block* ring(int from, int to) const {
    return c.scratch<block>(std::size_t(c.ranks) * table_bytes) + (from * c.ranks + to) * blocks;
  }
  std::atomic<std::uint64_t>& total() const {
    return *c.scratch<std::atomic<std::uint64_t>>(std::size_t(c.ranks) *
                                                  (table_bytes + std::size_t(c.ranks) * blocks * sizeof(block)));
  }
};

/// One rank's side of the blocks.
class exchange {
 public:
  exchange(const layout& where, int me)
      : where_(where), me_(me), table_(where.table(me)), out_(std::size_t(where.c.ranks)), in_(std::size_t(where.c.ranks)) {
    for (int r = 0; r < where.c.ranks; ++r) {
      out_[std::size_t(r)].ring = where.ring(me, r);
      in_[std::size_t(r)].ring = where.ring(r, me);
    }
    ending_ = where.c.ranks - 1;
  }

  void run(const std::vector<std::uint64_t>& all) {
    for (const std::uint64_t i : all) {
      const int r = updates::owner(i);
      if (r == me_) {
        ++table_[updates::local(i)];
        continue;
      }
      side& o = out_[std::size_t(r)];
      o.ring[o.at].index[o.items] = updates::local(i);
      if (++o.items == block_items) publish(o, false);
    }
    for (int r = 0; r < where_.c.ranks; ++r)
      if (r != me_) publish(out_[std::size_t(r)], true);
    for (; ending_ != 0; poll()) where_.c.relax();
  }

 private:
  struct side {
    block* ring = nullptr;
    int at = 0;
    long items = 0;
  };

  void publish(side& o, bool last) {
    block& b = o.ring[o.at];
    b.items = std::uint32_t(o.items);
    b.last = last;
    b.full.store(1, std::memory_order_release);
    o.items = 0;
    o.at = (o.at + 1) % blocks;
    poll();
    while (o.ring[o.at].full.load(std::memory_order_acquire) != 0 && !last) {
      where_.c.relax();
      poll();
    }
  }

  void poll() {
    for (int r = 0; r < where_.c.ranks; ++r) {
      side& i = in_[std::size_t(r)];
      block& b = i.ring[i.at];
      if (r == me_ || b.full.load(std::memory_order_acquire) == 0) continue;
      for (std::uint32_t k = 0; k < b.items; ++k) ++table_[b.index[k]];
      ending_ -= b.last;
      b.full.store(0, std::memory_order_release);
      i.at = (i.at + 1) % blocks;
    }
  }

  layout where_;
  int me_;
  std::uint64_t* table_;
  std::vector<side> out_, in_;
  int ending_;
};

/// Clears, runs and checks; `work` does a rank's updates.
template <class F>
double histogram(row_context& c, F&& work) {
  const layout where{c};
  const auto& all = updates::cached_indices(c.rank, c.ranks, c.iterations, c.size);
  std::memset(static_cast<void*>(where.table(c.rank)), 0, table_bytes);
  if (c.rank == 0) where.total() = 0;
  c.sync();
  const std::uint64_t start = now_ns();
  work(where, all);
  c.sync();
  const double result = double(now_ns() - start) / double(c.iterations);
  where.total() += updates::marks_of(all) - updates::marks_of_table(where.table(c.rank), c.rank);
  c.sync();
  verify(where.total() == 0, "histogram");
  return result;
}

double histogram_blocks(row_context& c) {
  return histogram(c, [&](const layout& where, const auto& all) { exchange(where, c.rank).run(all); });
}

double histogram_atomics(row_context& c) {
  return histogram(c, [&](const layout& where, const auto& all) {
    std::uint64_t* tables = where.table(0);  // one after the other, so the global index is the place
    for (const std::uint64_t i : all) __atomic_fetch_add(&tables[i], 1, __ATOMIC_RELAXED);
  });
}

}  // namespace

void add_updates(row_table& rows) {
  rows.insert(rows.end(), {{"hand_histogram_blocks", histogram_blocks}, {"hand_histogram_atomics", histogram_atomics}});
}

}  // namespace bench::hand
