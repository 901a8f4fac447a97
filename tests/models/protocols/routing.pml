/* SPDX-License-Identifier: Apache-2.0 */
/*! The order of a pair whose messages go by way of another rank, or straight: they begin in the order in which they were sent.
 *
 * Stands for: armilla/am/endpoint/router.cpp: route, mark_straight, take, deliver, straight_ones_have_begun, has_come_to, next_late
 * Stands for: armilla/am/endpoint/inbox_far.cpp: take_late, take_up_far, put_off
 * Code: armilla/am/endpoint/router.cpp: const bool leaves = p.straight && (c.open() || !c.backlog.empty());
 * Code: armilla/am/endpoint/router.cpp: if (p.late != 0 || (what.behind_straight && !straight_ones_have_begun(source, lines))) [[unlikely]] {
 * Code: armilla/am/endpoint/router.cpp: return p.begun >= routed || out_.self.messages->lost.first() != no_rank;
 *
 * A rank sends SENDS messages to another one: short ones, which go by way of a third rank, or straight where the pair has no credit; and long
 * ones and two_way_calls, which go straight. Open frames leave whenever they like, whole. The first message that goes straight behind routed
 * ones says how many these are: its frame waits for them. The first that is routed behind straight ones says how many frames
 * there were: it is copied, and waits for them; those behind it wait with it. What goes straight counts as taken when the whole
 * frame has run.
 *
 * At rest, when nothing can happen any more, all messages have begun.
 *
 * Holds: any_mixture -DSENDS=8
 * Refused: broken_straight_says_nothing -DSENDS=3 -DNO_MARK: assertion violated in_order
 * Refused: broken_routed_says_nothing -DSENDS=3 -DNO_FOLLOWS: assertion violated in_order
 * Refused: broken_frames_that_are_open_do_not_count -DSENDS=3 -DOPEN_PASSED: assertion violated in_order
 * Refused: broken_others_pass_what_is_late -DSENDS=3 -DLATE_PASSED: assertion violated in_order
 * Refused: broken_frames_count_before_they_have_run -DSENDS=3 -DCOUNTED_EARLY: assertion violated in_order
 * Refused: broken_late_ones_are_forgotten -DSENDS=3 -DFORGOTTEN: assertion violated (begun_all==3)
 */
#ifndef SENDS
#define SENDS 4
#endif

/* A message's number, and what it says of the other way: one more than that count; 0: nothing. */
chan open_straight = [SENDS] of { byte, byte };
chan straight = [SENDS] of { byte, byte, bit }; /* the last of its frame */
chan open_way = [SENDS] of { byte, byte };
chan to_relay = [SENDS] of { byte, byte };
chan open_relay = [SENDS] of { byte, byte };
chan from_relay = [SENDS] of { byte, byte };
chan late = [SENDS] of { byte, byte };
byte frames_sent; /* straight ones that have left */
byte begun_all;   /* the number that the next message that begins should have */
bit in_order = 1;

inline begin(number_) {
  in_order = (number_ == begun_all -> 1 : 0);
  assert(in_order);
  begun_all++
}

#ifdef OPEN_PASSED
#define LEAVES false
#else
#define LEAVES (p_straight && len(open_straight) > 0)
#endif

#ifdef COUNTED_EARLY
#define COUNTS_NOW !in_frame
#else
#define COUNTS_NOW last
#endif

inline send_straight() {
#ifndef NO_MARK
  says = (told != sent_routed -> sent_routed + 1 : 0);
#endif
  told = sent_routed;
  p_straight = 1;
  open_straight!number, says;
  says = 0;
  number++
}

inline send_routed() {
#ifndef NO_FOLLOWS
  says = (p_straight -> frames_sent + 1 : 0);
#endif
  p_straight = 0;
  open_way!number, says;
  sent_routed++;
  says = 0;
  number++
}

inline leave_straight() {
  do
  :: len(open_straight) > 1 -> open_straight?n, says; straight!n, says, 0
  :: len(open_straight) == 1 -> open_straight?n, says; straight!n, says, 1; frames_sent++; break
  od;
  n = 0;
  says = 0
}

inline leave(open_, link_) {
  do
  :: len(open_) > 0 -> open_?n, says; link_!n, says
  :: len(open_) == 0 -> break
  od;
  n = 0;
  says = 0
}

proctype sender() {
  byte number, sent_routed, told, n, says;
  bit p_straight;
  do
  :: atomic { number < SENDS -> send_straight() } /* long, or without credit */
  :: atomic { number < SENDS && !LEAVES -> send_routed() }
  :: atomic { number < SENDS -> /* a two_way_call: what is in front of it leaves, and so does it */
      if
      :: told != sent_routed -> leave(open_way, to_relay)
      :: else
      fi;
      send_straight();
      leave_straight()
    }
  :: atomic { len(open_straight) > 0 -> leave_straight() }
  :: atomic { len(open_way) > 0 -> leave(open_way, to_relay) }
  :: atomic { number == SENDS && len(open_straight) == 0 && len(open_way) == 0 -> break }
  od
}

proctype relay() {
  byte n, says;
end:
  do
  :: atomic { len(to_relay) > 0 -> to_relay?n, says; open_relay!n, says; n = 0; says = 0 }
  :: atomic { len(open_relay) > 0 -> leave(open_relay, from_relay) }
  od
}

proctype receiver() {
  byte n, says, begun /* routed ones */, frames_taken, awaited;
  bit last, in_frame, is_late;
end:
  do
  /* The front of what has come straight: a frame that waits is put back, and taken up when it may go on. */
  :: atomic { len(straight) > 0 && begun >= awaited ->
      straight?<n, says, last>;
      if
      :: says > 0 && begun < says - 1 -> awaited = says - 1
      :: else ->
        straight?n, says, last;
        if
        :: COUNTS_NOW -> frames_taken++
        :: else
        fi;
        in_frame = !last;
        begin(n)
      fi;
      n = 0;
      says = 0;
      last = 0
    }
  :: atomic { len(from_relay) > 0 ->
      from_relay?n, says;
#ifdef LATE_PASSED
      is_late = says > 0 && frames_taken < says - 1;
#else
      is_late = len(late) > 0 || (says > 0 && frames_taken < says - 1);
#endif
      if
      :: is_late -> late!n, says
      :: else -> begun++; begin(n)
      fi;
      n = 0;
      says = 0;
      is_late = 0
    }
#ifndef FORGOTTEN
  :: atomic { len(late) > 0 ->
      late?<n, says>;
      if
      :: says > 0 && frames_taken < says - 1 -> n = 0; says = 0
      :: else -> late?n, says; begun++; begin(n); n = 0; says = 0
      fi
    }
#endif
  od
}

proctype rest() {
  timeout;
  assert(begun_all == SENDS)
}

init {
  atomic {
    run sender();
    run relay();
    run receiver();
    run rest()
  }
}
