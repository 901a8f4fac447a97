// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/bag.hpp"
#include "armilla/bitmap.hpp"
#include "armilla/cyclic_matrix.hpp"
#include "armilla/disjoint_set.hpp"
#include "armilla/graph.hpp"
#include "armilla/list.hpp"
#include "armilla/map.hpp"
#include "armilla/matrix.hpp"
#include "armilla/queue.hpp"
#include "armilla/sparse_matrix.hpp"
#include "armilla/unordered_map.hpp"
#include "armilla/vector.hpp"
#include "armilla/work_queue.hpp"

/// How containers go over to a team of more ranks, or of fewer. Those that have one push its elements: the others do not know
/// where these lie. Elements that are stored by index or by hash go straight to their place; all others go as the container's
/// image.
namespace armilla::detail {

struct rebalance_needs {
  bool needs_functions = false;  ///< members call each other's functions: they run one program
};
/// Collective of `t`, of which some ranks have the same container and give its team; the others give none. Fences
/// that team. The first of those ranks, or all throw.
rank_t require_given(const team& t, const team& old, rebalance_needs needs);

/// Collective of `old`, of which some members give the team `t` of all that stay, and the others the empty one. Fences it. Which
/// member gets what each of them has: itself if it stays, else a near one. Or all throw.
std::vector<rank_t> heirs_of(const team& t, const team& old);
/// Collective of `old`: members that leave give what they have packed, or all throw what failed on one. `received` has what comes
/// to this member, and the result says from whom.
std::vector<packed_records> hand_over(const team& old, const std::vector<rank_t>& heirs, const std::vector<std::uint64_t>& mine,
                                      failure& why, std::vector<std::vector<std::uint64_t>>& received);

/// What the others learn of a sequence.
struct dealt_sequence {
  std::uint64_t elements = 0;
  std::uint64_t block = 0;  ///< 0: one block a member
  std::int32_t copies = 0;  ///< that are kept
};
dealt_sequence deal_of(const placement& p, const kept_parts* kept);
placement deal_to(const team& t, const dealt_sequence& how);

/// Sends the elements that a member had to where they lie in `to`: complete when all have called it and `t` has fenced.
template <class T>
void send_elements(const placement& was, rank_t member, const T* mine, const element_state<T>& to) {
  constexpr std::size_t most = 1024;  // in one one-way call
  std::size_t place = 0;              // elements of a member lie in the order of their indices
  for (std::size_t i = was.next_on(member, 0); i < was.size();) {
    std::size_t n = std::min(was.run_at(i).end, to.where.run_at(i).end) - i;
    if constexpr (lies_in_segments<T>) {
      put(global_ptr<T>(to.address(i, sizeof(T))), std::span<const T>(mine + place, n));
    } else {
      n = std::min(n, most);
      const auto there = to.where.locate(i);
      async(to.members.world_rank(there.member), &write_run<T>, to.name(there.member), there.place,
            std::vector<T>(mine + place, mine + place + n));
    }
    place += n;
    i = was.next_on(member, i + n);
  }
  if constexpr (lies_in_segments<T>) sync_memory();
}

/// What the others learn of a matrix.
template <std::size_t N>
struct dealt_cells {
  std::array<std::size_t, N> extents{};
  std::array<rank_t, N> blocks{};
  std::array<std::size_t, N> before{}, behind{};
  std::array<bool, N> periodic{};
  bool corners = true;
  std::int32_t copies = 0;  ///< that are kept

  dealt_cells() = default;
  dealt_cells(const matrix_plan<N>& p, const kept_parts* kept)
      : extents(p.shape.extents()), corners(p.around.has_corners()), copies(kept == nullptr ? 0 : std::int32_t(kept->wish())) {
    for (std::size_t d = 0; d < N; ++d) {
      blocks[d] = p.shape.blocks(d);
      before[d] = p.around.before(d), behind[d] = p.around.behind(d);
      periodic[d] = p.around.is_periodic(d);
    }
  }
  halo around() const {
    halo h = halo().corners(corners).periodic(std::vector<bool>(periodic.begin(), periodic.end()));
    for (std::size_t d = 0; d < N; ++d) h = h.sides(d, before[d], behind[d]);
    return h;
  }
  /// How it is cut for `members`.
  grid_shape<N> shape_over(rank_t members) const {
    rank_t all = 1;
    for (const rank_t n : blocks) all *= n;
    return detail::shape_over(grid_shape<N>(extents, all, {blocks.begin(), blocks.end()}), members);
  }
};

/// Sends the cells of a block to where they are in `to`: complete as `send_elements`.
template <class T, std::size_t N>
void send_cells(const block_layout<N>& mine, const T* first, const matrix<T, N>& to) {
  const matrix_plan<N>& there = to.plan();
  for (rank_t m = 0; m < there.members.size(); ++m) {
    const block_layout<N> theirs = there.layout_of(m);
    box<N> both;
    strided<N> part{.extent = {}, .local = mine.stride, .global = theirs.stride};
    for (std::size_t d = 0; d < N; ++d) {
      both.begin[d] = std::max(mine.cells.begin[d], theirs.cells.begin[d]);
      both.end[d] = std::min(mine.cells.end[d], theirs.cells.end[d]);
      part.extent[d] = both.extent(d);
    }
    if (both.volume() != 0) put_strided(to.ptr(both.begin), first + mine.offset_of_cell(both.begin), part);
  }
  sync_memory();
}

/// Makes a container over `t` of what members gave; `old` is null on those that have none. A friend of the containers.
struct rebalancer {
  template <class Container>
  static Container sequence(const team& t, Container* old) {
    using T = typename Container::value_type;
    const team had = old != nullptr ? old->members() : team();  // none: also of one that was moved from
    const rank_t first = require_given(t, had, {.needs_functions = !lies_in_segments<T>});
    const dealt_sequence how = t.broadcast(had ? deal_of(old->placement(), old->kept_.copies.get()) : dealt_sequence{}, first);
    Container made(make_container<T>(t, deal_to(t, how)));
    failure why;
    if (had) try {
        send_elements<T>(old->state_.where, old->state_.me, first_of<T>(old->state_), made.state_);
      } catch (const passing&) { throw; } catch (...) {
        why.note();
      }
    await_arrival(t, "rebalance", why);
    if (how.copies != 0) made.keep(how.copies);
    return made;
  }

  template <class Container>
  static Container keys(const team& t, Container* old) {
    const bool has = old != nullptr && old->core_;  // not moved from
    const rank_t first = require_given(t, has ? old->members() : team(), {.needs_functions = true});
    const auto how = t.broadcast(has ? images::describe(*old) : images::description(), first);
    Container made = images::empty<Container>(t, how.numbers);
    failure why;
    if (has) try {
        insert_all(*old, made);
      } catch (const passing&) { throw; } catch (...) {
        why.note();
      }
    await_arrival(t, "rebalance", why);
    take_default(t, first, has ? old : nullptr, made);
    if (how.copies != 0) made.keep(how.copies);
    return made;
  }

  template <class T, std::size_t N>
  static matrix<T, N> cells(const team& t, matrix<T, N>* old) {
    const bool has = old != nullptr && old->plan_ != nullptr;
    const rank_t first = require_given(t, has ? old->members() : team(), {});
    const auto how = t.broadcast(has ? dealt_cells<N>(old->plan(), old->kept_.copies.get()) : dealt_cells<N>(), first);
    matrix<T, N> made(std::make_shared<const matrix_plan<N>>(t, how.shape_over(t.size()), how.around()));
    if (has) send_cells(old->plan().mine, static_cast<const T*>(old->first()), made);
    t.fence();
    if (how.copies != 0) made.keep(how.copies);
    return made;
  }

  /// In blocks. The others learn its tiles.
  template <class T>
  static cyclic_matrix<T> tiles(const team& t, cyclic_matrix<T>* old) {
    const bool has = old != nullptr && old->cells_.plan_ != nullptr;
    struct dealt {
      std::array<std::size_t, 2> tile;
      int copies;
    };
    matrix<T> in_blocks;
    if (has) in_blocks = old->in_blocks();
    matrix<T> wider = cells(t, has ? &in_blocks : nullptr);
    const dealt mine = has ? dealt{{old->tile(0), old->tile(1)}, old->copies_} : dealt{{0, 0}, 0};
    const dealt all = t.all_reduce(mine, [](const dealt& a, const dealt& b) { return a.tile[0] < b.tile[0] ? b : a; });
    cyclic_matrix<T> made({wider.extent(0), wider.extent(1)}, all.tile, on(t, grid()));
    made.take(wider);
    if (all.copies != 0) made.keep(all.copies);
    return made;
  }
  template <class T>
  static cyclic_matrix<T> fewer_tiles(const team& t, cyclic_matrix<T>* old) {
    matrix<T> in_blocks = old->in_blocks();
    const matrix<T> left = fewer_cells(t, &in_blocks);
    if (!t) return leave(old);
    cyclic_matrix<T> made({left.extent(0), left.extent(1)}, {old->tile(0), old->tile(1)}, on(t, grid()));
    made.take(left);
    if (old->copies_ != 0) made.keep(old->copies_);
    return made;
  }

  /// By its image.
  template <class Container>
  static Container image(const team& t, Container* old) {
    const team had = members_of(old);
    const rank_t first = require_given(t, had, {.needs_functions = true});
    Container made = images::moved(t, had ? old : nullptr, first);
    take_default(t, first, had ? old : nullptr, made);
    return made;
  }

  static bitmap bits(const team& t, bitmap* old) {
    array<std::uint64_t> words = sequence(t, old == nullptr ? nullptr : &old->words_);
    const std::size_t n =
        t.all_reduce(old == nullptr ? 0 : old->size(), [](std::size_t a, std::size_t b) { return a < b ? b : a; });
    return {n, std::move(words)};
  }
  static disjoint_set numbers(const team& t, disjoint_set* old) {
    return disjoint_set(sequence(t, old == nullptr || old->core_ == nullptr ? nullptr : &old->core_->parents()));
  }

  template <class T>
  static work_queue<T> items(const team& t, work_queue<T>* old) {
    require_given(t, old != nullptr ? old->members() : team(), {.needs_functions = true});
    work_queue<T> made(t);
    if (old != nullptr)
      for (T& item : old->mine().take_all()) made.push(std::move(item));
    return made;
  }

  // The same for fewer ranks. What it gives on a rank that leaves was moved from.
  template <class Container>
  static Container fewer_elements(const team& t, Container* old) {
    using T = typename Container::value_type;
    const element_state<T>& had = old->state_;
    const std::vector<rank_t> heirs = heirs_of(t, had.members);
    packed_part packed;
    failure why;
    if (!t) try {
        put_elements<T>(packed, std::span<const T>(first_of<T>(had), had.count()));
        packed.finish();
      } catch (const passing&) { throw; } catch (...) {
        why.note();
      }
    std::vector<std::vector<std::uint64_t>> received;
    const std::vector<packed_records> taken_over = hand_over(had.members, heirs, packed.words(), why, received);
    if (!t) return leave(old);
    Container made(make_container<T>(t, had.where.over(t.size())));
    try {
      send_elements<T>(had.where, had.me, first_of<T>(had), made.state_);
      for (const packed_records& of : taken_over) {
        std::vector<kept_as<T>> elements;
        each_packed_columns(of.at, of.bytes, [&elements](column_rest& keys, column_rest&, std::uint64_t n) {
          for (; n != 0; --n) elements.push_back(take_element<T>(keys));
        });
        send_elements<T>(had.where, of.order, as_elements<T>(elements).data(), made.state_);
      }
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    await_arrival(t, "shrink", why);
    if (old->kept_.copies != nullptr) made.keep(old->kept_.copies->wish());
    return made;
  }
  template <class T, std::size_t N>
  static matrix<T, N> fewer_cells(const team& t, matrix<T, N>* old) {
    const matrix_plan<N>& had = old->plan();
    const std::vector<rank_t> heirs = heirs_of(t, had.members);
    std::vector<std::uint64_t> mine;
    failure why;
    if (!t) try {
        mine.resize((had.mine.volume * sizeof(T) + 7) / 8);
        if (!mine.empty()) std::memcpy(mine.data(), old->first(), had.mine.volume * sizeof(T));
      } catch (const passing&) { throw; } catch (...) {
        why.note();
      }
    std::vector<std::vector<std::uint64_t>> received;
    const std::vector<packed_records> taken_over = hand_over(had.members, heirs, mine, why, received);
    if (!t) return leave(old);
    matrix<T, N> made(std::make_shared<const matrix_plan<N>>(t, detail::shape_over(had.shape, t.size()), had.around));
    send_cells(had.mine, static_cast<const T*>(old->first()), made);
    for (const packed_records& of : taken_over) send_cells(had.layout_of(of.order), reinterpret_cast<const T*>(of.at), made);
    t.fence();
    if (old->kept_.copies != nullptr) made.keep(old->kept_.copies->wish());
    return made;
  }
  static bitmap fewer_bits(const team& t, bitmap* old) {
    array<std::uint64_t> words = fewer_elements(t, &old->words_);
    return t ? bitmap(old->bits_, std::move(words)) : bitmap();
  }
  static disjoint_set fewer_numbers(const team& t, disjoint_set* old) {
    array<std::uint64_t> parents = fewer_elements(t, &old->core().parents());
    return t ? disjoint_set(std::move(parents)) : disjoint_set();
  }
  template <class Container>
  static Container fewer_records(const team& t, Container* old) {
    const team had = old->members();
    const std::vector<rank_t> heirs = heirs_of(t, had);
    packed_part packed;
    failure why;
    try {
      images::pack(*old, packed);
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
    std::vector<std::vector<std::uint64_t>> received;
    std::vector<packed_records> mine = hand_over(had, heirs, packed.words(), why, received);
    if (!t) return leave(old);
    mine.push_back(packed.records_of(had.rank()));
    Container made = images::unpack<Container>(t, "shrink", images::describe(*old), mine, std::move(why));
    if constexpr (has_default<Container>) made.core_->missing = old->core_->missing;
    return made;
  }

 private:
  template <class Container>
  static constexpr bool has_default = requires(const Container& x, const typename Container::key_type& key) { x.get(key); };
  /// Collective: a map's default, which `first` has.
  template <class Container>
  static void take_default(const team& t, rank_t first, const Container* old, Container& made) {
    if constexpr (has_default<Container>) {
      using value = typename Container::mapped_type;
      made.core_->missing = t.broadcast(old != nullptr ? old->core_->missing : std::optional<value>(), first);
    }
  }
  /// Collective: all that members have sent is there, or all throw what failed on one. A user's code may encode an element.
  static void await_arrival(const team& t, const char* operation, failure& why) {
    t.fence();
    agree(t, operation, why);
  }
  template <class Container>
  static Container leave(Container* old) {
    const Container given = std::move(*old);
    return std::move(*old);
  }
  /// None of one that was moved from.
  template <class Container>
  static team members_of(const Container* old) {
    if (old == nullptr) return {};
    try {
      return old->members();
    } catch (const usage_error&) { return {}; }
  }
  template <class Container>
  static void insert_all(Container& old, Container& made) {
    using core = std::remove_reference_t<decltype(*old.core_)>;
    using kept = kept_for_key<typename core::part>;
    const hash_loop<typename core::part> one_way_calls_wait(old.core_->mine());
    for (const auto& slot : old.core_->mine().table.by_key())
      if constexpr (std::is_void_v<kept>)
        insert_slot(made, slot);
      else if constexpr (requires { typename Container::map_type; })
        insert_slot(static_cast<typename Container::map_type&>(made), slot.first, slot.second);
      else
        insert_slot(made, slot.first, slot.second);
  }
};

template <class C, template <class> class Of>
inline constexpr bool is_a = false;
template <class T, template <class> class Of>
inline constexpr bool is_a<Of<T>, Of> = true;

template <class C>
concept with_indices = is_a<C, array> || is_a<C, vector> || is_a<C, bag>;
template <class C>
concept with_hashes = std::is_constructible_v<C, const team&, const hash_options&>;
template <class C>
concept with_image = requires(C& x, const team& t) {
  { x.recover(t).gone } -> std::convertible_to<std::vector<rank_t>>;
};

template <class T, std::size_t N>
matrix<T, N> shrunk_on(const team& t, matrix<T, N>* old) {
  return rebalancer::fewer_cells(t, old);
}
template <class T>
cyclic_matrix<T> shrunk_on(const team& t, cyclic_matrix<T>* old) {
  return rebalancer::fewer_tiles(t, old);
}
inline bitmap shrunk_on(const team& t, bitmap* old) { return rebalancer::fewer_bits(t, old); }
inline disjoint_set shrunk_on(const team& t, disjoint_set* old) { return rebalancer::fewer_numbers(t, old); }
template <class Container>
  requires(with_indices<Container> || with_image<Container>)
Container shrunk_on(const team& t, Container* old) {
  if constexpr (with_indices<Container>)
    return rebalancer::fewer_elements(t, old);
  else
    return rebalancer::fewer_records(t, old);
}

template <class T, std::size_t N>
matrix<T, N> rebalanced_on(const team& t, matrix<T, N>* old) {
  return rebalancer::cells(t, old);
}
template <class T>
cyclic_matrix<T> rebalanced_on(const team& t, cyclic_matrix<T>* old) {
  return rebalancer::tiles(t, old);
}
inline bitmap rebalanced_on(const team& t, bitmap* old) { return rebalancer::bits(t, old); }
inline disjoint_set rebalanced_on(const team& t, disjoint_set* old) { return rebalancer::numbers(t, old); }
template <class T>
work_queue<T> rebalanced_on(const team& t, work_queue<T>* old) {
  return rebalancer::items(t, old);
}
template <class Container>
  requires(with_indices<Container> || with_image<Container>)
Container rebalanced_on(const team& t, Container* old) {
  if constexpr (with_indices<Container>)
    return rebalancer::sequence(t, old);
  else if constexpr (with_hashes<Container>)
    return rebalancer::keys(t, old);
  else
    return rebalancer::image(t, old);
}

}  // namespace armilla::detail
