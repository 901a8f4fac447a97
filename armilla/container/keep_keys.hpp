// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "armilla/container/hash_range.hpp"
#include "armilla/container/keep_packed.hpp"
#include "armilla/container/save_keys.hpp"

/// How containers with keys are kept, and recovered by the ranks that are left.
namespace armilla::detail {

/// A fence of those that are left. Bodies that had met a lost rank are no news to them.
void fence_behind_loss(const team& t);
using keys_shape = kept_shape<bool, rank_t>;

/// Those of the ranks of the job that had parts that are gone, now or before.
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
  kept_parts& copies = require_kept(kept, core.members(), "checkpoint");
  core.members().fence();
  write_keys(copies, core, mark);
  meet(core.members());
  copies.commit();
}

/// Collective of `t`. `core_of` and `kept_of` give those of a container.
template <class Container, class Core, class CoreOf>
recovered<Container, rank_t> recover_keys(const std::unique_ptr<kept_parts>& kept, const Core& old, const team& t, CoreOf core_of) {
  using key_type = typename Core::key_type;
  using slot_kept = kept_for_key<typename Core::part>;
  require_recoverable(t, old.members());
  kept_parts& copies = require_kept(kept, old.members(), "recover");
  auto back = recover_together<recovered<Container, rank_t>>(t, [&](auto& made) {
    fence_behind_loss(t);
    const found_checkpoint found = copies.newest(t);
    Container fresh(t, old.options());
    failure why;
    try {
      for (rank_t m = 0; m < old.members().size(); ++m) {
        const std::byte* const part = found.parts[std::size_t(m)];
        if (part == nullptr || reader_of(old.members(), m, t) != old.members().rank()) continue;
        each_packed_piece(part, found.bytes[std::size_t(m)], [&](column_rest& keys, column_rest& values, std::uint64_t n) {
          take_slots<key_type, slot_kept>(keys, values, n,
                                          [&fresh](auto&& key, auto&&... value) { insert_slot(fresh, key, value...); });
          return true;
        });
      }
    } catch (...) { why.note(); }
    agree(t, "recover", why);
    fence_behind_loss(t);
    core_of(fresh).second = std::make_unique<kept_parts>(t, copies.wish());
    std::vector<rank_t> gone = gone_parts(old.members(), found);
    write_keys(*core_of(fresh).second, core_of(fresh).first, found.mark, gone);
    made.emplace(recovered<Container, rank_t>{std::move(fresh), found.mark, std::move(gone)});
  });
  core_of(back.container).second->commit();
  return back;
}

}  // namespace armilla::detail
