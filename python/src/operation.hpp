// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/spawn.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"
#include "rank.hpp"

namespace armilla::python {

/// Begins what all ranks do together: `work(world())`, in a fiber, so that the main fiber runs Python bodies while it waits. To
/// ranks of other programs it is the collective that they wait in. It touches no Python object; it gives the blocks of its
/// values. Returns the operation's number. `kept`: what it reads or writes meanwhile. Reports of ranks that enter different ones
/// call it `name`, which lives as long as the process, if it is `named`; else as the library does.
template <class Work>
std::uint64_t begin(const char* name, nb::object kept, Work work, bool named = true) {
  rank_state& me = here(name);
  const std::uint64_t id = ++me.last_id;
  operation& begun = me.operations[id];
  begun.kept = std::move(kept);
  begun.collective = true;
  try {
    detail::start_detached(
        [work = std::move(work), id, name, named]() mutable {
          std::vector<block> values;
          std::exception_ptr error;
          try {
            const std::lock_guard turn(rank_of_bodies->turn);
            std::optional<detail::named_algorithm> in;
            if (named) in.emplace(rank_of_bodies->session.rank, name);
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

/// The smaller and the greater of two numbers. NaN, if one of them is: as NumPy has it, and whatever their order.
struct minimum {
  template <class T>
  T operator()(T a, T b) const {
    return b < a || b != b ? (a != a ? a : b) : a;
  }
};
struct maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || b != b ? (a != a ? a : b) : a;
  }
};

/// Throws usage_error on all members if what they give differs, before anything else has happened: `what` is compared as text.
/// Costs one all_gather of a word.
void agree(const char* name, const team& t, const std::string& what);

}  // namespace armilla::python
