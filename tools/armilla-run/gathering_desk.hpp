// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/boot/wire_up/gathering.hpp"

namespace armilla::run {

using armilla::rank_t;

/// The side of armilla-run: where the parts of all gatherings come together (armilla/boot/wire_up/gathering.hpp).
class gathering_desk {
 public:
  /// Sends a text to a rank; `no_rank`: to all, or, if it is an answer, to those that it names.
  using sender = std::function<void(rank_t to, const std::string& text)>;
  gathering_desk(rank_t ranks, sender send)
      : lost_(std::size_t(ranks)), life_(std::size_t(ranks)), ended_(std::size_t(ranks)), send_(std::move(send)) {}

  /// What rank `from` says. What a lost rank says is refused.
  void take(rank_t from, std::string_view text);
  /// From now on no gathering waits for it.
  void lose(rank_t r);
  /// Another process lives in its place, with this number: only gatherings that are about such ones wait for it.
  void come(rank_t r, std::uint32_t life);
  bool is_lost(rank_t r) const { return lost_[std::size_t(r)]; }
  rank_t left() const { return rank_t(lost_.size()) - all_lost_; }

 private:
  using row = armilla::detail::gathering_row;
  using head = armilla::detail::gathering_head;
  struct gathering {
    std::vector<rank_t> members;
    std::map<rank_t, std::string> parts;
    bool unended = false, grows = false;
    std::uint64_t newest_life = 0;
    std::uint64_t stage = 0;  ///< of those that ask, the last
  };
  struct steps {
    std::uint64_t passed = 0;    ///< all up to this one are over
    std::uint64_t answered = 0;  ///< the last one of which members got the answer
    std::map<std::uint64_t, gathering> open;
  };

  /// A rank that waits to be taken into a team.
  struct seeker {
    std::string part;
    /// Which gathering decides whether it comes into that team, while one of its members is left.
    std::optional<std::pair<row, std::uint64_t>> promised = {};
    std::vector<rank_t> by = {};
    std::uint64_t newest_life = 0;  ///< of these
  };

  void take_part(rank_t from, const armilla::detail::gathering_message& m);
  void pass(const row& which, std::uint64_t step);
  void end_open(const row& which, std::uint64_t step);  ///< all up to that one, undecided
  void end(rank_t r, std::uint64_t stage);
  void look_at_all();
  bool is_left(rank_t r, std::uint64_t newest_life) const;
  bool is_complete(const gathering& g) const;
  void answer(const row& which, std::uint64_t step, const gathering& g);
  void seek(rank_t from, const armilla::detail::gathering_message& m);
  std::vector<rank_t> take_seekers(const row& which, std::uint64_t step, const gathering& g);
  void end_promises(const row& which, std::uint64_t step, bool kept);
  void tell_seekers_if_alone();
  void tell_over(const row& which, std::uint64_t step, rank_t to) const;

  std::vector<bool> lost_;
  std::vector<std::uint32_t> life_;
  std::vector<std::uint64_t> ended_;  ///< at the end of which of its functions each rank is
  rank_t all_lost_ = 0, all_ended_ = 0, all_came_ = 0;
  bool given_up_ = false;
  std::map<row, steps> rows_;
  std::map<rank_t, seeker> seekers_;
  sender send_;
};

}  // namespace armilla::run
