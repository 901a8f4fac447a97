// SPDX-License-Identifier: Apache-2.0
// Where a job ends with the first loss, nothing can be recovered, and what lies in memory of other hosts is not, and what to do.
#include "armilla/algorithm/algorithm.hpp"
#include "armilla/container/container.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

RANK_TEST(a_job_that_ends_with_the_first_loss_recovers_nothing) {
  am::array<double> x(100);
  const bool together = x.ptr(0).is_mapped() && x.ptr(99).is_mapped();
  x.keep(1);
  x.checkpoint(1);
  if (!together) {
    EXPECT_THROWS_SAYING(am::usage_error, "can be read on its own host only; recover a checkpoint",
                         x.recover(am::world(), am::raw));
    return;
  }
  const am::team t = am::world().survivors();
  EXPECT_THROWS_SAYING(am::usage_error, "start it with ARMILLA_ON_LOSS=continue", x.recover(t));
  EXPECT_THROWS_SAYING(am::usage_error, "start it with ARMILLA_ON_LOSS=continue", x.recover(t, am::raw));
}
