// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "armilla/container/rebalance_inline.hpp"
#include "armilla/fabric/host_map.hpp"

namespace armilla::detail {
namespace {

constexpr const char* operation = "rebalance";

void require_all_in(const team& t, const team& old) {
  for (rank_t m = 0; old && m < old.size(); ++m)
    if (const rank_t r = old.world_rank(m); t.rank_of(r) < 0)
      throw_usage(operation, fmt::format("rank {} has a part of the container and is no member of the team; give a team that has "
                                         "all of them, as members().grow() does, or recover() where ranks are lost",
                                         r));
}

void require_one_program(const team& t) {
  for (rank_t m = 0; m < t.size(); ++m)
    if (const rank_t r = t.world_rank(m); current->host->program[std::size_t(r)] != current->program)
      throw_usage(operation,
                  fmt::format("rank {} runs another program, and elements of this container are given to functions there; "
                              "only an array or vector of plain values goes over to ranks of several programs",
                              r));
}

/// How many members gave it, and the first of them.
struct givers {
  std::int64_t number = 0;
  rank_t first = 0;
};

}  // namespace

rank_t require_given(const team& t, const team& old, rebalance_needs needs) {
  failure why;
  try {
    require_all_in(t, old);
    if (needs.needs_functions) require_one_program(t);
  } catch (...) { why.note(); }
  const givers mine{old ? 1 : 0, old ? t.rank() : t.size()};
  const givers all = agree(t, operation, why, mine, [](const givers& a, const givers& b) {
    return givers{a.number + b.number, std::min(a.first, b.first)};
  });
  if (all.number == 0)
    throw_usage(operation, "no member of the team has the container; those that have it give it: rebalance(t, std::move(x))");
  const rank_t have = t.broadcast(old ? old.size() : rank_t{0}, all.first);
  if (have != all.number)
    throw_usage(operation, fmt::format("{} ranks have a part of the container, and {} gave it; all that have it call "
                                       "rebalance(t, std::move(x))",
                                       have, all.number));
  if (old) old.fence();
  return all.first;
}

// Of one member all elements are a run, however they are dealt.
dealt_sequence deal_of(const placement& p, const kept_parts* kept) {
  return {.elements = p.size(),
          .block = p.linear() ? 0 : std::uint64_t(p.over(p.members() + 1).run_at(0).end),
          .copies = kept == nullptr ? 0 : std::int32_t(kept->wish())};
}

placement deal_to(const team& t, const dealt_sequence& how) {
  return {std::size_t(how.elements), t.size(), how.block == 0 ? blocks() : cyclic(std::size_t(how.block))};
}

}  // namespace armilla::detail
