// SPDX-License-Identifier: Apache-2.0
// What the papers print of Split-C. What stands between the marks is compared with the files of listings/, token by token.
#include <armilla/armilla.hpp>
#include <armilla/dialect/splitc.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace listings {

using namespace armilla::splitc;
using armilla::splitc::sync;

am::per_rank<int> times;
void foo() { ++*times; }

int next() { return (MYPROC + 1) % PROCS; }

}  // namespace listings

RANK_TEST(figure_2_of_the_mrpc_paper) {
  using namespace listings;
  using listings::sync;
  int i;
  // figure 2 {
  double lx;
  global<double*> gpY;
  double lA[20];
  global<void*> gpA;
  // }
  spread_array<double, 1, 1> y(PROCS, 1), a(PROCS, 20);
  gpY = y[std::size_t(next())];
  gpA = a[std::size_t(next())];
  *gpY = 4.5;
  a[std::size_t(next())][19] = 2.5;
  barrier();
  // figure 2 {
  atomic(foo, 0);
  lx = *gpY;
  *gpY = lx;
  bulk_read(&lA, gpA, 20 * sizeof(double));
  bulk_write(gpA, &lA, 20 * sizeof(double));
  for (i = 0; i < 20; i++) lx <<= *gpY;
  sync();
  // }
  EXPECT_EQ(lx, 4.5);
  EXPECT_EQ(lA[19], 2.5);
  barrier();
  EXPECT_EQ(*times, MYPROC == 0 ? PROCS : 0);
}

RANK_TEST(a_read_in_two_phases_on_the_paragon) {
  using namespace listings;
  using listings::sync;
  spread_array<double> far{std::size_t(PROCS)};
  far[std::size_t(MYPROC)] = 2.0 + MYPROC;
  barrier();
  // section 2 {
  global<double*> gPtr;
  double local, x;
  // }
  gPtr = &far[std::size_t(next())];
  // section 2 {
  local <<= *gPtr;
  sync();
  x = local * 3.0;
  // }
  EXPECT_EQ(x, 3.0 * (2 + next()));
}
