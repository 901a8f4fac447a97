// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bench::hand {

struct peer;
using handler = void (*)(peer&, const std::uint64_t* words);

/// One message is one line: the handler's number, its words and, written last, the sequence number the reader polls.
struct alignas(64) slot {
  std::atomic<std::uint32_t> sequence;
  std::uint32_t handler;
  std::uint64_t words[7];
};
static_assert(sizeof(slot) == 64);

/// A ring for one direction; the reader gives credits back once every 64 messages.
struct line_ring {
  static constexpr std::uint32_t lines = 2048;
  alignas(64) std::atomic<std::uint32_t> read{0};
  alignas(64) slot slots[lines];
};

/// What one rank keeps of its two rings with the other.
struct peer {
  line_ring* out;
  line_ring* in;
  const handler* handlers;
  std::uint32_t sent = 0, taken = 0, credit = line_ring::lines;
  std::uint64_t sum = 0;    ///< what one-way bodies add to
  std::uint64_t reply = 0;  ///< the last reply's word
  bool answered = false;

  void send(std::uint32_t number, std::uint64_t a, std::uint64_t b = 0) {
    while (sent == credit) {
      credit = out->read.load(std::memory_order_acquire) + line_ring::lines;
      if (credit == sent) poll();
    }
    slot& s = out->slots[sent % line_ring::lines];
    s.words[0] = a;
    s.words[1] = b;
    s.handler = number;
    s.sequence.store(++sent, std::memory_order_release);
  }

  bool poll() {
    slot& s = in->slots[taken % line_ring::lines];
    if (s.sequence.load(std::memory_order_acquire) != taken + 1) return false;
    ++taken;
    handlers[s.handler](*this, s.words);
    if (taken % 64 == 0) in->read.store(taken, std::memory_order_release);
    return true;
  }
};

}  // namespace bench::hand
