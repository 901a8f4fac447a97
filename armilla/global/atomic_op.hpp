// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/global/address.hpp"

namespace armilla::detail {

enum class atomic_op : std::uint8_t { add, exchange, compare_exchange, bit_and, bit_or, bit_xor, add_double };

/// The operation on memory that is mapped here, of 4 or 8 bytes; returns the old value.
std::uint64_t apply_atomic(void* at, atomic_op op, std::uint32_t bytes, std::uint64_t operand, std::uint64_t expected) noexcept;

/// The rare path of every atomic operation. Without `wants_old` it may go on beyond this call, until `sync_memory`.
std::uint64_t atomic_far(global_address at, atomic_op op, std::uint32_t bytes, std::uint64_t operand, std::uint64_t expected,
                         bool wants_old, const char* operation);

}  // namespace armilla::detail
