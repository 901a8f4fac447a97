// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <new>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct scratch_delete {
  void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t{cache_line}); }
};

/// Memory in which elements lie that an operation reads or writes: it begins a line, as boards and stagings do.
using scratch = std::unique_ptr<std::byte[], scratch_delete>;

inline scratch make_scratch(std::size_t bytes) {
  return scratch(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{cache_line})));
}

}  // namespace armilla::detail
