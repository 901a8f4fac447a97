// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "armilla/boot/children/plan.hpp"
#include "armilla/boot/watch/ending.hpp"

namespace armilla::detail {

/// A process of the job, as its supervisor sees it: one rank, or all of them as threads.
struct child {
  enum class state {
    in_job,
    starting,  ///< a process was started for its place, and has not come to `run` yet, or waits for others to come in
    coming,    ///< a new rank, for which the others hand over the place
    lost,      ///< none is in its place, and another process is to be started there
    given_up   ///< and none is
  };
  pid_t pid = -1;
  int pidfd = -1;
  rank_t first = 0, last = 0;
  bool alive = false;
  int status = 0;  ///< of a process that has ended, as waitpid gives it
  state place = state::in_job;
  std::uint64_t began = 0;  ///< when it came into the running job
  bool joins = false;       ///< it was asked for by armilla-run --join, and is not in the job yet
  int short_lives = 0;      ///< of those before it there, in a row

  bool told() const noexcept { return place == state::lost || place == state::given_up; }
};

/// A rank is lost: its place is kept for another process, or given up. `status` says how it ended.
void vacate(const job_block& job, child& c);
/// Why it was given up, where its program cannot live there; else empty.
std::string why_given_up(const child& c);
/// A process that was to take a place has ended before it was in the job: because it was not needed; and whether another is to
/// be started.
bool is_refused(const child& c) noexcept;
bool try_again(child& c);

/// All its ranks have come to the end of their functions and sessions.
bool finished(const job_plan& plan, const child& c);
/// The note of the job's first failure is of one of its ranks.
bool noted_by(const job_plan& plan, const child& c);
/// Ends a process that is not in the job yet, if there is one, and lets none follow. One that is `coming` may have come in
/// meanwhile: what becomes of its place is known when it has ended.
void end_new_rank(child& c) noexcept;
/// Which ranks it is, of which program.
ending base_of(const job_plan& plan, const child& c);
/// How a process ended that may have come to the end of its ranks' functions (`finished`), and had joined the job before; into
/// what says which ranks and program it was.
void set_how(ending& e, int exec_error, int status, bool finished, bool joined);
/// How it ended, from its exit status. Nothing: it lives, or it ended well.
std::optional<ending> look_at(const job_plan& plan, const child& c);

/// The first failure of a job that ends with it. Nothing: none has failed; or one has ended because of another's end, which will
/// be seen in a moment.
std::optional<ending> find_failure(const job_plan& plan, const std::vector<child>& children);

}  // namespace armilla::detail
