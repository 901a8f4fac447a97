// SPDX-License-Identifier: Apache-2.0
// Compiled twice, with different variables: two programs of one job that share global memory.
#include <armilla/algorithms.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

#ifdef SECOND_PROGRAM
am::per_rank<std::array<char, 70000>> ballast;  // so that the programs' variables lie at different places
struct point {
  double east = 0;
  int height = 0;
};
#else
struct place {
  double x = 0;
  int z = 0;
};
using point = place;
#endif
am::per_rank<long> mine;

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
// Rank 0 alone runs the first program.
bool same_program(am::rank_t r) { return (r == 0) == (am::rank() == 0); }

template <class T>
am::global_ptr<T> offer(am::global_ptr<T> p) {
  return am::all_gather(p)[std::size_t(next())];
}

}  // namespace

RANK_TEST(programs_share_segments_and_private_memory) {
  const auto block = am::allocate<long>(4);
  block[0] = am::rank();
  long variable = am::rank() * 10;
  const auto p = offer(block);
  const auto q = offer(am::to_global(&variable));
  EXPECT_EQ(*p, next());
  EXPECT_EQ(*q, next() * 10);
  am::barrier();
  am::atomic_add(p, 100);
  am::atomic_add(q, 100);
  am::sync_memory();
  am::barrier();
  EXPECT_EQ(*block.local(), am::rank() + 100);
  EXPECT_EQ(variable, am::rank() * 10 + 100);
  am::deallocate(block);
}

RANK_TEST(each_program_has_its_own_variables) {
  mine.local() = am::rank();
  am::barrier();
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    if (same_program(r))
      EXPECT_EQ(*mine.on(r), r);
    else
      EXPECT_THROWS_SAYING(am::usage_error, "runs another program", mine.on(r));
  }
  const auto p = offer(mine.on(am::rank()));
  EXPECT_EQ(*p, next());
}

RANK_TEST(spread_arrays_go_over_all_programs) {
  am::spread_array<int> a(20);
  for (std::size_t i = 0; i < 20; ++i)
    if (a.rank_of(i) == am::rank()) a[i] = int(i);
  am::barrier();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(a[i], int(i));
}

RANK_TEST(types_of_one_structure_meet_whatever_their_names) {
  const std::vector<point> all = am::all_gather(point{am::rank() + 0.5, int(am::rank())});
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    const auto [x, z] = all[std::size_t(r)];
    EXPECT(x == r + 0.5 && z == r);
  }
  am::array<point> x(10);
  am::barrier();
  EXPECT_EQ(x.size(), 10U);
}

RANK_TEST_MAIN()
