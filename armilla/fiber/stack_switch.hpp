// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

/// From one stack to another: the one step of a fiber's switch that the language does not have.
///
/// Nothing of the floating-point environment is saved: it is the rank's, not the fiber's. On x86-64 these are our own eight
/// instructions, elsewhere it is Boost.Context; why, is in docs/adr/0007-own-stack-switch.md.
namespace armilla::detail {

#if defined(__x86_64__)

/// Leaves the present stack, whose place to go on is put into `saved`, for that of `to`; returns at a switch back.
///
/// In line and by a jump: the processor predicts returns by a stack of its own, so `call` and `ret` must stay paired on every
/// path. The compiler saves what it needs of the registers; two cannot be told to it, and the red zone is stepped over.
[[gnu::always_inline]] inline void switch_stack(void*& saved, void* to) noexcept {
  void** into = &saved;
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %1, %%rsp\n\t"
      "popq %%rax\n\t"
      "jmpq *%%rax\n"
      "1:\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "+D"(into), "+S"(to)
      :
      : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
#if defined(__AVX512F__)
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28",
        "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#endif
        "cc", "memory");
}

/// A place to go on for a new stack that ends (exclusive) at `top` and has `bytes`: it begins with `entry`, which never returns.
inline void* new_stack(std::byte* top, std::size_t, void (*entry)()) noexcept {
  auto* word = reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t(15));
  *--word = 0;  // in place of a return address: where a walk up the stack ends; and the alignment that a function expects
  *--word = reinterpret_cast<std::uintptr_t>(entry);
  return word;
}

#else

void switch_stack(void*& saved, void* to) noexcept;
void* new_stack(std::byte* top, std::size_t bytes, void (*entry)()) noexcept;

#endif

}  // namespace armilla::detail
