/* SPDX-License-Identifier: Apache-2.0 */
/*! The end of a job when ranks fail: each rank hears of the loss, the job ends, and the supervisor names the cause.
 *
 * Stands for: armilla/boot/children/supervisor.cpp: reap, judge, tell_losses, advance
 * Stands for: armilla/boot/children/child.cpp: find_failure, first_told, look_at, is_secondary, noted_by
 * Stands for: armilla/boot/watch/failure_record.cpp: record_failure, record_current_exception
 * Stands for: armilla/boot/watch/tell_loss.cpp: tell_loss, tell_own_loss
 * Stands for: armilla/boot/wire_up/join_job.cpp: meet
 * Stands for: armilla/am/endpoint/losses.cpp: hear, lose
 * Stands for: armilla/am/endpoint/remote_traffic_loss.cpp: tell_unreachable, note_broken
 * Stands for: armilla/team/core/team.cpp: await_step_of_any
 * Stands for: armilla/team/membership/start_teams.cpp: lose_member
 * Stands for: armilla/session/session_state.cpp: fail_by_exception, finish
 * Code: armilla/boot/children/supervisor.cpp: judge(); tell_losses();
 * Code: armilla/boot/children/child.cpp: if (plan.job->failure.is_primary()) return from_record(*plan.job); std::optional<ending> other;
 * Code: armilla/boot/children/child.cpp: if (e && e->kind == ending::how::signal && e->code != SIGABRT) return e; if (e && !other) other = e;
 * Code: armilla/boot/children/child.cpp: if (e.code == 0 && e.kind == ending::how::code) return std::nullopt;
 * Code: armilla/boot/children/supervisor.cpp: if (c.told() || (c.alive ? !noted_by(plan_, c) : finished(plan_, c))) continue;
 * Code: armilla/session/session_state.cpp: record_current_exception(*self.job, self.rank); tell_own_loss(*self.job, self.rank);
 * Code: armilla/session/session_state.cpp: meet_at_the_end(self, all_stopped); set_stage(self, rank_stage::finished);
 * Code: armilla/team/core/team.cpp: if (there()) return; if (t.lost != no_rank) messages.lost.raise(t.lost, what);
 *
 * Ranks are processes of one host. Each runs PHASES fences, meets the others, has finished, and exits. FAULTS times something happens to a
 * rank: a signal strikes it, at any moment until it has exited; it throws; it leaves by _exit(0). A rank that waits in a fence hears of
 * losses, and throws in its turn where the member that it waits for has not come; a rank in the last meeting hears of nothing. NETWORK: a
 * broken connection tells a rank of the loss, too, later than the supervisor has looked. The time that ranks have may be over at once.
 *
 * At rest no process is left, and the supervisor has told of a rank to which something had happened, or of none if nothing had.
 * UNHURRIED: the time is never over. Then all end by themselves if what happens, happens before the last fence.
 *
 * Holds: one_fault -DFAULTS=1
 * Holds: two_faults -DFAULTS=2 -DPHASES=1
 * Holds: networks_tell_too -DFAULTS=1 -DNETWORK
 * Holds: all_hear_of_it -DFAULTS=1 -DUNHURRIED
 * Holds: all_hear_of_two -DFAULTS=2 -DUNHURRIED -DPHASES=1
 * Refused: broken_supervisor_tells_no_rank -DFAULTS=1 -DUNHURRIED -DTELLS_NONE: assertion violated no_process_is_left
 * Refused: broken_loss_is_forgotten -DFAULTS=1 -DUNHURRIED -DFORGETS: assertion violated no_process_is_left
 * Refused: broken_last_meeting_without_a_limit -DFAULTS=1 -DPHASES=1 -DNO_LIMIT: assertion violated no_process_is_left
 * Refused: broken_only_a_polite_end -DFAULTS=1 -DPHASES=1 -DPOLITE: assertion violated no_process_is_left
 * Refused: broken_tells_before_it_notes -DFAULTS=1 -DTELLS_BEFORE: assertion violated names_a_cause
 * Refused: broken_lowest_of_those_that_ended -DFAULTS=2 -DPHASES=1 -DLOWEST: assertion violated names_a_cause
 * Refused: broken_consequences_are_causes -DFAULTS=1 -DNETWORK -DNO_SECONDARY: assertion violated names_a_cause
 * Refused: broken_network_tells_at_once -DFAULTS=1 -DNETWORK -DAT_ONCE: assertion violated names_a_cause
 * Refused: broken_exit_0_is_success -DFAULTS=1 -DPHASES=1 -DEXIT_IS_SUCCESS: assertion violated no_process_is_left
 */
#ifndef N
#define N 3
#endif
#ifndef PHASES
#define PHASES 2
#endif
#define NONE 255

mtype = { alive, exited_0, exited_1, struck };         /* a process, as the system knows it */
mtype = { running, failing, ending, killing, reported };  /* the supervisor */

mtype process[N] = alive;
byte step[N];       /* fences to which the rank has come */
byte arrived;       /* at the last meeting */
bit finished[N];
bit faulty[N];      /* something has happened to it */
byte faults;

/* the job block */
bit note_begun, note_complete, note_secondary;
byte note_rank;
bit lost[N];        /* the log of losses */
byte losses;
byte first_lost = NONE;

/* the supervisor's */
mtype phase = running;
bit seen[N];        /* it knows that the process has ended */
bit told[N];
bit bell;           /* a child has ended, or made a note */
byte failure = NONE;

bit no_process_is_left, names_a_cause;

inline lose(r_) {
  if
  :: !lost[r_] ->
    first_lost = (losses == 0 -> r_ : first_lost);
    lost[r_] = 1;
    losses++
  :: else
  fi
}

inline note(secondary_) {
  atomic {
    if
    :: !note_begun -> note_begun = 1; mine = 1
    :: else
    fi
  }
  atomic {
    if
    :: mine -> note_rank = me; note_secondary = secondary_; note_complete = 1; bell = 1; mine = 0
    :: else
    fi
  }
}

inline fail(secondary_) {
#ifdef TELLS_BEFORE
  atomic { lose(me) }
  note(secondary_);
#else
  note(secondary_);
  atomic { lose(me) }
#endif
  atomic { bell = 1; process[me] = exited_1 }
}

#ifdef UNHURRIED
#define MAY_FAIL(r) (faults < FAULTS && step[r] < PHASES)
#else
#define MAY_FAIL(r) (faults < FAULTS)
#endif

#define THERE(r) (step[r] >= fence)
#define OTHER ((me + other) % N)

#ifdef NETWORK
#ifdef AT_ONCE
#define BREAKS(r) (process[r] != alive && !finished[r] && !lost[r])
#else
#define BREAKS(r) (seen[r] && !finished[r] && !lost[r])
#endif
#define CONNECTIONS :: atomic { BREAKS((me + 1) % N) -> lose((me + 1) % N) } :: atomic { BREAKS((me + 2) % N) -> lose((me + 2) % N) }
#else
#define CONNECTIONS
#endif

proctype rank(byte me) provided (process[me] == alive) {
  byte fence = 1, other, heard;
  bit mine, has_lost;
  do
  :: atomic { fence <= PHASES && MAY_FAIL(me) -> faults++; faulty[me] = 1 }  /* it throws, or leaves */
    if
    :: fail(0)
    :: atomic { bell = 1; process[me] = exited_0 }
    fi
  :: fence <= PHASES && has_lost -> fail(1)
  :: atomic { fence <= PHASES && !has_lost -> step[me] = fence; other = 1 }
    do
    :: atomic { other < N && THERE(OTHER) -> other++ }
    :: other < N && heard != losses -> atomic { heard = losses; has_lost = 1 }
    :: other < N && has_lost && !THERE(OTHER) -> fail(1)
    CONNECTIONS
    :: atomic { other == N ->
        fence++;
        other = 0;
#ifdef FORGETS
        has_lost = 0;
#endif
        break }
    od
  :: fence > PHASES -> break
  od;
  arrived++;
  arrived == N;
  finished[me] = 1;
  atomic { bell = 1; process[me] = exited_0 }
}

/* Signals from elsewhere. */
proctype fate() {
  do
  :: atomic { MAY_FAIL(0) && process[0] == alive -> faults++; faulty[0] = 1; process[0] = struck; bell = 1 }
  :: atomic { MAY_FAIL(1) && process[1] == alive -> faults++; faulty[1] = 1; process[1] = struck; bell = 1 }
  :: atomic { MAY_FAIL(2) && process[2] == alive -> faults++; faulty[2] = 1; process[2] = struck; bell = 1 }
  :: faults == FAULTS -> break
  od
}

#define NOTED_BY(r) (note_complete && note_rank == (r))
#ifdef NO_SECONDARY
#define IS_SECONDARY(r) false
#else
#define IS_SECONDARY(r) (NOTED_BY(r) && note_secondary)
#endif
#define IS_PRIMARY (note_complete && !note_secondary)
#define ANY_SECONDARY (IS_SECONDARY(0) || IS_SECONDARY(1) || IS_SECONDARY(2))
#define SECONDARY_LIVES ((IS_SECONDARY(0) && !seen[0]) || (IS_SECONDARY(1) && !seen[1]) || (IS_SECONDARY(2) && !seen[2]))
#ifdef EXIT_IS_SUCCESS
#define SUCCESS(r) (process[r] == exited_0)
#else
#define SUCCESS(r) (process[r] == exited_0 && finished[r])
#endif
#define ALL_SEEN (seen[0] && seen[1] && seen[2])

#ifdef LOWEST
#define FIRST_TOLD_COUNTS false
#else
#define FIRST_TOLD_COUNTS (unnoted != NONE && note_begun)  /* a note is being written */
#endif

inline find_failure() {
  unnoted = NONE;
  r = (IS_PRIMARY -> N + 1 : 0);
  do
  :: r == N + 1 -> failure = note_rank; break
  :: r < N && (NOTED_BY(r) || !seen[r] || SUCCESS(r)) -> r++
  :: r < N && !NOTED_BY(r) && seen[r] && process[r] == struck -> failure = r; break
  :: r < N && !NOTED_BY(r) && seen[r] && process[r] != struck && !SUCCESS(r) -> unnoted = (unnoted == NONE -> r : unnoted); r++
  :: r == N ->
    if
    :: unnoted != NONE && ANY_SECONDARY -> failure = unnoted
    :: !(unnoted != NONE && ANY_SECONDARY) && SECONDARY_LIVES
    :: else -> failure = (note_complete -> note_rank : (FIRST_TOLD_COUNTS && first_lost != NONE -> first_lost : unnoted))
    fi;
    break
  od
}

inline reap(r_) {
  atomic {
    if
    :: process[r_] != alive -> seen[r_] = 1
    :: else
    fi
  }
}

inline judge() {
  atomic {
    if
    :: phase == running ->
      find_failure();
      if
      :: failure != NONE -> phase = failing
      :: else
      fi
    :: else
    fi;
    r = 0;
    unnoted = 0
  }
}

inline tell_loss_of(r_) {
  atomic {
    if
#ifndef TELLS_NONE
    :: phase == failing && !told[r_] && (seen[r_] && !finished[r_] || !seen[r_] && NOTED_BY(r_)) -> told[r_] = 1; lose(r_)
#endif
    :: else
    fi
  }
}

inline strike(r_) {
  if
  :: process[r_] == alive -> process[r_] = struck; bell = 1
  :: else
  fi
}

/* A program may do something else at SIGTERM. */
inline ask_to_end(r_) {
  if
  :: strike(r_)
  :: process[r_] == alive
  fi
}

proctype supervisor() {
  byte r, unnoted;
  do
  :: !ALL_SEEN && bell ->
    bell = 0;
    reap(0); reap(1); reap(2);
    judge();
    tell_loss_of(0); tell_loss_of(1); tell_loss_of(2)
#if !defined(UNHURRIED) && !defined(NO_LIMIT)
  :: atomic { !ALL_SEEN && phase == failing -> phase = ending; ask_to_end(0); ask_to_end(1); ask_to_end(2) }
#ifndef POLITE
  :: atomic { !ALL_SEEN && phase == ending -> phase = killing; strike(0); strike(1); strike(2) }
#endif
#endif
  :: ALL_SEEN -> break
  od;
  judge();
  phase = reported
}

proctype rest() {
  timeout;
  atomic {
    no_process_is_left = (process[0] != alive && process[1] != alive && process[2] != alive && phase == reported -> 1 : 0);
    assert(no_process_is_left);
    if
    :: failure == NONE -> names_a_cause = (faults == 0 && finished[0] && finished[1] && finished[2] -> 1 : 0)
    :: else -> names_a_cause = faulty[failure]
    fi;
    assert(names_a_cause)
  }
  do  /* processes that were struck stand still where they are: that is no deadlock */
  :: no_process_is_left = 1 - no_process_is_left
  od
}

init {
  atomic {
    run rank(0);
    run rank(1);
    run rank(2);
    run fate();
    run supervisor();
    run rest()
  }
}
