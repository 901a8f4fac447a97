// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace armilla::detail {

/// Whether one of the aligned 8-byte words of these n bytes is an address in this process: in its image, its stack, its
/// heap or anything else that is mapped. A number may look like one, though hardly by accident: addresses of heap, stack
/// and position-independent images lie in the upper half of what a process can address (2^46 and more on x86-64). Costs a system
/// call for each word that could be one: for checked builds.
bool scan_for_addresses(const void* bytes, std::size_t n) noexcept;

/// Throws `usage_error` if the captures of a closure hold an address, unless ARMILLA_CHECKED=0 says not to look.
void refuse_addresses(const char* operation, const void* closure, std::size_t n);

/// The same for a closure, whose padding counts for nothing: what lay there before often was an address. A compiler that cannot
/// clear padding lets a closure pass that may have some.
template <class F>
void refuse_addresses(const char* operation, const F& closure) {
#if !__has_builtin(__builtin_clear_padding)
  if constexpr (!std::has_unique_object_representations_v<F>) return;
#endif
  alignas(F) std::byte image[sizeof(F)];
  std::memcpy(image, static_cast<const void*>(&closure), sizeof image);
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(reinterpret_cast<F*>(image));
#endif
  refuse_addresses(operation, image, sizeof image);
}

}  // namespace armilla::detail
