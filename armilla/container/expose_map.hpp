// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "armilla/container/expose_table.hpp"
#include "armilla/container/unordered_map.hpp"

/// Maps and sets that guests of the job ask for: <armilla/guest/exposed_map.hpp>, and Python's `job.map("words")`.
///
///     am::unordered_map<std::string, long> words;
///     const am::exposure shown = am::expose("words", words);
namespace armilla {

/// Guests look up keys of `x` and list its elements, with the help of its ranks: each provides `name.contains`, `name.rank_of`,
/// `name.elements`, and of a map `name.find`, while what is returned lives. How many there are guests see without it, as of the
/// last fence. For unordered_map, unordered_set, counting_set, map, set, and unordered_multimap, of which guests see a
/// map from keys to vectors. Called by the members of `x`, each for its part; without a message. When `x` ends, guests hear so;
/// when it moves, what is exposed moves with it; after `recover`, expose it anew. What guests ask for at the end of the exposure
/// still comes. Errors: as of expose for a span; usage_error if this rank provides a method of one of these names. Cost: two
/// stores at a fence.
template <class Verbs>
  requires detail::exposable_table<Verbs>
exposure expose(std::string_view name, detail::hash_container<Verbs>& x) {
  return detail::exposer::expose(name, x);
}

}  // namespace armilla
