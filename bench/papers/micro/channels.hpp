// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/baseline/line_ring.hpp"

/// Ways in which Armilla carries 16 bytes to a partner: see message_test. Each word counts what was sent before, or twice that.
namespace papers {

namespace am = armilla;

/// What the bodies of a rank have taken in.
struct taken_in {
  long count = 0;
  std::uint64_t sum = 0;
  void add(std::uint64_t a, std::uint64_t b) { ++count, sum += b - a; }
  /// Of `taken` messages in the order of their sending.
  bool right(long taken) const { return count == taken && sum == std::uint64_t(taken) * std::uint64_t(taken - 1) / 2; }
};
inline thread_local taken_in received;  // one a rank, also where ranks are threads

/// The rank that a rank exchanges messages with: 0 and 1 with each other.
inline am::rank_t partner() { return am::ranks() == 1 ? 0 : am::rank_t(1 - am::rank()); }

/// An active message: its handler runs at once when it is taken in.
class by_active_message {
 public:
  by_active_message() { received = {}; }
  void send(long n) {
    for (; n > 0; --n, ++next_) am::request<handle>(partner(), next_, 2 * next_);
    am::flush();
  }
  void take(long n) {
    waited_ += n;
    while (received.count < waited_) am::poll();
  }
  bool right(long, long taken) const { return received.right(taken); }

 private:
  static void handle(am::sender, std::uint64_t a, std::uint64_t b) { received.add(a, b); }
  std::uint64_t next_ = 0;
  long waited_ = 0;
};

/// A one-way call: a call without an answer. `Together`: those of a row may travel in one buffer.
template <bool Together>
class by_one_way_call {
 public:
  by_one_way_call() { received = {}; }
  void send(long n) {
    for (; n > 0; --n, ++next_) {
      am::async<handle>(partner(), next_, 2 * next_);
      if (!Together) am::flush();
    }
    am::flush();
  }
  void take(long n) {
    waited_ += n;
    while (received.count < waited_) am::poll();
  }
  bool right(long, long taken) const { return received.right(taken); }

 private:
  static void handle(std::uint64_t a, std::uint64_t b) { received.add(a, b); }
  std::uint64_t next_ = 0;
  long waited_ = 0;
};

/// A put that signals a counter behind the data: no body runs. All ranks make theirs together.
class by_put {
 public:
  explicit by_put(int slots)
      : slots_(std::uint64_t(slots)),
        words_(am::all_gather(am::allocate<pair>(std::size_t(slots)))),
        counters_(am::all_gather(am::create_global<am::counter>())) {}
  ~by_put() {
    am::barrier();
    am::deallocate(words_[std::size_t(am::rank())]);
    am::destroy_global(counters_[std::size_t(am::rank())]);
  }
  by_put(const by_put&) = delete;
  by_put& operator=(const by_put&) = delete;

  void send(long n) {
    const auto to = std::size_t(partner());
    for (; n > 0; --n, ++next_) am::put(words_[to] + std::ptrdiff_t(next_ % slots_), pair{next_, 2 * next_}, counters_[to]);
    am::sync_memory();
  }
  void take(long n) {
    am::counter& arrived = *counters_[std::size_t(am::rank())].local();
    const pair* words = words_[std::size_t(am::rank())].local();
    for (; n > 0; --n, ++taken_) {
      arrived.wait(1);
      const pair& p = words[taken_ % slots_];
      sum_ += p.b - p.a;
    }
  }
  bool right(long, long taken) const { return std::uint64_t(taken) == taken_ && sum_ == taken_ * (taken_ - 1) / 2; }

 private:
  struct pair {
    std::uint64_t a, b;
  };
  std::uint64_t slots_, next_ = 0, taken_ = 0, sum_ = 0;
  std::vector<am::global_ptr<pair>> words_;
  std::vector<am::global_ptr<am::counter>> counters_;
};

/// The floor: a ring of cache lines in memory that both map, one line a message, by hand. All ranks make theirs together.
class by_line {
 public:
  by_line() : rings_(am::all_gather(am::create_global<bench::hand::line_ring>())) {
    for (std::size_t i = 0; mapped() && i < bench::hand::line_ring::lines; ++i) ring(am::rank())->slots[i].sequence = 0;
    am::barrier();
    if (mapped()) ends_ = {.out = ring(partner()), .in = ring(am::rank()), .handlers = table};
  }
  ~by_line() {
    am::barrier();
    am::destroy_global(rings_[std::size_t(am::rank())]);
  }
  by_line(const by_line&) = delete;
  by_line& operator=(const by_line&) = delete;

  /// Ranks 0 and 1 can load each other's memory.
  bool mapped() const { return am::rank() > 1 || rings_[std::size_t(partner())].is_mapped(); }
  void send(long n) {
    for (; n > 0; --n, ++next_) ends_.send(0, next_, 2 * next_);
  }
  void take(long n) {
    waited_ += std::uint64_t(n);
    while (ends_.taken < waited_)
      if (!ends_.poll()) am::yield();
  }
  bool right(long, long taken) const {
    const auto n = std::uint64_t(taken);
    return ends_.taken == n && ends_.sum == n * (n - 1) / 2;
  }

 private:
  static void handle(bench::hand::peer& p, const std::uint64_t* words) { p.sum += words[1] - words[0]; }
  static constexpr bench::hand::handler table[] = {handle};
  bench::hand::line_ring* ring(am::rank_t r) const { return rings_[std::size_t(r)].local(); }

  std::vector<am::global_ptr<bench::hand::line_ring>> rings_;
  bench::hand::peer ends_{};
  std::uint64_t next_ = 0, waited_ = 0;
};

}  // namespace papers
