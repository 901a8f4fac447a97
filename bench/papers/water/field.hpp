// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/papers/water/molecules.hpp"
#include "bench/papers/water/pair.hpp"

namespace water {

/// A run of molecules, by their numbers.
struct range {
  int first = 0, last = 0;  ///< last is behind it
  int count() const noexcept { return last > first ? last - first : 0; }
  bool holds(int m) const noexcept { return first <= m && m < last; }
};

/// The molecules of one of `parts` equal parts.
inline range part_of(int molecules, int parts, int part) {
  return {int(std::int64_t(molecules) * part / parts), int(std::int64_t(molecules) * (part + 1) / parts)};
}

/// Each pair is computed once: molecule m has those behind it, up to half of all, the first following the last. Of two that are
/// half of all apart it falls to one.
inline int partners_of(int m, int molecules) {
  const int half = molecules / 2;
  if (molecules % 2 != 0) return half;
  const bool mine = m < half ? (m + half) % 2 == 0 : m % 2 != 0;
  return mine ? half : half - 1;
}

/// What of `there` the pairs of `here` need; one run, for parts that part_of makes.
inline range needed(const range& here, const range& there, int molecules) {
  range r{there.last, there.first};
  for (int m = here.first; m < here.last; ++m)
    for (int n = 1; n <= partners_of(m, molecules); ++n) {
      const int other = (m + n) % molecules;
      if (there.holds(other)) r = {std::min(r.first, other), std::max(r.last, other + 1)};
    }
  return r.count() == 0 ? range{there.first, there.first} : r;
}

/// All molecules as one worker sees them: where those are that it has or fetched, and the forces that it has computed.
class field {
 public:
  explicit field(const box& x)
      : box_(x),
        as_second_(std::size_t(x.molecules)),
        on_first_(std::size_t(x.molecules)),
        on_second_(std::size_t(x.molecules)) {}

  /// `places`: of the molecules from number `first` on. Their forces begin at zero.
  void put(int first, std::span<const triple> places) {
    for (const triple& p : places) {
      as_second_[std::size_t(first)] = spread_out(p, second_site);
      on_first_[std::size_t(first)] = on_second_[std::size_t(first)] = spread{};
      ++first;
    }
  }

  /// The forces of those pairs of molecule m, at `place`, whose other one is in `others`.
  void add_pairs(int m, const triple& place, const range& others) {
    const spread here = spread_out(place, first_site);
    spread sum = on_first_[std::size_t(m)];
    const auto run = [&](int from, int to) {
      for (int j = std::max(from, others.first); j < std::min(to, others.last); ++j)
        add_forces(here, as_second_[std::size_t(j)], box_, sum, on_second_[std::size_t(j)]);
    };
    const int behind = m + 1 + partners_of(m, box_.molecules);
    run(m + 1, behind);
    if (behind > box_.molecules) run(0, behind - box_.molecules);
    on_first_[std::size_t(m)] = sum;
  }

  /// The forces of one pair, whose other molecule is at `there` and need not have been put; `on_other` is what pulls at that one.
  /// False: they are too far from each other.
  bool add_pair(int m, const triple& place, const triple& there, triple& on_other) {
    spread other{};
    if (!add_forces(spread_out(place, first_site), spread_out(there, second_site), box_, on_first_[std::size_t(m)], other))
      return false;
    on_other = gathered(other, second_site);
    return true;
  }

  /// What was computed for molecule m.
  triple force_on(int m) const {
    triple f = gathered(on_first_[std::size_t(m)], first_site);
    const triple g = gathered(on_second_[std::size_t(m)], second_site);
    for (std::size_t c = 0; c < f.size(); ++c) f[c] += g[c];
    return f;
  }

  /// The energy of all pairs of molecule m, at `place`.
  energies energy_of(int m, const triple& place) const {
    const spread here = spread_out(place, first_site);
    energies sum;
    for (int n = 1; n <= partners_of(m, box_.molecules); ++n)
      sum = sum + energy_of_pair(here, as_second_[std::size_t((m + n) % box_.molecules)], box_);
    sum.inter *= box_.potential_unit;
    sum.reaction *= box_.potential_unit;
    return sum;
  }

 private:
  box box_;
  std::vector<spread> as_second_, on_first_, on_second_;
};

}  // namespace water
