// SPDX-License-Identifier: Apache-2.0
#pragma once
// What both programs do with each other's methods.
#include <stdexcept>
#include <string>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"
#include "tests/two_programs/shared_api.hpp"

void provide_all();
extern thread_local long noted;

namespace {

namespace am = armilla;

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
// Rank 0 alone runs the first program.
bool runs_same_program(am::rank_t r) { return (r == 0) == (am::rank() == 0); }

}  // namespace

RANK_TEST(two_way_calls_go_between_programs) {
  provide_all();
  am::barrier();
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    const auto before = am::stats();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(am::call<api::half>(r, i).get(), i / 2.0);
    const auto took = am::stats() - before;
    EXPECT_EQ(took.stub_misses, 1u);
    EXPECT_EQ(took.stub_hits, 99u);
  }
}

RANK_TEST(structures_go_by_their_shape) {
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    for (int i = 0; i < 3; ++i) {
      const auto [number, name, points] = am::call<api::reverse>(r, api_route{7, "there", {{1, 2}, {3, 4}}}).get();
      EXPECT_EQ(number, -7);
      EXPECT_EQ(name, "ereht");
      EXPECT_EQ(points.size(), 2u);
      const auto [along, up] = points.at(0);
      EXPECT_EQ(along, 3);
      EXPECT_EQ(up, 4);
    }
}

RANK_TEST(long_arguments_and_results_go_between_programs) {
  std::vector<double> large(200'000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = double(i);
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    for (int i = 0; i < 2; ++i) {
      EXPECT(am::call<api::echo>(r, large).get() == large);
      EXPECT_EQ(am::call<api::sum>(r, am::view<double>(large)).get(), 200'000.0 * 199'999 / 2);
    }
}

RANK_TEST(one_way_calls_beyond_all_credit_go_between_programs) {
  constexpr int many = 100'000;
  noted = 0;
  am::barrier();
  for (int i = 0; i < many; ++i)
    for (am::rank_t r = 0; r < am::ranks(); ++r) am::async<api::note>(r, 1);
  am::fence();
  EXPECT_EQ(noted, long(many) * am::ranks());
  am::barrier();
}

RANK_TEST(bodies_may_send_beyond_all_credit) {
  constexpr int many = 40'000;  // several rings full
  noted = 0;
  am::barrier();
  am::call<api::flood>(next(), many).get();
  am::async<api::flood>(next(), many);
  am::fence();
  EXPECT_EQ(noted, 2L * many);
  am::barrier();
}

RANK_TEST(many_two_way_calls_are_outstanding_between_programs) {
  std::vector<am::future<double>> all;
  for (int i = 0; i < 20'000; ++i) all.push_back(am::call<api::half>(next(), i));
  double sum = 0;
  for (auto& f : all) sum += f.get();
  EXPECT_EQ(sum, 20'000.0 * 19'999 / 4);
}

RANK_TEST(a_method_may_ask_the_other_program_on) {
  EXPECT_EQ(am::call<api::relay>(next(), 5).get(), 0);
  am::fence();
}

RANK_TEST(exceptions_come_back_from_the_other_program) {
  for (int i = 0; i < 2; ++i)
    for (am::rank_t r = 0; r < am::ranks(); ++r) EXPECT_THROWS_SAYING(am::remote_error, "no 3", am::call<api::fails>(r, 3).get());
}

RANK_TEST(global_pointers_go_with_the_type_of_their_target) {
  const auto mine = am::allocate<long>(1);
  const auto structure = am::allocate<api_layout>(1);
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    am::call<api::assign>(r, mine, r + 10).get();
    EXPECT_EQ(*mine, r + 10);
    if (!runs_same_program(r))
      EXPECT_THROWS_SAYING(am::remote_error, "armilla.global_ptr<{int", am::call<api::enlarge>(r, structure, 1).get());
  }
  am::barrier();
  am::deallocate(mine);
  am::deallocate(structure);
}

RANK_TEST(what_the_other_program_has_otherwise_is_an_error_here) {
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    EXPECT_THROWS_SAYING(am::remote_error, "'calls.absent' int32(), which this rank does not provide; provided here: 'calls.",
                         am::call<api::absent>(r).get());
    if (runs_same_program(r)) {
      EXPECT_EQ(am::call<api::layout>(r, api_layout{}).get(), 0);
      EXPECT_EQ(am::call<api::differs>(r, 2).get(), 2);
    } else {
      EXPECT_THROWS_SAYING(am::remote_error, "let both programs include the same header",
                           am::call<api::layout>(r, api_layout{}).get());
      EXPECT_THROWS_SAYING(am::remote_error, "but here it is int32(float", am::call<api::differs>(r, 2).get());
    }
    EXPECT_EQ(am::call<api::half>(r, 2).get(), 1);
  }
  am::barrier();
  am::async<api::absent>(next());
  EXPECT_THROWS_SAYING(am::remote_error, "calls.absent", am::fence());
}

RANK_TEST(what_only_one_program_knows_is_refused) {
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    if (runs_same_program(r)) continue;
    EXPECT_THROWS_SAYING(am::usage_error, "runs another program", am::async(r, [](int) {}, 1));
    EXPECT_THROWS_SAYING(am::usage_error, "runs another program", am::call(r, [] { return 1; }));
    EXPECT_THROWS_SAYING(am::usage_error, "runs another program",
                         am::async(r, [](const std::vector<double>&) {}, std::vector<double>(100'000)));
    am::async<api::note>(r, 1);  // an open frame lets nothing else pass
    EXPECT_THROWS_SAYING(am::usage_error, "runs another program", am::async(r, [](int) {}, 1));
  }
  am::fence();
}

RANK_TEST_MAIN()
