// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/exposed_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "armilla/error.hpp"

namespace armilla::detail {

exposed_table::exposed_table(const client& job, std::string_view name, std::string_view type, std::uint64_t hash,
                             std::uint64_t patience_ns)
    : job_(job), name_(name), patience_ns_(patience_ns) {
  for (const exposed_part& each : parts()) {
    if (each.type_hash != hash || each.element_bytes != 0)
      throw_usage("exposed", fmt::format("'{}' is {}{}, not {}", name_, each.element_bytes == 0 ? "" : "an array of ", each.type,
                                         type.substr(0, type.size() - 2)));  // of "set<int32>()"
    ranks_.push_back(each.rank);
  }
}

std::vector<exposed_part> exposed_table::parts() const {
  std::vector<exposed_part> mine = exposed(job_);
  std::erase_if(mine, [&](const exposed_part& each) { return each.name != name_; });
  if (mine.empty()) throw_not_exposed(job_, name_);
  return mine;
}

bool exposed_table::has(rank_t r) const noexcept { return std::ranges::binary_search(ranks_, r); }

exposed_part exposed_table::part() const { return std::move(parts().front()); }

exposed_part exposed_table::part(rank_t r) const {
  for (exposed_part& each : parts())
    if (each.rank == r) return std::move(each);
  throw_usage("exposed", fmt::format("rank {} exposes no part of '{}'; ranks {} do", r, name_, fmt::join(ranks_, ", ")));
}

std::vector<std::byte> exposed_table::ask(rank_t r, std::string_view method, std::string_view signature, std::uint64_t hash,
                                          std::vector<std::byte> message) const {
  const std::string whole = fmt::format("{}.{}", name_, method);
  return client_call(line_of(job_.on(r)), {whole, signature, hash}, std::move(message)).take(patience_ns_);
}

}  // namespace armilla::detail
