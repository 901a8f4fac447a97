// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/member_groups.hpp"

#include <numeric>
#include <vector>

#include "armilla/fabric/host_map.hpp"

namespace armilla::detail {
namespace {

// A word to each of so many other hosts at most is quicker than rounds.
constexpr std::size_t words_up_to = 16;

std::vector<std::uint32_t> each_alone(std::uint32_t size) {
  std::vector<std::uint32_t> begins(size + 1);
  std::iota(begins.begin(), begins.end(), 0u);
  return begins;
}

// By the numbers of the members' hosts.
std::vector<std::uint32_t> groups_of(const team_record& t) {
  const auto host_of = [&t](std::uint32_t i) { return t.self->host->number[std::size_t(t.members[i])]; };
  std::vector<std::uint32_t> begins;
  begins.reserve(std::size_t(t.size) + 1);
  std::vector<bool> seen;
  for (std::uint32_t i = 0; i < t.size; ++i) {
    const std::size_t host = host_of(i);
    if (i != 0 && host == host_of(i - 1)) continue;
    if (host >= seen.size()) seen.resize(host + 1);
    if (seen[host]) return each_alone(t.size);
    seen[host] = true;
    begins.push_back(i);
  }
  begins.push_back(t.size);
  return begins;
}

}  // namespace

void choose_groups(team_record& t, exchange_pattern asked) {
  t.groups = groups_of(t);
  const std::size_t others = t.host_leaders.size();
  const bool may = asked == exchange_pattern::automatic;
  if (asked == exchange_pattern::pairs || (may && others > words_up_to))
    t.pairs_from = t.scan_pairs_from = 0;
  else if (may && others > 1)
    t.pairs_from = flag_line::payload_bytes + 1, t.scan_pairs_from = others < few_hosts ? t.pairs_from : 0;
  if (t.pairs_from == 0 && t.groups.size() == 2) t.groups = each_alone(t.size);  // asked for on one host: for tests
}

}  // namespace armilla::detail
