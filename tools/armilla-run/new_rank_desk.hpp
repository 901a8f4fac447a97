// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/boot/wire_up/gathering.hpp"
#include "life_frame.hpp"

namespace armilla::run {

/// The side of armilla-run: lets processes come into the running job in the places of lost ranks, one at a time, and all hosts
/// see the same in the same order. See armilla/boot/wire_up/new_rank.hpp.
///
///     new rank: here -> all agents: coming -> ranks that live: hand_over, which the new rank gets
///     new rank: address -> all agents: address, which they write down and confirm
///     new rank: enters, and all have confirmed -> all agents: lives -> the next one
///
/// When a rank closes, the one that comes stays lost, and all ranks hear that none comes any more, behind what they have heard of
/// those that came.
class new_rank_desk {
 public:
  struct ways {
    /// Sends it to all agents, and returns the numbers of their hosts.
    std::function<std::set<std::uint32_t>(const life_frame&, std::string_view address)> to_agents;
    /// Sends a text to a rank; `no_rank`: to all.
    std::function<void(rank_t to, const std::string& text)> to_rank;
    /// From here on it lives.
    std::function<void(rank_t, std::uint32_t life)> lives;
  };
  explicit new_rank_desk(ways how) : how_(std::move(how)) {}

  /// What a rank says. `lost`: it is, as all are before they come.
  void take(rank_t from, bool lost, const armilla::detail::gathering_message& said, const std::string& text);
  /// An agent says that the address is written down.
  void confirm(std::uint32_t host, rank_t r);
  /// The process that was to come there has ended. False: it lives already, so that a rank is lost.
  bool lose_process(rank_t r, bool lost);
  /// A rank that lived is lost: others come to its place with counts of their own.
  void lose(rank_t r);
  /// What it has not confirmed it never will. A rank of it that comes has ended, too.
  void lose_host(std::uint32_t host);

 private:
  struct comer {
    rank_t rank;
    std::uint32_t life = 0;                    ///< from `enters` on
    std::set<std::uint32_t> unconfirmed = {};  ///< hosts
  };
  void begin_next();
  void end_if_all_know();
  void stay_lost();
  void close();

  ways how_;
  std::deque<rank_t> waiting_;
  std::optional<comer> comes_;
  /// By place: what others have handed over, by rank. It holds until one lives there.
  std::map<rank_t, std::map<rank_t, std::string>> handed_over_;
  bool closed_ = false;
};

}  // namespace armilla::run
