/* SPDX-License-Identifier: Apache-2.0 */
/*! A process takes the place of a lost rank, while others come to their end.
 *
 * Stands for: armilla/boot/wire_up/new_rank.cpp: await_hand_overs, enter_job
 * Stands for: armilla/am/endpoint/losses.cpp: look_for_successors, hand_over_places, take_back, let_no_more_come
 * Code: armilla/boot/wire_up/new_rank.cpp: if (shown == ring_memory::refused || hears_no_more(self, r)) return false;
 * Code: armilla/am/endpoint/losses.cpp: c.lost && there.now == presence::coming && !c.handed_over) hand_over(c, there.word());
 * Code: armilla/am/endpoint/losses.cpp: if (out_.is_lost(r) && shares_memory(out_, r)) refuse(ring_to(out_, r));
 * Code: armilla/am/endpoint/losses.cpp: if (c.far) out_.far()->expect(c.to);
 * Code: armilla/am/endpoint/losses.cpp: return out_.to(r).handed_over && job.life(r).now == presence::coming;
 *
 * Two ranks live, a third is lost. Each of the two hears what has become of the place at any moment, and comes to its end at any
 * moment. When all have come there that it has not heard to be lost, it refuses, waits for the process that it may have let in,
 * and passes the last fence; but if that one is there now, it waits for all once more. One that sees that the other has passed
 * passes, too. The supervisor starts a process in the place, and another one if that dies before it is let in (FAULTS times). A
 * process that is let in lives a while, and comes to its end.
 *
 * At rest all are through, or the place stays empty. None passes the last fence while a rank lives that has not come there. A
 * process that is let in finds where in the rings to begin, also if the others have refused since it saw that they let it in.
 *
 * Where a network carries messages, a frame of the lost process may still be on its way when a rank hands over, and the first of
 * its successor may come before a rank has heard that this lives. From the moment on in which it hands over a rank takes none of
 * the first, and of the second none before it has heard.
 *
 * Holds: none_dies -DFAULTS=0
 * Holds: two_die -DFAULTS=2
 * Refused: broken_not_waited_for -DFAULTS=1 -DNOT_WAITED_FOR: assertion violated
 * Refused: broken_refuses_late -DFAULTS=1 -DREFUSES_LATE: assertion violated
 * Refused: broken_forgets_positions -DFAULTS=0 -DFORGETS_POSITIONS: assertion violated
 * Refused: broken_takes_it_for_lost -DFAULTS=0 -DNOT_HEARD: assertion violated
 * Refused: broken_same_keys -DFAULTS=0 -DSAME_KEYS: assertion violated
 * Refused: broken_not_held -DFAULTS=0 -DNOT_HELD: assertion violated
 */
#define N 2
#define LIVING 0
#define LOST 1
#define COMING 2
#define NOTHING 0
#define HANDED 1
#define REFUSED 2

byte place = LOST;
byte shown[N];   /* what each has written for the new_rank */
bit positions[N];  /* and where it begins */
bit at_end[N + 1];
bit passed[N + 1];
bit given_up, started;
byte faults;
#define OLD 1
#define NEW 2
chan net[N] = [2] of { byte };  /* frames to each, by which process has sent them */

#define all_came(view) (at_end[0] && at_end[1] && (view || at_end[2]))

inline look() {
  if
  :: place == COMING && lost && shown[me] == NOTHING ->
     if
     :: ends -> shown[me] = REFUSED
     :: !ends -> positions[me] = 1; shown[me] = HANDED
     fi
  :: place == LIVING && lost -> lost = 0
  :: else
  fi
}

inline refuse() {
#ifdef FORGETS_POSITIONS
  positions[me] = 0;
#endif
  shown[me] = REFUSED
}

#ifdef SAME_KEYS
#define is_known(frame) (1)
#else
#define is_known(frame) (shown[me] != HANDED || frame == NEW)
#endif
#ifdef NOT_HELD
#define may_take (1)
#else
#define may_take (!lost || shown[me] != HANDED)
#endif

inline take_frame() {
  if
  :: may_take && len(net[me]) > 0 ->
     net[me] ? frame;
     if
     :: is_known(frame) ->
        assert((frame == OLD -> shown[me] != HANDED : !lost))
     :: !is_known(frame)  /* of a process that has gone */
     fi;
     frame = 0
  :: !(may_take && len(net[me]) > 0)
  fi
}

proctype survivor(byte me) {
  byte frame;
  bit lost = 1, ends, handed;
  do
  :: atomic { look() }
  :: atomic { take_frame() }
  :: break
  od;
  at_end[me] = 1;
wait_for_all:
  do
  :: atomic { look() }
  :: all_came(lost) || passed[1 - me] -> break
  od;
#ifdef REFUSES_LATE
  if
  :: shown[me] == HANDED -> place != COMING
  :: else
  fi;
  ends = 1;
  refuse();
#else
  handed = shown[me] == HANDED;
  ends = 1;
  refuse();
#ifndef NOT_WAITED_FOR
  if
  :: handed -> place != COMING
  :: else
  fi;
#endif
#endif
#ifndef NOT_HEARD
  atomic { look() }
#endif
  if
  :: !all_came(lost) && !passed[1 - me] -> goto wait_for_all
  :: else
  fi;
  atomic {
    passed[me] = 1;
    assert(place != LIVING || at_end[2])
  }
}

proctype new_rank() {
  byte i = 0;
  do
  :: i < N && shown[i] == HANDED -> i++
  :: i < N && shown[i] == REFUSED -> given_up = 1; place = LOST; goto gone
  :: i < N && faults < FAULTS -> faults++; place = LOST; goto gone
  :: i == N -> break
  od;
  assert(positions[0] && positions[1]);
  if
  :: faults < FAULTS -> faults++; place = LOST; goto gone
  :: place = LIVING
  fi;
  if
  :: net[0] ! NEW
  :: net[1] ! NEW
  :: skip
  fi;
  at_end[2] = 1;
  all_came(0);
  passed[2] = 1;
gone:
  started = 0
}

proctype supervisor() {
  do
  :: atomic { place == LOST && !given_up && !started -> started = 1; place = COMING; run new_rank() }
  :: place == LIVING -> break
  :: given_up -> break
  od
}

init {
  atomic {
    if
    :: net[0] ! OLD
    :: skip
    fi;
    run survivor(0);
    run survivor(1);
    run supervisor()
  }
}
