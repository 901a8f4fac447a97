// SPDX-License-Identifier: Apache-2.0
// Containers and algorithms over elements that are no plain bytes: texts, and vectors of numbers.
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

#include "armilla/algorithm/ranges_test.hpp"
#include "armilla/unordered_map.hpp"

namespace am = armilla;
using namespace ranges_test;
using texts = std::vector<std::string>;

namespace {

texts random_texts(dice& d, std::size_t n) {
  texts all(n);
  for (std::string& s : all) s.assign(d.below(40), char('a' + d.below(4)));
  return all;
}

}  // namespace

RANK_TEST(an_element_is_read_and_written_wherever_it_lies) {
  am::vector<std::string> x(11, am::cyclic(2));
  for (std::size_t i = 0; i < 11; ++i)
    if (int(i) % am::ranks() == am::rank()) x[i] = std::string(30, char('a' + i));
  am::barrier();
  for (std::size_t i = 0; i < 11; ++i) {
    const std::string s = x[i];
    EXPECT_EQ(s, std::string(30, char('a' + i)));
    EXPECT_EQ(std::as_const(x)[i], s);
    EXPECT_EQ(x.get(i).get(), s);
  }
  am::barrier();
  if (am::rank() == am::ranks() - 1) x.set(3, "by a one-way call");
  am::fence();
  EXPECT_EQ(std::string(x[3]), "by a one-way call");
  EXPECT_THROWS_SAYING(am::usage_error, "index 11 is out of range", x.get(11));
  am::barrier();
}

RANK_TEST(a_vector_of_vectors_grows_and_is_dealt_anew) {
  am::vector<std::vector<int>> x(3);
  EXPECT(x.local().empty() || x.local()[0].empty());
  for (int k = 0; k <= am::rank(); ++k) x.push_back(std::vector<int>(std::size_t(k), am::rank()));
  am::fence();
  const std::size_t n = std::size_t(am::ranks());
  EXPECT_EQ(x.size(), 3 + n * (n + 1) / 2);
  const auto all = am::everything(x);
  am::barrier();
  x.rebalance();
  EXPECT(am::everything(x) == all);
  am::barrier();
  x.redistribute(am::cyclic());
  EXPECT(am::everything(x) == all);
  am::barrier();
  auto copy = x.clone();
  x.resize(2);
  EXPECT_EQ(x.size(), 2u);
  EXPECT(am::everything(copy) == all);
  am::barrier();
}

RANK_TEST(elementwise_algorithms_and_queries_do_what_the_standard_ones_do) {
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const texts a = random_texts(d, n);
    const am::vector<std::string> x = spread(a, d.distribution(n, t));
    am::vector<std::size_t> sizes(n, d.distribution(n, t));
    am::transform(x, sizes, &std::string::size);
    am::vector<std::string> y(n, d.distribution(n, t));
    am::copy(x, y);
    EXPECT(am::equal(x, y));
    am::for_each(y, [](std::string& s) { s += '!'; });
    const texts b = elements_of(y);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(b[i], a[i] + '!');
      EXPECT_EQ(std::size_t(sizes[i]), a[i].size());
    }
    const std::string wanted = n > 0 ? a[d.below(n)] : "";
    const auto at = std::find(a.begin(), a.end(), wanted);
    EXPECT_EQ(am::find(x, wanted), at == a.end() ? am::npos : std::size_t(at - a.begin()));
    EXPECT_EQ(am::count(x, wanted), std::size_t(std::count(a.begin(), a.end(), wanted)));
    if (n > 0) {
      EXPECT_EQ(am::max_element(x), std::size_t(std::max_element(a.begin(), a.end()) - a.begin()));
      EXPECT_EQ(am::fold_left(x, std::string(), std::plus<>{}), std::accumulate(a.begin(), a.end(), std::string()));
    }
    t.barrier();
  });
}

RANK_TEST(sorts_have_each_text_once_in_its_place) {
  for_random_teams(16, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    texts a = random_texts(d, n);
    am::vector<std::string> x = spread(a, d.distribution(n, t)), y = x.clone();
    am::sort(x);
    am::stable_sort(y, std::greater<>{}, &std::string::size);
    texts b = a;
    std::sort(a.begin(), a.end());
    std::stable_sort(b.begin(), b.end(), [](const std::string& p, const std::string& q) { return p.size() > q.size(); });
    EXPECT(elements_of(x) == a);
    EXPECT(elements_of(y) == b);
  });
}

RANK_TEST(a_comparator_that_throws_loses_no_text) {
  dice d(3);
  texts a = random_texts(d, 200);
  am::vector<std::string> x = spread(a, am::blocks());
  EXPECT_THROWS_SAYING(am::remote_error, "no order", am::sort(x, [](const std::string& p, const std::string& q) {
                         if (p.size() == 7) throw std::runtime_error("no order");
                         return p < q;
                       }));
  texts b = elements_of(x);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT(a == b);
}

RANK_TEST(compaction_and_moves_do_what_the_standard_ones_do) {
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    texts a = random_texts(d, n);
    am::vector<std::string> x = spread(a, d.distribution(n, t)), out(n, d.distribution(n, t));
    const auto is_long = [](const std::string& s) { return s.size() > 20; };
    const std::size_t kept = am::copy_if(x, out, is_long);
    texts b;
    std::copy_if(a.begin(), a.end(), std::back_inserter(b), is_long);
    EXPECT_EQ(kept, b.size());
    b.resize(n);
    EXPECT(elements_of(out) == b);
    am::reverse(x);
    std::reverse(a.begin(), a.end());
    EXPECT(elements_of(x) == a);
    const std::size_t first = n == 0 ? 0 : d.below(n);
    am::rotate(x, first);
    std::rotate(a.begin(), a.begin() + std::ptrdiff_t(first), a.end());
    EXPECT(elements_of(x) == a);
  });
}

RANK_TEST(scans_orders_and_merges_do_what_the_standard_ones_do) {
  for_random_teams(8, [](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.below(60), m = d.below(60);
    texts a = random_texts(d, n), b = random_texts(d, m), c(n), all(n + m);
    am::vector<std::string> x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(m, t)),
                            sums(n, d.distribution(n, t)), merged(n + m, d.distribution(n + m, t));
    am::inclusive_scan(x, sums);
    std::partial_sum(a.begin(), a.end(), c.begin());
    EXPECT(elements_of(sums) == c);
    const std::size_t nth = d.below(n);
    am::nth_element(x, nth);
    std::sort(a.begin(), a.end());
    EXPECT_EQ(elements_of(x)[nth], a[nth]);
    am::vector<int> numbers(n, d.distribution(n, t));
    am::transform(x, numbers, [](const std::string& s) { return int(s.size()); });
    am::sort_by_key(x, numbers);
    EXPECT(elements_of(x) == a);
    const std::vector<int> sizes = elements_of(numbers);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(std::size_t(sizes[i]), a[i].size());
    am::sort(y);
    std::sort(b.begin(), b.end());
    am::merge(x, y, merged);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
    EXPECT(elements_of(merged) == all);
    const std::size_t common = am::set_union(x, y, merged);
    all.erase(std::set_union(a.begin(), a.end(), b.begin(), b.end(), all.begin()), all.end());
    EXPECT_EQ(common, all.size());
    EXPECT(am::everything(am::views::take(merged, common)) == all);
    t.barrier();
  });
}

RANK_TEST(lists_of_indices_are_gathered_and_scattered) {
  dice d(9);
  const texts a = random_texts(d, 50);
  am::vector<std::string> x = spread(a, am::cyclic(3));
  const std::vector<std::size_t> indices{49, 0, 7, 7, 23};
  EXPECT(am::gather(x, indices) == (texts{a[49], a[0], a[7], a[7], a[23]}));
  am::barrier();
  const std::size_t mine = std::size_t(am::rank());
  am::scatter(x, std::vector<std::size_t>{mine, 20 + mine}, texts{"first", "second"});
  am::fence();
  for (std::size_t r = 0; r < std::size_t(am::ranks()); ++r) {
    EXPECT_EQ(std::string(x[r]), "first");
    EXPECT_EQ(std::string(x[20 + r]), "second");
  }
  am::barrier();
}

RANK_TEST(containers_come_and_go_while_others_still_copy) {
  dice d(5);
  const texts a = random_texts(d, 60);
  for (int round = 0; round < 20; ++round) {
    am::vector<std::string> y(60, am::cyclic());
    {
      const am::vector<std::string> x = spread(a, am::blocks());
      am::copy(am::nowait, x, y);
    }
    am::barrier();
    EXPECT(elements_of(y) == a);
  }
}

RANK_TEST(a_file_holds_the_elements_of_a_container_in_their_order) {
  const std::string path = "/tmp/armilla_texts_test." + std::to_string(am::broadcast(int(::getpid())));
  const auto lines = [&path] {
    texts mine;
    for (const std::string_view line : am::read_lines(path).local()) mine.emplace_back(line);
    return am::all_gather_v(mine);
  };
  const auto is_word = [](const std::string& s) { return !s.empty() && s.find_first_of(" \t\r\n\v\f") == s.npos; };
  dice d(21);
  for (int round = 0; round < 10; ++round) {
    const texts a = random_texts(d, d.size());
    am::vector<std::string> x = spread(a, d.distribution(a.size(), am::world()));
    am::write_lines(path, x);
    EXPECT(lines() == a);
    am::write_lines(path, x | am::views::reverse());
    EXPECT(lines() == texts(a.rbegin(), a.rend()));
    const auto is_long = [](const std::string& s) { return s.size() > 20; };
    am::write_lines(path, x | am::views::filter(is_long));
    texts some;
    std::ranges::copy_if(a, std::back_inserter(some), is_long);
    EXPECT(lines() == some);

    am::write_words(path, x | am::views::filter(is_word));
    texts words, read;
    std::ranges::copy_if(a, std::back_inserter(words), is_word);
    for (const std::string_view word : am::read_words(path).local()) read.emplace_back(word);
    EXPECT(am::all_gather_v(read) == words);

    const std::vector<int> numbers = d.numbers(d.size());
    am::vector<int> y = spread(numbers, d.distribution(numbers.size(), am::world()));
    am::write_binary(path, y);
    std::vector<int> mine;
    for (int e : am::read_binary<int>(path).local()) mine.push_back(e);
    EXPECT(am::all_gather_v(mine) == numbers);
    am::write_lines(path, y | am::views::transform([](int e) { return std::to_string(e); }));
    EXPECT_EQ(lines().size(), numbers.size());
  }
  am::barrier();
  if (am::rank() == 0) std::remove(path.c_str());
}

RANK_TEST(records_and_edges_are_read_as_they_were_written) {
  const std::string path = "/tmp/armilla_texts_test." + std::to_string(am::broadcast(int(::getpid())));
  using record = std::tuple<std::string, int, double>;
  std::vector<record> a;
  for (const char* text : {"plain", "", "with; separator", "\"quoted\"", "of two\nlines", "comma, only"})
    a.emplace_back(text, int(a.size()) - 3, 1.0 / double(a.size() + 1));
  am::vector<record> x = spread(a, am::cyclic());
  am::write_csv(path, x, ';');
  std::vector<record> mine;
  for (const auto& [text, number, real] : am::read_csv<std::string, int, double>(path, {.separator = ';'}).local())
    mine.emplace_back(text, number, real);
  EXPECT(am::all_gather_v(mine) == a);
  const std::vector<am::weighted_edge<double>> edges{{0, 7, 0.1}, {3, 3, -2.0}, {1'000'000'000'000, 1, 1e-300}};
  const am::vector<am::weighted_edge<double>> y = spread(edges, am::blocks());
  am::write_edges(path, y);
  std::vector<double> weights;
  std::vector<std::uint64_t> ends;
  for (const auto e : am::read_edges<double>(path).local()) {
    ends.push_back(e.from);
    ends.push_back(e.to);
    weights.push_back(e.weight);
  }
  EXPECT_EQ(am::all_gather_v(weights), (std::vector<double>{0.1, -2.0, 1e-300}));
  EXPECT_EQ(am::all_gather_v(ends), (std::vector<std::uint64_t>{0, 7, 3, 3, 1'000'000'000'000, 1}));
  am::barrier();
  if (am::rank() == 0) std::remove(path.c_str());
}

RANK_TEST(rows_and_lines_are_written_with_a_header_in_the_order_of_the_indices) {
  struct row {
    std::string town;
    std::optional<double> price;
  };
  const std::string path = "/tmp/armilla_texts_test." + std::to_string(am::broadcast(int(::getpid())));
  std::vector<row> a;
  for (int i = 0; i < 50; ++i) a.push_back({std::to_string(i), i % 3 == 0 ? std::optional<double>() : i + 0.5});
  for (const am::distribution& d : {am::blocks(), am::cyclic(2)}) {
    const am::vector<row> x = spread(a, d);
    am::write_csv(path, x, {.header = true, .separator = ';', .decimal = ','});
    std::vector<std::string> lines, expected = {"town;price"};
    for (const std::string_view line : am::read_lines(path).local()) lines.emplace_back(line);
    for (int i = 0; i < 50; ++i) expected.push_back(std::to_string(i) + ";" + (i % 3 == 0 ? "" : std::to_string(i) + ",5"));
    EXPECT_EQ(am::all_gather_v(lines), expected);
    am::write_lines(path, "# towns", x | am::views::transform([](const row& r) { return r.town; }));
    lines.clear(), expected = {"# towns"};
    for (const std::string_view line : am::read_lines(path).local()) lines.emplace_back(line);
    for (const row& r : a) expected.push_back(r.town);
    EXPECT_EQ(am::all_gather_v(lines), expected);
  }
  am::barrier();
  if (am::rank() == 0) std::remove(path.c_str());
}

RANK_TEST(a_sparse_matrix_is_read_as_it_was_written) {
  const std::string path = "/tmp/armilla_texts_test." + std::to_string(am::broadcast(int(::getpid())));
  std::vector<am::matrix_entry<double>> entries;
  for (std::size_t i = 0; i < 200; ++i) entries.push_back({i * 37 % 61, i * 53 % 61, 1.0 / double(i + 1)});
  const am::sparse_matrix<double> m(61, 61, am::rank() == 0 ? entries : decltype(entries){});
  am::write_matrix_market(path, m);
  const am::sparse_matrix<double> read = am::read_matrix_market(path);
  const auto all = [](const am::sparse_matrix<double>& of) {
    std::vector<std::tuple<std::size_t, std::size_t, double>> mine;
    of.for_each_entry([&](std::size_t row, std::size_t column, double value) { mine.emplace_back(row, column, value); });
    auto sorted = am::all_gather_v(mine);
    std::ranges::sort(sorted);
    return sorted;
  };
  EXPECT_EQ(read.non_zeros(), m.non_zeros());
  EXPECT(all(read) == all(m));
  double sum = 0, expected = 0;
  for (const auto& [row, column, value] : all(m)) sum += value * double(row * 61 + column);
  for (const auto& e : entries) expected += e.value * double(e.row * 61 + e.column);
  EXPECT(std::abs(sum - expected) < 1e-9 * expected);
  am::barrier();
  if (am::rank() == 0) std::remove(path.c_str());
}

RANK_TEST(what_throws_while_a_file_is_made_leaves_the_file_alone) {
  const std::string path = "/tmp/armilla_texts_test." + std::to_string(am::broadcast(int(::getpid())));
  am::write_lines(path, am::rank() == 0 ? texts{"before"} : texts{});
  am::vector<int> x(100);
  am::iota(x, 0);
  EXPECT_THROWS_SAYING(am::remote_error, "element 99: no text",
                       am::write_lines(path, x | am::views::transform([](int e) -> std::string {
                                               if (e == 99) throw std::domain_error("no text");
                                               return "";
                                             })));
  EXPECT_EQ(am::read_binary<char>(path).size(), 7U);
  am::barrier();
  if (am::rank() == 0) std::remove(path.c_str());
}

RANK_TEST(members_that_make_different_ones_are_told) {
  if (am::ranks() == 1) return;
  EXPECT_THROWS_SAYING(am::usage_error, "members make different containers here: rank 0 4 elements, rank 1 5 elements",
                       am::vector<std::string>(am::rank() == 0 ? 4 : 5));
}

RANK_TEST(what_leaves_in_a_round_keeps_to_the_limit) {
  using am::detail::next_to_leave;
  texts part{"one", "two", "three"};
  std::size_t next = 0;
  const auto all = part;
  EXPECT(next_to_leave(part, next, 1) == texts{"one"});
  EXPECT(next_to_leave(part, next, am::detail::encoded_size(all[1]) + am::detail::encoded_size(all[2])) ==
         (texts{"two", "three"}));
  EXPECT(next_to_leave(part, next, 1).empty());
  next = 0;
  texts whole = all;
  EXPECT(next_to_leave(whole, next, 1000) == all);
  EXPECT(next_to_leave(whole, next, 1000).empty());
  EXPECT_EQ(next, 3U);
}

RANK_TEST(texts_are_dealt_anew_in_rounds_of_any_size) {
  for (const std::size_t limit : {std::size_t(1), std::size_t(1000), std::size_t(100'000), std::size_t(0)}) {
    am::set_exchange_limit(am::rank() == 0 ? limit : 2 * limit);
    const std::size_t n = 600;
    am::array<std::string> x(n);
    am::for_each_index(x, [](std::size_t i, std::string& e) { e = std::string(i % 37, 'a') + std::to_string(i * 7919 % 100); });
    std::vector<std::string> expected = am::everything(x);
    am::barrier();
    am::stable_sort(x, {}, &std::string::size);
    std::ranges::stable_sort(expected, {}, &std::string::size);
    EXPECT(elements_of(x) == expected);
    std::vector<std::pair<std::string, int>> mine;
    for (int k = 0; k < 50; ++k) mine.emplace_back("key " + std::to_string(k), int(am::rank()));
    const std::size_t pairs = am::join(mine, mine).size();
    EXPECT_EQ(am::world().all_reduce(pairs, std::plus<>{}), 50U * std::size_t(am::ranks()) * std::size_t(am::ranks()));
  }
  am::set_exchange_limit(0);
}
