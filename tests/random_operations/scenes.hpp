// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the scenes share: the same draws on all ranks, and expectations.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace random_operations {

namespace am = armilla;

/// Draws numbers. Two with equal seeds draw the same.
class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  long value() { return long(below(1000)); }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

/// A scene on one team. Every member draws what all members do, does its own part, and applies all of it to its model.
struct job {
  const am::team& t;
  std::uint64_t seed;
  int rounds;
  dice all;  ///< the same draws on all members, for what they do together

  job(const am::team& team, std::uint64_t s, int r) : t(team), seed(s), rounds(r), all(s) {}
  std::size_t members() const { return std::size_t(t.size()); }
  std::size_t me() const { return std::size_t(t.rank()); }
  dice of(std::size_t member, int round) const { return dice((seed * 1000 + member + 1) * 1'000'003 + std::uint64_t(round)); }
  am::distribution dealt() {
    if (all.one_in(3)) return am::on(t, am::cyclic(1 + all.below(4)));
    return am::on(t);
  }
};

inline void expect(bool good, const std::string& what) {
  if (!good) throw std::logic_error("wrong: " + what);
}

/// What all members have, sorted.
template <class T>
std::vector<T> sorted_of_all(const am::team& t, const std::vector<T>& mine) {
  std::vector<T> all;
  for (const std::vector<T>& part : t.all_gather(mine)) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  return all;
}

template <class T>
T made_of(long n) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::string(std::size_t(n % 37), 'x') + std::to_string(n);
  else
    return T(n);
}

/// The functions that updates and visits run on the rank of the element.
struct plus {
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, std::string>)
      return std::max(a, b);
    else
      return a + b;
  }
};
template <class T>
T visited(const T& e, long by) {
  return plus{}(e, made_of<T>(by));
}

using scene = void (*)(job&);
struct named_scene {
  const char* name;
  scene play;
};
extern const std::vector<named_scene> elements, keys, queues, numbers;

}  // namespace random_operations
