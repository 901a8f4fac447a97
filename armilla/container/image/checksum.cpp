// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/checksum.hpp"

#include <bit>
#include <cstring>
#include <initializer_list>

namespace armilla::detail {
namespace {

constexpr std::uint64_t p1 = 0x9e3779b185ebca87u, p2 = 0xc2b2ae3d27d4eb4fu, p3 = 0x165667b19e3779f9u, p4 = 0x85ebca77c2b2ae63u,
                        p5 = 0x27d4eb2f165667c5u;

/// Words are little-endian on every machine.
template <class Word>
Word word_at(const unsigned char* at) noexcept {
  Word w;
  std::memcpy(&w, at, sizeof w);
  if constexpr (std::endian::native == std::endian::big) {
    if constexpr (sizeof w == 8)
      return __builtin_bswap64(w);
    else
      return __builtin_bswap32(w);
  }
  return w;
}

std::uint64_t mix(std::uint64_t lane, std::uint64_t word) noexcept { return std::rotl(lane + word * p2, 31) * p1; }
std::uint64_t join(std::uint64_t h, std::uint64_t lane) noexcept { return (h ^ mix(0, lane)) * p1 + p4; }

}  // namespace

std::uint64_t checksum_of(const void* bytes, std::size_t n) noexcept {
  const auto* at = static_cast<const unsigned char*>(bytes);
  const auto* const end = at + n;
  std::uint64_t h = p5;
  if (n >= 32) {
    std::uint64_t a = p1 + p2, b = p2, c = 0, d = 0 - p1;
    for (; end - at >= 32; at += 32) {
      a = mix(a, word_at<std::uint64_t>(at));
      b = mix(b, word_at<std::uint64_t>(at + 8));
      c = mix(c, word_at<std::uint64_t>(at + 16));
      d = mix(d, word_at<std::uint64_t>(at + 24));
    }
    h = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    for (const std::uint64_t lane : {a, b, c, d}) h = join(h, lane);
  }
  h += n;
  for (; end - at >= 8; at += 8) h = std::rotl(h ^ mix(0, word_at<std::uint64_t>(at)), 27) * p1 + p4;
  if (end - at >= 4) {
    h = std::rotl(h ^ word_at<std::uint32_t>(at) * p1, 23) * p2 + p3;
    at += 4;
  }
  for (; at != end; ++at) h = std::rotl(h ^ *at * p5, 11) * p1;
  h = (h ^ h >> 33) * p2;
  h = (h ^ h >> 29) * p3;
  return h ^ h >> 32;
}

}  // namespace armilla::detail
