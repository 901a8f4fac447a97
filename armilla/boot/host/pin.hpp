// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/base/host/descriptor.hpp"
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

/// Cores to which a job binds ranks, so that other jobs of this machine leave them alone: each is a name that the kernel gives to
/// one process at a time, and takes back when that ends.
class core_claims {
 public:
  /// Claims up to `most` of the cores that no other job has, in their order.
  core_claims(const std::vector<place>& cores, std::size_t most);
  const std::vector<std::size_t>& cores() const noexcept { return cores_; }  ///< indices of those that were claimed
  void keep_to_the_end() noexcept;                                           ///< of this process

 private:
  std::vector<std::size_t> cores_;
  std::vector<descriptor> held_;
};

/// How many cores a rank with such an environment uses: OMP_NUM_THREADS, first in `settings` ("NAME=value"), else in that of this
/// process; 1 where that is not set.
std::size_t cores_wanted(const std::vector<std::string>& settings = {});

/// Where each rank shall run, which wants `wanted[r]` cores; `claimed` are the cores that no other job has, as many as were asked
/// for or all. While they are enough, each rank has cores of its own. Else `core` and `share` give all cores in turn, those
/// first; automatic does so only where no other job has one and each rank wants one core. `none`, and automatic for a job of one
/// rank: anywhere.
std::vector<place> places_to_run(const machine& here, const std::vector<std::size_t>& wanted,
                                 const std::vector<std::size_t>& claimed, pin_kind how);

/// The places of the ranks of a job that begins, and what it claims for them.
struct chosen_places {
  std::vector<place> where;
  core_claims claims;
};
chosen_places choose_places(const machine& here, const std::vector<std::size_t>& wanted, pin_kind how);

/// A place as it stands in the record of a rank: of more than two ranges the first two.
void note_place(const place& where, std::int16_t (&cpu)[4]) noexcept;
/// The processors that such a record names.
cpu_set_t processors_of(const std::int16_t (&cpu)[4]) noexcept;

/// Binds the calling thread; an empty place changes nothing. What the kernel refuses is ignored: the rank runs, unbound.
void bind_here(const std::int16_t (&cpu)[4]) noexcept;

}  // namespace armilla::detail
