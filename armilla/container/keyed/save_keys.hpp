// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/container/image/save.hpp"
#include "armilla/container/keyed/hash_range.hpp"
#include "armilla/fence.hpp"

/// How containers with keys are saved: a key and what is kept for it are one element, in two columns. Those of a key that lies
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

template <class Core>
void save_keys(Core& core, saved_kind kind, const std::string& path) {
  using Key = typename Core::key_type;
  using kept = kept_for_key<typename Core::part>;
  core.members().fence();
  const hash_loop<typename Core::part> statements_wait(core.mine());
  save_walked(core.members(), path, saved_keys<Key, kept>(kind), {}, [&core](piece_writer& to) { put_slots(core, to); });
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
/// Statements that put an element into a container which has nothing of its key.
template <class Container, class Key, class... Kept>
void insert_slot(Container& to, const Key& key, const Kept&... kept) {
  if constexpr (Container::saved_as == saved_kind::unordered_multimap)
    for (const auto& each : (kept, ...)) to.insert(key, each);
  else
    to.insert(key, kept...);
}

/// Calls take(key) or take(key, kept) for each element of this member's share of the pieces.
template <class Key, class Kept, class Take>
void take_share(saved_file& file, rank_t member, Take take) {
  file.each_piece(file.share_begin(member), file.share_begin(member + 1),
                  [&](column_rest& keys, column_rest& values, std::uint64_t n, std::uint64_t) {
                    take_slots<Key, Kept>(keys, values, n, take);
                  });
}

/// What is loaded goes into `fresh`, a container of the same kind over the same members, by its statements. Then this one takes
/// over what lies there: its handles stay good.
template <class Container, class Core>
void load_keys(Core& core, Container& fresh, Core& of_fresh, saved_file& file) {
  using kept = kept_for_key<typename Core::part>;
  const team& members = core.members();
  take_share<typename Core::key_type, kept>(file, members.rank(),
                                            [&fresh](auto&& key, auto&&... value) { insert_slot(fresh, key, value...); });
  members.fence();
  file.agree();
  core.mine().guard.await_loops();
  std::swap(core.mine().table, of_fresh.mine().table);
  members.fence();
}

/// Elements of a file in order, on each member those of its share, make a table; and their first and last key.
template <class Core>
class loaded_table {
  using key_type = typename Core::key_type;
  using kept = kept_for_key<typename Core::part>;

 public:
  typename Core::part::table_type table;

  loaded_table(saved_file& file, rank_t member) : file_(file) {
    take_share<key_type, kept>(file, member, [this](key_type&& key, auto&&... value) {
      if (last_ && !table.before(*last_, key)) throw_no_order();
      last_ = key;
      if (!first_) first_ = key;
      table.template obtain<int>(std::move(key), 0, [&] {
        if constexpr (sizeof...(value) == 0)
          return 0;
        else
          return (std::move(value), ...);
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
    } catch (...) { file_.note(text_of_thrown()); }
    return {backwards.rbegin(), backwards.rend()};
  }

 private:
  saved_file& file_;
  std::optional<key_type> first_, last_;
};

template <class Core>
void load_in_order(Core& core, saved_file& file) {
  const team& members = core.members();
  loaded_table<Core> loaded(file, members.rank());
  file.agree();
  auto borders = loaded.borders(members);
  file.agree();
  core.mine().spread.adopt(core.mine(), std::move(loaded.table), std::move(borders));
  members.fence();
}

}  // namespace armilla::detail
