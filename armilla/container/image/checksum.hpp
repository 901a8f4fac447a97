// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace armilla::detail {

/// XXH64 with seed 0: 64 bits in which every byte counts, some 10 GB/s on one core without special instructions. It finds damage,
/// not malice.
std::uint64_t checksum_of(const void* bytes, std::size_t n) noexcept;

}  // namespace armilla::detail
