/* SPDX-License-Identifier: Apache-2.0 */
/*! A fence: members add up what they have created and processed, in rounds, until all that existed has been processed.
 *
 * Stands for: armilla/team/fence/fence.cpp: count_here, settle, run_round, ends_fence, run_rounds
 * Stands for: armilla/am/endpoint/ledger.cpp: created, processed, deferred
 * Stands for: armilla/am/endpoint/parked.cpp: add, run
 * Stands for: armilla/am/endpoint/inbox.cpp: promote_to_fiber, frame_scope
 * Stands for: armilla/am/endpoint/outbox.cpp: queue, drain
 * Stands for: armilla/am/endpoint/progress_thread.cpp: look_at_rings
 * Stands for: armilla/rpc/calls.cpp: defer_for, settle_deferred
 * Code: armilla/team/fence/fence.cpp: return sums.created == sums.processed && sums.busy == 0;
 * Code: armilla/team/fence/fence.cpp: if (!messages.out.nothing_to_send()) ++s.busy;
 * Code: armilla/team/fence/fence.cpp: if (any_held_back(*t.owner)) s.busy += one_held_back;
 * Code: armilla/team/fence/fence.cpp: s.busy = messages.sums.deferred();
 * Code: armilla/team/fence/fence.cpp: messages.out.flush(); if (!messages.waits.poll()) return;
 * Code: armilla/am/endpoint/progress_thread.cpp: mine_.out.flush();
 *
 * What a pair has sent and processed weighs more than any number of what the pair before it may: so sums are equal where each pair's
 * are. In the code the weights are hashes.
 *
 * Each rank sends one_way_calls, fences, sends some more, and fences again. A body may send others, wait (its fiber is left behind), or
 * be parked: it goes on at any time. With THREADS, one_way_calls and two_way_calls go to the progress threads of other ranks, whose replies are in
 * no count; what hangs on a reply may send again. A ring holds one frame here, what finds no room is queued, as what a client holds back is. LATE: what a look does not
 * find, as between hosts with several ranks each. Another fiber of each rank may send a one_way_call at the worst moment; no fence
 * waits for that one, but it counts.
 *
 * `alive[p]`: what was begun before fence p, or caused by that, and has not ended. None may be where a rank's fence p is over.
 *
 * Holds: looks_that_find_all -DN=2 -DSENDS=2
 * Holds: looks_that_find_all_once -DN=2 -DSENDS=3 -DPHASES=1
 * Holds: three_ranks -DN=3 -DSENDS=1 -DPHASES=1
 * Holds: late_looks -DN=2 -DLATE -DSENDS=2
 * Holds: late_looks_of_three_ranks -DN=3 -DLATE -DSENDS=1 -DPHASES=1
 * Holds: progress_threads -DN=2 -DTHREADS -DSENDS=2 -DPHASES=1
 * Refused: broken_all_pairs_weigh_alike -DN=2 -DALL_ALIKE -DLATE -DSENDS=3: assertion violated (alive[phase]==0)
 * Refused: broken_all_pairs_weigh_alike_with_progress_threads -DN=2 -DALL_ALIKE -DTHREADS -DSENDS=1: assertion violated (alive[phase]==0)
 * Refused: broken_both_ways_of_a_pair_weigh_alike -DN=2 -DWAYS_ALIKE -DTHREADS -DSENDS=2: assertion violated (alive[phase]==0)
 * Refused: broken_fibers_not_counted -DN=2 -DLATE -DFIBERS_NOT_COUNTED -DSENDS=2: assertion violated (alive[phase]==0)
 * Refused: broken_continuations_not_busy -DN=2 -DTHREADS -DCONTINUATIONS_NOT_BUSY -DSENDS=2: assertion violated (alive[phase]==0)
 * Refused: broken_queued_not_busy -DN=2 -DLATE -DQUEUED_NOT_BUSY -DSENDS=3: assertion violated (alive[phase]==0)
 */
#ifndef PHASES
#define PHASES 2
#endif
#define RING(from, to) ring[(from)*N + (to)]
#define QUEUE(from, to) queued[(from)*N + (to)]

/* A frame, the call in it, or a fiber: `4 * p + g`. Fence p waits for it (0: none), and it may cause others g generations long. */
#define FENCE(v) ((v) / 4)
#define SENDS_ON(v) ((v) % 4 > 0)

chan ring[N*N] = [1] of { byte };
chan queued[N*N] = [SENDS] of { byte };
chan fibers[N] = [SENDS] of { byte };  /* bodies that wait, were parked, or left a fiber behind */
#ifdef THREADS
chan to_thread[N*N] = [1] of { byte };
chan replies[N*N] = [1] of { byte };
byte by_thread[N*N];  /* what the thread of the second has processed from the first */
#endif

/* A pair has at most SENDS + 1 frames, so fewer than eight. */
#define PAIR(from, to) ((from)*(N - 1) + ((to) + N - (from)) % N - 1)
#ifdef ALL_ALIKE
#define WEIGHT(from, to) 1
#define WEIGHT_TO_THREAD(from, to) 1
#else
#define WEIGHT(from, to) (1 << (3*PAIR(from, to)))
#ifdef WAYS_ALIKE
#define WEIGHT_TO_THREAD(from, to) WEIGHT(from, to)
#else
#define WEIGHT_TO_THREAD(from, to) (1 << (3*(PAIR(from, to) + N*(N - 1))))
#endif
#endif

byte alive[3];
byte sent;           /* by all: at most SENDS */
int created[N];      /* frames that have left */
int taken[N];        /* frames that were given back to their rings */
byte waits[N];       /* continuations whose reply has not come */
bit other_fiber[N];  /* has sent its one_way_call */

/* What a member shows, by the parity of its round. */
byte shown_round[N*2];
int shown_created[N*2];
int shown_processed[N*2];
bit shown_busy[N*2];

/* The steps of a rank. What a rank does between two of its sends meets nothing that another rank could see, so each step holds one
 * send at most. */

inline post(v_) {
  if
#if N > 2
  :: to = (me + 2) % N
#endif
  :: to = (me + 1) % N
  fi;
  if
  :: len(QUEUE(me, to)) == 0 && len(RING(me, to)) == 0 -> RING(me, to)!v_; created[me] = created[me] + WEIGHT(me, to)
  :: else -> QUEUE(me, to)!v_
  fi;
  to = 0
}

inline cause(v_) {
  sent++;
  alive[FENCE(v_)]++;
#ifdef THREADS
  if
  :: len(to_thread[me*N + 1 - me]) == 0 -> to_thread[me*N + 1 - me]!(v_) - 1;
    created[me] = created[me] + WEIGHT_TO_THREAD(me, 1 - me);
    waits[me] = waits[me] + (SENDS_ON((v_) - 1) -> 1 : 0)
  :: post((v_) - 1)
  fi
#else
  post((v_) - 1)
#endif
}

#define BODY 0
#define FIBER 1
#define REPLY 2

inline end_one() {
  alive[FENCE(v)]--;
  if
  :: kind == BODY -> taken[me] = taken[me] + WEIGHT(source, me)
  :: kind == REPLY -> waits[me]--
  :: kind == FIBER
  fi;
  v = 0; kind = 0; source = 0; again = 0
}

/* The body, fiber or continuation `v` sends nothing, something, twice something, or leaves a fiber behind. */
inline act() {
  if
  :: end_one()
  :: SENDS_ON(v) && sent < SENDS -> cause(v); end_one()
  :: SENDS_ON(v) && sent + 1 < SENDS -> cause(v); again = 1
  :: SENDS_ON(v) && kind == BODY -> fibers[me]!v; taken[me] = taken[me] + WEIGHT(source, me); v = 0; kind = 0; source = 0
  fi
}

inline step_of(ring_, kind_, source_) {
  atomic { ring_?v; kind = kind_; source = source_; act() }
  if
  :: atomic { again == 1 -> cause(v); end_one() }
  :: again == 0
  fi
}

#define ANY_QUEUED(to) (len(QUEUE(me, to)) > 0 && len(RING(me, to)) == 0)

inline drain(to_) { atomic { QUEUE(me, to_)?v; RING(me, to_)!v; created[me] = created[me] + WEIGHT(me, to_); v = 0 } }

#define FROM ((me + 1) % N)
#define FROM_THIRD ((me + 2) % N)

#if N > 2
#define THIRD :: len(RING(FROM_THIRD, me)) > 0 -> step_of(RING(FROM_THIRD, me), BODY, FROM_THIRD) :: ANY_QUEUED(FROM_THIRD) -> drain(FROM_THIRD)
#else
#define THIRD
#endif
#ifdef THREADS
#define ANSWERS :: len(replies[FROM*N + me]) > 0 -> step_of(replies[FROM*N + me], REPLY, 0)
#else
#define ANSWERS
#endif

/* What a look finds. */
#define SOMETHING_HAS_COME \
  :: len(RING(FROM, me)) > 0 -> step_of(RING(FROM, me), BODY, FROM) \
  :: ANY_QUEUED(FROM) -> drain(FROM) THIRD ANSWERS

/* What may happen at any time while a rank waits. */
#define OTHERS_RUN \
  :: len(fibers[me]) > 0 -> step_of(fibers[me], FIBER, 0) \
  :: atomic { me == 0 && other_fiber[me] == 0 -> other_fiber[me] = 1; alive[0]++; post(0) }

inline settle() {
#ifdef LATE
  do
  SOMETHING_HAS_COME
  OTHERS_RUN
  :: break
  od
#else
  do
  SOMETHING_HAS_COME
  OTHERS_RUN
  :: len(RING(FROM, me)) == 0 && !ANY_QUEUED(FROM) -> /* one ring after the other: what comes behind a look is not seen */
#if N > 2
    if
    :: len(RING(FROM_THIRD, me)) == 0 && !ANY_QUEUED(FROM_THIRD) -> break
    :: else
    fi
#else
    break
#endif
  od
#endif
}

#ifdef FIBERS_NOT_COUNTED
#define BUSY_FIBERS 0
#else
#define BUSY_FIBERS len(fibers[me])
#endif
#ifdef CONTINUATIONS_NOT_BUSY
#define BUSY_WAITS 0
#else
#define BUSY_WAITS waits[me]
#endif
#ifdef QUEUED_NOT_BUSY
#define BUSY_QUEUES 0
#else
#if N > 2
#define BUSY_QUEUES (len(QUEUE(me, FROM)) + len(QUEUE(me, FROM_THIRD)))
#else
#define BUSY_QUEUES len(QUEUE(me, FROM))
#endif
#endif
#ifdef THREADS
#define TAKEN (taken[me] + by_thread[FROM*N + me]*WEIGHT_TO_THREAD(FROM, me))
#else
#define TAKEN taken[me]
#endif

inline count_here() {
  sum_created = created[me];
  sum_processed = TAKEN;
  sum_busy = (BUSY_FIBERS + BUSY_WAITS + BUSY_QUEUES > 0 -> 1 : 0)
}

#define IS_OVER (sum_created == sum_processed && !sum_busy)

#define SLOT(member) ((member)*2 + round % 2)

inline run_round() {
  settle();
  atomic {
    round = (round + 1) % 4;
    count_here();
    shown_created[SLOT(me)] = sum_created;
    shown_processed[SLOT(me)] = sum_processed;
    shown_busy[SLOT(me)] = sum_busy;
    shown_round[SLOT(me)] = round
  }
  other = 1;
  do
  :: atomic { other < N && shown_round[SLOT((me + other) % N)] == round ->
      sum_created = sum_created + shown_created[SLOT((me + other) % N)];
      sum_processed = sum_processed + shown_processed[SLOT((me + other) % N)];
      sum_busy = sum_busy | shown_busy[SLOT((me + other) % N)];
      other++ }
  :: atomic { other == N ->
      other = 0;
      over = (IS_OVER -> 1 : 0);
      sum_created = 0; sum_processed = 0; sum_busy = 0;
      break }
  SOMETHING_HAS_COME
  OTHERS_RUN
  od
}

proctype rank(byte me) {
  byte phase = 1, round = 0, to, v, kind, source, other;
  int sum_created, sum_processed;
  bit sum_busy, over, again;
  do
  :: atomic { phase <= PHASES && sent < SENDS -> cause(phase * 4 + 2) }
#ifdef THREADS
  :: atomic { phase <= PHASES && sent < SENDS -> cause(phase * 4 + 1) }
#endif
  :: phase <= PHASES ->
    do
    :: over == 0 -> run_round()
    :: atomic { over == 1 -> over = 0; assert(alive[phase]==0); phase++; break }
    od
  :: phase > PHASES -> break
  od;
end:
  do  /* others may still count */
  SOMETHING_HAS_COME
  OTHERS_RUN
  od
}

#ifdef THREADS
proctype progress_thread(byte me) {
  byte v;
end:
  do
  :: atomic { len(to_thread[FROM*N + me]) > 0 && len(replies[me*N + FROM]) == 0 ->
      to_thread[FROM*N + me]?v;
      if
      :: SENDS_ON(v) -> replies[me*N + FROM]!v
      :: else -> alive[FENCE(v)]--  /* a one_way_call */
      fi;
      v = 0 }
    by_thread[FROM*N + me]++
  od
}
#endif

init {
  atomic {
    run rank(0);
    run rank(1);
#if N > 2
    run rank(2);
#endif
#ifdef THREADS
    run progress_thread(0);
    run progress_thread(1);
#endif
  }
}
