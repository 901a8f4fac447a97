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
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
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

std::vector<rank_t> heirs_of(const team& t, const team& old) {
  constexpr const char* shrink = "shrink";
  if (!old) throw_moved_from();
  const std::vector<rank_t> sizes = old.all_gather(t ? t.size() : rank_t{0});
  failure why;
  try {
    for (rank_t m = 0; t && m < t.size(); ++m) {
      const rank_t r = t.world_rank(m), member = old.rank_of(r);
      if (member < 0)
        throw_usage(shrink, fmt::format("rank {} of the team has no part of the container; rebalance takes it to more ranks", r));
      if (sizes[std::size_t(member)] == 0)
        throw_usage(shrink,
                    fmt::format("rank {} of the team gave the empty team; those that stay give the team of all of them", r));
    }
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  agree(old, shrink, why);
  const auto stay = rank_t(std::ranges::count_if(sizes, [](rank_t n) { return n != 0; }));
  if (stay == 0)
    throw_usage(shrink, "no rank gave a team; those that stay give the team of all of them, and the others the empty team");
  for (std::size_t m = 0; m < sizes.size(); ++m)
    if (sizes[m] != 0 && sizes[m] != stay)
      throw_usage(shrink,
                  fmt::format("{} ranks stay, and rank {} gave a team of {}; those that stay give one team, of all of them", stay,
                              old.world_rank(rank_t(m)), sizes[m]));
  old.fence();
  std::vector<rank_t> heirs;
  auto last = rank_t(std::ranges::find_if(sizes, [](rank_t n) { return n != 0; }) - sizes.begin());
  for (std::size_t m = 0; m < sizes.size(); ++m) heirs.push_back(last = sizes[m] != 0 ? rank_t(m) : last);
  return heirs;
}

std::vector<packed_records> hand_over(const team& old, const std::vector<rank_t>& heirs, const std::vector<std::uint64_t>& mine,
                                      failure& why, std::vector<std::vector<std::uint64_t>>& received) {
  std::vector<std::vector<std::uint64_t>> parts(heirs.size());
  try {
    if (const rank_t heir = heirs[std::size_t(old.rank())]; heir != old.rank()) parts[std::size_t(heir)] = mine;
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  received = exchange_agreed(old, "shrink", parts, why);
  std::vector<packed_records> all;
  for (std::size_t m = 0; m < heirs.size(); ++m)
    if (heirs[m] == old.rank() && rank_t(m) != old.rank())
      all.push_back({rank_t(m), reinterpret_cast<const std::byte*>(received[m].data()), 8 * received[m].size()});
  return all;
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
