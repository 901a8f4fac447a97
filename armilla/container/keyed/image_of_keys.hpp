// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/container/image/images.hpp"
#include "armilla/container/keyed/hash_range.hpp"
#include "armilla/fence.hpp"

/// The image of containers with keys: a key and what is kept for it are one element, in two columns. Those of a key that lies
/// there more than once are one element, too, so that they keep their order.
namespace armilla::detail {

/// What is kept for a key: a value, several, their number; of sets nothing.
template <class Part>
using kept_for_key = typename Part::table_type::slot_value;

template <class Key, class Kept>
saved_type saved_keys(saved_kind kind) {
  if constexpr (std::is_void_v<Kept>)
    return {kind, 0, element_name<Key>::text};
  else
    return {kind, 0, element_name<Key, Kept>::text};
}

/// What this member has.
template <class Core>
void put_slots(Core& core, piece_writer& to) {
  using Key = typename Core::key_type;
  using kept = kept_for_key<typename Core::part>;
  for (const auto& slot : core.mine().table.by_key()) {
    if constexpr (std::is_void_v<kept>) {
      column<Key>::put(to.keys, slot);
    } else {
      column<Key>::put(to.keys, slot.first);
      column<kept>::put(to.values, slot.second);
    }
    to.end_element();
  }
}

/// Calls take(key) or take(key, kept) for each element of a piece.
template <class Key, class Kept, class Take>
void take_slots(column_rest& keys, column_rest& values, std::uint64_t n, Take take) {
  for (; n != 0; --n) {
    Key key(column<Key>::take(keys));
    if constexpr (std::is_void_v<Kept>)
      take(std::move(key));
    else
      take(std::move(key), Kept(column<Kept>::take(values)));
  }
}
/// One-way calls that put an element into a container which has nothing of its key.
template <class Container, class Key, class... Kept>
void insert_slot(Container& to, const Key& key, const Kept&... kept) {
  if constexpr (Container::saved_as == saved_kind::unordered_multimap)
    for (const auto& each : (kept, ...)) to.insert(key, each);
  else
    to.insert(key, kept...);
}

/// What an image has goes into `fresh`, an empty container of the same kind over the same members, by its one-way calls. Then
/// this one takes over what lies there: its handles stay good.
template <class Container, class Core>
void take_keys(Core& core, Container& fresh, Core& of_fresh, image_reader& from) {
  using kept = kept_for_key<typename Core::part>;
  const team& members = core.members();
  from.each_own_piece([&fresh](column_rest& keys, column_rest& values, std::uint64_t n, std::uint64_t) {
    take_slots<typename Core::key_type, kept>(keys, values, n,
                                              [&fresh](auto&& key, auto&&... value) { insert_slot(fresh, key, value...); });
  });
  fence_after_loss(members);
  from.agree();
  core.mine().guard.await_loops();
  std::swap(core.mine().table, of_fresh.mine().table);
  fence_after_loss(members);
}

/// Elements of an image in order, as many on each member, make a table; and their first and last key.
template <class Core>
class loaded_table {
  using key_type = typename Core::key_type;
  using kept = kept_for_key<typename Core::part>;

 public:
  typename Core::part::table_type table;

  explicit loaded_table(image_reader& from) : from_(from) {
    const auto [first, end] = from.deal_evenly();
    from.each_piece_of(first, end, [&](column_rest& keys, column_rest& values, std::uint64_t n, std::uint64_t number) {
      take_slots<key_type, kept>(keys, values, n, [&](key_type&& key, auto&&... value) {
        if (const std::uint64_t at = number++; at >= first && at < end) put(std::move(key), std::move(value)...);
      });
    });
  }
  /// Collective: where the keys of each member but the first begin. The last one has some, if any has.
  std::vector<key_type> borders(const team& members) {
    std::vector<key_type> mine;
    if (first_) mine = {*first_, *last_};
    const std::vector<std::vector<key_type>> all = members.all_gather(mine);
    std::vector<key_type> backwards;
    try {
      for (std::size_t m = all.size() - 1; m > 0; --m) {
        if (!all[m].empty())
          backwards.push_back(all[m][0]);
        else if (!backwards.empty())
          backwards.push_back(key_type(backwards.back()));
        if (!all[m - 1].empty() && !backwards.empty() && !table.before(all[m - 1][1], backwards.back())) throw_no_order();
      }
    } catch (const passing&) { throw; } catch (...) {
      from_.note(text_of_thrown());
    }
    return {backwards.rbegin(), backwards.rend()};
  }

 private:
  template <class... Value>
  void put(key_type&& key, Value&&... value) {
    if (last_ && !table.before(*last_, key)) throw_no_order();
    last_ = key;
    if (!first_) first_ = key;
    table.template obtain<int>(std::move(key), 0, [&] {
      if constexpr (sizeof...(value) == 0)
        return 0;
      else
        return (std::move(value), ...);
    });
  }

  image_reader& from_;
  std::optional<key_type> first_, last_;
};

template <class Core>
void take_in_order(Core& core, image_reader& from) {
  const team& members = core.members();
  loaded_table<Core> loaded(from);
  from.agree();
  auto borders = loaded.borders(members);
  from.agree();
  core.mine().spread.adopt(core.mine(), std::move(loaded.table), std::move(borders));
  members.fence();
}

/// What an image says of how keys are dealt.
template <class Spread>
std::uint64_t numbers_of_spread(const Spread& spread) {
  if constexpr (Spread::moves)
    return std::bit_cast<std::uint64_t>(spread.uneven);
  else
    return 0;
}

}  // namespace armilla::detail
