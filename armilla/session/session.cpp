// SPDX-License-Identifier: Apache-2.0
#include "armilla/session.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/forked.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/error.hpp"
#include "armilla/session/joining.hpp"
#include "armilla/session/session_state.hpp"

namespace armilla {
namespace detail {

struct session_holder {
  explicit session_holder(joined_process joined) : process(std::move(joined)), rank(process.ranks[0]) {}
  joined_process process;
  session_state rank;
  int exceptions = std::uncaught_exceptions();
};

namespace {

joined_process join_for_session(int argc, char** argv) {
  joined_process process = join_or_supervise(argc, argv);
  try {
    if (process.ranks.size() == 1) return take_kind(process.ranks[0], program_kind::session), std::move(process);
    throw_usage("session",
                "with ARMILLA_FABRIC=threads a session holds one rank; use armilla::run or run_main, or ARMILLA_FABRIC=shm");
  } catch (const error& why) {
    record_failure(*process.ranks[0].job, process.ranks[0].rank, failure_kind::start, 1, why.what());
    if (process.ranks[0].new_rank) say(why.what());
    throw;
  }
}

// What is found here main does not return. Where a supervisor or a launcher looks after the job, it gives the code.
void end_as_failed(const launch& self) {
  if (self.job->supervisor != 0) return;
  std::atexit([] {
    std::fflush(nullptr);
    _exit(1);
  });
}

}  // namespace
}  // namespace detail

session::session(int argc, char** argv) : holder_(new detail::session_holder(detail::join_for_session(argc, argv))) {}

session::~session() {
  if (detail::is_forked_child()) return;  // all that the holder would end belongs to the rank
  detail::session_state& rank = holder_->rank;
  const bool told = rank.failed;  // by what `run` has returned
  if (std::uncaught_exceptions() > holder_->exceptions) rank.fail("an exception left the scope of its session");
  rank.finish();
  if (rank.failed && !told) detail::end_as_failed(rank.self);
  delete holder_;
}

int session::run_erased(detail::rank_main call, const void* function, detail::who_runs who) {
  const detail::context& self = detail::here("session::run");  // usage_error in a child that the rank has forked
  if (self.session->self.job->takes_new_ranks())
    detail::throw_usage(
        "session::run",
        "a rank that comes into the running job (ARMILLA_MAX_RANKS, ARMILLA_ON_LOSS=replace) would have missed functions "
        "that all ranks end together; use armilla::run with armilla::on_join, or do not call session::run");
  return holder_->rank.run(call, function, who);
}

}  // namespace armilla
