// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/place/order_check.hpp"
#include "armilla/container/place/storage.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/wire/type_sign.hpp"

namespace armilla::detail {

using run = armilla::placement::run;

/// What stands for elements in a std::vector, in which a bool has no address: a byte.
template <class T>
using kept_as = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
template <class T>
std::span<T> as_elements(std::vector<kept_as<T>>& kept) noexcept {
  return {reinterpret_cast<T*>(kept.data()), kept.size()};
}
template <class T>
std::span<const T> as_elements(const std::vector<kept_as<T>>& kept) noexcept {
  return {reinterpret_cast<const T*>(kept.data()), kept.size()};
}

/// limit_error if a member gets more bytes than a rank can have; the same on all members, without a message.
void require_few_elements(const armilla::placement& where, std::size_t bytes);
/// Says what must be the same on all members that make a container.
std::uint64_t mark_of_container(const armilla::placement& where, std::size_t bytes) noexcept;
/// The same for people: of the placement at `where`.
std::vector<std::string> parts_of_container(const void* where);
/// The mark beside the type of the elements.
inline std::uint64_t mark_with_type(const team& t, std::uint64_t mark, const type_sign& type) noexcept {
  return (mark ^ (runs_one_program(t) ? type.by_name : type.by_structure)) * 0x9e3779b97f4a7c15ULL;
}

/// What a container whose elements lie in segments is made of, whatever their type.
struct container_state {
  team members;
  armilla::placement where;
  block_storage blocks;
  rank_t me = 0;             ///< this rank's number among the members
  std::size_t capacity = 0;  ///< elements for which this rank has room
  [[no_unique_address]] order_check order;

  container_state() = default;
  container_state(container_state&& other) noexcept { *this = std::move(other); }
  container_state& operator=(container_state&& other) noexcept {
    members = std::move(other.members);
    where = std::exchange(other.where, {});
    blocks = std::move(other.blocks);
    me = other.me;
    capacity = std::exchange(other.capacity, 0);
    order = std::move(other.order);
    return *this;
  }
  /// Collective: the elements are made by `fill(begin, count)`.
  template <class Fill>
  container_state(const team& t, armilla::placement p, std::size_t bytes, std::size_t alignment, const type_sign& type, Fill fill)
      : members(t), where(std::move(p)), me(t.rank()), capacity(where.count(me)) {
    require_few_elements(where, bytes);
    blocks = block_storage::make(t, capacity * bytes, alignment,
                                 {mark_with_type(t, mark_of_container(where, bytes), type), parts_of_container, &where},
                                 [&](std::byte* at) { fill(at, capacity); });
  }
  /// The same where all members are known to mean one type.
  template <class Fill>
  container_state(const team& t, armilla::placement p, std::size_t bytes, std::size_t alignment, Fill fill)
      : container_state(t, std::move(p), bytes, alignment, type_sign(), std::move(fill)) {}

  /// Collective: `added` elements, which `write` writes to the address that it gets, follow this rank's. Then indices go from
  /// member to member. `write` may read the elements of other members, which do not move meanwhile.
  void grow(std::size_t added, std::size_t bytes, std::size_t alignment, const std::function<void(std::byte*)>& write);
  /// The same of elements from `more`.
  void grow(const void* more, std::size_t added, std::size_t bytes, std::size_t alignment);
  /// Collective: of each member's elements the first `mine` stay, without a move.
  void keep(std::size_t mine);

  std::size_t count() const noexcept { return blocks.empty() ? 0 : where.count(me); }
  /// Where element i lies.
  global_address address(std::size_t i, std::size_t bytes) const noexcept { return address_of(where.locate(i), bytes); }
  global_address address_of(armilla::placement::position p, std::size_t bytes) const noexcept {
    return blocks.at(p.member).plus(std::int64_t(p.place * bytes));
  }
};

/// `inside`: of what the elements are, as `described` finds it.
[[noreturn, gnu::cold]] void throw_element(const void* inside, std::size_t i, std::size_t size);
[[noreturn, gnu::cold]] void throw_not_mapped(rank_t owner);
[[noreturn, gnu::cold]] void throw_moved_from();

}  // namespace armilla::detail
