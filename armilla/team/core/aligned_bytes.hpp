// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <new>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct aligned_delete {
  void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t{cache_line}); }
};

/// Memory in which elements lie that an operation reads or writes: it begins a line, as boards and stagings do.
using aligned_bytes = std::unique_ptr<std::byte[], aligned_delete>;

inline aligned_bytes make_aligned_bytes(std::size_t bytes) {
  return aligned_bytes(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{cache_line})));
}

}  // namespace armilla::detail
