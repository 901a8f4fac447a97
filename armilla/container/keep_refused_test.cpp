// SPDX-License-Identifier: Apache-2.0
// Where a job ends with the first loss, or its ranks share no memory, nothing can be recovered: that is said, and what to do.
#include "armilla/algorithm/algorithm.hpp"
#include "armilla/container/container.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

RANK_TEST(a_job_that_ends_with_the_first_loss_recovers_nothing) {
  am::array<double> x(100);
  const bool together = x.ptr(0).is_mapped() && x.ptr(99).is_mapped();
  if (!together) {
    EXPECT_THROWS_SAYING(am::usage_error, "write files between hosts, by save(path)", x.keep(1));
    EXPECT_THROWS_SAYING(am::usage_error, "between hosts write files by save(path)", x.recover(am::world(), am::raw));
    return;
  }
  x.keep(1);
  x.checkpoint(1);
  const am::team t = am::world().survivors();
  EXPECT_THROWS_SAYING(am::usage_error, "start it with ARMILLA_ON_LOSS=continue", x.recover(t));
  EXPECT_THROWS_SAYING(am::usage_error, "start it with ARMILLA_ON_LOSS=continue", x.recover(t, am::raw));
}

RANK_TEST_MAIN()
