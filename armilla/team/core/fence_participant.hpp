// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <memory>

#include "armilla/team.hpp"

namespace armilla::detail {

struct team_state;

/// Something of a team that has a part in its fences: a container that holds back one-way calls to send many at once, or has a
/// size on which its members agree. A fence that finds no participant pays one test.
///
/// All members make their participants in the same order, which names them, and retire them between the same two fences.
class fence_participant {
 public:
  explicit fence_participant(const team& members);
  virtual ~fence_participant();
  fence_participant(const fence_participant&) = delete;

  /// Before a fence of any team, and before each of its rounds: what is held back here leaves, as one-way calls. It may throw
  /// where this rank must not enter a fence.
  virtual void settle() {}
  /// At each count: whether something is held back, as it has to wait or a body has brought it since. Then no fence is over.
  virtual bool holds_back() const { return false; }
  /// At each count: keeps a picture of what the members agree on. True: it differs from that of the last `agree`.
  virtual bool look() = 0;
  /// Behind a fence of the participant's team or of all ranks, on all members, if a picture of any member differed. It may
  /// call collectives of the team. It goes by the picture: a member that is past the fence may have sent more.
  virtual void agree() = 0;

  const team& members() const noexcept { return members_; }
  /// The how-manieth participant of its team it is.
  std::uint64_t number() const noexcept { return number_; }
  /// One bit, the same on all members; two participants may share one.
  std::uint64_t bit() const noexcept { return bit_; }
  /// A member of its team is lost: what it holds back goes nowhere any more, and no fence asks it.
  void revoke() noexcept { revoked_ = true; }
  bool revoked() const noexcept { return revoked_; }

 private:
  team members_;
  std::uint64_t number_ = 0;
  std::uint64_t bit_ = 0;
  bool revoked_ = false;
};

/// The end of a participant that other members may still send to: it stays until a fence of its team or of all ranks is
/// over, and takes part in that. Waits for no other rank.
void retire(std::unique_ptr<fence_participant> participant) noexcept;

/// Lets what the participants of this rank hold back leave.
[[gnu::cold]] void settle_participants(const team_state& s);
/// Whether one of them holds something back; those that are revoked do not count.
[[gnu::cold]] bool any_held_back(const team_state& s);
/// Behind a fence of `t`, on all members: those participants agree whose bits are in `changed`. Returns the first error of
/// one.
[[gnu::cold]] std::exception_ptr let_participants_agree(const team_record& t, std::uint64_t changed);
/// Behind it: the retired participants that it was the last fence of end.
[[gnu::cold]] void let_retired_go(const team_record& t);
/// Whether this rank is a member of the team of this id, and holds it.
bool has_team(std::uint64_t id) noexcept;

}  // namespace armilla::detail
