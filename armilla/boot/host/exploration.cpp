// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/exploration.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>

#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr long patience_ns = 500'000'000;  // for a rank that neither polls nor waits; then another one runs beside it

std::uint64_t mix(std::uint64_t x) noexcept {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint32_t* word(std::atomic<std::uint32_t>& a) noexcept { return reinterpret_cast<std::uint32_t*>(&a); }

// Ranks whose numbers share a bit are woken together.
std::uint32_t bit_of(std::uint32_t rank) noexcept { return 1U << (rank % 32); }

void sleep_while(std::atomic<std::uint32_t>& a, std::uint32_t value, std::uint32_t bits) noexcept {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += patience_ns / 10;
  if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
  syscall(SYS_futex, word(a), FUTEX_WAIT_BITSET, value, &until, nullptr, bits);
}

void wake(std::atomic<std::uint32_t>& a, std::uint32_t bits) noexcept {
  syscall(SYS_futex, word(a), FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, bits);
}

// The ranks of a process share it.
exploration* find_exploration() {
  const char* const text = std::getenv(exploration_variable);
  if (text == nullptr) return nullptr;
  exploration* const found = map_exploration(int(std::strtol(text, nullptr, 10)));
  if (found == nullptr || found->magic != exploration::good_magic)
    throw_usage("run", std::string(exploration_variable) + "=" + text +
                           " is not a run of armilla-run --explore; start the program with armilla-run, or unset the variable");
  return found;
}

}  // namespace

exploration* map_exploration(int file) noexcept {
  void* const at = mmap(nullptr, sizeof(exploration), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : static_cast<exploration*>(at);
}

exploration* exploration_here() {
  static exploration* const here = find_exploration();
  return here;
}

// In a long run most decisions are the default's, which changes turns less often.
bool exploration::decide(std::uint64_t& bits) noexcept {
  constexpr std::uint64_t dense = 2000;
  const std::uint64_t number = decisions.fetch_add(1, std::memory_order_relaxed);
  if (number >= limit) return false;
  bits = mix(mix(seed) ^ number);
  return number < dense || bits >> 60 == 0;
}

std::uint64_t exploration::manner(std::uint32_t which) const noexcept { return mix(mix(~seed) + which); }

// ---- turns ----

bool exploration::is_active(rank_t r) const noexcept {
  return (active[r / 64].load(std::memory_order_relaxed) >> (r % 64) & 1) != 0;
}

// The first rank from `first` on, in a circle.
std::uint32_t exploration::active_from(rank_t first, rank_t ranks) const noexcept {
  for (rank_t i = 0; i < ranks; ++i)
    if (const rank_t r = (first + i) % ranks; is_active(r)) return std::uint32_t(r);
  return nobody;
}

// Runs differ in their manner: any rank may be next; or one is slow; or each runs for a while; or some run ahead of others.
std::uint32_t exploration::chosen_of(rank_t me, rank_t ranks, std::uint64_t number, std::uint64_t bits) const noexcept {
  const auto any = [&] { return active_from(rank_t(bits % std::uint64_t(ranks)), ranks); };
  const std::uint64_t how = manner(0);
  const bool rarely = (bits >> 40) % 16 == 0;
  switch (how % 4) {
    case 1: {
      const auto slow = rank_t((how >> 8) % std::uint64_t(ranks));
      const std::uint32_t next = any();
      return next == std::uint32_t(slow) && !rarely ? active_from((slow + 1) % ranks, ranks) : next;
    }
    case 2: return is_active(me) && (bits >> 40) % 4 != 0 ? std::uint32_t(me) : any();
    case 3: return rarely ? any() : active_from(rank_t(mix(how + number / 64) % std::uint64_t(ranks)), ranks);
    default: return any();
  }
}

std::uint32_t exploration::next_of(rank_t me, rank_t ranks, bool busy) noexcept {
  const std::uint32_t other = active_from((me + 1) % ranks, ranks);
  std::uint64_t bits = 0;
  if (other == nobody || other == std::uint32_t(me)) return other;
  if (!decide(bits)) return busy ? std::uint32_t(me) : other;
  return chosen_of(me, ranks, decisions.load(std::memory_order_relaxed), bits);
}

// What the rank has written before, the next one sees.
void exploration::give_to(std::uint32_t next) noexcept {
  passes.fetch_add(1, std::memory_order_relaxed);
  turn.store(next, std::memory_order_release);
  if (next != nobody) wake(turn, bit_of(next));
}

// A rank that computes for long, or has died, keeps its turn; it takes part again when it comes back.
void exploration::await_turn(rank_t me) noexcept {
  const auto mine = std::uint32_t(me);
  std::uint32_t seen = passes.load(std::memory_order_relaxed);
  for (int naps = 0;;) {
    std::uint32_t now = turn.load(std::memory_order_acquire);
    if (now == mine) return;
    if (now == nobody || naps == 10) {
      if (!turn.compare_exchange_strong(now, mine, std::memory_order_acq_rel)) continue;
      if (now != nobody) active[now / 64].fetch_and(~(std::uint64_t{1} << (now % 64)), std::memory_order_relaxed);
      passes.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    sleep_while(turn, now, bit_of(mine));
    const std::uint32_t then = passes.load(std::memory_order_relaxed);
    naps = then != seen || turn.load(std::memory_order_relaxed) != now ? 0 : naps + 1;
    seen = then;
  }
}

void exploration::enter(rank_t me, rank_t ranks, bool joins) noexcept {
  active[me / 64].fetch_or(std::uint64_t{1} << (me % 64), std::memory_order_relaxed);
  entered.fetch_add(1, std::memory_order_acq_rel);
  wake(entered, ~0U);
  for (int naps = 0; !joins && naps < 100;) {  // in which nobody has entered
    const std::uint32_t now = entered.load(std::memory_order_acquire);
    if (now >= std::uint32_t(ranks)) break;
    sleep_while(entered, now, ~0U);
    naps = entered.load(std::memory_order_relaxed) == now ? naps + 1 : 0;
  }
  await_turn(me);
}

void exploration::pass(rank_t me, rank_t ranks, bool busy) noexcept {
  const bool had = turn.load(std::memory_order_relaxed) == std::uint32_t(me);
  active[me / 64].fetch_or(std::uint64_t{1} << (me % 64), std::memory_order_relaxed);
  if (had) {
    const std::uint32_t next = next_of(me, ranks, busy);
    if (next == std::uint32_t(me)) return;
    give_to(next);
  }
  await_turn(me);
}

void exploration::let_go(rank_t me, rank_t ranks) noexcept {
  active[me / 64].fetch_and(~(std::uint64_t{1} << (me % 64)), std::memory_order_relaxed);
  if (turn.load(std::memory_order_relaxed) == std::uint32_t(me)) give_to(next_of(me, ranks, false));
}

}  // namespace armilla::detail
