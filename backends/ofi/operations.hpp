// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <rdma/fabric.h>

#include "armilla/base/values/types.hpp"
#include "backends/ofi/handles.hpp"

namespace armilla::ofi {

/// In front of each message, 16 bytes, so what follows is aligned as a frame must be.
struct packet_head {
  static constexpr std::uint32_t asks = 0x80000000u;  ///< in `source`: this is a `two-way call`
  std::uint32_t source;
  std::uint32_t number;  ///< of this frame from this source
  std::uint64_t key;     ///< of the two ranks: that of the one with that of the other
};
static_assert(sizeof(packet_head) == 16);

/// The receiver of bulk asks for the next piece of it, and has a place for what comes with this tag.
struct two_way_call {
  packet_head head;
  std::uint32_t id;  ///< of the transfer
  std::uint32_t unused;
  std::uint64_t at, bytes;
  std::uint64_t tag;
};

/// Something that libfabric has to do, and what it returns when it is done. Some providers use the context, which must be first.
struct operation {
  enum class kind { receive, frame, two_way_call, bulk_out, bulk_in };
  fi_context2 context;
  kind what;
  rank_t with = -1;
  std::uint32_t life = 0;     ///< of that rank's place
  operation* next = nullptr;  ///< in a list, or among the free ones
};

/// First in, first out.
class operation_list {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  operation* first() const noexcept { return first_; }
  void push(operation& last) noexcept {
    last.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &last;
    last_ = &last;
  }
  void push_front(operation& first) noexcept {
    first.next = first_;
    if (first_ == nullptr) last_ = &first;
    first_ = &first;
  }
  operation& pop() noexcept {
    operation& gone = *first_;
    first_ = gone.next;
    return gone;
  }
  operation_list taken() noexcept { return std::exchange(*this, {}); }

 private:
  operation* first_ = nullptr;
  operation* last_ = nullptr;
};

struct send_buffer : operation {
  packet_head* place = nullptr;  ///< the frame follows
  std::size_t bytes = 0;         ///< with the head
  void* descriptor = nullptr;    ///< of the memory in which it lies
};

struct sent_two_way_call : operation {
  void* descriptor = nullptr;  ///< of the memory in which it lies
  two_way_call words{};
};

struct receive_slot : operation {
  std::byte* place = nullptr;
  std::size_t bytes = 0;  ///< with the head
  const packet_head& head() const noexcept { return *reinterpret_cast<const packet_head*>(place); }
};

struct transfer : operation {
  std::uint32_t id = 0;
  std::byte* place = nullptr;  ///< a sender's is only read
  std::size_t bytes = 0;
  std::size_t moved = 0;
  std::size_t piece = 0;  ///< bytes of the one that is asked for
  std::uint64_t tag = 0;  ///< of that one
  bool asked = false;     ///< the receiver has asked for it
  bool posted = false;    ///< libfabric has it
  bool over = false;
  registration registered{};
};

}  // namespace armilla::ofi
