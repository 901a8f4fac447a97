// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "bench/papers/water/model.hpp"

namespace water {

/// A run of the molecules, `count` from number `first` on, and how they move: Gear's predictor and corrector with six
/// derivatives. For each atom there are its place and the derivatives, the n-th times dt^n / n!.
///
/// A step: `predict`; then the owner of the molecules adds what the others do to them, with `add_force`; then `correct`.
class molecules {
 public:
  static constexpr int order = 6;

  /// At the beginning: a cubic lattice, and random speeds for 298 K. Forces are zero: see `set_acceleration`.
  molecules(const box& x, int first, int count);

  int first() const noexcept { return first_; }
  int count() const noexcept { return int(force_.size()); }
  /// The atoms of own molecule `i`, counted from 0.
  const triple& place(int i) const noexcept { return derivative_[0][std::size_t(i)]; }
  std::span<const triple> places() const noexcept { return derivative_[0]; }

  /// Where the atoms would be after a step, and what the molecules do to themselves there.
  void predict();
  void add_force(int i, const triple& f) noexcept {
    for (std::size_t c = 0; c < f.size(); ++c) force_[std::size_t(i)][c] += f[c];
  }
  /// Moves them there in the light of the forces. A molecule that has left the box comes in on the other side.
  void correct();

  /// The forces that were added become the acceleration of the beginning.
  void set_acceleration();
  /// Of the molecules themselves: kinetic and intra.
  energies own_energies() const;

 private:
  void wrap();
  double acceleration_of(int c, double force) const noexcept;

  box box_;
  int first_;
  std::array<std::vector<triple>, order + 1> derivative_;
  std::vector<triple> force_;
};

}  // namespace water
