// SPDX-License-Identifier: Apache-2.0
// Types whose `define_type` sends, or throws, while a value of them is packed.
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

am::per_rank<long> sends;      // so many passes over a value send from here on
am::per_rank<long> throws_in;  // the pass that throws, counted down; 0: none
am::per_rank<long> sent, inner, sum;

void take_inner(const std::vector<long>& words) { *inner += long(words.size()); }

struct restless {
  am::rank_t to = 0;
  int number = 0;
  std::vector<long> words;

  void define_type(auto& t) {
    t.local(to);
    if (*throws_in > 0 && --*throws_in == 0) throw std::runtime_error("while it is packed");
    if (*sends > 0) {
      --*sends;
      ++*sent;
      am::async(to, &take_inner, std::vector<long>(3, number));
    }
    t.local(number);
    t.local(words);
  }
};

// Only what such a type is in is packed apart: for it, that is a copy more, and an allocation where it is long.
using am::detail::packs_plainly;
static_assert(packs_plainly<std::vector<std::string>> && packs_plainly<std::map<std::string, std::pair<int, double>>>);
static_assert(!packs_plainly<restless> && !packs_plainly<std::vector<restless>> && !packs_plainly<std::map<int, restless>> &&
              !packs_plainly<std::optional<std::pair<int, restless>>>);

restless made(am::rank_t to, int i) { return {to, i, std::vector<long>(std::size_t(i % 70), i)}; }
void take(const restless& x) { *sum += x.number + long(x.words.size()); }

template <class F>
void with_and_without_aggregation(F&& test) {
  const std::size_t usual = am::aggregation();
  for (const std::size_t bytes : {std::size_t{0}, usual}) {
    am::set_aggregation(bytes);
    *sends = *throws_in = *sent = *inner = *sum = 0;
    am::barrier();
    test();
    am::barrier();
  }
  am::set_aggregation(usual);
}

long sum_to(int n) {
  long all = 0;
  for (int i = 0; i < n; ++i) all += i + i % 70;
  return all;
}

RANK_TEST(a_one_way_call_arrives_whole_though_its_argument_sends_while_it_is_packed) {
  with_and_without_aggregation([] {
    for (int i = 0; i < 200; ++i) {
      const restless x = made(next(), i);
      *sends = 2;
      am::async(next(), &take, x);
      if (i % 10 == 9) am::fence();  // no send waits for credit: it would take in messages, and read values in between
    }
    am::fence();
    EXPECT_EQ(*sum, sum_to(200));
    EXPECT_EQ(*sent, 400);
    EXPECT_EQ(*inner, 3 * 400);
  });
}

RANK_TEST(a_call_arrives_whole_though_argument_and_result_send_while_they_are_packed) {
  with_and_without_aggregation([] {
    for (int i = 0; i < 200; ++i) {
      const restless x = made(next(), i);
      *sends = 2;
      auto result = am::call(
          next(),
          [](const restless& in, am::rank_t from) {
            *sends = 2;
            return restless{from, in.number, in.words};
          },
          x, am::rank());
      const restless back = result.get();
      EXPECT_EQ(back.number, i);
      EXPECT(back.words == x.words);
    }
    am::fence();
    EXPECT_EQ(*sent, 800);
    EXPECT_EQ(*inner, 3 * 800);
  });
}

RANK_TEST(nothing_is_sent_if_packing_throws) {
  with_and_without_aggregation([] {
    for (int i = 0; i < 200; ++i) {
      for (const long pass : {1, 2}) {
        *throws_in = pass;
        EXPECT_THROWS(std::runtime_error, am::async(next(), &take, made(next(), i)));
        *throws_in = pass;
        EXPECT_THROWS(std::runtime_error, (void)am::call(next(), &take, made(next(), i)));
      }
      am::async(next(), &take, made(next(), i));
      if (i % 10 == 9) am::fence();
    }
    am::fence();
    EXPECT_EQ(*sum, sum_to(200));
  });
}

}  // namespace
