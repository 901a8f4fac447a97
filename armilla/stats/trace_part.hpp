// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

enum class trace_kind : std::uint32_t {
  none,
  run,  ///< the bodies of a bundle begin: `name` the method, `value` bytes, `peer` the source, `number` of the frame if it is the
        ///< first in it
  reply,        ///< the same for what only stores a reply; it has no end
  wait,         ///< a wait begins
  collective,   ///< a collective begins
  fiber,        ///< a fiber's own function begins
  end,          ///< the innermost of those above ends
  sent,         ///< a frame leaves: `name` its last method, `value` bytes, `peer` the destination, `number` on its channel
  change,       ///< another fiber runs: `value` which, `peer` 1 if it takes in messages, `name` and `number` the one before
  begin_phase,  ///< `name`
  end_phase,
  buffered,  ///< the frame that `sent` reports next was filled before: `value` ns from its first message on
  about,     ///< the phase that ends next was about `name`
};

struct trace_event {
  std::uint64_t at;  ///< ticks
  std::uint64_t value;
  std::uint32_t name;
  std::uint32_t number;
  rank_t peer;
  trace_kind kind;
};
static_assert(sizeof(trace_event) == 32);

/// The beginning of a part. Two pairs of clocks say what a tick is; the second is taken at the end, if there is one.
struct trace_head {
  static constexpr std::uint64_t good_magic = 0x316563617274;  // "trace1"
  std::uint64_t magic;
  std::uint64_t capacity;  ///< events; a power of two
  std::uint64_t written;   ///< events ever; the last `capacity` are there
  std::uint64_t first_ticks, first_ns, last_ticks, last_ns;
  std::uint64_t machine;  ///< the same where the counters are the same
  std::uint64_t main_fiber;
  std::uint64_t name_bytes;
  std::uint32_t names;
  rank_t rank, ranks;
};

/// One rank's events and the names in them, in memory that is a file beside the one that was asked for: the merge finds it
/// even if the rank was killed.
class trace_part {
 public:
  trace_part(const std::string& file, std::uint64_t events, rank_t rank, rank_t ranks);
  ~trace_part();
  trace_part(const trace_part&) = delete;
  trace_part& operator=(const trace_part&) = delete;

  trace_head& head() noexcept { return *reinterpret_cast<trace_head*>(base_); }
  trace_event* events() noexcept { return reinterpret_cast<trace_event*>(base_ + head_bytes + name_room); }
  /// The number of a name; the same text has the same number. Number 0 stands for those for which there is no room.
  std::uint32_t name(const char* text) noexcept;
  /// A name with the next number, whether there is one like it or not.
  std::uint32_t add_name(std::string_view text) noexcept;
  /// All of it that counts.
  std::vector<std::byte> copy() const;

  static constexpr std::size_t head_bytes = 4096, name_room = 1 << 18;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::pair<std::string, std::uint32_t>> numbers_;  // of those that are looked up
};

std::string trace_part_name(const std::string& file, rank_t rank);
/// Processors' counters can be compared where this is the same.
std::uint64_t this_machine() noexcept;
/// Of all ranks on whatever host.
std::uint64_t wall_ns() noexcept;

}  // namespace armilla::detail
