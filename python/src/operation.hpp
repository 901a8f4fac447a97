// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "armilla/fiber/spawn.hpp"
#include "armilla/team/collectives.hpp"
#include "rank.hpp"

namespace armilla::python {

/// Begins what all ranks do together: `work(world())`, in a fiber, so that the main fiber runs Python bodies while it waits. To
/// ranks of other programs it is the collective that they wait in. It touches no Python object; it gives the blocks of its
/// values. Returns the operation's number. `kept`: what it reads or writes meanwhile.
template <class Work>
std::uint64_t begin(const char* name, nb::object kept, Work work) {
  rank_state& me = here(name);
  const std::uint64_t id = ++me.last_id;
  operation& begun = me.operations[id];
  begun.kept = std::move(kept);
  begun.collective = true;
  try {
    detail::start_detached(
        [work = std::move(work), id]() mutable {
          std::vector<block> values;
          std::exception_ptr error;
          try {
            const std::lock_guard turn(rank_of_bodies->turn);
            values = work(world());
          } catch (...) { error = std::current_exception(); }
          operation& mine = rank_of_bodies->operations.at(id);
          mine.parts = std::move(values);
          mine.error = error;
          rank_of_bodies->end(id, mine, error != nullptr ? state::raised : state::value);
        },
        name);
  } catch (...) {
    me.operations.erase(id);
    throw;
  }
  return id;
}

}  // namespace armilla::python
