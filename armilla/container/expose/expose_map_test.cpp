// SPDX-License-Identifier: Apache-2.0
// A thread of rank 0 is an attached client of the job, while all ranks wait.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/expose_container.hpp"
#include "armilla/exposed_map.hpp"
#include "armilla/map.hpp"
#include "armilla/unordered_multimap.hpp"
#include "tests/client_thread.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::chrono_literals;
using rank_test::as_client;

namespace {

std::string word(int i) { return "word " + std::to_string(i); }

void insert_words(am::unordered_map<std::string, long>& words, int n) {
  for (int i = am::rank(); i < n; i += am::ranks()) words.insert(word(i), i);
  am::fence();
}

}  // namespace

RANK_TEST(keys_of_all_ranks_are_found) {
  am::unordered_map<std::string, long> words;
  insert_words(words, 500);
  const am::exposure shown = am::expose("words", words);
  as_client([](const am::client& job) {
    const am::exposed_map<std::string, long> seen(job, "words");
    EXPECT_EQ(seen.ranks().size(), std::size_t(job.ranks()));
    EXPECT_EQ(seen.size(), 500u);
    std::size_t sum = 0;
    for (const am::rank_t r : seen.ranks()) sum += seen.size(r);
    EXPECT_EQ(sum, 500u);
    for (int i = 0; i < 500; i += 7) EXPECT(seen.find(word(i)) == std::optional<long>(i));
    EXPECT(!seen.find("no word").has_value());
    EXPECT(seen.contains("word 3"));
    EXPECT(!seen.contains("word 500"));
  });
}

RANK_TEST(elements_come_in_batches_and_once) {
  am::unordered_map<std::string, long> words;
  insert_words(words, 20'000);
  const am::exposure shown = am::expose("words", words);
  as_client([](const am::client& job) {
    const am::exposed_map<std::string, long> seen(job, "words");
    std::map<std::string, long> all;
    std::size_t times = 0;
    seen.for_each([&](const auto& each) { all.insert(each), ++times; });
    EXPECT_EQ(all.size(), 20'000u);
    EXPECT_EQ(times, 20'000u);
    for (const auto& [key, value] : all) EXPECT_EQ(key, word(int(value)));
    const auto some = seen.elements(0, 10);
    EXPECT_EQ(some.size(), 10u);
    EXPECT_EQ(seen.elements(0, 0).size(), 0u);
    for (const auto& [key, value] : some) EXPECT_EQ(all.at(key), value);
    EXPECT_THROWS_SAYING(am::usage_error, "exposes no part of 'words'; ranks", (void)seen.elements(job.ranks()));
  });
}

RANK_TEST(elements_that_stay_come_once_while_the_table_grows) {
  am::unordered_map<std::string, long> words;
  insert_words(words, 20'000);
  const am::exposure shown = am::expose("words", words);
  am::barrier();
  const auto before = am::stats().client_calls;
  std::size_t there = 0, once = 0;
  std::atomic<bool> done = false;
  std::thread client;
  if (am::rank() == 0)
    client = std::thread([&] {
      const am::exposed_map<std::string, long> seen(am::attach(std::to_string(getpid())), "words");
      std::map<std::string, int> times;
      for (const auto& [key, value] : seen.elements(0)) times[key] += value < 20'000;
      for (const auto& [key, n] : times) once += n == 1;
      there = seen.size(0);
      done = true;
    });
  if (am::rank() == 0) {
    while (am::stats().client_calls == before) am::poll();
    for (int i = 20'000; i < 100'000; ++i)  // the table is made anew between two batches
      if (words.rank_of(word(i)) == 0) words.insert(word(i), i);
    while (!done) am::poll();
    client.join();
    EXPECT_EQ(once, there);
  }
  am::barrier();
  am::fence();
}

RANK_TEST(ordered_containers_are_found_and_listed_in_order) {
  am::map<std::string, long> price;
  am::set<int> numbers;
  for (int i = am::rank(); i < 9000; i += am::ranks()) price.insert(word(i), i), numbers.insert(i);
  am::fence();
  const am::exposure shown[] = {am::expose("price", price), am::expose("numbers", numbers)};
  as_client([](const am::client& job) {
    const am::exposed_map<std::string, long> seen(job, "price");
    EXPECT_EQ(seen.size(), 9000u);
    for (int i = 0; i < 9000; i += 701) EXPECT(seen.find(word(i)) == std::optional<long>(i));
    EXPECT(!seen.contains("word 9000"));
    std::vector<std::string> keys;
    seen.for_each([&](const auto& each) { keys.push_back(each.first); });
    EXPECT_EQ(keys.size(), 9000u);
    EXPECT(std::ranges::is_sorted(keys));
    const am::exposed_set<int> all(job, "numbers");
    EXPECT(all.contains(8999) && !all.contains(9000));
    EXPECT_EQ(all.elements(0, 5).size(), 5u);
  });
}

RANK_TEST(elements_of_an_ordered_map_come_once_while_it_changes) {
  am::map<long, long> squares;
  for (long i = am::rank(); i < 20'000; i += am::ranks()) squares.insert(2 * i, 0);
  am::fence();
  const am::exposure shown = am::expose("squares", squares);
  am::barrier();
  const std::size_t mine = squares.local().size();
  std::atomic<bool> done = false;
  std::size_t there = 0;
  std::thread client;
  if (am::rank() == 0)
    client = std::thread([&] {
      const am::exposed_map<long, long> seen(am::attach(std::to_string(getpid())), "squares");
      for (const auto& [key, value] : seen.elements(0)) there += key % 2 == 0;
      done = true;
    });
  for (long i = 1; am::rank() == 0 && !done; i += 2) {
    if (squares.rank_of(i % 40'000) == 0) squares.insert(i % 40'000, 1);
    am::poll();
  }
  if (am::rank() == 0) {
    client.join();
    EXPECT_EQ(there, mine);
  }
  am::fence();
}

RANK_TEST(values_and_keys_of_many_types_travel) {
  am::unordered_map<std::pair<int, int>, std::vector<std::string>> lists;
  am::unordered_set<std::string> names;
  am::counting_set<int> counts;
  am::unordered_multimap<int, double> many;
  for (int i = 0; i < 3; ++i) {
    lists.append(std::pair<int, int>(am::rank(), i), word(i));
    names.insert(word(i));
    counts.insert(i);
    many.insert(i, i / 2.0);
  }
  am::fence();
  const am::exposure shown[] = {am::expose("lists", lists), am::expose("names", names), am::expose("counts", counts),
                                am::expose("many", many)};
  as_client([](const am::client& job) {
    const am::exposed_map<std::pair<int, int>, std::vector<std::string>> seen(job, "lists");
    EXPECT_EQ(seen.size(), 3 * std::size_t(job.ranks()));
    EXPECT(seen.find({job.ranks() - 1, 2}) == std::vector<std::string>{word(2)});
    const am::exposed_set<std::string> set(job, "names");
    std::set<std::string> keys;
    set.for_each([&](const std::string& key) { keys.insert(key); });
    EXPECT(keys == (std::set<std::string>{word(0), word(1), word(2)}));
    EXPECT(set.contains("word 1") && !set.contains("word 3"));
    const am::exposed_map<int, std::int64_t> counted(job, "counts");
    EXPECT(counted.find(1) == std::int64_t(job.ranks()));
    const am::exposed_map<int, std::vector<double>> found(job, "many");
    EXPECT(found.find(2) == std::vector<double>(std::size_t(job.ranks()), 1.0));
    EXPECT_EQ(found.size(), 3 * std::size_t(job.ranks()));
  });
}

RANK_TEST(other_types_are_named) {
  am::unordered_map<std::string, long> words;
  am::array<double> numbers(10);
  const am::exposure shown[] = {am::expose("words", words), am::expose("numbers", numbers)};
  as_client([](const am::client& job) {
    EXPECT_THROWS_SAYING(am::usage_error, "'words' is map<string, int64>, not map<int32, int64>",
                         (am::exposed_map<int, long>(job, "words")));
    EXPECT_THROWS_SAYING(am::usage_error, "'words' is map<string, int64>, not set<string>",
                         (am::exposed_set<std::string>(job, "words")));
    EXPECT_THROWS_SAYING(am::usage_error, "'numbers' is an array of float64, not set<string>",
                         (am::exposed_set<std::string>(job, "numbers")));
    EXPECT_THROWS_SAYING(am::usage_error, "nothing is exposed as 'word'; it exposes numbers, words",
                         (am::exposed_map<std::string, long>(job, "word")));
    EXPECT_THROWS_SAYING(am::usage_error, "'words' is a map<string, int64>, which ranks have in memory of their own",
                         (void)am::exposed(job, "words"));
    EXPECT_EQ(am::exposed(job).size(), 2 * std::size_t(job.ranks()));
  });
}

RANK_TEST(an_exposure_that_ends_is_an_error_of_the_client) {
  am::unordered_map<std::string, long> words;
  insert_words(words, 10);
  std::optional<am::exposure> shown = am::expose("words", words);
  am::barrier();
  const am::exposed_map<std::string, long> seen(am::attach(std::to_string(getpid())), "words");
  am::barrier();
  shown.reset();
  as_client([&](const am::client&) {
    EXPECT_THROWS_SAYING(am::remote_error, "(string), which this rank does not provide", (void)seen.contains("word 1"));
    EXPECT_THROWS_SAYING(am::usage_error, "nothing is exposed as 'words'; the job exposes nothing", (void)seen.size());
  });
  am::unordered_map<int, int> others;
  shown = am::expose("words", others);  // the same name, and another type
  as_client([&](const am::client&) {
    EXPECT_THROWS_SAYING(am::remote_error, "(string), but here it is ", (void)seen.contains("word 1"));
  });
}

RANK_TEST(an_exposure_ends_while_a_client_calls) {
  am::unordered_map<std::string, long> words;
  insert_words(words, 100);
  am::barrier();
  std::atomic<bool> done = false;
  std::thread client;
  if (am::rank() == 0)
    client = std::thread([&] {
      const am::client job = am::attach(std::to_string(getpid()));
      for (int i = 0, found = 0; found < 100; ++i) {
        try {
          const am::exposed_map<std::string, long> seen(job, "words");
          found += seen.find(word(i % 100)) == std::optional<long>(i % 100);
        } catch (const am::remote_error&) {
        } catch (const am::usage_error&) {}
      }
      done = true;
    });
  bool all_done = false;
  while (!all_done) {
    const am::exposure shown = am::expose("words", words);
    for (int i = 0; i < 20; ++i) am::poll();
    all_done = am::broadcast(bool(done), 0);
  }
  if (client.joinable()) client.join();
}

RANK_TEST(an_exposure_follows_a_container_that_moves_and_outlives_it) {
  std::optional<am::unordered_map<std::string, long>> words(std::in_place);
  insert_words(*words, 10);
  am::exposure shown = am::expose("words", *words);
  am::unordered_map<std::string, long> moved = std::move(*words);
  words.reset();
  am::fence();
  const am::exposed_map<std::string, long> seen(am::attach(std::to_string(getpid())), "words");
  as_client([&](const am::client&) { EXPECT(seen.find("word 7") == std::optional<long>(7)); });
  moved.insert("one more", 1);
  am::fence();
  as_client([&](const am::client&) { EXPECT_EQ(seen.size(), 11u); });
  { const am::unordered_map<std::string, long> gone = std::move(moved); }
  am::fence();
  as_client([&](const am::client&) {
    EXPECT_THROWS_SAYING(am::remote_error, "the container that was exposed has ended on this rank", (void)seen.find("word 7"));
  });
}

RANK_TEST(a_part_of_the_ranks_exposes_what_is_theirs) {
  const am::team half = am::world().split(am::rank() % 2, am::rank());
  std::optional<am::unordered_set<int>> odd;
  std::optional<am::exposure> shown;
  if (am::rank() % 2 == (am::ranks() > 1)) {
    odd.emplace(half);
    for (int i = 0; i < 100; ++i) odd->insert(i);
    half.fence();
    shown = am::expose("odd", *odd);
  }
  as_client([](const am::client& job) {
    const am::exposed_set<int> seen(job, "odd");
    EXPECT_EQ(seen.ranks().front(), am::rank_t(job.ranks() > 1));
    EXPECT_EQ(seen.size(), 100u);
    for (int i = 0; i < 100; i += 9) EXPECT(seen.contains(i));
    EXPECT(!seen.contains(100));
  });
}

RANK_TEST(a_rank_that_computes_is_described) {
  am::unordered_set<int> keys;
  keys.insert(1);
  am::fence();
  const am::exposure shown = am::expose("keys", keys);
  am::barrier();
  if (am::rank() == 0) {
    const am::exposed_set<int> seen(am::attach(std::to_string(getpid())), "keys", 30ms);  // this rank computes
    EXPECT_EQ(seen.size(), 1u);
    EXPECT_THROWS_SAYING(am::timeout_error, "of rank 0 has not begun within 0.0 s: the rank is busy", (void)seen.contains(1));
  }
  am::barrier();
}

RANK_TEST(names_that_are_taken_are_refused_whole) {
  am::unordered_set<int> keys;
  am::array<int> numbers(10);
  {
    const am::exposure shown = am::expose("x", numbers);
    EXPECT_THROWS_SAYING(am::usage_error, "exposes 'x' already", (void)am::expose("x", keys));
  }
  static constexpr am::method<int()> taken{"x.rank_of"};
  am::provide<taken>([] { return 4; });
  EXPECT_THROWS_SAYING(am::usage_error, "already provides 'x.rank_of'", (void)am::expose("x", keys));
  am::withdraw<taken>();
  const am::exposure shown = am::expose("x", keys);  // nothing of the failed one is left
  am::barrier();
}
