// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "bench/papers/water/model.hpp"

/// What two molecules do to each other. There are 14 pairs of sites: nine of charges, the oxygens, and four of an oxygen and a
/// hydrogen. All are computed side by side, a lane for each, so a molecule lies in memory once for each lane that it takes part
/// in.
namespace water {

constexpr int lanes = 16;  // the last two count for nothing
constexpr int charged_lanes = 9;
constexpr int first_mixed_lane = 10;  // four of them
constexpr int first_site[lanes] = {h1,     h1,     h1,     h2,     h2, h2, center, center,
                                   center, oxygen, oxygen, oxygen, h1, h2, oxygen, oxygen};
constexpr int second_site[lanes] = {h1,     h2,     center, h1, h2,     center, h1,     h2,
                                    center, oxygen, h1,     h2, oxygen, oxygen, oxygen, oxygen};

struct alignas(64) lane_array : std::array<double, lanes> {};

/// A number for each lane, from what `f` says of the two sites.
template <class F>
constexpr lane_array for_lanes(F&& f) {
  lane_array all{};
  for (int k = 0; k < lanes - 2; ++k) all[std::size_t(k)] = f(k, first_site[k], second_site[k]);
  return all;
}
constexpr double factor_of_charge(int s) { return s == center ? -2 : s == oxygen ? 0 : 1; }
constexpr exponential_term term_of(int first, int second) {
  if (first == center || second == center) return {0, 0};
  if (first == oxygen && second == oxygen) return oxygens;
  return first == oxygen || second == oxygen ? mixed : hydrogens;
}
inline constexpr lane_array charges =
    for_lanes([](int, int p, int q) { return charge * factor_of_charge(p) * factor_of_charge(q); });
inline constexpr lane_array decay = for_lanes([](int, int p, int q) { return -term_of(p, q).b; });
inline constexpr lane_array strength = for_lanes([](int, int p, int q) { return term_of(p, q).a; });
inline constexpr lane_array slope = for_lanes([](int, int p, int q) { return term_of(p, q).a * term_of(p, q).b; });
inline constexpr lane_array attraction_decay =
    for_lanes([](int k, int, int) { return k < first_mixed_lane ? 0.0 : -mixed_attraction.b; });
inline constexpr lane_array attraction_slope =
    for_lanes([](int k, int, int) { return k < first_mixed_lane ? 0.0 : mixed_attraction.a * mixed_attraction.b; });
inline constexpr lane_array counted = for_lanes([](int k, int, int) { return k < charged_lanes ? 1.0 : 0.0; });
/// A value for each lane, in each direction.
struct alignas(64) spread {
  double at[3][lanes];
};

/// The sites of a molecule whose atoms are at `m`, as the first or the second of a pair.
inline spread spread_out(const triple& m, const int (&sites)[lanes]) {
  spread s;
  for (int d = 0; d < 3; ++d) {
    const double* a = m.data() + component(d, 0);
    const double values[4] = {a[h1], a[oxygen], a[h2], of_oxygen * a[oxygen] + of_hydrogen * (a[h1] + a[h2])};
    for (int k = 0; k < lanes; ++k) s.at[d][k] = values[sites[k]];
  }
  return s;
}

/// The forces of the lanes on the atoms: what pulls at the center pulls at all three.
inline triple gathered(const spread& s, const int (&sites)[lanes]) {
  triple t{};
  for (int d = 0; d < 3; ++d) {
    double on[4] = {};
    for (int k = 0; k < lanes; ++k) on[sites[k]] += s.at[d][k];
    t[std::size_t(component(d, h1))] = on[h1] + of_hydrogen * on[center];
    t[std::size_t(component(d, oxygen))] = on[oxygen] + of_oxygen * on[center];
    t[std::size_t(component(d, h2))] = on[h2] + of_hydrogen * on[center];
  }
  return t;
}

/// Eight lanes, which the processor computes at once where it can.
using eight [[gnu::vector_size(64), gnu::may_alias]] = double;
using eight_bits [[gnu::vector_size(64), gnu::may_alias]] = std::uint64_t;
constexpr int halves = lanes / 8;
inline const eight& half_of(const double* values, int h) { return reinterpret_cast<const eight*>(values)[h]; }
inline eight& half_of(double* values, int h) { return reinterpret_cast<eight*>(values)[h]; }

/// y = e^x for |x| < 700, without branches, within 2 units in the last place.
inline void exponential(const eight& x, eight& y) {
  constexpr double shifter = 0x1.8p52;  // adding it rounds to an integer, which is then in the last bits
  const eight shifted = x * 0x1.71547652b82fep0 + shifter, n = shifted - shifter;
  const eight r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  eight p = r * (1.0 / 479001600) + 1.0 / 39916800;
  constexpr double inverse_factorials[] = {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                                           1.0 / 24,      1.0 / 6,      0.5,         1.0,        1.0};
  for (const double f : inverse_factorials) p = p * r + f;
  const eight_bits power = (reinterpret_cast<const eight_bits&>(shifted) << 52) + (std::uint64_t{1023} << 52);
  y = p * reinterpret_cast<const eight&>(power);
}

/// From each second site to the first one, by the nearest of its images, and the squares of the distances.
struct alignas(64) distances {
  double d[3][lanes], r2[lanes];
  int within = 0;  ///< how many pairs of charges are no farther apart than the cutoff

  distances(const spread& a, const spread& b, const box& x) {
    eight n{};
    for (int h = 0; h < halves; ++h) {
      eight square{};
      for (int i = 0; i < 3; ++i) {
        eight t = half_of(a.at[i], h) - half_of(b.at[i], h);
        t = t > x.half ? t - x.length : t < -x.half ? t + x.length : t;
        half_of(d[i], h) = t;
        square += t * t;
      }
      half_of(r2, h) = square;
      n += square <= x.cutoff2 ? half_of(counted.data(), h) : eight{};
    }
    within = int(((n[0] + n[1]) + (n[2] + n[3])) + ((n[4] + n[5]) + (n[6] + n[7])));
  }
};

/// Adds the forces between two molecules to `on_a` and takes them off `on_b`. Charges act up to the cutoff, pair by pair;
/// the exponentials only where all charges do. False: they are too far from each other.
inline bool add_forces(const spread& a, const spread& b, const box& x, spread& on_a, spread& on_b) {
  const distances pair(a, b, x);
  if (pair.within == 0) return false;
  alignas(64) double r[lanes];
  for (int k = 0; k < lanes; ++k) r[k] = std::sqrt(pair.r2[k]);
  for (int h = 0; h < halves; ++h) {
    const eight distance = half_of(r, h), inverse = 1 / distance;
    eight f = half_of(charges.data(), h) * (inverse * inverse * inverse - x.field);
    f = half_of(pair.r2, h) <= x.cutoff2 ? f : eight{};
    if (pair.within == charged_lanes) {
      eight e;
      exponential(half_of(decay.data(), h) * distance, e);
      f += half_of(slope.data(), h) * e * inverse;
      if (h == first_mixed_lane / 8) {
        exponential(half_of(attraction_decay.data(), h) * distance, e);
        f -= half_of(attraction_slope.data(), h) * e * inverse;
      }
    }
    for (int i = 0; i < 3; ++i) {
      const eight g = f * half_of(pair.d[i], h);
      half_of(on_a.at[i], h) += g;
      half_of(on_b.at[i], h) -= g;
    }
  }
  return true;
}

/// The energy between two molecules; beyond the cutoff it stays what it is there.
inline energies energy_of_pair(const spread& a, const spread& b, const box& x) {
  const distances pair(a, b, x);
  energies e;
  if (pair.within == 0) return e;
  for (int k = 0; k < charged_lanes; ++k) {
    const double r2 = std::min(pair.r2[k], x.cutoff2);
    e.inter += charges[std::size_t(k)] / std::sqrt(r2);
    e.reaction += charges[std::size_t(k)] * r2 * x.field / 2;
  }
  if (pair.within < charged_lanes) return e;
  for (int k = 0; k < lanes; ++k) {
    const double r = std::sqrt(pair.r2[k]);
    e.inter += strength[std::size_t(k)] * std::exp(decay[std::size_t(k)] * r);
    if (k >= first_mixed_lane && k < first_mixed_lane + 4) e.inter -= mixed_attraction.a * std::exp(-mixed_attraction.b * r);
  }
  return e;
}

}  // namespace water
