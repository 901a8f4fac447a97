// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/elementwise/compress.hpp"

#include <bit>
#include <cstring>
#include <iterator>

#include <hwy/cache_control.h>

// Compiled once for each kind of processor.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "armilla/algorithm/elementwise/compress.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace armilla::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Element by element: the last few, where a whole vector would not fit. They may be less aligned than a word.
template <class Word>
void compress_rest(const Word* from, std::uint64_t left, Word* to) noexcept {
  for (; left != 0; left &= left - 1) std::memcpy(to++, from + std::countr_zero(left), sizeof(Word));
}

/// There is room for a whole vector before `end`, behind which nothing is written. Returns what follows the last element.
template <class Word>
Word* compress_until(const Word* from, std::size_t n, const std::uint64_t* bits, Word* to, const Word* end) noexcept {
  const hn::CappedTag<Word, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t one_vector = (std::uint64_t{1} << lanes) - 1;
  for (std::size_t k = 0; k < n; k += 64) {
    ask_ahead(from + k, sizeof(Word));
    std::uint64_t word = bits[k / 64];
    for (std::size_t j = 0; j < 64; j += lanes, word >>= lanes) {
      const std::uint64_t left = word & one_vector;
      if (k + j + lanes > n || std::size_t(end - to) < lanes) [[unlikely]]
        compress_rest(from + k + j, left, to);
      else
        hn::StoreU(hn::Compress(hn::LoadU(d, from + k + j), hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&left))), d,
                   to);
      to += std::popcount(left);
    }
  }
  return to;
}

template <class Word>
void stream_line(const Word* from, Word* to) noexcept {
  const hn::CappedTag<Word, 64 / sizeof(Word)> d;
  for (std::size_t k = 0; k < 64 / sizeof(Word); k += hn::Lanes(d)) hn::Stream(hn::Load(d, from + k), d, to + k);
}

/// Lines are put together in the nearest cache.
template <class Word>
void compress_past_caches(const Word* from, std::size_t n, const std::uint64_t* bits, Word* to) noexcept {
  constexpr std::size_t at_once = 512, line = 64 / sizeof(Word);
  alignas(64) Word lines[at_once + 3 * line];
  std::size_t first = reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(Word);  // what stands before it in its line is others'
  std::size_t held = first;
  to -= first;
  for (std::size_t k = 0; k < n; k += at_once) {
    const std::size_t now = n - k < at_once ? n - k : at_once;
    held = std::size_t(compress_until(from + k, now, bits + k / 64, lines + held, std::end(lines)) - lines);
    std::size_t gone = 0;
    for (; held - gone >= line; gone += line, to += line, first = 0)
      if (first == 0) [[likely]]
        stream_line(lines + gone, to);
      else
        std::memcpy(to + first, lines + first, (line - first) * sizeof(Word));
    if (gone != 0) std::memcpy(lines, lines + gone, line * sizeof(Word));
    held -= gone;
  }
  std::memcpy(to + first, lines + first, (held - first) * sizeof(Word));
  hwy::FlushStream();
}

template <class Word>
void compress(const Word* from, std::size_t n, const std::uint64_t* bits, Word* to, std::size_t kept, bool past_caches) noexcept {
  if (past_caches && reinterpret_cast<std::uintptr_t>(to) % sizeof(Word) == 0)
    compress_past_caches(from, n, bits, to);
  else
    compress_until(from, n, bits, to, to + kept);
}

void compress16(const std::uint16_t* from, std::size_t n, const std::uint64_t* bits, std::uint16_t* to, std::size_t kept,
                bool past_caches) {
  compress(from, n, bits, to, kept, past_caches);
}
void compress32(const std::uint32_t* from, std::size_t n, const std::uint64_t* bits, std::uint32_t* to, std::size_t kept,
                bool past_caches) {
  compress(from, n, bits, to, kept, past_caches);
}
void compress64(const std::uint64_t* from, std::size_t n, const std::uint64_t* bits, std::uint64_t* to, std::size_t kept,
                bool past_caches) {
  compress(from, n, bits, to, kept, past_caches);
}

}  // namespace armilla::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace armilla::detail {

HWY_EXPORT(compress16);
HWY_EXPORT(compress32);
HWY_EXPORT(compress64);

template <>
void compress(const std::uint16_t* from, std::size_t n, const std::uint64_t* bits, std::uint16_t* to, std::size_t kept,
              bool past_caches) noexcept {
  HWY_DYNAMIC_DISPATCH(compress16)(from, n, bits, to, kept, past_caches);
}
template <>
void compress(const std::uint32_t* from, std::size_t n, const std::uint64_t* bits, std::uint32_t* to, std::size_t kept,
              bool past_caches) noexcept {
  HWY_DYNAMIC_DISPATCH(compress32)(from, n, bits, to, kept, past_caches);
}
template <>
void compress(const std::uint64_t* from, std::size_t n, const std::uint64_t* bits, std::uint64_t* to, std::size_t kept,
              bool past_caches) noexcept {
  HWY_DYNAMIC_DISPATCH(compress64)(from, n, bits, to, kept, past_caches);
}

}  // namespace armilla::detail
#endif
