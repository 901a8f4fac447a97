// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/fence_hooks.hpp"

#include <algorithm>
#include <cstdio>

#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {

bool fence_hooks::take_any_error(context& self, const team_record* part, error_record& first) const {
  if (take_error != nullptr && take_error(self, first)) return true;
  exception_text what;
  const auto takes = [&](const kept_errors& k) { return k.take(self, part != nullptr ? &part->id : nullptr, what); };
  if (std::ranges::none_of(kept, takes)) return false;
  first.rank = self.rank;
  std::snprintf(first.type, sizeof first.type, "%s", what.type_name.c_str());
  std::snprintf(first.text, sizeof first.text, "%s", what.text.c_str());
  first.from = what.from;
  return true;
}

void add_kept_errors(context& self, const kept_errors& how) {
  auto& kept = self.teams->hooks.kept;
  if (std::ranges::find(kept, how.count, &kept_errors::count) == kept.end()) kept.push_back(how);
}

}  // namespace armilla::detail
