// SPDX-License-Identifier: Apache-2.0
#include "armilla/atomic.hpp"

#include "armilla/global/remote_memory.hpp"

namespace armilla::detail {
namespace {

template <class Word>
std::uint64_t apply(void* at, atomic_op op, Word operand, Word expected) noexcept {
  using word [[gnu::may_alias]] = Word;
  word* const p = static_cast<word*>(at);
  switch (op) {
    case atomic_op::add: return __atomic_fetch_add(p, operand, __ATOMIC_SEQ_CST);
    case atomic_op::exchange: return __atomic_exchange_n(p, operand, __ATOMIC_SEQ_CST);
    case atomic_op::bit_and: return __atomic_fetch_and(p, operand, __ATOMIC_SEQ_CST);
    case atomic_op::bit_or: return __atomic_fetch_or(p, operand, __ATOMIC_SEQ_CST);
    case atomic_op::bit_xor: return __atomic_fetch_xor(p, operand, __ATOMIC_SEQ_CST);
    case atomic_op::compare_exchange:
      __atomic_compare_exchange_n(p, &expected, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      return expected;  // what was there, equal to what the caller expected if it was exchanged
    case atomic_op::add_double: break;
  }
  return 0;
}

}  // namespace

std::uint64_t apply_atomic(void* at, atomic_op op, std::uint32_t bytes, std::uint64_t operand, std::uint64_t expected) noexcept {
  if (bytes == 4) return apply<std::uint32_t>(at, op, std::uint32_t(operand), std::uint32_t(expected));
  if (op != atomic_op::add_double) return apply<std::uint64_t>(at, op, operand, expected);
  return std::bit_cast<std::uint64_t>(add_to_double(static_cast<std::uint64_t*>(at), std::bit_cast<double>(operand)));
}

std::uint64_t atomic_far(global_address at, atomic_op op, std::uint32_t bytes, std::uint64_t operand, std::uint64_t expected,
                         bool wants_old, const char* operation) {
  count_call();
  std::byte* const p = reach(at, {operation, bytes, bytes, may_read | may_write});
  if (p != nullptr) return apply_atomic(p, op, bytes, operand, expected);
  ++current->count->atomics;
  std::uint64_t old = 0;
  remote_atomic(memory_of(*current), at, op, bytes, operand, expected, wants_old ? &old : nullptr, operation);
  return old;
}

}  // namespace armilla::detail
