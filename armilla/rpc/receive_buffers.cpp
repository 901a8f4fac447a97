// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/receive_buffers.hpp"

#include <bit>
#include <new>

#include "armilla/base/core/context.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/stats/counters.hpp"

namespace armilla::detail {

/// Heads the bytes. Idle ones stand in the chain of their key, and in the list by age.
struct alignas(16) receive_buffers::buffer {
  buffer_key key;
  std::size_t capacity;
  buffer* next = nullptr;  // of the chain
  buffer* later = nullptr;
  buffer* earlier = nullptr;
  std::size_t beside = 0;                        // bytes that its object holds
  void (*destroy)(void* at) noexcept = nullptr;  // null: there is no object in it

  std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  static buffer* of(std::byte* bytes) noexcept { return reinterpret_cast<buffer*>(bytes) - 1; }
};

receive_buffers::~receive_buffers() { set_limit(0); }

void receive_buffers::set_limit(std::uint64_t bytes) noexcept {
  limit_ = bytes;
  trim();
}

receive_buffers::buffer*& receive_buffers::chain_of(const buffer_key& key) noexcept {
  const std::uint64_t mixed =
      (std::uint64_t(reinterpret_cast<std::uintptr_t>(key.method)) + key.index * 31 + std::uint64_t(std::uint32_t(key.caller))) *
      0x9e3779b97f4a7c15u;
  return chains_[mixed >> 58];
}

void receive_buffers::unlink(buffer* b) noexcept {
  buffer** link = &chain_of(b->key);
  while (*link != b) link = &(*link)->next;
  *link = b->next;
  (b->later != nullptr ? b->later->earlier : latest_) = b->earlier;
  (b->earlier != nullptr ? b->earlier->later : oldest_) = b->later;
  b->next = b->later = b->earlier = nullptr;
  kept_ -= b->capacity + b->beside;
}

void receive_buffers::drop(buffer* b) noexcept {
  if (b->destroy != nullptr) b->destroy(b->bytes());
  ::operator delete(b);
  ++count_.receive_buffers_returned;
}

void receive_buffers::trim() noexcept {
  while (kept_ > limit_) {
    buffer* const b = oldest_;
    unlink(b);
    drop(b);
  }
}

std::byte* receive_buffers::take(const buffer_key& key, std::size_t bytes) {
  for (buffer* b = chain_of(key); b != nullptr; b = b->next)
    if (b->capacity >= bytes && b->key == key) {
      unlink(b);
      ++count_.receive_buffers_reused;
      return b->bytes();
    }
  const std::size_t capacity = std::bit_ceil(bytes);  // messages of one method differ a little
  void* const memory = ::operator new(sizeof(buffer) + capacity);
  ++count_.receive_buffers_made;
  return (::new (memory) buffer{.key = key, .capacity = capacity})->bytes();
}

void* receive_buffers::take(const buffer_key& key, const kept_object& what) {
  std::byte* const at = take(key, what.bytes);
  buffer* const b = buffer::of(at);
  if (b->destroy == nullptr) {
    what.make(at);
    b->destroy = what.destroy;
  }
  return at;
}

void receive_buffers::give_back(std::byte* bytes, std::size_t beside) noexcept {
  buffer* const b = buffer::of(bytes);
  b->beside = beside;
  if (b->capacity + beside > limit_) return drop(b);  // rather than all others
  buffer*& chain = chain_of(b->key);
  b->next = chain;
  chain = b;
  b->earlier = latest_;
  (latest_ != nullptr ? latest_->later : oldest_) = b;
  latest_ = b;
  kept_ += b->capacity + beside;
  trim();
}

std::byte* take_receive_buffer(const buffer_key& key, std::size_t bytes) { return current->calls->buffers.take(key, bytes); }
void* take_receive_buffer(const buffer_key& key, const kept_object& what) { return current->calls->buffers.take(key, what); }
void give_back_receive_buffer(std::byte* bytes, std::size_t beside) noexcept { current->calls->buffers.give_back(bytes, beside); }

}  // namespace armilla::detail
