// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/range.hpp"

namespace armilla::detail {

/// A view that waits for its range: what stands behind `|`.
template <class Make>
struct closure {
  Make make;

  template <distributed_range R>
  auto operator()(R&& r) const {
    return make(std::forward<R>(r));
  }
  template <distributed_range R>
  friend auto operator|(R&& r, const closure& c) {
    return c.make(std::forward<R>(r));
  }
};
template <class Make>
closure(Make) -> closure<Make>;

}  // namespace armilla::detail
