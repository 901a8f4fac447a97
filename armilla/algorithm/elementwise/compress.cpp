// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/elementwise/compress.hpp"

#include <bit>
#include <cstring>

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

template <class Word>
void compress(const Word* from, std::size_t n, const std::uint64_t* bits, Word* to, std::size_t kept) noexcept {
  const hn::CappedTag<Word, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint64_t one_vector = (std::uint64_t{1} << lanes) - 1;
  const Word* const end = to + kept;
  for (std::size_t k = 0; k < n; k += 64) {
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
}

void compress16(const std::uint16_t* from, std::size_t n, const std::uint64_t* bits, std::uint16_t* to, std::size_t kept) {
  compress(from, n, bits, to, kept);
}
void compress32(const std::uint32_t* from, std::size_t n, const std::uint64_t* bits, std::uint32_t* to, std::size_t kept) {
  compress(from, n, bits, to, kept);
}
void compress64(const std::uint64_t* from, std::size_t n, const std::uint64_t* bits, std::uint64_t* to, std::size_t kept) {
  compress(from, n, bits, to, kept);
}

}  // namespace armilla::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace armilla::detail {

HWY_EXPORT(compress16);
HWY_EXPORT(compress32);
HWY_EXPORT(compress64);

template <>
void compress(const std::uint16_t* from, std::size_t n, const std::uint64_t* bits, std::uint16_t* to, std::size_t kept) noexcept {
  HWY_DYNAMIC_DISPATCH(compress16)(from, n, bits, to, kept);
}
template <>
void compress(const std::uint32_t* from, std::size_t n, const std::uint64_t* bits, std::uint32_t* to, std::size_t kept) noexcept {
  HWY_DYNAMIC_DISPATCH(compress32)(from, n, bits, to, kept);
}
template <>
void compress(const std::uint64_t* from, std::size_t n, const std::uint64_t* bits, std::uint64_t* to, std::size_t kept) noexcept {
  HWY_DYNAMIC_DISPATCH(compress64)(from, n, bits, to, kept);
}

}  // namespace armilla::detail
#endif
