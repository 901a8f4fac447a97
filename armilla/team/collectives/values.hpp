// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

#include "armilla/team/collectives/arrays.hpp"
#include "armilla/team/collectives/collective_bulk.hpp"
#include "armilla/team/collectives/groups.hpp"
#include "armilla/team/collectives/packet.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/pattern.hpp"
#include "armilla/team/core/record.hpp"

/// How values of one type move in collectives, and how they are combined in the order of the members.
namespace armilla::detail {

/// Enters a collective of values of T.
template <class T>
team_record& begin(team_record* t, collective kind, rank_t root = 0) {
  std::size_t bytes = 0;  // of a value; 0 where they differ
  if constexpr (trivially_sendable<T>)
    bytes = sizeof(T);
  else if constexpr (fixed_size<T>)
    bytes = packed_size<T>;
  ++enter(t, {kind, root, bytes, mark_of<T>()}).count->collectives;
  return *t;
}

/// T is too long for a flag line, but always fits onto a board.
template <class T>
concept on_one_board = trivially_sendable<T> && !one_line<T> && sizeof(T) <= most_on_board;

template <on_one_board T>
T value_on_board(team_record& t, std::uint32_t i, std::uint64_t step, const char* what) {
  return from_bytes<T>(await_board(t, i, step, sizeof(T), what));
}

/// An exchange of values that take a transfer: say what goes where and what comes from where, run, take what came.
template <class T>
class exchange {
 public:
  exchange(team_record& t, collective what) : t_(t), what_(what), moves_(t, what), landings_(t.size) { packets_.reserve(t.size); }

  void send(std::uint32_t member, const T& value) {
    packets_.emplace_back(value, 1);
    moves_.send(member, packets_.back().data(), packets_.back().size());
  }
  void send_shared(std::uint32_t first, std::uint32_t last, const T& value) {
    packets_.emplace_back(value, last - first - (first <= t_.rank && t_.rank < last ? 1 : 0));
    for (std::uint32_t i = first; i < last; ++i)
      if (i != t_.rank) moves_.send_shared(i, packets_.back().data(), packets_.back().size());
  }
  void receive(std::uint32_t member) { moves_.receive(member, landing<T>::place, &landings_[member]); }
  void receive(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i)
      if (i != t_.rank) receive(i);
  }
  void run() { moves_.run(); }
  T take(std::uint32_t member) { return landings_[member].take(t_.members[member], name_of(what_)); }

 private:
  team_record& t_;
  collective what_;
  member_transfer moves_;
  std::vector<packet<T>> packets_;
  std::vector<landing<T>> landings_;
};

/// A value in a vector, also where that packs its own type.
template <class T>
struct held {
  T value;
};

template <class T>
const T& plain(const T& v) noexcept {
  return v;
}
inline const bool& plain(const held<bool>& v) noexcept { return v.value; }

/// A member's own value among the results. One that can only be moved is made again of its bytes, as it is on the others.
template <class T>
decltype(auto) copy_of(const T& value) {
  if constexpr (is_copyable<T>) {
    return (value);
  } else {
    const packet<T> bytes(value, 1);
    decoder in(static_cast<const std::byte*>(bytes.data()), bytes.size());
    return in.get<T>();
  }
}

/// The values where each has an address. A vector of bool has none.
template <class T>
decltype(auto) addressable(const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<held<T>> each;
    each.reserve(values.size());
    for (const bool v : values) each.push_back({v});
    return each;
  } else {
    return values;
  }
}

/// Element i of `values` to member i; what the members have for this one. Trivially copyable elements go as arrays do.
template <class T>
std::vector<T> exchange_each(team_record* record, collective kind, const std::vector<T>& values) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<T> theirs;
    for (const held<T>& v : exchange_each(record, kind, addressable(values))) theirs.push_back(v.value);
    return theirs;
  } else if constexpr (trivially_sendable<T> && std::is_default_constructible_v<T>) {
    std::vector<T> theirs(values.size());
    all_to_all_each(record, kind, reinterpret_cast<const std::byte*>(values.data()), reinterpret_cast<std::byte*>(theirs.data()),
                    values.size(), sizeof(T), mark_of<T>());
    return theirs;
  } else {
    require_one_each(record, kind, values.size());
    team_record& t = begin<T>(record, kind);
    exchange<T> e(t, kind);
    for (std::uint32_t i = 1; i < t.size; ++i) e.send((t.rank + i) % t.size, values[(t.rank + i) % t.size]);
    e.receive(0, t.size);
    e.run();
    std::vector<T> theirs;
    theirs.reserve(t.size);
    for (std::uint32_t i = 0; i < t.size; ++i) theirs.push_back(i == t.rank ? T(copy_of(values[i])) : e.take(i));
    return theirs;
  }
}

/// Between many hosts it moves and is folded as an array of one element (groups.hpp).
template <class T>
concept array_of_one = trivially_sendable<T> && std::is_default_constructible_v<T> && std::is_copy_assignable_v<T>;

/// A value on its way through a fold, and whether `op` has thrown for some of those that it is made of.
template <class T>
struct partial_fold {
  T value;
  bool failed = false;
};

/// `f(bytes, how)` makes of the bytes of a partial_fold its fold with others. What `op` throws here is thrown in the end; where
/// it has thrown on another member a usage_error is, for there is no result.
template <class T, class Op, class F>
T fold_as_array(const T& value, Op& op, collective kind, F f) {
  std::exception_ptr thrown;
  auto both = [&](const partial_fold<T>& a, const partial_fold<T>& b) -> partial_fold<T> {
    if (!a.failed && !b.failed) try {
        return {T(op(a.value, b.value))};
      } catch (const passing&) { throw; } catch (...) {
        thrown = std::current_exception();
      }
    return {a.value, true};
  };
  elementwise<partial_fold<T>, decltype(both)> each(both);
  partial_fold<T> sum{value};
  f(reinterpret_cast<std::byte*>(&sum), each.how());
  if (thrown) [[unlikely]]
    std::rethrow_exception(thrown);
  if (sum.failed) [[unlikely]]
    throw_without_result(kind);
  return sum.value;
}

/// value of `first` op ... op value of `last - 1`, after `acc`. `get(i)` gives the value of a member other than me.
template <class T, class Op, class Get>
T fold(const team_record& t, T acc, std::uint32_t first, std::uint32_t last, const T& mine, Op& op, Get get) {
  for (std::uint32_t i = first; i < last; ++i) acc = i == t.rank ? T(op(acc, mine)) : T(op(acc, get(i)));
  return acc;
}

/// Members 0 .. last-1 in order, my own value included; `others` gives the rest.
template <class T, class Op, class Get>
T fold_first(const team_record& t, std::uint32_t last, const T& mine, Op& op, Get get) {
  return t.rank == 0 ? fold<T>(t, mine, 1, last, mine, op, get) : fold<T>(t, get(0), 1, last, mine, op, get);
}

/// `f(mine, theirs)` makes `count` values of this member's and others'.
template <class T, class F>
std::vector<T> gather_values(const T& value, std::size_t count, F f) {
  std::vector<T> all(count, value);
  f(reinterpret_cast<const std::byte*>(&value), reinterpret_cast<std::byte*>(all.data()));
  return all;
}

template <class T>
T broadcast_from(team_record& t, const T& value, std::uint32_t root) {
  if (t.by_pairs(trivially_sendable<T> ? bytes_size<T> : 0)) [[unlikely]] {
    if (t.rank == root) {
      collective_part part(t);
      const packet<T> data(value, t.size - 1);
      part.end();
      send_packet_to_all(t, data.data(), data.size(), !trivially_sendable<T>);
      return copy_of(value);
    }
    landing<T> place;
    if constexpr (trivially_sendable<T>)
      receive_packet(t, root, bytes_size<T>, landing<T>::place, &place);
    else
      receive_packet(t, root, {}, landing<T>::place, &place);
    return place.take(t.members[root], name_of(collective::broadcast));
  }
  if constexpr (one_line<T>) {
    const char* what = name_of(collective::broadcast);
    const std::uint64_t step = t.rank == root ? post_value(t, value, what) : post(t, nullptr, 0, what);
    return t.rank == root ? T(copy_of(value)) : value_of<T>(t, root, step, what);
  } else {
    exchange<T> e(t, collective::broadcast);
    if (t.rank == root)
      e.send_shared(0, t.size, value);
    else
      e.receive(root);
    e.run();
    return t.rank == root ? T(copy_of(value)) : e.take(root);
  }
}

template <class T, class Op>
std::optional<T> reduce_value(team_record& t, const T& value, Op& op, std::uint32_t root) {
  if constexpr (array_of_one<T> && !keeps_order<Op>)
    if (t.by_pairs(sizeof(T))) [[unlikely]] {
      T sum = fold_as_array(value, op, collective::reduce,
                            [&](std::byte* v, const array_fold& how) { reduce_by_pairs(t, v, how.element, how, root); });
      return t.rank == root ? std::optional<T>(sum) : std::nullopt;
    }
  if constexpr (one_line<T>) {
    const char* what = name_of(collective::reduce);
    const std::uint64_t step = post_value(t, value, what);
    if (t.rank != root) return {};
    return fold_first<T>(t, t.size, value, op, [&](std::uint32_t i) { return value_of<T>(t, i, step, what); });
  } else {
    if constexpr (on_one_board<T>)
      if (t.host_leaders.size() < few_hosts) {
        const char* what = name_of(collective::reduce);
        const std::uint64_t step = post_on_board(t, &value, sizeof value, what);
        if (t.rank != root) return {};
        return fold_first<T>(t, t.size, value, op, [&](std::uint32_t i) { return value_on_board<T>(t, i, step, what); });
      }
    exchange<T> e(t, collective::reduce);
    if (t.rank == root)
      e.receive(0, t.size);
    else
      e.send(root, value);
    e.run();
    if (t.rank != root) return {};
    return fold_first<T>(t, t.size, value, op, [&](std::uint32_t i) { return e.take(i); });
  }
}

}  // namespace armilla::detail
