// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "armilla/container/image/keep_packed.hpp"
#include "armilla/container/keyed/hash_range.hpp"
#include "armilla/container/keyed/save_keys.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

/// How containers with keys are kept, and recovered by the ranks that are left.
namespace armilla::detail {

/// A fence of those that are left. Bodies that had met a lost rank are no news to them.
void fence_behind_loss(const team& t);
using keys_shape = kept_shape<bool, rank_t>;

/// Ranks that had parts and are lost, by this loss or an earlier one.
std::vector<rank_t> gone_parts(const team& old, const found_checkpoint& found);
/// Which member of `old` takes a part to those that are left.
rank_t reader_of(const team& old, rank_t owner, const team& t);

/// Collective: all but the end of a checkpoint.
template <class Core>
void write_keys(kept_parts& kept, Core& core, std::uint64_t mark, std::vector<rank_t> gone = {}) {
  write_packed(kept, mark, std::make_shared<const keys_shape>(true, std::move(gone)), [&core](piece_writer& to) {
    const hash_loop<typename Core::part> statements_wait(core.mine());
    put_slots(core, to);
  });
}

/// Collective.
template <class Core>
void checkpoint_keys(const std::unique_ptr<kept_parts>& kept, Core& core, std::uint64_t mark) {
  const named_algorithm name("checkpoint");
  kept_parts& copies = require_kept(kept, core.members(), "checkpoint");
  core.members().fence();
  write_keys(copies, core, mark);
  meet(core.members());
  copies.commit();
}

/// Collective of `t`: puts the elements of the last checkpoint into `fresh`, and gives those that this member reads to it by
/// statements.
template <class Container, class Core>
void insert_from_parts(const Core& old, const found_checkpoint& found, const team& t, Container& fresh) {
  failure why;
  try {
    for (rank_t m = 0; m < old.members().size(); ++m) {
      const kept_part& part = found.parts[std::size_t(m)];
      if (part.gone() || reader_of(old.members(), m, t) != old.members().rank()) continue;
      each_packed_piece(part.data(), found.bytes[std::size_t(m)], [&](column_rest& keys, column_rest& values, std::uint64_t n) {
        take_slots<typename Core::key_type, kept_for_key<typename Core::part>>(
            keys, values, n, [&fresh](auto&& key, auto&&... value) { insert_slot(fresh, key, value...); });
      });
    }
  } catch (...) { why.note(); }
  agree(t, "recover", why);
  fence_behind_loss(t);
}

}  // namespace armilla::detail
