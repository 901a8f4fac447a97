// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "armilla/container/image/memory_image.hpp"
#include "armilla/container/sequence/array_inline.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

/// How arrays and vectors are kept, and recovered by the ranks that are left.
namespace armilla::detail {

/// What an array becomes that is recovered.
template <class T>
struct recovered_elements {
  element_state<T> state;
  std::unique_ptr<kept_parts> copies;  ///< null: none are kept
  std::uint64_t mark = 0;
  std::vector<index_range> gone;
};

using sequence_shape = kept_shape<placement, index_range>;

/// The indices of the elements of those parts that are null, and of those that were gone before, in order.
std::vector<index_range> gone_ranges(const sequence_shape& was, std::span<const kept_part> parts);
/// Fills what this member has of `to` with elements of `bytes` bytes, of which `parts` has those of each member of `was`.
void fill_from_parts(const placement& was, std::span<const kept_part> parts, const container_state& to, std::size_t bytes);

/// All but the end of a checkpoint: what this member has is copied.
template <class T>
void write_elements(kept_parts& kept, const element_state<T>& s, std::uint64_t mark, std::vector<index_range> gone = {}) {
  auto shape = std::make_shared<const sequence_shape>(s.where, std::move(gone));
  if constexpr (lies_in_segments<T>) {
    failure none;
    kept.write(first_of<T>(s), s.count() * sizeof(T), mark, std::move(shape), none);
  } else {
    static_assert(sendable_value<T>,
                  "armilla: elements that are kept must be sendable: what points into memory means nothing there");
    const std::span<const T> mine(first_of<T>(s), s.count());
    write_packed(kept, mark, std::move(shape), [&mine](piece_writer& to) { put_elements<T>(to, mine); });
  }
}

/// The same as of plain bytes. Each member looks at all elements of a part that has some of its own.
template <class T>
void fill_from_parts(const placement& was, const found_checkpoint& found, owned_state<T>& to) {
  const std::size_t n = to.count(), first = n == 0 ? 0 : to.where.index_of(to.me, 0);
  for (rank_t m = 0; m < was.members() && n != 0; ++m) {
    if (found.parts[std::size_t(m)].gone() || was.count(m) == 0) continue;
    const bool both_in_blocks = was.linear() && to.where.linear();
    if (both_in_blocks && (was.index_of(m, 0) >= first + n || was.index_of(m, was.count(m) - 1) < first)) continue;
    std::size_t place = 0;
    each_packed_columns(found.parts[std::size_t(m)].data(), found.bytes[std::size_t(m)],
                        [&](column_rest& keys, column_rest&, std::uint64_t many) {
                          if (many > was.count(m) - place) throw_damaged_copy();
                          for (; many != 0; --many, ++place) {
                            T each(column<T>::take(keys));
                            if (const auto at = to.where.locate(was.index_of(m, place)); at.member == to.me)
                              to.first()[at.place] = std::move(each);
                          }
                        });
    if (place != was.count(m)) throw_damaged_copy();
  }
}

/// Collective.
template <class T>
void checkpoint_elements(const std::unique_ptr<kept_parts>& kept, const element_state<T>& s, std::uint64_t mark) {
  const object_operation name("checkpoint", &s);
  kept_parts& copies = require_kept(kept, s.members, name.text());
  s.members.fence();
  write_elements<T>(copies, s, mark);
  meet(s.members);
  copies.commit();
}

template <class T>
void catch_up_elements(const team& t, element_state<T>& s, keeping<recovered_elements<T>>& kept) {
  require_recoverable(t, s.members);
  catch_up(t, kept, [&](recovered_elements<T> later) {
    s = std::move(later.state);
    kept.copies = std::move(later.copies);
  });
}

/// Collective of `t`.
template <class T>
recovered_elements<T> recover_elements(const team& t, element_state<T>& s, keeping<recovered_elements<T>>& kept) {
  const object_operation name("recover", &s);
  if (s.members) require_kept(kept.copies, s.members, name.text());
  catch_up_elements<T>(t, s, kept);
  const kept_parts& copies = *kept.copies;
  auto back = recover_together(t, kept.unfinished, [&] {
    const found_checkpoint found = copies.newest(t);
    const sequence_shape& shape = *static_cast<const sequence_shape*>(found.shape.get());
    const placement& was = shape.places;
    recovered_elements<T> r{make_container<T>(t, was.over(t.size())), std::make_unique<kept_parts>(t, copies.wish()), found.mark,
                            gone_ranges(shape, found.parts)};
    if constexpr (lies_in_segments<T>) {
      fill_from_parts(was, std::span<const kept_part>(found.parts), r.state, sizeof(T));
    } else {
      failure why;
      try {
        fill_from_parts<T>(was, found, r.state);
      } catch (const passing&) { throw; } catch (...) {
        why.note();
      }
      agree(t, "recover", why);
    }
    write_elements<T>(*r.copies, r.state, found.mark, r.gone);
    return r;
  });
  back.copies->commit();
  return back;
}

/// Collective of `t`: what memory holds now.
template <class T>
recovered_elements<T> recover_raw_elements(const team& t, element_state<T>& s, keeping<recovered_elements<T>>& kept) {
  const object_operation name("recover", &s);
  require_memory_stays(s.members);
  catch_up_elements<T>(t, s, kept);
  return recover_together(t, kept.unfinished, [&] {
    require_alike(t, mark_of_blocks(s.blocks, s.members, mark_of_container(s.where, sizeof(T))));
    recovered_elements<T> r{make_container<T>(t, s.where.over(t.size())), nullptr, 0, {}};
    fill_from_parts(s.where, present_parts(s.blocks, s.members), r.state, sizeof(T));
    if (kept.copies != nullptr) r.copies = std::make_unique<kept_parts>(t, kept.copies->wish());
    return r;
  });
}

}  // namespace armilla::detail
