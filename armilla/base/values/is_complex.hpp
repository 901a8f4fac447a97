// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <complex>

namespace armilla::detail {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

}  // namespace armilla::detail
