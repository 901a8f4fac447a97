// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "armilla/am/bulk_end.hpp"
#include "armilla/am/channel.hpp"
#include "armilla/am/handler.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/fabric/far_side.hpp"

namespace armilla::detail {

/// Bytes of an argument for a body beside a rank of another host: its attendant has no segment to put it to.
inline constexpr std::size_t longest_beside = std::size_t{1} << 31;
inline std::size_t longest_for(const channel& c) noexcept {
  return c.far && c.index != std::uint32_t(c.to) ? longest_beside : ~std::size_t{0};
}

/// Handlers of records that name a block: what lies in a block is none of them.
constexpr bool names_block(std::uint64_t h) noexcept {
  return h == bulk_handler || h == far_bulk_handler || h == far_apart_handler;
}

/// What an endpoint keeps of its traffic over the network.
struct far_traffic {
  far_traffic(network& carrier, rank_t me, rank_t ranks, std::uint64_t window, far_side::role who)
      : side(carrier, me, ranks, window, who) {}

  struct outgoing {
    rank_t to;
    std::uint32_t channel;  ///< its index: names it
    std::uint32_t id;
    std::uint64_t offset;  ///< of the block in this rank's segment
    std::size_t bytes;
    std::uintptr_t transfer = 0;  ///< 0: the block is not filled yet
  };
  struct coming {
    rank_t source;
    std::byte* block;  ///< in this rank's segment; of an attendant, which has no heap: from `new`, and its own
    std::size_t size;
    std::uint64_t handler;
    std::uintptr_t transfer;
    bool apart;  ///< the network brings a part, and nothing tells that it has: whoever asks must know that the source lives
  };

  struct waiting_aside {
    rank_t to;
    std::vector<std::byte> frame;
    far_side::kind how;
  };

  struct transfer {
    std::uintptr_t number;  ///< 0: it broke off, and nobody has said yet that `from` is lost
    rank_t from;            ///< no_rank: it is sent from here
    rank_t to;              ///< no_rank: it comes here
    bulk_end end;
  };

  /// Its other rank is lost, and the network has not let go of its memory: a block of this rank's segment, or of `new`.
  struct orphan {
    std::uintptr_t number;
    std::byte* block;
    bulk_end end;  ///< `run` may be null
  };

  /// A connection that broke. Whoever looks after the ranks may know why, and is given a moment to say so.
  struct broken_connection {
    network::loss what;
    std::uint64_t tell_at_ns;
    bool told = false;
  };
  static constexpr std::uint64_t cause_may_come_ns = 100'000'000;
  static constexpr std::uint64_t supervisor_tells_ns = 1'000'000'000;

  /// Takes down which connections have broken since.
  void look_for_losses(const rank_t me) {
    for (network::loss l = side.carrier().lost(); l.rank != no_rank; l = side.carrier().lost()) {
      broken.push_back({l, deadline_after_ns(supervised ? supervisor_tells_ns : cause_may_come_ns)});
      all_broken |= l.rank == me;
    }
  }
  /// Whether a transfer from that rank, which is over, may be one that broke off.
  bool cut_off(rank_t from, rank_t me) {
    look_for_losses(me);
    const auto same = [from](const broken_connection& b) { return b.what.rank == from; };
    return all_broken || std::ranges::any_of(broken, same);
  }

  /// What an attendant knows of its rank.
  struct {
    std::uint64_t looks = 0;     ///< of the rank
    std::uint64_t since_ns = 0;  ///< that is when it had looked so often first
    bool away = false;           ///< it has not looked for long
    std::uint64_t came_ns = 0;   ///< when the attendant found something
  } rank;

  /// Something waits for a buffer: nobody tells when there is one.
  bool wants_buffers() const noexcept { return !aside.empty() || side.owes(); }
  bool any_bulk() const noexcept { return !sending.empty() || !receiving.empty() || !transfers.empty(); }

  far_side side;
  std::vector<transfer> transfers;  ///< of memory, for the layer above
  std::vector<broken_connection> broken;
  std::vector<orphan> orphans;  ///< nobody waits for them
  bool supervised = false;      ///< who looks after the ranks knows of each that dies, and why
  bool all_broken = false;      ///< the network does not say towards whom
  std::uint32_t idle_looks = 0;
  bool closing = false;             ///< peers leave in good order
  std::deque<waiting_aside> aside;  ///< that found no buffer
  std::vector<outgoing> sending;
  std::vector<coming> receiving;
};

}  // namespace armilla::detail
