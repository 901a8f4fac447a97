// SPDX-License-Identifier: Apache-2.0
// Algorithms that keep some of the elements, against those of the standard.
#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

// Of 12 bytes: no processor compresses it.
struct triple {
  int a = 0, b = 0, c = 0;
  triple() = default;
  explicit triple(std::size_t i) : a(int(i)), b(int(i / 2)), c(-a) {}
  explicit operator std::size_t() const { return std::size_t(a); }
  bool operator==(const triple&) const = default;
};

// Elements of type T that begin at any place, into outputs whose parts end anywhere.
template <class T>
void compact_many() {
  for_random_teams(4, [](dice& d, const am::team& t) {
    const std::size_t n = d.below(2) == 0 ? d.below(200) : 20'000 + d.below(5000);
    const std::size_t rate = 1 + d.below(9);
    std::vector<T> a(n), yes, no, once;
    for (T& e : a) e = T(d.below(12));
    const auto wanted = [&](const T& e) { return std::size_t(e) <= rate; };
    for (const T& e : a) (wanted(e) ? yes : no).push_back(e);
    std::ranges::unique_copy(a, std::back_inserter(once));
    const std::vector<T> untouched(n, T(99));
    const auto x = spread(a, am::on(t, am::blocks(d.sizes(n, t.size()))));
    auto y = spread(untouched, d.distribution(n, t)), z = spread(untouched, d.distribution(n, t));
    const auto begins_with = [&](const am::vector<T>& out, std::vector<T> expected) {
      expected.resize(n, T(99));
      EXPECT(elements_of(out) == expected);
    };
    EXPECT_EQ(am::partition_copy(x, y, z, wanted), std::pair(yes.size(), no.size()));
    begins_with(y, yes);
    begins_with(z, no);
    auto u = spread(untouched, d.distribution(n, t));
    EXPECT_EQ(am::unique_copy(x, u), once.size());
    begins_with(u, once);
    auto v = spread(untouched, am::on(t));
    EXPECT_EQ(am::copy_if(x, v, wanted), yes.size());
    begins_with(v, yes);
  });
}

// The loop that writes what is selected, on its own: any number of words, at any place of a line, in caches and past them.
template <class Word>
void compress_words(dice& d) {
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = d.below(3) == 0 ? d.below(70) : d.below(3000), at = d.below(64), rate = d.below(11);
    std::vector<Word> from(n), to(at + n + 64), expected(to);
    std::vector<std::uint64_t> bits(n / 64 + 1);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n; ++k) {
      from[k] = Word(d.below(60'000));
      if (d.below(10) >= rate) continue;
      bits[k / 64] |= std::uint64_t{1} << k % 64;
      expected[at + kept++] = from[k];
    }
    for (const bool past_caches : {false, true}) {
      std::ranges::fill(to, Word{});
      am::detail::compress(from.data(), n, bits.data(), to.data() + at, kept, past_caches);
      EXPECT(to == expected);
    }
  }
}

bool odd(int e) { return e % 2 != 0; }

// The first elements of x, and those behind them as they were before.
void expect_begins_with(const am::vector<int>& x, const numbers& first, const numbers& before) {
  numbers expected = before;
  std::ranges::copy(first, expected.begin());
  EXPECT_EQ(elements_of(x), expected);
}

numbers kept_of(const numbers& a, auto predicate) {
  numbers kept;
  std::ranges::copy_if(a, std::back_inserter(kept), predicate);
  return kept;
}

}  // namespace

RANK_TEST(selected_words_stand_one_behind_the_other_and_nothing_else_is_written) {
  dice d(am::rank());
  compress_words<std::uint16_t>(d);
  compress_words<std::uint32_t>(d);
  compress_words<std::uint64_t>(d);
}

// More than caches hold: whole lines go past them, and the borders between ranks lie within lines.
RANK_TEST(many_elements_are_compacted_past_the_caches) {
  if (am::ranks() > 2) return;
  const std::size_t n = 2 * am::detail::more_than_caches / sizeof(int) + 7;
  am::vector<int> x(n), y(n), z(n);
  const auto every_third = [](int e) { return e % 3 == 0; };
  am::for_each_index(x, [](std::size_t i, int& e) { e = int(i); });
  const std::size_t third = (n + 2) / 3;
  EXPECT_EQ(am::copy_if(x, y, every_third), third);
  const auto wrong = [](const am::vector<int>& a, std::size_t written, auto expected) {
    std::size_t found = 0;
    for (std::size_t k = 0; k < a.local().size(); ++k)
      if (const std::size_t i = a.index_of_local(k); a.local()[k] != (i < written ? int(expected(i)) : 0)) ++found;
    return found;
  };
  EXPECT_EQ(wrong(y, third, [](std::size_t i) { return 3 * i; }), 0U);
  am::fill(y, 0);
  EXPECT_EQ(am::partition_copy(x, y, z, every_third), std::pair(third, n - third));
  EXPECT_EQ(wrong(y, third, [](std::size_t i) { return 3 * i; }), 0U);
  EXPECT_EQ(wrong(z, n - third, [](std::size_t i) { return i / 2 * 3 + i % 2 + 1; }), 0U);
}

RANK_TEST(what_is_kept_is_copied_in_order) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n, 3), b = d.numbers(n);
    const auto x = spread(a, d.distribution(n, t));
    const auto into = [&](auto algorithm, const numbers& expected) {
      auto z = spread(b, d.distribution(n, t));
      EXPECT_EQ(algorithm(z), expected.size());
      expect_begins_with(z, expected, b);
    };
    into([&](auto& z) { return am::copy_if(x, z, odd); }, kept_of(a, odd));
    into([&](auto& z) { return am::copy_if(x | am::views::filter([](int e) { return e > 0; }), z, odd); },
         kept_of(a, [](int e) { return e > 0 && odd(e); }));
    into([&](auto& z) { return am::remove_copy_if(x, z, odd); }, kept_of(a, std::not_fn(odd)));
    into([&](auto& z) { return am::remove_copy(x, z, 1); }, kept_of(a, [](int e) { return e != 1; }));
    numbers once;
    std::ranges::unique_copy(a, std::back_inserter(once));
    into([&](auto& z) { return am::unique_copy(x, z); }, once);
    EXPECT_EQ(elements_of(am::pack(x, odd)), kept_where_they_are(x, a, odd));
    std::vector<std::size_t> where;
    for (std::size_t i = 0; i < n; ++i)
      if (odd(a[i])) where.push_back(i);
    EXPECT_EQ(elements_of(am::pack_index(x, odd)), where);
  });
}

RANK_TEST(a_vector_shrinks_to_what_stays_and_a_view_begins_with_it) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n, 3);
    const auto with = [&](auto algorithm, auto by_standard) {
      auto x = spread(a, d.distribution(n, t));
      numbers expected = a;
      expected.erase(by_standard(expected), expected.end());
      EXPECT_EQ(algorithm(x), expected.size());
      EXPECT_EQ(x.size(), expected.size());
      EXPECT_EQ(elements_of(x), expected);
    };
    with([](auto& x) { return am::remove_if(x, odd); }, [](auto& e) { return std::remove_if(e.begin(), e.end(), odd); });
    with([](auto& x) { return am::remove(x, 1); }, [](auto& e) { return std::remove(e.begin(), e.end(), 1); });
    with([](auto& x) { return am::unique(x); }, [](auto& e) { return std::unique(e.begin(), e.end()); });
    auto x = spread(a, d.distribution(n, t));
    const std::size_t from = d.below(n);
    const numbers part(a.begin() + std::ptrdiff_t(from), a.end());
    EXPECT_EQ(am::remove_if(am::views::drop(x, from), odd), kept_of(part, std::not_fn(odd)).size());
    numbers expected = a;
    std::ranges::copy(kept_of(part, std::not_fn(odd)), expected.begin() + std::ptrdiff_t(from));
    EXPECT_EQ(elements_of(x), expected);
  });
}

RANK_TEST(partitions_are_stable_and_a_point_is_found) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n);
    numbers expected = a;
    const std::size_t yes = std::size_t(std::stable_partition(expected.begin(), expected.end(), odd) - expected.begin());
    auto x = spread(a, d.distribution(n, t)), y = spread(a, d.distribution(n, t)), z = y.like();
    EXPECT_EQ(am::partition_copy(x, y, z, odd), std::pair(yes, n - yes));
    EXPECT_EQ(elements_of(am::views::take(y, yes)), kept_of(a, odd));
    EXPECT_EQ(elements_of(am::views::take(z, n - yes)), kept_of(a, std::not_fn(odd)));
    EXPECT_EQ(am::partition(x, odd), yes);
    EXPECT_EQ(elements_of(x), expected);
    EXPECT(am::is_partitioned(x, odd));
    EXPECT_EQ(am::partition_point(x, odd), yes);
  });
}

RANK_TEST(what_does_not_fit_and_what_throws_leaves_everything_as_it_is) {
  numbers a(100);
  std::iota(a.begin(), a.end(), 0);
  auto x = spread(a, am::blocks());
  am::vector<int> small(10, -1);
  EXPECT_THROWS(am::usage_error, am::copy_if(x, small, odd));
  const auto thrower = [](int e) {
    if (e == 77) throw std::domain_error("this one");
    return e < 5;
  };
  EXPECT_THROWS_SAYING(am::remote_error, "element 77: this one", am::copy_if(x, small, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "this one", am::remove_if(x, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "this one", am::partition(x, thrower));
  EXPECT_EQ(elements_of(x), a);
  EXPECT_EQ(elements_of(small), numbers(10, -1));
}

RANK_TEST(elements_of_each_width_go_to_their_places_and_none_beside_them) {
  compact_many<unsigned char>();
  compact_many<std::uint16_t>();
  compact_many<float>();
  compact_many<double>();
  compact_many<triple>();
}

namespace {

struct pair {
  int key = 0, at = 0;
  bool operator==(const pair&) const = default;
};

std::vector<pair> pairs_of(dice& d, std::size_t n, bool sorted) {
  std::vector<pair> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {int(d.below(6)), int(i)};
  if (sorted) std::ranges::stable_sort(all, {}, &pair::key);
  return all;
}

}  // namespace

RANK_TEST(two_way_calls_ask_about_what_a_projection_gives) {
  for_random_teams(8, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const std::vector<pair> a = pairs_of(d, n, d.below(2) == 0);
    numbers keys(n);
    std::ranges::transform(a, keys.begin(), &pair::key);
    if (n > 0 && d.below(2) == 0) keys[d.below(n)] += 1;
    const auto x = spread(a, d.distribution(n, t));
    const auto y = spread(keys, d.distribution(n, t));
    const auto key = &pair::key;
    const auto big = [](int e) { return e > 3; };
    const auto index = [&](auto found) { return found == a.end() ? am::npos : std::size_t(found - a.begin()); };
    EXPECT_EQ(am::find_if(x, big, key), index(std::ranges::find_if(a, big, key)));
    EXPECT_EQ(am::find_if_not(x, big, key), index(std::ranges::find_if_not(a, big, key)));
    const auto back = std::ranges::find(a.rbegin(), a.rend(), 3, key);
    EXPECT_EQ(am::find_last(x, 3, key), back == a.rend() ? am::npos : std::size_t(a.rend() - back) - 1);
    EXPECT_EQ(am::find_last_if(x, [](int e) { return e == 3; }, key), am::find_last(x, 3, key));
    EXPECT_EQ(am::contains(x, 5, key), std::ranges::find(a, 5, key) != a.end());
    EXPECT_EQ(am::all_of(x, big, key), std::ranges::all_of(a, big, key));
    EXPECT_EQ(am::any_of(x, big, key), std::ranges::any_of(a, big, key));
    EXPECT_EQ(am::none_of(x, big, key), std::ranges::none_of(a, big, key));
    EXPECT_EQ(am::count_if(x, big, key), std::size_t(std::ranges::count_if(a, big, key)));
    EXPECT_EQ(am::equal(x, y, {}, key), std::ranges::equal(a, keys, {}, key));
    EXPECT_EQ(am::mismatch(y, x, {}, {}, key), index(std::ranges::mismatch(a, keys, {}, key).in1));
    EXPECT_EQ(am::starts_with(x, am::views::take(y, n / 2), {}, key),
              std::ranges::equal(a.begin(), a.begin() + std::ptrdiff_t(n / 2), keys.begin(), keys.begin() + std::ptrdiff_t(n / 2),
                                 {}, key));
    EXPECT_EQ(am::ends_with(x, y, {}, key), am::equal(x, y, {}, key));
    EXPECT_EQ(am::lexicographical_compare(x, y, {}, key), std::ranges::lexicographical_compare(a, keys, {}, key));
    EXPECT_EQ(am::adjacent_find(x, {}, key), index(std::ranges::adjacent_find(a, {}, key)));
    EXPECT_EQ(am::is_partitioned(x, big, key), std::ranges::is_partitioned(a, big, key));
    const numbers some = d.numbers(2, 5);
    const auto wanted = spread(some, d.distribution(2, t));
    EXPECT_EQ(am::search(x, some, {}, key), index(std::ranges::search(a, some, {}, key).begin()));
    EXPECT_EQ(am::find_end(x, wanted, {}, key), index(std::ranges::find_end(a, some, {}, key).begin()));
    EXPECT_EQ(am::search_n(x, 2, 4, {}, key), index(std::ranges::search_n(a, 2, 4, {}, key).begin()));
    const auto first = index(std::ranges::find_first_of(a, some, {}, key));
    EXPECT_EQ(am::find_first_of(x, some, {}, key), first);
    EXPECT_EQ(am::find_first_of(x, wanted, {}, key), first);
    const int two[] = {some[0], some[1]};
    EXPECT_EQ(am::find_first_of(x, two, std::equal_to<>{}, key), first);
  });
}

RANK_TEST(what_is_kept_and_merged_goes_by_a_projection) {
  for_random_teams(8, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), m = d.size();
    const auto key = &pair::key;
    const auto odd_key = [](int e) { return odd(e); };
    const std::vector<pair> a = pairs_of(d, n, true), b = pairs_of(d, m, true);
    const auto x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(m, t));
    const auto expect_first = [](const am::vector<pair>& out, const std::vector<pair>& expected, std::size_t found) {
      EXPECT_EQ(found, expected.size());
      std::vector<pair> all = elements_of(out);
      all.resize(expected.size());
      EXPECT(all == expected);
    };
    std::vector<pair> yes, no, once;
    for (const pair& e : a) (odd(e.key) ? yes : no).push_back(e);
    std::ranges::unique_copy(a, std::back_inserter(once), {}, key);
    auto out = spread(std::vector<pair>(n + m), d.distribution(n + m, t));
    const auto check = [&](std::size_t found, const std::vector<pair>& expected) { expect_first(out, expected, found); };
    check(am::copy_if(x, out, odd_key, key), yes);
    check(am::remove_copy_if(x, out, odd_key, key), no);
    check(am::unique_copy(x, out, {}, key), once);
    std::vector<pair> others = a;
    std::erase_if(others, [](const pair& e) { return e.key == 2; });
    check(am::remove_copy(x, out, 2, key), others);
    auto z = x.clone();
    EXPECT_EQ(am::remove_if(z, odd_key, key), no.size());
    z = x.clone();
    EXPECT_EQ(am::remove(z, 2, key), others.size());
    z = x.clone();
    EXPECT_EQ(am::unique(z, {}, key), once.size());
    z = x.clone();
    EXPECT_EQ(am::partition(z, odd_key, key), yes.size());
    EXPECT_EQ(am::partition_point(z, odd_key, key), yes.size());
    auto rest = spread(std::vector<pair>(n), d.distribution(n, t));
    EXPECT_EQ(am::partition_copy(x, out, rest, odd_key, key), std::pair(yes.size(), no.size()));
    EXPECT(elements_of(am::pack(x, odd_key, key)) == kept_where_they_are(x, a, [&](const pair& e) { return odd_key(e.key); }));
    EXPECT_EQ(am::pack_index(x, odd_key, key).size(), yes.size());

    std::vector<pair> both;
    const auto standard = [&](auto operation) {
      both.clear();
      operation(a, b, std::back_inserter(both), std::ranges::less{}, key, key);
      return both;
    };
    am::merge(x, y, out, {}, key);
    check(n + m, standard(std::ranges::merge));
    check(am::set_union(x, y, out, {}, key), standard(std::ranges::set_union));
    check(am::set_intersection(x, y, out, {}, key), standard(std::ranges::set_intersection));
    check(am::set_difference(x, y, out, {}, key), standard(std::ranges::set_difference));
    check(am::set_symmetric_difference(x, y, out, {}, key), standard(std::ranges::set_symmetric_difference));
    EXPECT_EQ(am::includes(x, y, {}, key), std::ranges::includes(a, b, {}, key, key));
    std::vector<pair> joined = a;
    joined.insert(joined.end(), b.begin(), b.end());
    auto w = spread(joined, d.distribution(n + m, t));
    am::inplace_merge(w, n, {}, key);
    expect_first(w, standard(std::ranges::merge), n + m);
  });
}
