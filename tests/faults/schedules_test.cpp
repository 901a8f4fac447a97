// SPDX-License-Identifier: Apache-2.0
// Termination detection under random schedules: many short rounds of random trees of one-way calls that create one-way calls,
// after each of which a fence must find that all have run. What a round does follows from its number alone, so every rank knows
// how many one-way calls end on it; when what happens is up to the network, and to ARMILLA_FAULTS.
//
// In the environment: ROUNDS, how many; a second's worth by default. FIRST_ROUND: the number of the first.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using number = std::uint64_t;

// A neighbour that left the fence earlier may have begun the next round already.
thread_local number ran[2] = {};
thread_local number wrong = 0;

number mix(number x) {
  x ^= x >> 31, x *= 0x7fb5d329728ea185, x ^= x >> 27, x *= 0x81dadef4bc2dd44d, x ^= x >> 33;
  return x;
}

/// A one-way call of a round's forest; all that it does follows from its number.
struct node {
  number round, name;
  unsigned depth;  // below it

  unsigned children() const { return depth == 0 ? 0 : unsigned(mix(name) % 4); }
  node child(unsigned i) const { return {round, mix(name * 7 + i + 1), depth - 1}; }
  am::rank_t place() const { return am::rank_t(mix(name + 3) % number(am::ranks())); }
  /// One in sixteen waits for an answer, one has long arguments, one leaves a fiber behind that goes on.
  enum class kind : unsigned { waits, is_long, leaves_fiber };
  kind what() const { return kind(mix(name + 5) % 16); }
  std::size_t length() const { return 1 + mix(name + 9) % 40'000; }
};

/// The trees that a rank plants in a round.
std::vector<node> roots(number round, am::rank_t planter) {
  const number seed = mix(round * 1009 + number(planter) + 1);
  std::vector<node> all;
  for (unsigned i = 0; i < seed % 4; ++i) all.push_back({round, mix(seed + i + 1), unsigned(mix(seed) % 4)});
  return all;
}

number count_here(const node& n) {
  number all = n.place() == am::rank() ? 1 : 0;
  for (unsigned i = 0; i < n.children(); ++i) all += count_here(n.child(i));
  return all;
}

void send(const node& n);

void run(const node& n) {
  ++ran[n.round % 2];
  for (unsigned i = 0; i < n.children(); ++i) send(n.child(i));
}

void send(const node& n) {
  switch (n.what()) {
    case node::kind::waits:
      am::async(
          n.place(),
          [](node m) {
            const number twice =
                am::call(am::rank_t((am::rank() + 1) % am::ranks()), [](number x) { return 2 * x; }, m.name).get();
            wrong += twice != 2 * m.name;
            run(m);
          },
          n);
      break;
    case node::kind::is_long:
      am::async(
          n.place(),
          [](node m, const std::vector<number>& more) {
            wrong += more.size() != m.length() || more.front() != m.name || more.back() != m.name;
            run(m);
          },
          n, std::vector<number>(n.length(), n.name));
      break;
    case node::kind::leaves_fiber:
      am::async(
          n.place(),
          [](node m) {
            am::spawn([m] {
              am::yield();
              run(m);
            }).detach();
          },
          n);
      break;
    default: am::async(n.place(), [](node m) { run(m); }, n);
  }
}

number from_environment(const char* name, number otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

RANK_TEST(a_fence_finds_the_end_of_every_round) {
  const number first = from_environment("FIRST_ROUND", 1), rounds = from_environment("ROUNDS", 100);
  for (number round = first; round < first + rounds; ++round) {
    number expected = 0;
    for (am::rank_t r = 0; r < am::ranks(); ++r)
      for (const node& n : roots(round, r)) expected += count_here(n);
    for (const node& n : roots(round, am::rank())) send(n);
    am::fence();
    const number found = ran[round % 2];
    ran[round % 2] = 0;
    if (!EXPECT_EQ(found, expected) || !EXPECT_EQ(wrong, number{0})) {
      std::fprintf(stderr, "round %llu\n", static_cast<unsigned long long>(round));
      std::abort();  // the others would wait
    }
  }
}
