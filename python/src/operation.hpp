// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <utility>
#include <vector>

#include "armilla/rpc/collective_async.hpp"
#include "rank.hpp"

namespace armilla::python {

/// Begins what all ranks do together: `work(team)`, in a fiber of its own, so that the main fiber runs Python bodies while it
/// waits. It touches no Python object; it gives the blocks of its values. Returns the operation's number. `kept`: what it reads
/// or writes meanwhile.
template <class Work>
std::uint64_t begin(const char* name, nb::object kept, Work work) {
  rank_state& me = here(name);
  const std::uint64_t id = ++me.last_id;
  me.operations[id].kept = std::move(kept);
  try {
    me.operations[id].collective = collective_async([work = std::move(work), id](const team& t) mutable {
      std::vector<block> values;
      std::exception_ptr error;
      try {
        values = work(t);
      } catch (...) { error = std::current_exception(); }
      operation& mine = rank_of_bodies->operations.at(id);
      mine.parts = std::move(values);
      mine.error = error;
      rank_of_bodies->end(id, mine, error != nullptr ? state::raised : state::value);
    });
  } catch (...) {
    me.operations.erase(id);
    throw;
  }
  return id;
}

}  // namespace armilla::python
