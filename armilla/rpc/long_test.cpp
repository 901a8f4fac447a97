// SPDX-License-Identifier: Apache-2.0
// Arguments that are too long for the ring: they are read while they are written.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

constexpr std::size_t many = 300'000;

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

std::vector<double> counting(std::size_t n, double first) {
  std::vector<double> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

bool counts(const std::vector<double>& v, std::size_t n, double first) { return v == counting(n, first); }

thread_local int received = 0;  // one a rank, also where ranks are threads

RANK_TEST(long_vectors_and_strings_arrive_whole) {
  for (const std::size_t n : {std::size_t(4000), std::size_t(8192), many}) {
    const std::vector<double> v = counting(n, am::rank());
    const std::string text(n + 3, char('a' + am::rank() % 26));
    for (int round = 0; round < 20; ++round)
      EXPECT(am::call(
                 next(),
                 [](const std::vector<double>& x, int i, std::string s, std::size_t size, double first) {
                   return i >= 0 && counts(x, size, first) && s == std::string(size + 3, char('a' + int(first) % 26));
                 },
                 v, round, text, n, double(am::rank()))
                 .get());
  }
}

RANK_TEST(what_is_not_one_array_arrives_too) {
  std::vector<std::string> words(2000, std::string(100, 'w'));
  words[1234] = std::string(100'000, 'x');
  const std::vector<std::vector<int>> rows{std::vector<int>(50'000, 3), {}, std::vector<int>(7, 4)};
  const auto [letters, sum] = am::call(
                                  next(),
                                  [](const std::vector<std::string>& w, std::pair<int, std::vector<std::vector<int>>> r) {
                                    std::size_t n = 0;
                                    for (const std::string& s : w) n += s.size();
                                    return std::pair(n, std::accumulate(r.second[0].begin(), r.second[0].end(), r.first));
                                  },
                                  words, std::pair(5, rows))
                                  .get();
  EXPECT_EQ(letters, 1999U * 100 + 100'000);
  EXPECT_EQ(sum, 150'005);
  EXPECT_EQ(am::call(
                next(), [](am::view<int> v, const std::vector<int>& w) { return v[many - 1] + w.back(); },
                am::view(std::vector<int>(many, 8)), std::vector<int>(many, 9))
                .get(),
            17);
}

struct wide {  // aligned to more than words
  alignas(32) double first;
};

RANK_TEST(long_views_of_the_segment_arrive_from_where_they_lie) {
  constexpr std::size_t most = 100'001;
  const auto letters = am::allocate<char>(most);
  const auto sum = [](am::view<char> v) { return std::accumulate(v.begin(), v.end(), 0L); };
  // Of any length and place, with other arguments in front of them and behind, and with what the callable holds.
  for (const std::size_t n : {most, most - 1, most - 6, std::size_t(70'000)}) {
    for (const std::size_t from : {std::size_t(0), std::size_t(1), most - n}) {
      if (from + n > most) continue;
      for (std::size_t i = 0; i < most; ++i) letters.local()[i] = char((i + std::size_t(am::rank())) % 100);
      const char* const first = letters.local() + from;
      const long right = std::accumulate(first, first + n, 0L);
      EXPECT_EQ(am::call(next(), sum, am::view<char>(first, n)).get(), right);
      const long more = am::rank();
      EXPECT_EQ(am::call(
                    next(),
                    [more](int a, am::view<char> v, const std::string& s, char last) {
                      return a + long(s.size()) + more + (v.end()[-1] == last ? std::accumulate(v.begin(), v.end(), 0L) : 0);
                    },
                    7, am::view<char>(first, n), std::string(5, 's'), first[n - 1])
                    .get(),
                right + 12 + more);
      EXPECT_EQ(am::call(
                    next(), [](am::view<char> v, am::view<char> w) { return long(v.size()) - long(w.size()) + (v[3] - w[3]); },
                    am::view<char>(first, n), am::view<char>(first, n))
                    .get(),
                0);
    }
  }
  am::deallocate(letters);
  constexpr std::size_t count = 5'000;
  const auto aligned = am::allocate<wide>(count);
  for (std::size_t i = 0; i < count; ++i) aligned.local()[i].first = double(i);
  const char tag = char('a' + am::rank());
  EXPECT_EQ(am::call(
                next(),
                [tag](char c, am::view<wide> v) {
                  double all = reinterpret_cast<std::uintptr_t>(v.data()) % alignof(wide) == 0 && c == tag ? 0 : 1;
                  for (const wide& w : v) all += w.first;
                  return all;
                },
                tag, am::view<wide>(aligned.local(), count))
                .get(),
            double(count) * double(count - 1) / 2);
  am::deallocate(aligned);
}

// In front of them, and behind, comes what was sent before and after.
RANK_TEST(long_views_of_the_segment_keep_their_order) {
  constexpr std::size_t n = 40'000;
  const auto numbers = am::allocate<int>(n);
  std::fill_n(numbers.local(), n, am::rank());
  received = 0;
  am::barrier();
  std::vector<am::future<bool>> answers;
  for (int i = 0; i < 20; ++i) {
    am::async(next(), [i] { received = received == 2 * i ? received + 1 : -1000; });
    answers.push_back(am::call(
        next(),
        [i](am::view<int> v, int from) {
          return std::exchange(received, 2 * i + 2) == 2 * i + 1 && v[0] == from && v.end()[-1] == from;
        },
        am::view<int>(numbers.local(), n), am::rank()));
  }
  for (auto& a : answers) EXPECT(a.get());
  am::fence();
  am::deallocate(numbers);
}

RANK_TEST(long_one_way_calls_keep_their_order) {
  received = 0;
  am::barrier();
  for (int i = 0; i < 40; ++i) {
    am::async(next(), [](int at) { received = received == 2 * at ? 2 * at + 1 : -1000; }, i);
    am::async(
        next(),
        [](int at, const std::vector<double>& v) {
          received = received == 2 * at + 1 && counts(v, 20'000, at) ? 2 * at + 2 : -1000;
        },
        i, counting(20'000, i));
  }
  am::fence();
  EXPECT_EQ(received, 80);
}

RANK_TEST(a_body_with_a_long_argument_waits) {
  std::vector<am::future<bool>> asked;
  for (int i = 0; i < 8; ++i)
    asked.push_back(am::call(
        next(),
        [](am::rank_t from, std::vector<double> v, am::view<double> w, double first) {
          am::call(from, [] {}).get();
          return counts(v, many / 10, first) && counts(w.copy(), many / 10, first + 1);
        },
        am::rank(), counting(many / 10, i), am::view(counting(many / 10, i + 1)), double(i)));
  for (auto& f : asked) EXPECT(f.get());
}

RANK_TEST(views_that_leave_the_ring_lie_in_buffers_that_persist) {
  const std::vector<double> numbers = counting(500, 1);
  const auto ask = [&](std::size_t calls) {
    std::vector<am::future<double>> asked;
    for (std::size_t i = 0; i < calls; ++i)
      asked.push_back(am::call(
          next(),
          [](am::rank_t from, am::view<double> v) {
            am::call(from, [] {}).get();
            return v[499];
          },
          am::rank(), am::view(numbers)));
    for (auto& f : asked) EXPECT_EQ(f.get(), 500.0);
    am::fence();
  };
  const auto counts_while_nobody_asks = [] {
    const auto counts = am::stats();
    am::barrier();
    return counts;
  };
  const auto before = counts_while_nobody_asks();
  ask(1);
  const auto once = counts_while_nobody_asks();
  EXPECT_EQ(once.receive_buffers_made, before.receive_buffers_made + 1);
  for (int i = 0; i < 10; ++i) ask(1);
  const auto often = counts_while_nobody_asks();
  EXPECT_EQ(often.receive_buffers_made, once.receive_buffers_made);
  EXPECT_EQ(often.receive_buffers_reused, once.receive_buffers_reused + 10);
  ask(6);
  EXPECT(am::stats().receive_buffers_made <= once.receive_buffers_made + 5);
  EXPECT_EQ(am::stats().receive_buffers_returned, 0U);
}

// What the next rank counts of its buffers while no rank calls, before and behind some calls.
template <class Ask>
am::detail::counters counted_at_callee(Ask&& ask) {
  am::barrier();
  const auto before = am::stats();
  am::barrier();
  ask();
  am::fence();
  auto after = am::stats();
  after.receive_buffers_made -= before.receive_buffers_made;
  after.receive_buffers_reused -= before.receive_buffers_reused;
  after.receive_buffers_returned -= before.receive_buffers_returned;
  am::barrier();
  return after;
}

double last_of(const std::vector<double>& v) { return v.back(); }

RANK_TEST(vectors_that_bodies_take_by_reference_lie_where_the_last_ones_did) {
  const auto counts = counted_at_callee([] {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(am::call<&last_of>(next(), counting(500 + std::size_t(i), i)).get(), i + 499.0 + i);
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(am::call(next(), [](int, const std::vector<double>& v) { return v.size(); }, 1, counting(500, i)).get(), 500u);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(am::call(next(), &last_of, counting(200, i)).get(), i + 199.0);
  });
  EXPECT_EQ(counts.receive_buffers_made, 3u);
  EXPECT_EQ(counts.receive_buffers_reused, 27u);
}

RANK_TEST(short_vectors_and_those_that_bodies_take_by_value_do_not) {
  const auto counts = counted_at_callee([] {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(am::call<&last_of>(next(), counting(20, i)).get(), i + 19.0);
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(am::call(next(), [](std::vector<double> v) { return v.size(); }, counting(500, i)).get(), 500u);
  });
  EXPECT_EQ(counts.receive_buffers_made, 0u);
}

RANK_TEST(a_body_may_move_a_vector_away_and_wait_with_it) {
  static thread_local std::vector<std::vector<double>> kept;
  kept.clear();
  am::barrier();
  std::vector<am::future<double>> asked;
  for (int i = 0; i < 6; ++i)
    asked.push_back(am::call(
        next(),
        [](am::rank_t from, std::vector<double>&& v) {
          am::call(from, [] {}).get();
          const double last = v.back();
          kept.push_back(std::move(v));
          return last;
        },
        am::rank(), counting(1000, i)));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(asked[std::size_t(i)].get(), i + 999.0);
  am::fence();
  EXPECT_EQ(kept.size(), 6u);
  for (const auto& v : kept) EXPECT(v == counting(1000, v[0]));
}

RANK_TEST(vectors_beyond_the_limit_are_not_kept) {
  const auto counts = counted_at_callee([] {
    const auto first_of = [](const std::vector<double>& v) { return v[0]; };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(am::call(next(), first_of, counting(1 << 20, i)).get(), double(i));
  });
  EXPECT_EQ(counts.receive_buffers_reused, 0u);
  EXPECT_EQ(counts.receive_buffers_returned, 3u);
}

class inbox {
 public:
  double last(const std::vector<double>& v) { return v.back(); }
};

RANK_TEST(a_long_argument_comes_before_its_object) {
  const bool early = am::rank() % 2 == 0;
  std::vector<am::future<double>> asked;
  if (!early) am::barrier();
  am::distributed<inbox> box;
  for (int i = 0; i < 3; ++i) asked.push_back(am::call<&inbox::last>(box.on(next()), counting(many / 10, i)));
  if (early) am::barrier();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(asked[std::size_t(i)].get(), double(i + many / 10 - 1));
  am::fence();
}

// Fails when it is written, not when it is measured.
struct brittle {
  std::vector<double> before = std::vector<double>(many, 1.0);
  bool fails = false;
  template <class Walk>
  void define_type(Walk& t) {
    t.local(before);
    if constexpr (std::is_same_v<Walk, am::detail::type_writer<am::detail::encoder>>)
      if (fails) throw std::runtime_error("does not want to travel");
    t.local(fails);
  }
};

RANK_TEST(a_message_whose_sender_fails_is_dropped) {
  received = 0;
  am::barrier();
  const auto note = [](const brittle&) { ++received; };
  brittle bad;
  bad.fails = true;
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROWS_SAYING(std::runtime_error, "does not want", (void)am::call(next(), note, bad));
    EXPECT_THROWS_SAYING(std::runtime_error, "does not want", am::async(next(), note, bad));
    am::call(next(), note, brittle{}).get();
  }
  am::fence();
  EXPECT_EQ(received, 3);
}

}  // namespace
