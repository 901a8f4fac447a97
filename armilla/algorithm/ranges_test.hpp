// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of algorithms share: random ranges, and the same elements in a std::vector as an oracle.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/container/container.hpp"
#include "tests/rank_test.hpp"

namespace ranges_test {

namespace am = armilla;

/// The same numbers on all ranks.
class dice {
 public:
  explicit dice(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  /// Many small sizes, some beyond what is done in lanes.
  std::size_t size() { return below(4) == 0 ? below(4) : below(3) == 0 ? below(400) : below(30); }

  am::distribution distribution(std::size_t n, const am::team& t) { return distribution(below(ways), n, t); }
  /// Of `ways` ways to deal elements, one.
  static constexpr std::size_t ways = 4;
  am::distribution distribution(std::size_t way, std::size_t n, const am::team& t) {
    switch (way) {
      case 0: return am::on(t);
      case 1: return am::on(t, am::cyclic(1 + below(5)));
      case 2: return am::on(t, am::blocks(sizes(n, t.size())));
      default: return am::on(t, am::cyclic());
    }
  }
  /// Whose sum is n; empty parts among them.
  std::vector<std::size_t> sizes(std::size_t n, am::rank_t members) {
    std::vector<std::size_t> all(std::size_t(members), 0);
    for (std::size_t left = n; left > 0;) {
      const std::size_t some = 1 + below(left);
      all[below(all.size())] += some;
      left -= some;
    }
    return all;
  }
  std::vector<int> numbers(std::size_t n, int most = 20) {
    std::vector<int> all(n);
    for (int& x : all) x = int(below(std::size_t(2 * most))) - most;
    return all;
  }

 private:
  std::mt19937 random_;
};

/// A vector of these elements, dealt as `d` says.
template <class T>
am::vector<T> spread(const std::vector<T>& elements, const am::distribution& d) {
  am::vector<T> x(elements.size(), d);
  for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = elements[x.index_of_local(k)];
  x.members().barrier();
  return x;
}

/// Reads all, which the others may only then change.
template <class R>
auto elements_of(const R& r) {
  auto all = am::everything(r);
  r.members().barrier();
  return all;
}

/// What `pack` gives: the elements of each member that are kept, member by member.
template <class T, class P>
std::vector<T> kept_where_they_are(const am::vector<T>& x, const std::vector<T>& elements, P keep) {
  std::vector<T> all;
  for (am::rank_t m = 0; m < x.members().size(); ++m)
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (x.placement().member_of(i) == m && keep(elements[i])) all.push_back(elements[i]);
  return all;
}

/// `f(dice, team)` some times with world and with the halves of it.
template <class F>
void for_random_teams(int rounds, F f) {
  const am::team half = am::world().split(am::rank() % 2);
  for (int round = 0; round < rounds; ++round) {
    dice d(unsigned(round * 7 + 1));
    f(d, am::world());
    dice e(unsigned(round * 7 + 2 + am::rank() % 2));
    f(e, half);
    am::barrier();
  }
}

}  // namespace ranges_test
