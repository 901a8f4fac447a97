// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "armilla/container/array_inline.hpp"
#include "armilla/container/keep.hpp"

/// How arrays and vectors are kept, and recovered by the ranks that are left.
namespace armilla::detail {

/// What an array becomes that is recovered.
template <class T>
struct recovered_elements {
  element_state<T> state;
  std::unique_ptr<kept_parts> kept;  ///< null: nothing is
  std::uint64_t mark = 0;
  std::vector<index_range> gone;
};

/// The indices of the elements of those parts that are null, in order.
std::vector<index_range> gone_ranges(const placement& was, std::span<const std::byte* const> parts);
/// Fills what this member has of `to` with elements of `bytes` bytes, of which `parts` has those of each member of `was`.
void fill_from_parts(const placement& was, std::span<const std::byte* const> parts, const container_state& to, std::size_t bytes);
/// The part of each member where it lies.
std::vector<const std::byte*> present_parts(const container_state& s);
/// The same on members that hold the container alike.
std::uint64_t mark_of_state(const container_state& s) noexcept;

/// All but the end of a checkpoint: what this member has is copied.
template <class T>
void write_elements(kept_parts& kept, const element_state<T>& s, std::uint64_t mark) {
  failure none;
  kept.write(first_of<T>(s), s.count() * sizeof(T), mark, std::make_shared<const placement>(s.where), none);
}

/// Collective.
template <class T>
void checkpoint_elements(const std::unique_ptr<kept_parts>& kept, const element_state<T>& s, std::uint64_t mark) {
  kept_parts& copies = require_kept(kept, s.members, "checkpoint");
  s.members.fence();
  write_elements<T>(copies, s, mark);
  meet(s.members);
  copies.commit();
}

/// Collective of `t`.
template <class T>
recovered_elements<T> recover_elements(const element_state<T>& s, const std::unique_ptr<kept_parts>& kept, const team& t) {
  require_recoverable(t, s.members);
  const kept_parts& copies = require_kept(kept, s.members, "recover");
  auto back = recover_together<recovered_elements<T>>(t, [&](auto& made) {
    const found_checkpoint found = copies.newest(t);
    const placement& was = *static_cast<const placement*>(found.shape.get());
    recovered_elements<T> r{make_container<T>(t, was.over(t.size())), std::make_unique<kept_parts>(t, copies.wish()), found.mark,
                            gone_ranges(was, found.parts)};
    fill_from_parts(was, found.parts, r.state, sizeof(T));
    write_elements<T>(*r.kept, r.state, found.mark);
    made.emplace(std::move(r));
  });
  back.kept->commit();
  return back;
}

/// Collective of `t`: what memory holds now.
template <class T>
recovered_elements<T> recover_raw_elements(const element_state<T>& s, const std::unique_ptr<kept_parts>& kept, const team& t) {
  require_recoverable(t, s.members);
  return recover_together<recovered_elements<T>>(t, [&](auto& made) {
    require_alike(t, mark_of_state(s));
    recovered_elements<T> r{make_container<T>(t, s.where.over(t.size())), nullptr, 0, {}};
    fill_from_parts(s.where, present_parts(s), r.state, sizeof(T));
    if (kept != nullptr) r.kept = std::make_unique<kept_parts>(t, kept->wish());
    made.emplace(std::move(r));
  });
}

}  // namespace armilla::detail
