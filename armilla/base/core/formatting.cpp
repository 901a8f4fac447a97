// SPDX-License-Identifier: Apache-2.0
// fmt's functions, compiled once. All other files see only their declarations, which saves each of them seconds of the compiler.
// They are weak here, so that a program that brings its own fmt, of whatever kind, does not collide with this one.
#include <locale>

#include <fmt/format.h>

#if FMT_VERSION < 100000  // later versions have other functions, and the build takes them from their headers
#undef FMT_FUNC
#define FMT_FUNC [[gnu::weak]]
#include <fmt/format-inl.h>

// What it declares as instantiated elsewhere.
namespace fmt::detail {
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
}  // namespace fmt::detail
#endif
