// SPDX-License-Identifier: Apache-2.0
#include "armilla/outcome.hpp"

#include <string>

#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/host/exploration.hpp"

namespace armilla::detail {

void note_outcome(const print_value* values, std::size_t n) {
  const context& self = here("outcome");
  exploration* const run = exploration_here();
  if (run == nullptr) return;
  std::string line = fmt::format("rank {}:", self.rank);
  for (std::size_t i = 0; i < n; ++i) line += ' ' + escaped(printed("{}", values + i, 1));
  run->outcomes.add(line + '\n');
}

}  // namespace armilla::detail
