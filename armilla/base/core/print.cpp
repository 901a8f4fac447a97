// SPDX-License-Identifier: Apache-2.0
#include "armilla/print.hpp"

#include <cstdio>

#include <fmt/args.h>
#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

void add(fmt::dynamic_format_arg_store<fmt::format_context>& all, const print_value& v) {
  switch (v.what) {
    case print_value::kind::boolean: return all.push_back(v.boolean);
    case print_value::kind::character: return all.push_back(v.character);
    case print_value::kind::integer: return all.push_back(v.integer);
    case print_value::kind::natural: return all.push_back(v.natural);
    case print_value::kind::real: return all.push_back(v.real);
    case print_value::kind::text: return all.push_back(fmt::string_view(v.text.data(), v.text.size()));
  }
}

}  // namespace

std::string printed(std::string_view format, const print_value* values, std::size_t n) {
  fmt::dynamic_format_arg_store<fmt::format_context> all;
  for (std::size_t i = 0; i < n; ++i) add(all, values[i]);
  try {
    return fmt::vformat(fmt::string_view(format.data(), format.size()), all);
  } catch (const fmt::format_error& why) {
    throw_usage("print_on",
                fmt::format("the format \"{}\" does not fit its values: {}; write {{}} where in doubt", format, why.what()));
  }
}

void print_on(rank_t r, std::string_view format, const print_value* values, std::size_t n) {
  const context& self = here("print_on");
  if (r < 0 || r >= self.places)
    throw_usage("print_on", fmt::format("there is no rank {}; ranks are numbered from 0 to {}", r, self.places - 1));
  if (r != self.rank) return;
  const std::string text = printed(format, values, n);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace armilla::detail
