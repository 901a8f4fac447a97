// SPDX-License-Identifier: Apache-2.0
// Methods by name within one program; tests/two_programs has jobs of two.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::literals;

namespace {

struct point {
  double x, y;
  bool operator==(const point&) const = default;
};
struct body {
  std::string name;
  std::vector<point> path;
  bool operator==(const body&) const = default;
};

namespace api {
inline constexpr am::method<double(double)> half{"test.half"};
inline constexpr am::method<body(const body&, std::map<std::string, int>)> move{"test.move"};
inline constexpr am::method<void(int)> note{"test.note"};
inline constexpr am::method<void(const std::string&)> note_text{"test.note_text"};
inline constexpr am::method<void()> touch{"test.touch"};
inline constexpr am::method<long(int)> fails{"test.fails"};
inline constexpr am::method<int(int)> add{"test.counter.add"};
inline constexpr am::method<double(am::view<double>)> sum{"test.sum"};
inline constexpr am::method<std::vector<double>(std::vector<double>)> echo{"test.echo"};
inline constexpr am::method<int(int)> late{"test.late"};
inline constexpr am::method<int(int)> missing{"test.mising"};
inline constexpr am::method<float(float)> half_of_float{"test.half"};
inline constexpr am::method<int()> gone{"test.gone"};
inline constexpr am::method<long()> gone_long{"test.gone"};
}  // namespace api

thread_local long noted = 0;
thread_local std::string texts;
thread_local int touched = 0;

double half(double x) { return x / 2; }
body move(body b, const std::map<std::string, int>& by) {
  for (point& p : b.path) p.x += by.at("x"), p.y += by.at("y");
  b.name += "!";
  return b;
}
long fails(int n) { throw std::out_of_range("n is " + std::to_string(n)); }
struct counter {
  int value = 0;
  int add(int n) { return value += n; }
};

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
std::uint64_t hits() { return am::stats().stub_hits; }
std::uint64_t misses() { return am::stats().stub_misses; }

void provide_all() {
  am::provide<api::half, &half>();
  am::provide<api::move, &move>();
  am::provide<api::note>([](int n) { noted += n; });
  am::provide<api::note_text>([](const std::string& s) { texts += s; });
  am::provide<api::touch>([] { ++touched; });
  am::provide<api::fails, &fails>();
  am::provide<api::sum>([](am::view<double> v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum;
  });
  am::provide<api::echo>([](std::vector<double> v) { return v; });
  am::barrier();
}

}  // namespace

RANK_TEST(a_first_call_carries_its_name_and_later_ones_an_index) {
  provide_all();
  const auto misses_before = misses(), hits_before = hits();
  EXPECT_EQ(am::call<api::half>(next(), 3).get(), 1.5);
  EXPECT_EQ(misses() - misses_before, 1u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(am::call<api::half>(next(), double(i)).get(), i / 2.0);
  EXPECT_EQ(misses() - misses_before, 1u);
  EXPECT_EQ(hits() - hits_before, 10u);
}

RANK_TEST(calls_before_the_index_is_known_do_not_wait_for_it) {
  std::vector<am::future<double>> all;
  const auto before = misses();
  for (int i = 0; i < 20; ++i)
    all.push_back(am::call<api::sum>(next(), am::view<double>(std::vector<double>(std::size_t(i), 2.0))));
  EXPECT_EQ(misses() - before, 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(all[std::size_t(i)].get(), 2.0 * i);
  EXPECT_EQ(am::call<api::sum>(next(), am::view<double>(std::vector<double>{1, 2})).get(), 3.0);
  EXPECT_EQ(misses() - before, 20u);
}

RANK_TEST(arguments_and_results_of_any_type_travel) {
  const body sent{"b", {{1, 2}, {3, 4}}};
  for (int i = 0; i < 3; ++i) {
    const body back = am::call<api::move>(next(), sent, std::map<std::string, int>{{"x", 1}, {"y", 10}}).get();
    EXPECT(back == (body{"b!", {{2, 12}, {4, 14}}}));
  }
  std::vector<double> large(300'000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = double(i);
  for (int i = 0; i < 2; ++i) {
    EXPECT(am::call<api::echo>(next(), large).get() == large);
    EXPECT_EQ(am::call<api::sum>(next(), am::view<double>(large)).get(), 300'000.0 * 299'999 / 2);
  }
}

RANK_TEST(one_way_calls_by_name_keep_their_order_and_are_done_at_the_fence) {
  noted = 0, texts.clear(), touched = 0;
  am::barrier();
  for (int i = 0; i < 1000; ++i) {
    am::async<api::note>(next(), i);
    if (i % 100 == 0) am::async<api::note_text>(next(), std::to_string(i / 100));
    if (i % 3 == 0) am::async<api::touch>(next());
  }
  am::fence();
  EXPECT_EQ(noted, 999 * 500);
  EXPECT_EQ(texts, "0123456789");
  EXPECT_EQ(touched, 334);
  am::barrier();
  const auto before = misses();
  for (int i = 0; i < 1000; ++i) am::async<api::note>(next(), 1), am::async<api::note_text>(next(), "x");
  am::fence();
  EXPECT_EQ(misses(), before);
  EXPECT_EQ(noted, 999 * 500 + 1000);
  EXPECT_EQ(texts.size(), 1010u);
}

RANK_TEST(what_a_method_throws_comes_back) {
  for (int i = 0; i < 2; ++i) EXPECT_THROWS_SAYING(am::remote_error, "n is 4", am::call<api::fails>(next(), 4).get());
  am::async<api::fails>(next(), 5);
  EXPECT_THROWS_SAYING(am::remote_error, "n is 5", am::fence());
}

RANK_TEST(a_missing_name_is_an_error_that_names_the_near_ones) {
  EXPECT_THROWS_SAYING(am::remote_error, "'test.mising' int32(int32), which this rank does not provide; provided here: 'test.",
                       am::call<api::missing>(next(), 1).get());
  am::async<api::missing>(next(), 1);
  EXPECT_THROWS_SAYING(am::remote_error, "test.mising", am::fence());
  EXPECT_EQ(am::call<api::half>(next(), 1).get(), 0.5);
}

RANK_TEST(another_signature_is_an_error_that_names_both) {
  EXPECT_THROWS_SAYING(am::remote_error, "'test.half' as float32(float32), but here it is float64(float64)",
                       am::call<api::half_of_float>(next(), 1).get());
}

RANK_TEST(a_method_can_be_provided_later) {
  EXPECT_THROWS_SAYING(am::remote_error, "does not provide", am::call<api::late>(next(), 1).get());
  am::barrier();
  am::provide<api::late>([](int n) { return n + 1; });
  am::barrier();
  EXPECT_EQ(am::call<api::late>(next(), 1).get(), 2);
  const auto before = misses();
  EXPECT_EQ(am::call<api::late>(next(), 2).get(), 3);
  EXPECT_EQ(misses(), before);
}

RANK_TEST(a_member_of_a_chosen_object_is_a_method) {
  counter mine{am::rank() * 100};
  am::provide<api::add, &counter::add>(mine);
  am::barrier();
  EXPECT_EQ(am::call<api::add>(next(), 1).get(), next() * 100 + 1);
  EXPECT_EQ(am::call<api::add>(next(), 2).get(), next() * 100 + 3);
  am::barrier();
  EXPECT_EQ(mine.value, am::rank() * 100 + 3);
  am::withdraw<api::add>();
  am::barrier();
  EXPECT_THROWS_SAYING(am::remote_error, "was withdrawn", am::call<api::add>(next(), 2).get());
  EXPECT_EQ(mine.value, am::rank() * 100 + 3);
  am::barrier();
}

RANK_TEST(a_name_is_provided_once_and_again_after_it_was_withdrawn) {
  EXPECT_THROWS_SAYING(am::usage_error, "already provides 'test.half'", am::provide<api::half, &half>());
  EXPECT_THROWS_SAYING(am::usage_error, "does not provide 'test.gone'", am::withdraw<api::gone>());
  am::provide<api::gone>([] { return 1; });
  am::barrier();
  EXPECT_EQ(am::call<api::gone>(next()).get(), 1);
  am::barrier();
  am::withdraw<api::gone>();
  am::provide<api::gone_long>([] { return 2L; });
  am::barrier();
  EXPECT_THROWS_SAYING(am::remote_error, "is provided as int64() now", am::call<api::gone>(next()).get());
  EXPECT_EQ(am::call<api::gone_long>(next()).get(), 2L);
  am::barrier();
  am::withdraw<api::gone_long>();
  am::provide<api::gone>([] { return 3; });
  am::barrier();
  EXPECT_EQ(am::call<api::gone>(next()).get(), 3);
  EXPECT_THROWS_SAYING(am::remote_error, "test.gone", am::call<api::gone_long>(next()).get());
  am::barrier();
}

RANK_TEST(calls_by_name_go_in_batches_and_chains) {
  std::vector<am::future<double>> all;
  {
    am::batch together;
    for (int i = 0; i < 50; ++i) all.push_back(am::call<api::half>(next(), i));
  }
  double sum = 0;
  for (auto& f : all) sum += f.get();
  EXPECT_EQ(sum, 612.5);
  EXPECT_EQ(am::call<api::half>(next(), 2).then([](double x) { return am::call<api::half>(next(), x); }).get(), 0.5);
  EXPECT_THROWS(am::usage_error, am::call<api::half>(am::ranks(), 1));
}
