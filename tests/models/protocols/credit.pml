/* SPDX-License-Identifier: Apache-2.0 */
/*! Credit, backlog and holding: no rank waits for room for ever, and what is queued stays bounded.
 *
 * Stands for: armilla/am/endpoint/outbox.cpp: push, post, queue, drain, await_credit
 * Stands for: armilla/am/endpoint/progress.cpp: await_credit
 * Stands for: armilla/am/endpoint/inbox.cpp: passes_over, anything_has_come
 * Stands for: armilla/am/endpoint/holding.cpp: hold_back, read_on, tell, follow
 * Code: armilla/am/endpoint/outbox.cpp: if (c.backlog.empty() && post(c, frame, bytes)) [[likely]] return; queue(c, frame, bytes, blocks);
 * Code: armilla/am/endpoint/outbox.cpp: if (!c.holds && c.backlog_weight > hold_above_) holding{*self.messages}.hold_back(c);
 * Code: armilla/am/endpoint/outbox.cpp: if (c.holds && c.backlog_weight <= hold_above_ / 2) holding{*self.messages}.read_on(c);
 * Code: armilla/am/endpoint/progress.cpp: if (out_.in_body() || c.backlog.empty()) return;
 * Code: armilla/am/endpoint/progress.cpp: if (c.backlog.empty()) return seen::over; const bool any = poll_unasked();
 * Code: armilla/am/endpoint/inbox.cpp: return to.lost || self.rank > in.source || !to.ring.is_unread();
 * Code: armilla/am/endpoint/holding.cpp: c.holds && (all.out.self.rank > c.to || !c.held_there)
 *
 * Each rank's own code sends SENDS messages, waits for credit behind each, for answers whenever it likes and at its end, and then goes on
 * taking in messages, as in a fence. A body never waits for credit. It sends nothing, two one_way_calls back, an answer, or it asks a rank
 * (the third, if there is one) and leaves the loop; its answer follows that one's. A frame holds one message; a ring holds ROOM frames; a
 * rank for which more than HOLD are queued is held back. FAR: by a network, where a word tells that, and comes past all frames.
 * A rank that finds nothing, and has nothing queued, sleeps; only a frame that comes in wakes it.
 *
 * At rest, when nothing can happen any more, each rank has ended its own code, and all bodies have run. In between, messages to one rank
 * arrive in their order, and no more are queued for one than BOUND.
 *
 * Holds: two_ranks -DSENDS=3
 * Holds: two_ranks_ask_each_other -DSENDS=3 -DTWO_WAY_CALLS
 * Holds: far -DSENDS=3 -DFAR
 * Holds: three_ranks -DN=3 -DSENDS=1 -DTWO_WAY_CALLS -DHOLD=0
 * Refused: broken_waits_without_reading -DSENDS=2 -DWAITS_WITHOUT_READING: assertion violated ((finished==2)&&(under_way==0))
 * Refused: broken_bodies_wait -DSENDS=3 -DBODIES_WAIT: assertion violated ((finished==2)&&(under_way==0))
 * Refused: broken_frames_pass_the_backlog -DSENDS=3 -DPASSES: assertion violated in_order
 * Refused: broken_both_hold -DSENDS=3 -DBOTH_HOLD: assertion violated ((finished==2)&&(under_way==0))
 * Refused: broken_both_of_three_hold -DN=3 -DSENDS=1 -DTWO_WAY_CALLS -DHOLD=0 -DBOTH_HOLD: assertion violated ((finished==3)&&(under_way==0))
 * Refused: broken_nothing_is_held_back -DSENDS=3 -DNO_HOLD: assertion violated bounded
 * Refused: broken_is_held_for_ever -DSENDS=3 -DNO_READ_ON: assertion violated ((finished==2)&&(under_way==0))
 * Refused: broken_sleeps_with_a_backlog -DSENDS=3 -DSLEEPS: assertion violated ((finished==2)&&(under_way==0))
 * Refused: broken_word_waits_behind_frames -DSENDS=3 -DFAR -DWORD_BEHIND: assertion violated ((finished==2)&&(under_way==0))
 */
#ifndef N
#define N 2
#endif
#ifndef ROOM
#define ROOM 1
#endif
#ifndef HOLD
#define HOLD 1
#endif
#define MOST 12
#define PAIR(from, to) ((from)*N + (to))
#define RING(from, to) ring[PAIR(from, to)]
#define QUEUE(from, to) queued[PAIR(from, to)]

/* What a message is: bits 0 to 2; its number to that rank, modulo 8, above. */
#define ONE_WAY_CALL 1    /* its body sends nothing */
#define ONE_WAY_CALLS 2   /* its body sends two one_way_calls back */
#define TWO_WAY_CALL 3     /* its body answers */
#define WIDE_TWO_WAY_CALL 4 /* its body asks first */
#define INNER_TWO_WAY_CALL 5
#define INNER_ANSWER 6
#define ANSWER 7
#define KIND(v) ((v) % 8)
#define NUMBER(v) ((v) / 8)

chan ring[N*N] = [ROOM] of { byte };
chan queued[N*N] = [MOST] of { byte };
byte sent[N*N];       /* modulo 8 */
byte taken[N*N];      /* modulo 8 */
byte waits[N];        /* answers that have not come */
byte under_way;       /* messages whose bodies have not run */
byte finished;        /* ranks whose own code has ended */
bit asleep[N];
bit holds[N*N];       /* nothing more is read by the first from the second */
#ifdef FAR
chan word[N*N] = [8] of { bit };
bit held_there[N*N];  /* the second has said so to the first */
#define IS_LEFT(from) held_there[PAIR(me, from)]
#else
#define IS_LEFT(from) holds[PAIR(from, me)]  /* the head of the ring says it */
#endif
bit in_order = 1, bounded = 1;

#ifdef BOTH_HOLD
#define LEAVES(from) holds[PAIR(me, from)]
#else
#define LEAVES(from) (holds[PAIR(me, from)] && (me > (from) || !IS_LEFT(from)))
#endif

/* Frames beyond HOLD: answers to one frame, and the last that own code has sent; at the lower of two that hold each other back
 * besides what it reads on for: a ring, and what is queued at the other. */
#define BOUND(from, to) ((from) > (to) -> HOLD + 3 : HOLD + 3 + 2 * (ROOM + HOLD + 3))

inline tell(to_, held_) {
  holds[PAIR(me, to_)] = held_;
#ifdef FAR
  assert(nfull(word[PAIR(me, to_)]));
  word[PAIR(me, to_)]!held_;
  asleep[to_] = 0
#endif
}

#ifdef PASSES
#define NOTHING_WAITS(to) true
#else
#define NOTHING_WAITS(to) len(QUEUE(me, to)) == 0
#endif
#ifdef NO_HOLD
#define IS_MUCH(to) false
#else
#define IS_MUCH(to) (!holds[PAIR(me, to)] && len(QUEUE(me, to)) > HOLD)
#endif
#ifdef NO_READ_ON
#define IS_LITTLE(to) false
#else
#define IS_LITTLE(to) (holds[PAIR(me, to)] && len(QUEUE(me, to)) <= HOLD / 2)
#endif

inline push(to_, kind_) {
  under_way++;
  v = sent[PAIR(me, to_)] * 8 + (kind_);
  sent[PAIR(me, to_)] = (sent[PAIR(me, to_)] + 1) % 8;
  if
  :: NOTHING_WAITS(to_) && len(RING(me, to_)) < ROOM -> RING(me, to_)!v; asleep[to_] = 0
  :: else ->
    assert(len(QUEUE(me, to_)) < MOST);
    QUEUE(me, to_)!v;
    if
    :: IS_MUCH(to_) -> tell(to_, 1)
    :: else
    fi;
    if
    :: len(QUEUE(me, to_)) > BOUND(me, to_) -> bounded = 0
    :: else
    fi;
    assert(bounded)
  fi;
  v = 0
}

inline drain(to_) {
  QUEUE(me, to_)?v;
  RING(me, to_)!v;
  asleep[to_] = 0;
  v = 0;
  if
  :: IS_LITTLE(to_) -> tell(to_, 0)
  :: else
  fi
}

#if N > 2
#define ASKED(from) (3 - me - (from))
#else
#define ASKED(from) (from)
#endif

inline run_body(from_) {
  in_order = (NUMBER(v) == taken[PAIR(me, from_)] -> 1 : 0);
  assert(in_order);
  taken[PAIR(me, from_)] = (taken[PAIR(me, from_)] + 1) % 8;
  kind = KIND(v);
  v = 0;
  if
  :: kind == ONE_WAY_CALL
  :: kind == ONE_WAY_CALLS -> push(from_, ONE_WAY_CALL); push(from_, ONE_WAY_CALL)
  :: kind == TWO_WAY_CALL -> push(from_, ANSWER)
  :: kind == WIDE_TWO_WAY_CALL -> push(ASKED(from_), INNER_TWO_WAY_CALL)
  :: kind == INNER_TWO_WAY_CALL -> push(from_, INNER_ANSWER)
  :: kind == INNER_ANSWER -> push(ASKED(from_), ANSWER)  /* the body that has waited goes on */
  :: kind == ANSWER -> waits[me]--
  fi;
  kind = 0;
  under_way--
}

#ifdef BODIES_WAIT
#define BODY_MAY_RUN(from) (len(RING(me, from)) < ROOM && len(QUEUE(me, from)) == 0)  /* or this rank does nothing until it is so */
#else
#define BODY_MAY_RUN(from) true
#endif

#define TO_READ(from) (len(RING(from, me)) > 0 && !LEAVES(from))
#define MAY_DRAIN(to) (len(QUEUE(me, to)) > 0 && len(RING(me, to)) < ROOM)
#define LOOK(from) \
  :: atomic { !asleep[me] && TO_READ(from) && BODY_MAY_RUN(from) -> RING(from, me)?v; run_body(from) } \
  :: atomic { !asleep[me] && MAY_DRAIN(from) -> drain(from) } \
  WORDS(from)

#ifdef FAR
#ifdef WORD_BEHIND
#define WORD_TO_READ(from) (len(word[PAIR(from, me)]) > 0 && !LEAVES(from))
#else
#define WORD_TO_READ(from) (len(word[PAIR(from, me)]) > 0)
#endif
#define WORDS(from) :: atomic { !asleep[me] && WORD_TO_READ(from) -> word[PAIR(from, me)]?held_there[PAIR(me, from)] }
#else
#define WORD_TO_READ(from) false
#define WORDS(from)
#endif

#ifdef SLEEPS
#define NOTHING(from) (!TO_READ(from) && !MAY_DRAIN(from) && !WORD_TO_READ(from))
#else
#define NOTHING(from) (!TO_READ(from) && len(QUEUE(me, from)) == 0 && !WORD_TO_READ(from))
#endif

#define OTHER ((me + 1) % N)
#if N > 2
#define THIRD ((me + 2) % N)
#define LOOKS_WHILE(waiting) LOOK(OTHER) LOOK(THIRD) \
  :: atomic { !asleep[me] && (waiting) && NOTHING(OTHER) && NOTHING(THIRD) -> asleep[me] = 1 }
#else
#define LOOKS_WHILE(waiting) LOOK(OTHER) \
  :: atomic { !asleep[me] && (waiting) && NOTHING(OTHER) -> asleep[me] = 1 }
#endif

#ifdef WAITS_WITHOUT_READING
#define LOOKS_FOR_CREDIT :: atomic { MAY_DRAIN(to) -> drain(to) }
#else
#define LOOKS_FOR_CREDIT LOOKS_WHILE(len(QUEUE(me, to)) > 0)
#endif

inline await_credit() {
  do
  :: atomic { len(QUEUE(me, to)) == 0 -> break }
  LOOKS_FOR_CREDIT
  od
}

proctype rank(byte me) {
  byte left = SENDS, to, v, kind;
  do
  :: left > 0 ->
#if N > 2
    if
    :: to = OTHER
    :: to = THIRD
    fi;
#else
    to = OTHER;
#endif
    await_credit();  /* what bodies have queued goes first */
    atomic {
      left--;
      if
      :: push(to, ONE_WAY_CALLS)
#ifdef TWO_WAY_CALLS
      :: waits[me]++; push(to, WIDE_TWO_WAY_CALL)
#endif
      :: waits[me]++; push(to, TWO_WAY_CALL)
      fi
    }
    await_credit();
    to = 0
  :: waits[me] > 0 ->
    do
    :: waits[me] == 0 -> break
    LOOKS_WHILE(waits[me] > 0)
    od
  :: atomic { left == 0 && waits[me] == 0 -> finished++; break }
  od;
end:
  do
  LOOKS_WHILE(true)
  od
}

proctype rest() {
  timeout;
  assert(finished == N && under_way == 0)
}

init {
  atomic {
    run rank(0);
    run rank(1);
#if N > 2
    run rank(2);
#endif
    run rest()
  }
}
