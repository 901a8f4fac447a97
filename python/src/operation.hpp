// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/spawn.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"
#include "rank.hpp"

namespace armilla::python {

struct member {
  team of;
  mutex turn;
};

/// A team as Python has it. Of world, `own` is null.
struct python_team {
  std::shared_ptr<member> own;

  team get() const { return own ? own->of : world(); }
  mutex& turn() const { return own ? own->turn : rank_of_bodies->turn; }
  rank_t rank() const { return own ? own->of.rank() : here("team").session.self.rank; }
  rank_t size() const { return own ? own->of.size() : here("team").session.self.world_size(); }
};

/// How a collective is begun: on which team, and whether reports of ranks that enter different ones call it by its own name. If
/// not, they call it as the library does.
struct begun_how {
  python_team on;
  bool named = true;
};

/// Begins a collective: `work(team)`, in a fiber, so that the main fiber runs Python bodies while it waits. To ranks of other
/// programs it is the collective that they wait in. It touches no Python object, and returns the blocks of its values. Returns
/// the operation's number. `kept`: what it reads or writes meanwhile. `name` lives as long as the process.
template <class Work>
std::uint64_t begin(const char* name, nb::object kept, Work work, begun_how how = {}) {
  rank_state& me = here(name);
  const std::uint64_t id = ++me.last_id;
  operation& begun = me.operations[id];
  begun.kept = std::move(kept);
  begun.collective = true;
  try {
    detail::start_detached(
        [work = std::move(work), id, name, how = std::move(how)]() mutable {
          std::vector<block> values;
          std::exception_ptr error;
          try {
            const std::lock_guard turn(how.on.turn());
            std::optional<detail::named_algorithm> in;
            if (how.named) in.emplace(rank_of_bodies->session.rank, name);
            values = work(how.on.get());
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

/// What a collective gives whose results are in its arrays.
inline std::vector<block> in_arrays() { return std::vector<block>(1); }
inline bool gives_nothing(const operation& done) { return !done.parts.empty() && done.parts[0].parts() == 0; }

/// Receives for some microseconds, until it has ended.
void poll_for(const rank_state& me, std::uint64_t id);
/// Zero if it ends within some microseconds and gives nothing; else its number.
std::int64_t ended_soon(std::uint64_t id);

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

/// A word of a text, by which members compare what they give; `word`: of what is in front of it.
inline std::uint64_t word_of(std::string_view text, std::uint64_t word = 0xcbf29ce484222325u) {
  for (const char letter : text) word = (word ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return word;
}

/// Throws usage_error on all members if what they give differs, before anything else has happened: `what` is compared as text.
/// Costs one all_gather of a word.
void agree(const char* name, const team& t, const std::string& what);

}  // namespace armilla::python
