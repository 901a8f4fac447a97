// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/conformance/traffic.hpp"

namespace conformance {

/// exchange and meet of what brought the ranks together.
void check_bootstrap(const joined& j);
/// Before anything is sent.
void check_quiet(const joined& j);
/// Memory that the network holds is loaded and stored by all ranks while none of them is in the network. Nothing was sent before.
void check_held(const joined& j);
/// All ranks send to all others: short frames, all sizes, frames held and released in any order.
void check_frames(const joined& j, traffic& t);
/// From nothing to 16 MiB, sender or receiver first, many at once in both directions, beside frames.
void check_bulk(const joined& j, traffic& t);

/// Times of this network, and of the same by hand where `plain` has them; ranks 0 and 1. `part`: of the usual number of times.
void measure(const joined& j, const char* plain, double part);

}  // namespace conformance
