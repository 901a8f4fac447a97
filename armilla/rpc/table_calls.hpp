// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// Elements of one rank: how often the table was rebuilt, the place to go on at, or 0, and copies of some elements.
template <class Element>
using table_page = std::tuple<std::uint64_t, std::uint64_t, std::vector<Element>>;

/// What a rank provides for a table that it exposes as `name`: the signatures of `name.find`, `name.contains`, `name.rank_of` and
/// `name.elements(place, how many)`. `shown`: the type that stands in its record. `Value`: void of a set.
template <class Key, class Value>
struct table_calls {
  using shown = std::map<Key, Value>;
  using element = std::pair<Key, Value>;
  using find = std::optional<Value>(Key);
  using contains = bool(Key);
  using rank_of = rank_t(Key);
  using elements = table_page<element>(std::uint64_t, std::uint64_t);
};
template <class Key>
struct table_calls<Key, void> {
  using shown = std::set<Key>;
  using element = Key;
  using contains = bool(Key);
  using rank_of = rank_t(Key);
  using elements = table_page<element>(std::uint64_t, std::uint64_t);
};

}  // namespace armilla::detail
