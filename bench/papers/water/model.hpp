// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

/// The molecule, its potential, and the box: the numbers of the MCY potential between molecules (Matsuoka, Clementi and
/// Yoshimine, 1976) and of the expansion of the potential inside of one. Units: Angstrom, femtoseconds, atomic mass units,
/// radians.
namespace water {

/// The atoms of a molecule, and the point on the axis between the hydrogens where the charge of the oxygen sits.
enum site : int { h1 = 0, oxygen = 1, h2 = 2, center = 3 };
constexpr int atoms = 3;

constexpr double bond = 0.9572, angle = 1.824218;  // at rest
constexpr double mass_of_oxygen = 15.99945, mass_of_hydrogen = 1.007825;
constexpr double mass_of(int atom) { return atom == oxygen ? mass_of_oxygen : mass_of_hydrogen; }

/// center = of_oxygen * O + of_hydrogen * (H1 + H2)
constexpr double of_hydrogen = 0.5 * 0.45682590, of_oxygen = 1 - 0.45682590;

/// Between molecules: charges (their products, scaled), and exponentials a exp(-b r).
constexpr double charge = 0.07152158;  // of a hydrogen, squared; the center has twice as much of the other sign
struct exponential_term {
  double a, b;
};
constexpr exponential_term oxygens{455.313100, 5.15271070}, hydrogens{0.27879839, 2.76084370}, mixed{0.60895706, 2.96189550},
    mixed_attraction{0.11447336, 2.23326410};

/// Where atoms are, or what pulls at them: x of H1, O, H2, then y, then z. Travels as it is.
using triple = std::array<double, 3 * atoms>;
constexpr int component(int direction, int atom) { return direction * atoms + atom; }

/// A cube of water at 298 K, repeated in all directions.
struct box {
  int molecules = 0;
  double length = 0, half = 0, cutoff = 0;
  double cutoff2 = 0, field = 0;                ///< its square; 1 / its third power, the strength of the reaction field
  double time_step = 0.15;                      ///< 1.5e-16 s
  double potential_unit = 0, kinetic_unit = 0;  ///< energies are told in kT for each atom

  /// `cutoff` 0: half the box, at most 11 Angstrom.
  box(int n, double cutoff_in) : molecules(n) {
    constexpr double unit_of_mass = 1.6605655e-24, unit_of_length = 1e-8, unit_of_time = 1e-15;  // g, cm, s
    constexpr double boltzmann = 1.380662e-16, density = 0.9980, temperature = 298;
    constexpr double mass = mass_of_oxygen + 2 * mass_of_hydrogen;
    length = std::pow(n * mass * unit_of_mass / density, 1.0 / 3) / unit_of_length;
    half = length / 2;
    cutoff = std::fmin(cutoff_in == 0 ? half : cutoff_in, 11.0);
    cutoff2 = cutoff * cutoff;
    field = 1 / (cutoff2 * cutoff);
    const double speed = unit_of_length / unit_of_time;
    potential_unit = unit_of_mass * speed * speed / (boltzmann * temperature * n * atoms);
    kinetic_unit = potential_unit * 0.5 / (time_step * time_step);
  }
};

struct energies {
  double kinetic = 0, intra = 0, inter = 0, reaction = 0;
  double total() const noexcept { return kinetic + intra + inter + reaction; }
  friend energies operator+(const energies& a, const energies& b) {
    return {a.kinetic + b.kinetic, a.intra + b.intra, a.inter + b.inter, a.reaction + b.reaction};
  }
};

}  // namespace water
