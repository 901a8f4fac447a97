// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "armilla/base/core/check.hpp"
#include "armilla/base/core/context_head.hpp"
#include "armilla/base/values/types.hpp"

// The untyped core of global_ptr: where something lies, and the way there by load and store.
namespace armilla::detail {

/// What the offset of an address counts from.
enum class memory_kind : std::uint16_t {
  null = 0,
  segment = 1,  ///< the start of the rank's segment
  process = 2,  ///< 0: an address in the rank's process (heap, static, stack)
  lost = 3,     ///< nothing: the rank was lost, and another one has its place
};

/// 16 bytes: an offset, and behind it kind (16 bits) | rank (32) | generation (16). All zeros is null.
///
/// The order lets one comparison tell everything that the fast path must know: with the kind `segment` subtracted, the
/// second word is below `ranks << 16` only for a segment of a rank that exists.
struct global_address {
  std::uint64_t offset = 0;
  std::uint64_t where = 0;

  static constexpr std::uint64_t segment_bits = std::uint64_t{1} << 48;

  static constexpr global_address make(memory_kind kind, rank_t rank, std::uint64_t offset,
                                       std::uint16_t generation = 0) noexcept {
    return {offset, std::uint64_t(kind) << 48 | std::uint64_t(std::uint32_t(rank)) << 16 | generation};
  }
  constexpr memory_kind kind() const noexcept { return memory_kind(where >> 48); }
  constexpr rank_t rank() const noexcept { return rank_t(std::uint32_t(where >> 16)); }
  constexpr std::uint16_t generation() const noexcept { return std::uint16_t(where); }
  constexpr bool null() const noexcept { return where >> 48 == 0; }
  /// What every access refuses as one to a lost rank.
  constexpr global_address as_lost() const noexcept { return make(memory_kind::lost, rank(), offset, generation()); }
  constexpr global_address plus(std::int64_t bytes) const noexcept { return {offset + std::uint64_t(bytes), where}; }
  /// Without the generation, which does not make two pointers to one place different.
  constexpr std::uint64_t place() const noexcept { return where >> 16; }
};
static_assert(sizeof(global_address) == 16 && std::is_trivially_copyable_v<global_address>);

/// What one operation wants of memory, for checks and for the text of an error.
struct access_request {
  const char* operation;
  std::uint64_t bytes;
  std::uint32_t alignment;
  std::uint8_t rights;  ///< 1: read, 2: write
};
inline constexpr std::uint8_t may_read = 1, may_write = 2;

/// Checked build: whether the segment's owner has that block, or throws.
void check_segment(global_address at, const access_request& wants);

/// Where this rank can load and store at `at`; null if the rare path has to look at it (`reach`).
/// Budget: the context, then side by side a test, a product, the base: no chain of loads, and few instructions, so that the
/// processor sees many accesses at a time. An offset that is not aligned fails the first test as well.
template <std::size_t Alignment>
[[gnu::always_inline]] inline std::byte* direct(global_address at) noexcept {
  const context_head* const self = current_head;
  if (self == nullptr) [[unlikely]]
    return nullptr;
  std::uint64_t key = at.where - self->direct_from;
  if constexpr (Alignment > 1) key |= at.offset << (64 - std::countr_zero(Alignment));
  if (key >= self->direct_keys) [[unlikely]]
    return nullptr;
  return self->first_segment + (key >> 16) * self->segment_stride + at.offset;
}

/// The same for `wants`; in a checked build it asks the owner's heap as well.
template <std::size_t Alignment>
[[gnu::always_inline]] inline std::byte* direct(global_address at, const char* operation, std::uint64_t bytes,
                                                std::uint8_t rights) {
  std::byte* const p = direct<Alignment>(at);
  if constexpr (checked) {
    if (p != nullptr) check_segment(at, {operation, bytes, Alignment, rights});
  }
  return p;
}

/// The same for `n` elements of `Size` bytes, which are or come at `own`; null as well if there are none, if `own` is null or if
/// a segment does not hold them: the rare path tells which.
template <std::size_t Alignment, std::size_t Size>
[[gnu::always_inline]] inline std::byte* direct_range(global_address at, const void* own, std::size_t n, const char* operation,
                                                      std::uint8_t rights) {
  std::byte* const p = direct<Alignment>(at, operation, n * Size, rights);
  if (p == nullptr) [[unlikely]]
    return nullptr;
  const std::uint64_t stride = current_head->segment_stride;
  const bool held = n - 1 < stride / Size && at.offset <= stride - n * Size;  // no elements are 2^64 here
  if (own == nullptr || !held) [[unlikely]]
    return nullptr;
  return p;
}

/// The rare path: throws what is wrong with `at`, answers where it can be loaded from and stored to after all, or null if
/// its bytes must be fetched.
std::byte* reach(global_address at, const access_request& wants);

/// Where this rank can load and store at `at`, without a complaint if it cannot: null. Behind `direct`, which has said null.
void* local_far(global_address at, std::uint32_t alignment = 1);

/// Blocking copies where `reach` may say null.
void read_far(void* into, global_address from, const access_request& wants);
void write_far(global_address to, const void* from, const access_request& wants);

/// Objects of 1, 2, 4 or 8 bytes at their own alignment are loaded and stored in one piece.
template <class T>
inline constexpr bool single_copy = (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= 8 && alignof(T) == sizeof(T);

template <std::size_t Bytes>
using word_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

// Instructions, where the processor is not x86. ThreadSanitizer knows no fences: there x86 makes do with the compiler's.
#if defined(__SANITIZE_THREAD__) && defined(__x86_64__)
#define ARMILLA_FENCES_OF_COMPILER 1
#endif
inline void acquire_fence() noexcept {
#ifdef ARMILLA_FENCES_OF_COMPILER
  __atomic_signal_fence(__ATOMIC_ACQUIRE);
#else
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}
inline void release_fence() noexcept {
#ifdef ARMILLA_FENCES_OF_COMPILER
  __atomic_signal_fence(__ATOMIC_RELEASE);
#else
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}
#undef ARMILLA_FENCES_OF_COMPILER

/// Bytes of an object that is not constructed.
template <class T>
struct raw {
  alignas(T) std::byte bytes[sizeof(T)];
  T value() const noexcept { return std::bit_cast<T>(*this); }
};

template <class T>
[[gnu::always_inline]] inline T load(const std::byte* p) noexcept {
  if constexpr (single_copy<T>) {
    using word [[gnu::may_alias]] = word_of<sizeof(T)>;
    const word_of<sizeof(T)> bits = __atomic_load_n(reinterpret_cast<const word*>(p), __ATOMIC_ACQUIRE);
    return std::bit_cast<T>(bits);
  } else {
    raw<T> copy;
    std::memcpy(copy.bytes, p, sizeof(T));
    acquire_fence();
    return copy.value();
  }
}

template <class T>
[[gnu::always_inline]] inline void store(std::byte* p, const T& value) noexcept {
  if constexpr (single_copy<T>) {
    using word [[gnu::may_alias]] = word_of<sizeof(T)>;
    __atomic_store_n(reinterpret_cast<word*>(p), std::bit_cast<word_of<sizeof(T)>>(value), __ATOMIC_RELEASE);
  } else {
    release_fence();
    std::memcpy(p, &value, sizeof(T));
  }
}

// The rare path of one object, out of line. The address comes as two words: as a struct it would have to lie in memory, and
// the compiler would put it there on the fast path.
template <class T>
[[gnu::noinline, gnu::cold]] T read_slowly(std::uint64_t offset, std::uint64_t where) {
  raw<T> copy;
  read_far(copy.bytes, {offset, where}, {"read", sizeof(T), alignof(T), may_read});
  return copy.value();
}

template <class T>
[[gnu::noinline, gnu::cold]] void write_slowly(std::uint64_t offset, std::uint64_t where, T value) {
  write_far({offset, where}, &value, {"write", sizeof(T), alignof(T), may_write});
}

}  // namespace armilla::detail
