// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

enum class pin_kind;

/// Processors of one place for a rank, as the kernel numbers them; empty: anywhere.
using place = std::vector<int>;

/// What this process may use of the machine: its affinity, its cpuset and its quota of processor time counted in.
struct machine {
  std::vector<place> cores;      ///< hardware threads of each core
  std::uint32_t processors = 1;  ///< hardware threads that can run at a time
};

/// Looks at the machine. With `cores` false it does not ask which processors share a core, which saves some milliseconds.
machine look_at_machine(bool cores);

/// Where each of `ranks` ranks shall run. `core`: each on a core of its own, and as `share` if there are not enough; `share`: the
/// cores in turn; `none`: anywhere; automatic: `core` or `share`.
std::vector<place> places_to_run(const machine& here, rank_t ranks, pin_kind how);

/// Binds the calling thread; an empty place changes nothing. What the kernel refuses is ignored: the rank runs, unbound.
void bind_here(const std::int16_t (&cpu)[4]) noexcept;

}  // namespace armilla::detail
