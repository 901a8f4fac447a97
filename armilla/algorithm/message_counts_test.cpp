// SPDX-License-Identifier: Apache-2.0
// How many messages an algorithm costs must not depend on how elements are dealt: in turn they need at most ten times those of
// blocks, and not one for each element.
#include <string>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

constexpr std::size_t n = 6000;
using row = am::vector<int>;

/// What this rank has sent, and has read and written without a message.
std::uint64_t sent() {
  const am::statistics s = am::stats();
  return s.frames_sent + s.control_sent + s.bulk_sent + s.reads + s.writes + s.gets + s.puts + s.stores;
}

struct ranges {
  row x, y, out, other;
  ranges(const am::distribution& in, const am::distribution& to) : x(n, in), y(n, in), out(2 * n, to), other(n, to) {
    am::iota(x, 0);
    am::iota(y, 0);
    am::fill(out, 0);
    am::iota(other, 0);
    am::for_each_index(other, [](std::size_t i, int& e) { e = int(i * 7919 % n); });
  }
};

constexpr auto odd = [](int e) { return e % 2 != 0; };

struct algorithm {
  const char* name;
  void (*run)(ranges&);
};
const algorithm elementwise[] = {
    {"transform", [](ranges& r) { am::transform(r.x, r.out, std::negate<>{}); }},
    {"transform of two", [](ranges& r) { am::transform(r.x, r.y, r.out, std::plus<>{}); }},
    {"copy", [](ranges& r) { am::copy(r.x, r.out); }},
    {"copy of a filter", [](ranges& r) { (void)am::copy(am::views::filter(r.x, odd), r.out); }},
    {"copy_n", [](ranges& r) { am::copy_n(r.x, n / 2, r.out); }},
    {"replace_copy", [](ranges& r) { am::replace_copy(r.x, r.out, 1, 2); }},
    {"swap_ranges", [](ranges& r) { am::swap_ranges(r.x, r.out); }},
    {"inclusive_scan", [](ranges& r) { am::inclusive_scan(r.x, r.out); }},
    {"exclusive_scan", [](ranges& r) { am::exclusive_scan(r.x, r.out, 0); }},
    {"adjacent_difference", [](ranges& r) { am::adjacent_difference(r.x, r.out); }},
    {"inclusive_scan_by_key", [](ranges& r) { am::inclusive_scan_by_key(r.x, r.y, r.out); }},
};
const algorithm orders[] = {
    {"sort", [](ranges& r) { am::sort(r.other); }},
    {"stable_sort", [](ranges& r) { am::stable_sort(r.other, std::greater<>{}); }},
    {"sort_by_key", [](ranges& r) { am::sort_by_key(r.other, r.x); }},
    {"argsort", [](ranges& r) { (void)am::argsort(r.other); }},
    {"nth_element", [](ranges& r) { am::nth_element(r.other, n / 3); }},
    {"partial_sort", [](ranges& r) { am::partial_sort(r.other, n / 3); }},
    {"partial_sort_copy", [](ranges& r) { (void)am::partial_sort_copy(r.x, am::views::take(r.other, n / 4)); }},
};
const algorithm moves[] = {
    {"reverse", [](ranges& r) { am::reverse(r.other); }},
    {"reverse_copy", [](ranges& r) { am::reverse_copy(r.x, r.other); }},
    {"rotate", [](ranges& r) { am::rotate(r.other, n / 3); }},
    {"rotate_copy", [](ranges& r) { am::rotate_copy(r.x, n / 3, r.other); }},
    {"shift_left", [](ranges& r) { am::shift_left(r.other, n / 3); }},
    {"shift_right", [](ranges& r) { am::shift_right(r.other, n / 3); }},
    {"shuffle", [](ranges& r) { am::shuffle(r.other, 3); }},
    {"sample", [](ranges& r) { (void)am::sample(r.x, am::views::take(r.other, n / 4), 3); }},
};
const algorithm compactions[] = {
    {"copy_if", [](ranges& r) { (void)am::copy_if(r.x, r.out, odd); }},
    {"remove_copy", [](ranges& r) { (void)am::remove_copy(r.x, r.out, 5); }},
    {"remove_if of a view", [](ranges& r) { (void)am::remove_if(am::views::all(r.other), odd); }},
    {"unique of a view", [](ranges& r) { (void)am::unique(am::views::all(r.other)); }},
    {"unique_copy", [](ranges& r) { (void)am::unique_copy(r.x, r.out); }},
    {"stable_partition", [](ranges& r) { (void)am::stable_partition(r.other, odd); }},
    {"partition_copy", [](ranges& r) { (void)am::partition_copy(r.x, r.out, r.other, odd); }},
    {"pack", [](ranges& r) { (void)am::pack(r.other, odd); }},
    {"pack_index", [](ranges& r) { (void)am::pack_index(r.other, odd); }},
};
const algorithm in_order[] = {
    {"merge", [](ranges& r) { am::merge(r.x, r.y, r.out); }},
    {"inplace_merge", [](ranges& r) { am::inplace_merge(am::views::take(r.x, n), n / 2); }},
    {"set_union", [](ranges& r) { (void)am::set_union(r.x, r.y, r.out); }},
    {"set_intersection", [](ranges& r) { (void)am::set_intersection(r.x, r.y, r.out); }},
    {"set_difference", [](ranges& r) { (void)am::set_difference(r.x, am::views::take(r.y, 9), r.out); }},
    {"set_symmetric_difference", [](ranges& r) { (void)am::set_symmetric_difference(r.x, am::views::take(r.y, 9), r.out); }},
    {"includes", [](ranges& r) { (void)am::includes(r.x, r.y); }},
    {"lower_bound", [](ranges& r) { (void)am::lower_bound(r.x, int(n / 2)); }},
};
const algorithm two_way_calls[] = {
    {"search", [](ranges& r) { (void)am::search(r.other, std::vector<int>{1, 2, 3}); }},
    {"find_end", [](ranges& r) { (void)am::find_end(r.other, std::vector<int>{1, 2, 3}); }},
    {"search_n", [](ranges& r) { (void)am::search_n(r.other, 4, 5); }},
    {"equal", [](ranges& r) { (void)am::equal(r.x, am::views::take(r.out, n)); }},
    {"is_sorted", [](ranges& r) { (void)am::is_sorted(r.x); }},
    {"accumulate", [](ranges& r) { (void)am::accumulate(r.other, 0); }},
    {"reduce", [](ranges& r) { (void)am::reduce(r.other); }},
};

/// Of all ranks.
std::uint64_t messages(const algorithm& a, const am::distribution& in, const am::distribution& to) {
  ranges r(in, to);
  am::barrier();
  const std::uint64_t before = sent();
  a.run(r);
  const std::uint64_t mine = sent() - before;
  am::barrier();
  return am::all_reduce(mine, std::plus<>{});
}

template <std::size_t Many>
void check(const algorithm (&all)[Many]) {
  for (const algorithm& a : all) {
    const std::uint64_t blocks = messages(a, am::blocks(), am::blocks());
    const std::uint64_t pairs = std::uint64_t(am::ranks()) * std::uint64_t(am::ranks() - 1);
    const std::uint64_t most = 10 * std::max(blocks, 8 * pairs);  // less than eight for each pair is a barrier or two
    const auto expect_few = [&](const char* how, std::uint64_t now) {
      if (now > most && am::rank() == 0)
        rank_test::fail(__FILE__, __LINE__,
                        std::string(a.name) + ", " + how + ": " + std::to_string(now) + " messages, " + std::to_string(blocks) +
                            " in blocks");
    };
    expect_few("in turn", messages(a, am::cyclic(), am::cyclic()));
    expect_few("from blocks to turns", messages(a, am::blocks(), am::cyclic()));
    expect_few("from turns to blocks", messages(a, am::cyclic(3), am::blocks()));
  }
}

}  // namespace

RANK_TEST(elementwise_algorithms_cost_few_messages_however_elements_are_dealt) { check(elementwise); }
RANK_TEST(orders_cost_few_messages_however_elements_are_dealt) { check(orders); }
RANK_TEST(moves_cost_few_messages_however_elements_are_dealt) { check(moves); }
RANK_TEST(a_sample_costs_as_many_messages_as_there_are_pairs_of_ranks) {
  const algorithm sample{"sample", [](ranges& r) { (void)am::sample(r.x, am::views::take(r.other, n / 2), 3); }};
  const std::uint64_t pairs = std::uint64_t(am::ranks()) * std::uint64_t(am::ranks() - 1);
  for (const am::distribution& in : {am::distribution(am::blocks()), am::distribution(am::cyclic())})
    EXPECT_LE(messages(sample, in, am::blocks()), 30 * pairs);
}
RANK_TEST(compactions_cost_few_messages_however_elements_are_dealt) { check(compactions); }
RANK_TEST(merges_and_sets_cost_few_messages_however_elements_are_dealt) { check(in_order); }
RANK_TEST(two_way_calls_cost_few_messages_however_elements_are_dealt) { check(two_way_calls); }
