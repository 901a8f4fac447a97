// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/future.hpp"
#include "armilla/global/address.hpp"
#include "armilla/team.hpp"

/// Bytes of checkpoints in the segments of ranks: written and read where memory is shared, else by calls of the rank that has
/// them, which runs while it waits in the checkpoint, too.
namespace armilla::detail {

/// In the segment of a rank of this host, also of one that is lost; whatever ARMILLA_ACCESS lets the program do.
std::byte* place_on_host(global_address at) noexcept;
/// Whether the memory of that rank is shared with this one.
bool is_on_host(rank_t r) noexcept;
/// How many members the host has that has most of them.
rank_t members_a_host(const team& t);

/// Where others take the places of lost ranks (ARMILLA_ON_LOSS=replace, ARMILLA_MAX_RANKS) memory of a lost rank becomes theirs.
bool memory_of_lost_goes() noexcept;
/// Which life its place is in, as this rank knows.
std::uint32_t life_now(rank_t r) noexcept;
/// Before memory of that rank is read or written in place: throws rank_lost if it may be another rank's by now.
void require_same_life(rank_t r, std::uint32_t life, const char* operation);

/// Copies under way to ranks whose memory is not shared.
class remote_copies {
 public:
  /// Writes `bytes` bytes; what is shared is written at once. `from` stays as it is until `finish`.
  void write(global_address to, const void* from, std::uint64_t bytes);
  /// All are there. Throws rank_lost if a rank that keeps some is.
  void finish();

 private:
  std::vector<future<void>> under_way_;
};

/// Where the bytes of one part lie.
class kept_part {
 public:
  kept_part() = default;
  /// In a life of the rank that has them.
  kept_part(global_address at, std::uint64_t bytes, std::uint32_t life) noexcept : at_(at), bytes_(bytes), life_(life) {}

  /// No rank that is left has it.
  bool gone() const noexcept { return at_.null(); }
  /// Its bytes, brought here at the first look if another host has them; 0: gone. Throws rank_lost, and limit_error for want of
  /// memory.
  const std::byte* data() const;

 private:
  global_address at_;
  std::uint64_t bytes_ = 0;
  std::uint32_t life_ = 0;
  mutable std::vector<std::byte> brought_;
};

}  // namespace armilla::detail
