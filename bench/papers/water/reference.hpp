// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/water/field.hpp"

namespace water {

/// The molecules of one part at the beginning, their accelerations included. Every worker computes all pairs for itself.
molecules at_beginning(const box& x, const range& part);

/// The energies after `steps` steps, by one thread, which are compared with the known ones where there are such. Throws if they
/// differ.
energies expected_energies(const box& x, double cutoff, int steps);

/// All energies of the system, when `places` are those of all molecules and `own` the sum of own_energies of all parts.
energies energies_of(const box& x, const std::vector<triple>& places, const energies& own);

/// Known values, where there are: for 64 and 512 molecules with the usual cutoff, after some numbers of steps. Null else.
const energies* known_energies(int molecules, double cutoff, int step);

/// Equal to nine digits.
bool agree(const energies& a, const energies& b);

}  // namespace water
