// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "channel.hpp"

namespace armilla::run {

/// What agents say to each other of a circuit, through armilla-run: an attached client on the host `opener` talks with a process
/// on the host of `rank`. The text of a channel::circuit; bytes follow.
struct circuit_frame_head {
  enum word : std::uint32_t {
    open = 1,   ///< from the opener: an attached client wants that rank
    data,       ///< either way: bytes
    taken,      ///< either way: `u64`, so many bytes of the other side have gone on to their reader
    close,      ///< either way, and from armilla-run: there will be nothing more
    host_gone,  ///< from armilla-run: no circuit from or to the host `opener` is left; it had `number` ranks from `rank` on
  };
  static constexpr std::size_t window = 64 * 1024;  ///< bytes that a side has under way, at most

  std::uint32_t opener, number;  ///< which circuit
  std::int32_t rank;
  std::uint32_t what;

  std::string with(std::string_view bytes) const {
    std::string text(reinterpret_cast<const char*>(this), sizeof *this);
    return text.append(bytes);
  }
  static std::optional<circuit_frame_head> of(std::string_view text) {
    circuit_frame_head head;
    if (text.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, text.data(), sizeof head);
    return head;
  }
};

}  // namespace armilla::run
