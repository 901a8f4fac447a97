// SPDX-License-Identifier: Apache-2.0
// Views of rows and of what rows have, against the same loops over a std::vector.
#include <numeric>
#include <string>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

namespace v = am::views;
using numbers = std::vector<int>;
constexpr auto sum = [](const auto& row) { return std::accumulate(row.begin(), row.end(), 0); };

/// `length(i)` times i for each i.
template <class T>
am::vector<std::vector<T>> rows_of(std::size_t n, const am::distribution& d, auto length) {
  am::vector<std::vector<T>> all(n, d);
  for (std::size_t k = 0; k < all.local().size(); ++k) {
    const std::size_t i = all.index_of_local(k);
    all.local()[k].assign(length(i), T(i));
  }
  all.members().barrier();
  return all;
}

}  // namespace

// Elements on any rank, of every view that has indices.
RANK_TEST(an_element_of_a_view_is_read_by_its_index) {
  namespace v = am::views;
  am::vector<int> x(100), y(100, am::cyclic(3));
  am::vector<std::string> texts(20);
  am::for_each_index(x, [](std::size_t i, int& e) { e = int(i); });
  am::for_each_index(y, [](std::size_t i, int& e) { e = -int(i); });
  am::for_each_index(texts, [](std::size_t i, std::string& e) { e = std::to_string(i); });
  const auto squares = x | v::transform([](int e) { return e * e; });
  const auto pairs = v::zip(std::as_const(x), y);
  for (const std::size_t i : {0, 7, 49}) {
    const int n = int(i);
    EXPECT_EQ(v::all(y)[i], -n);
    EXPECT_EQ(squares[i], n * n);
    EXPECT_EQ(v::slice(x, 10, 60)[i], n + 10);
    EXPECT_EQ(v::stride(y, 2)[i], -2 * n);
    EXPECT_EQ(v::reverse(x)[i], 99 - n);
    EXPECT_EQ((x | v::drop(5) | v::reverse() | v::stride(2))[i % 40], 99 - 2 * (n % 40));
    EXPECT(pairs[i] == std::tuple(n, -n));
    EXPECT(v::enumerate(y)[i] == std::tuple(i, -n));
    EXPECT_EQ(v::iota(3, 100)[i], n + 3);
    EXPECT_EQ((texts | v::reverse())[i % 20], std::to_string(19 - n % 20));
  }
  am::matrix<int> m({8, 5}, am::grid());
  am::copy(v::iota(0, 40), m);
  for (const std::size_t i : {0, 3, 7}) EXPECT_EQ(v::column(m, 2)[i], int(5 * i) + 2);
  EXPECT_EQ(v::block(m, {1, 1}, {4, 4})[4], 12);
  EXPECT_THROWS_SAYING(am::usage_error, "give an index from 0 to 49", v::slice(x, 10, 60)[50]);
  EXPECT_THROWS(am::usage_error, v::take(x, 0)[0]);
  const auto has_index = [](const auto& view) { return requires { view[0]; }; };
  EXPECT(has_index(v::take(x, 5)) && !has_index(v::chunk(x, 10)) && !has_index(x | v::filter([](int) { return true; })));
  am::barrier();
}

RANK_TEST(chunk_gives_rows_that_do_not_overlap) {
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), width = 1 + d.below(9);
    const numbers a = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    const auto rows = x | v::chunk(width);
    numbers expected, turned(n);
    for (std::size_t i = 0; i < n; i += width) {
      const std::size_t end = std::min(n, i + width);
      expected.push_back(std::accumulate(a.begin() + long(i), a.begin() + long(end), 0));
      for (std::size_t k = i; k < end; ++k) turned[k] = a[i + end - 1 - k];
    }
    EXPECT_EQ(rows.size(), expected.size());
    am::vector<int> sums(rows.size(), d.distribution(rows.size(), t));
    am::transform(rows, sums, sum);
    EXPECT_EQ(elements_of(sums), expected);
    EXPECT_EQ(elements_of(v::transform(std::as_const(x) | v::chunk(width), sum)), expected);
    EXPECT_EQ(elements_of(x | v::transform([](int e) { return 2 * e; }) | v::chunk(width) |
                          v::transform([](const auto& row) { return sum(row) / 2; })),
              expected);
    am::for_each(rows, [](std::span<int> row) { std::ranges::reverse(row); });
    EXPECT_EQ(elements_of(x), turned);
  });
}

RANK_TEST(slide_gives_all_rows_of_a_length) {
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), width = 1 + d.below(9);
    const numbers a = d.numbers(n);
    const auto x = spread(a, d.distribution(n, t));
    numbers expected;
    for (std::size_t i = 0; i + width <= n; ++i)
      expected.push_back(std::accumulate(a.begin() + long(i), a.begin() + long(i + width), 0));
    const auto rows = x | v::slide(width);
    EXPECT_EQ(rows.size(), expected.size());
    EXPECT_EQ(elements_of(rows | v::transform(sum)), expected);
    EXPECT_EQ(am::transform_reduce(rows, 0, std::plus<>{}, sum), std::accumulate(expected.begin(), expected.end(), 0));
    am::vector<int> sums(rows.size(), d.distribution(rows.size(), t));
    am::for_each(v::zip(sums, rows), [](int& s, std::span<const int> row) { s = sum(row); });
    EXPECT_EQ(elements_of(sums), expected);
  });
}

RANK_TEST(rows_have_one_element_or_more) {
  am::vector<int> x(10);
  EXPECT_THROWS_SAYING(am::usage_error, "views::chunk: rows of 0 elements; give 1 or more", x | v::chunk(0));
  EXPECT_THROWS_SAYING(am::usage_error, "views::slide: rows of 0 elements", v::slide(x, 0));
  am::barrier();
}

RANK_TEST(texts_are_chunked_too) {
  am::vector<std::string> x(11, am::cyclic());
  am::for_each_index(x, [](std::size_t i, std::string& e) { e = std::to_string(i % 10); });
  am::for_each(x | v::chunk(4), [](std::span<std::string> row) { std::ranges::reverse(row); });
  const auto joined = [](std::span<const std::string> row) { return std::accumulate(row.begin(), row.end(), std::string()); };
  EXPECT_EQ(elements_of(x | v::chunk(3) | v::transform(joined)), (std::vector<std::string>{"321", "076", "540", "98"}));
}

RANK_TEST(flatten_gives_the_elements_of_the_elements) {
  for_random_teams(8, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const auto length = [](std::size_t i) { return i % 4 == 1 ? 0 : i % 5; };
    auto x = rows_of<long>(n, d.distribution(n, t), length);
    std::vector<long> all;
    for (std::size_t i = 0; i < n; ++i) all.insert(all.end(), length(i), long(i));
    EXPECT_EQ(elements_of(x | v::flatten()), all);
    EXPECT_EQ(am::reduce(x | v::flatten()), std::accumulate(all.begin(), all.end(), 0L));
    EXPECT_EQ(am::count_if(v::flatten(x), [](long e) { return e % 2 == 0; }),
              std::size_t(std::ranges::count_if(all, [](long e) { return e % 2 == 0; })));
    EXPECT_EQ(
        am::fold_left(v::flatten(x), std::string("<"), [](std::string s, long e) { return s + std::to_string(e); }),
        std::accumulate(all.begin(), all.end(), std::string("<"), [](std::string s, long e) { return s + std::to_string(e); }));
    am::vector<long> out(all.size() + 3, -1, d.distribution(all.size() + 3, t));
    EXPECT_EQ(am::copy(v::flatten(x), out), all.size());
    EXPECT_EQ(elements_of(v::take(out, all.size())), all);
    am::for_each(x | v::flatten() | v::filter([](long e) { return e > 3; }), [](long& e) { e = 3; });
    for (long& e : all) e = std::min(e, 3L);
    EXPECT_EQ(
        elements_of(x | v::flatten() | v::transform([](long e) { return 2 * e; }) | v::transform([](long e) { return e / 2; })),
        all);
  });
}

RANK_TEST(flatten_undoes_chunk) {
  for_random_teams(4, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    EXPECT_EQ(elements_of(x | v::chunk(1 + d.below(7)) | v::flatten()), a);
    am::for_each(x | v::chunk(1 + d.below(7)) | v::flatten(), [](int& e) { ++e; });
    EXPECT_EQ(am::reduce(x), std::accumulate(a.begin(), a.end(), int(n)));
  });
}

RANK_TEST(an_error_names_the_row) {
  auto x = rows_of<int>(20, am::cyclic(), [](std::size_t i) { return i; });
  EXPECT_THROWS_SAYING(am::remote_error, "element 7: seven", am::for_each(x | v::flatten(), [](int e) {
                         if (e == 7) throw std::domain_error("seven");
                       }));
}

RANK_TEST(a_filtered_range_is_copied_without_what_is_filtered_out) {
  am::vector<int> x(100), even(60, -1, am::cyclic());
  am::iota(x, 0);
  EXPECT_EQ(am::copy(x | v::filter([](int e) { return e % 2 == 0; }), even), 50U);
  EXPECT_EQ(am::reduce(v::take(even, 50)), 49 * 50);
  EXPECT_EQ(am::count(even, -1), 10U);
  am::vector<int> few(3);
  EXPECT_THROWS_SAYING(am::usage_error, "copy: 50 elements for a range of 3",
                       am::copy(x | v::filter([](int e) { return e % 2 == 0; }), few));
}

RANK_TEST(zip_transform_makes_one_element_of_several) {
  for_random_teams(5, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), m = d.size();
    const std::vector<int> a = d.numbers(n), b = d.numbers(m);
    auto x = spread(a, d.distribution(n, t));
    const auto y = spread(b, d.distribution(m, t));
    const auto differences = am::views::zip_transform(std::minus<>{}, x, y);
    const auto sums = am::views::zip_transform([](int p, int q, std::size_t i) { return p + q + int(i); },
                                               x | am::views::reverse(), y, am::views::iota(std::size_t{0}, n + m));
    static_assert(!decltype(differences)::writable);
    EXPECT_EQ(differences.size(), std::min(n, m));
    const auto all = am::everything(differences), all_sums = am::everything(sums);
    for (std::size_t i = 0; i < std::min(n, m); ++i) {
      EXPECT_EQ(all[i], a[i] - b[i]);
      EXPECT_EQ(all_sums[i], a[n - 1 - i] + b[i] + int(i));
    }
    t.barrier();
    am::fill(x, 1);  // the view looks at the elements when it is looked at
    EXPECT_EQ(am::reduce(differences),
              std::accumulate(b.begin(), b.begin() + std::ptrdiff_t(std::min(n, m)), 0, [](int s, int e) { return s + 1 - e; }));
  });
}

RANK_TEST(keys_and_values_are_the_parts_of_pairs) {
  am::vector<std::pair<int, double>> x(50, am::cyclic(3));
  am::for_each_index(x, [](std::size_t i, auto& e) { e = {int(i), double(i) / 2}; });
  EXPECT_EQ(am::reduce(x | v::keys()), 49 * 25);
  EXPECT_EQ(am::reduce(v::values(x)), 49 * 12.5);
  am::fill(v::values(x), 1.0);
  EXPECT_EQ(am::reduce(v::values(std::as_const(x))), 50.0);
  am::vector<int> a(50), b(50, 2);
  am::iota(a, 0);
  EXPECT_EQ(am::reduce(v::keys(v::zip(a, b))), 49 * 25);
  am::fill(v::zip(std::as_const(a), b) | v::values(), 3);
  EXPECT_EQ(am::reduce(b), 150);
  EXPECT_EQ(am::reduce(v::keys(x | v::transform([](const auto& e) { return std::pair(e.first * 2, 0); }))), 49 * 50);
}

RANK_TEST(algorithms_take_containers_with_keys) {
  am::unordered_map<int, long> square;
  am::map<std::string, int> names;
  am::unordered_set<int> odd;
  am::unordered_multimap<int, int> many;
  for (int i = am::rank(); i < 500; i += am::ranks()) {
    square.insert(i, long(i) * i);
    names.insert(std::to_string(1000 + i), i);
    many.insert(i / 2, i);
    if (i % 2 == 1) odd.insert(i);
  }
  am::fence();
  EXPECT_EQ(am::reduce(v::keys(square)), 499 * 250);
  EXPECT_EQ(am::reduce(square | v::values()), 499L * 500 * 999 / 6);
  am::for_each(square, [](auto& e) { e.second = e.first; });
  EXPECT_EQ(am::reduce(v::values(square)), 499L * 250);
  EXPECT_EQ(am::count_if(odd, [](int e) { return e < 100; }), 50U);
  EXPECT_EQ(am::reduce(v::values(many)), 499 * 250);
  EXPECT_EQ(am::fold_left(v::values(names), 0, [](int last, int e) { return e == last ? e + 1 : -1000; }), 500);
  const auto all = am::everything(names);
  EXPECT_EQ(all.size(), 500U);
  EXPECT_EQ(all.front(), std::pair(std::string("1000"), 0));
  am::array<int> into(500);
  EXPECT_EQ(am::copy(v::keys(square) | v::filter([](int key) { return key % 5 == 0; }), into), 100U);
  EXPECT_EQ(am::reduce(v::take(into, 100)), 99 * 250);
  EXPECT_EQ(am::top_k(square, 1).front().first, 499);
  am::barrier();
}

RANK_TEST(neighbours_are_the_rows_of_a_graph) {
  std::vector<am::weighted_edge<int>> mine;  // a ring, and all to the last
  const std::size_t n = 60;
  for (auto i = std::size_t(am::rank()); i < n; i += std::size_t(am::ranks())) {
    mine.push_back({i, (i + 1) % n, int(i)});
    if (i + 1 < n) mine.push_back({i, n - 1, 0});
  }
  const am::graph<void, int> g(n, mine, {.in_edges = true});
  const auto rows = v::neighbours(g);
  EXPECT_EQ(rows.size(), n);
  EXPECT_EQ(am::transform_reduce(rows, 0, std::plus<>{}, [](const auto& row) { return int(row.size()); }), int(g.edges()));
  am::array<int> into(n, am::like(g));
  am::transform(v::in_neighbours(g), into, [](const auto& row) { return int(row.size()); });
  EXPECT_EQ(int(into[n - 1]), int(n - 1));
  EXPECT_EQ(int(into[0]), 1);
  std::vector<am::vertex_id> all;
  for (std::size_t u = 0; u < n; ++u)
    for (const am::vertex_id w : g.fetch_neighbours(u)) all.push_back(w);
  EXPECT_EQ(am::everything(rows | v::flatten()), all);
  am::array<int> dealt(n, am::cyclic());
  am::for_each(v::zip(dealt, rows), [](int& e, std::span<const am::vertex_id> row) { e = int(row.back()); });
  EXPECT_EQ(am::count(dealt, int(n - 1)), n - 1);
  const am::graph<> one_way(n, mine);
  EXPECT_THROWS_SAYING(am::usage_error, "the graph has no rows of the edges", v::in_neighbours(one_way));
  am::barrier();
}
