// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "backends/conformance/loaded.hpp"

namespace conformance {

/// What every frame of the examination begins with; the rest follows from it.
struct frame_head {
  std::uint8_t kind;
  std::uint8_t phase;
  std::uint16_t source;
  std::uint32_t number;  ///< of this kind from that rank to this one, in this phase
};
static_assert(sizeof(frame_head) == 8);

/// Frames between all ranks, of which at most `window` are under way from one to another: what lies above a network does that,
/// by frames that give credit back. Looks at everything that comes: nothing missing, doubled, out of order or changed.
class traffic {
 public:
  static constexpr std::uint32_t window = 16;
  using size_function = std::size_t (*)(std::uint32_t number, std::size_t most);

  explicit traffic(const joined& j);

  /// All ranks. Frames that come in this phase have these sizes.
  void begin(const char* name, size_function size);
  /// The next frame to this rank, if there is credit and a buffer.
  bool send(rank_t to);
  std::uint32_t sent(rank_t to) const { return peers_[std::size_t(to)].sent; }
  std::uint32_t received(rank_t from) const { return peers_[std::size_t(from)].received; }
  /// Takes one frame if there is one. Keeps up to `hold` frames, and releases them in a shuffled order.
  bool poll(std::size_t hold = 0);
  /// All ranks: what was sent has come, and its credit too; nothing is held.
  void end();
  /// All ranks have come here, told by frames, while everything goes on.
  void meet();
  /// The last frames leave.
  void settle();
  /// Called in every loop that waits: lets others run, and ends the job if nothing happens for long.
  void waiting();

 private:
  enum kind : std::uint8_t { data, credit, here };
  struct peer {
    std::uint32_t sent = 0;
    std::uint32_t credited = 0;  ///< of those sent: the other says that it has released them
    std::uint32_t received = 0;
    std::uint32_t returned = 0;  ///< of those received: the other has been told
    std::uint32_t released = 0;
    std::uint32_t meetings = 0;
  };
  struct held_frame {
    network::arrival frame;
    frame_head head;
  };

  bool submit(rank_t to, kind what, std::uint32_t number, std::size_t bytes);
  void look(const network::arrival& a, const frame_head& head, const char* when) const;
  void take(const network::arrival& a, std::size_t hold);
  void release_one();
  void give_credit(bool all);

  const joined& job_;
  network& net_;
  std::vector<peer> peers_;
  std::vector<std::byte> noise_;
  std::vector<held_frame> held_;
  const char* name_ = "start";
  size_function size_ = nullptr;
  std::uint8_t phase_ = 0;
  std::uint32_t meetings_ = 0;
  bool meeting_ = false;  ///< nothing more is sent here, so every credit that is due is given
  std::uint32_t random_ = 12345;
  std::uint32_t idle_ = 0;
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace conformance
