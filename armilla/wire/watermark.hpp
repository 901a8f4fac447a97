// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

// Model: tests/models/order/block.rs
namespace armilla::detail {

/// How far a block is filled that one rank writes while another one reads it: heads the block. The writer raises `filled` behind
/// the bytes (release), the reader looks at it before it reads them (acquire).
struct alignas(64) watermark {
  static constexpr std::uint64_t given_up = ~std::uint64_t{0};  ///< the writer failed: there is no message
  static constexpr std::size_t piece = 32 * 1024;               ///< bytes after which a writer says so

  std::uint64_t filled = 0;

  /// The writer's last word about a block of `bytes`: it never touches it again, so the block may be given back.
  static constexpr std::uint64_t finished(std::uint64_t bytes) noexcept { return bytes + 1; }

  void raise(std::uint64_t bytes) noexcept { __atomic_store_n(&filled, bytes, __ATOMIC_RELEASE); }
  /// Waits until `bytes` are there, and says how many are. Not long: the writer does nothing but write. Throws
  /// `message_given_up`.
  std::uint64_t await(std::uint64_t bytes) const;
};

/// Waits for the last word about a block of `bytes`, whatever it is.
void await_end(const watermark& mark, std::uint64_t bytes) noexcept;

/// Thrown by a reader whose writer gave up; the message layer drops the message.
struct message_given_up {};

/// Copies to `to`, which lies `before` bytes into what the mark counts, and raises it after each piece.
void copy_in_pieces(watermark& mark, std::uint64_t before, std::byte* to, const void* from, std::size_t n) noexcept;

}  // namespace armilla::detail
