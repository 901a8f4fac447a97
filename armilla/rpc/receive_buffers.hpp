// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct counters;

/// The method and the caller that a buffer is for.
struct buffer_key {
  const void* method = nullptr;  ///< one address for each type of call
  std::uint64_t index = 0;       ///< of a method by name
  rank_t caller = -1;

  friend bool operator==(const buffer_key&, const buffer_key&) = default;
};

/// An object that stands in a buffer and is kept with what it holds.
struct kept_object {
  std::size_t bytes;
  void (*make)(void* at);
  void (*destroy)(void* at) noexcept;
};

/// Memory for the messages of bodies that read them in place and may wait: their bytes must leave the ring. A buffer is kept for
/// the next call of the same method by the same rank, and there are as many as calls were in flight at a time; beyond the limit
/// those that have not been used for longest are given back. Vectors that bodies take by reference stand in such buffers, too.
/// Paper: MRPC, section 4 (persistent receive buffers).
class receive_buffers {
 public:
  explicit receive_buffers(counters& count, std::uint64_t limit = 0) noexcept : count_(count), limit_(limit) {}
  ~receive_buffers();
  receive_buffers(const receive_buffers&) = delete;

  void set_limit(std::uint64_t bytes) noexcept;
  /// At least `bytes` bytes at a multiple of 16.
  std::byte* take(const buffer_key& key, std::size_t bytes);
  /// `beside`: bytes that the object in it holds elsewhere.
  void give_back(std::byte* bytes, std::size_t beside = 0) noexcept;
  /// The object that was given back last, or a new one. One key has objects of one kind, and nothing else.
  void* take(const buffer_key& key, const kept_object& what);

  std::uint64_t kept() const noexcept { return kept_; }  ///< bytes that are not in use

 private:
  struct buffer;
  static constexpr std::size_t chains = 64;

  buffer*& chain_of(const buffer_key& key) noexcept;
  void unlink(buffer* b) noexcept;
  void trim() noexcept;
  void drop(buffer* b) noexcept;

  counters& count_;
  std::uint64_t limit_;
  std::uint64_t kept_ = 0;
  std::array<buffer*, chains> chains_{};
  buffer* latest_ = nullptr;
  buffer* oldest_ = nullptr;
};

/// The same with the buffers of this rank.
std::byte* take_receive_buffer(const buffer_key& key, std::size_t bytes);
void* take_receive_buffer(const buffer_key& key, const kept_object& what);
void give_back_receive_buffer(std::byte* bytes, std::size_t beside = 0) noexcept;

}  // namespace armilla::detail
