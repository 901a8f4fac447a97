// SPDX-License-Identifier: Apache-2.0
// Elements of type bool, of which a std::vector has no places: against the standard's algorithms.
#include <array>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using bits = std::vector<bool>;

/// `of_8` of eight are true.
bits made(dice& d, std::size_t n, std::size_t of_8) {
  bits all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = d.below(8) < of_8;
  return all;
}
bits in_order(bits all) {
  std::sort(all.begin(), all.end());
  return all;
}
/// f(team, distribution, elements) with few and many elements, of which all, some or none are true.
template <class F>
void for_random_bits(F f) {
  for_random_teams(6, [&f](dice& d, const am::team& t) {
    const std::size_t n = d.below(2) == 0 ? d.size() : 3000 + d.below(9000);
    const bits a = made(d, n, d.below(9));
    f(d, d.distribution(n, t), a);
  });
}

}  // namespace

RANK_TEST(bools_are_sorted_up_down_and_by_any_comparator) {
  for_random_bits([](dice&, const am::distribution& where, const bits& a) {
    const bits up = in_order(a), down(up.rbegin(), up.rend());
    am::vector<bool> x = spread(a, where);
    am::sort(x);
    EXPECT_EQ(elements_of(x), up);
    EXPECT(am::is_sorted(x));
    am::sort(x, [](bool p, bool q) { return p && !q; });
    EXPECT_EQ(elements_of(x), down);
    am::stable_sort(x, {}, [](bool e) { return e ? 1.5 : 2.5; });
    EXPECT_EQ(elements_of(x), down);
    am::stable_sort(x, std::greater<>{}, std::logical_not<>{});
    EXPECT_EQ(elements_of(x), up);
    am::sort(am::views::reverse(x));
    EXPECT_EQ(elements_of(x), down);
    am::stable_sort(x, std::less<bool>{});
    EXPECT_EQ(elements_of(x), up);
  });
}

RANK_TEST(bools_are_selected) {
  for_random_bits([](dice& d, const am::distribution& where, const bits& a) {
    const std::size_t n = a.size(), some = d.below(n + 1);
    const bits up = in_order(a);
    am::vector<bool> x = spread(a, where);
    am::array<bool> few(some, am::on(x.members(), am::cyclic(3)));
    EXPECT_EQ(am::partial_sort_copy(x, few), some);
    EXPECT_EQ(elements_of(few), bits(up.begin(), up.begin() + std::ptrdiff_t(some)));
    const auto best = am::top_k(x, some);
    EXPECT_EQ(best.size(), some);
    for (std::size_t k = 0; k < some; ++k) EXPECT_EQ(best[k].second, bool(up[n - 1 - k]));
    am::nth_element(x, some);
    const bits around = elements_of(x);
    EXPECT_EQ(in_order(around), up);
    for (std::size_t i = 0; i < n && some < n; ++i) EXPECT(i < some ? around[i] <= up[some] : around[i] >= up[some]);
    am::partial_sort(x, some, std::greater<>{});
    const bits first = elements_of(x);
    for (std::size_t i = 0; i < some; ++i) EXPECT_EQ(bool(first[i]), bool(up[n - 1 - i]));
  });
}

RANK_TEST(bools_are_keys_and_values) {
  for_random_bits([](dice&, const am::distribution& where, const bits& a) {
    const std::size_t n = a.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_partition(order.begin(), order.end(), [&a](std::size_t i) { return !a[i]; });
    am::vector<bool> x = spread(a, where);
    EXPECT_EQ(elements_of(am::argsort(x)), order);
    am::vector<std::size_t> indices(n, where);
    am::iota(indices, std::size_t{0});
    am::sort_by_key(x, indices);
    EXPECT_EQ(elements_of(x), in_order(a));
    EXPECT_EQ(elements_of(indices), order);
    am::sort_by_key(indices, x, std::greater<>{});
    EXPECT_EQ(elements_of(x), bits(a.rbegin(), a.rend()));
  });
}

RANK_TEST(bools_are_kept_and_dealt) {
  for_random_bits([](dice&, const am::distribution& where, const bits& a) {
    const std::size_t n = a.size(), ones = std::size_t(std::count(a.begin(), a.end(), true));
    am::vector<bool> x = spread(a, where), y(n, where), z(n, where);
    bits once = a;
    once.erase(std::unique(once.begin(), once.end()), once.end());
    EXPECT_EQ(am::unique_copy(x, y), once.size());
    EXPECT_EQ(elements_of(am::views::take(y, once.size())), once);
    EXPECT(am::partition_copy(x, y, z, std::identity{}) == std::pair(ones, n - ones));
    EXPECT_EQ(am::copy_if(x, y, std::logical_not<>{}), n - ones);
    EXPECT_EQ(elements_of(am::pack(x, std::identity{})), bits(ones, true));
    EXPECT_EQ(am::stable_partition(x, std::logical_not<>{}), n - ones);
    EXPECT_EQ(elements_of(x), in_order(a));
    EXPECT_EQ(am::partition_point(x, std::logical_not<>{}), n - ones);
    EXPECT_EQ(am::lower_bound(x, true), n - ones);
    EXPECT_EQ(am::unique(x), std::size_t(ones > 0) + std::size_t(ones < n));
  });
}

RANK_TEST(bools_are_appended_gathered_and_scattered) {
  am::vector<bool> x(0);
  for (int k = 0; k < 10; ++k) x.push_back(k % 3 == 0);
  x.append(std::array<bool, 2>{true, false});
  am::fence();
  EXPECT_EQ(x.size(), 12U * std::size_t(am::ranks()));
  const bits of_each{true, false, false, true, false, false, true, false, false, true, true, false};
  bits all;
  for (int r = 0; r < am::ranks(); ++r) all.insert(all.end(), of_each.begin(), of_each.end());
  EXPECT_EQ(elements_of(x), all);
  const std::vector<std::size_t> last{x.size() - 1, x.size() - 2, 0};
  EXPECT_EQ(am::gather(x, last), (bits{false, true, true}));
  am::barrier();
  if (am::rank() == 0) am::scatter(x, last, std::array<bool, 3>{true, false, false});
  am::fence();
  all[x.size() - 1] = true, all[x.size() - 2] = false, all[0] = false;
  EXPECT_EQ(elements_of(x), all);
}

RANK_TEST(bools_are_merged) {
  for_random_teams(6, [](dice& d, const am::team& t) {
    const bits a = in_order(made(d, d.size(), 4)), b = in_order(made(d, d.size(), 6));
    const am::vector<bool> x = spread(a, d.distribution(a.size(), t)), y = spread(b, d.distribution(b.size(), t));
    am::vector<bool> all(a.size() + b.size(), d.distribution(a.size() + b.size(), t));
    const auto check = [&](auto standards, std::size_t n) {
      bits expected;
      standards(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
      EXPECT_EQ(elements_of(am::views::take(all, n)), expected);
    };
    am::merge(x, y, all);
    check([](auto... of) { std::merge(of...); }, all.size());
    check([](auto... of) { std::set_union(of...); }, am::set_union(x, y, all));
    check([](auto... of) { std::set_intersection(of...); }, am::set_intersection(x, y, all));
    check([](auto... of) { std::set_difference(of...); }, am::set_difference(x, y, all));
    check([](auto... of) { std::set_symmetric_difference(of...); }, am::set_symmetric_difference(x, y, all));
    am::copy(x, all);
    am::copy(y, am::views::drop(all, a.size()));
    am::inplace_merge(all, a.size());
    EXPECT(am::is_sorted(all));
    EXPECT_EQ(am::includes(x, y), std::includes(a.begin(), a.end(), b.begin(), b.end()));
  });
}

RANK_TEST(bools_are_folded_scanned_moved_and_looked_for) {
  for_random_bits([](dice& d, const am::distribution& where, const bits& a) {
    const std::size_t n = a.size();
    am::vector<bool> x = spread(a, where), y(n, where);
    if (n > 0) {
      const auto [least, most] = std::minmax_element(a.begin(), a.end());
      EXPECT(am::minmax(x) == std::pair(bool(*least), bool(*most)));
      EXPECT(am::minmax_element(x) ==
             std::pair(std::size_t(least - a.begin()), std::size_t(std::find(a.begin(), a.end(), bool(*most)) - a.begin())));
    }
    am::inclusive_scan(x, y, std::logical_or<>{});
    bits any(n);
    std::inclusive_scan(a.begin(), a.end(), any.begin(), std::logical_or<>{});
    EXPECT_EQ(elements_of(y), any);
    EXPECT_EQ(am::reduce(x, false, std::not_equal_to<>{}), std::accumulate(a.begin(), a.end(), false, std::not_equal_to<>{}));
    const bits pattern = made(d, 3, 4);
    const auto at = std::search(a.begin(), a.end(), pattern.begin(), pattern.end());
    EXPECT_EQ(am::search(x, pattern), at == a.end() ? am::npos : std::size_t(at - a.begin()));
    am::copy(x, y);
    am::shuffle(y, 3);
    EXPECT(am::is_permutation(x, y));
    const std::size_t middle = d.below(n + 1);
    am::rotate(x, middle);
    bits turned = a;
    std::rotate(turned.begin(), turned.begin() + std::ptrdiff_t(middle), turned.end());
    EXPECT_EQ(elements_of(x), turned);
  });
}
