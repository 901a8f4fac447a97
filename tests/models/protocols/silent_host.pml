/* SPDX-License-Identifier: Apache-2.0 */
/*! Hosts watch another one by heartbeats: it is lost when two of them do not hear it, and all hear of that.
 *
 * Stands for: armilla/boot/watch/heartbeat.cpp: take, judge, doubt, lose
 * Code: armilla/boot/watch/heartbeat.cpp: if (asked && watches && (p.heard_ns == 0 || is_silent(p, now, timeout_ns_ / 2)))
 * Code: armilla/boot/watch/heartbeat.cpp: if (others.empty() || (p.doubted_ns != 0 && now < p.doubted_ns + timeout_ns_ / 2)) lose(host);
 * Code: armilla/boot/watch/heartbeat.cpp: if (other != me_ && beats(other)) say_to(other, beat::word::lost, host);
 *
 * A host is watched by two others; a fourth one does not watch it. It may stop at any moment (STOPS), and DEAF of the watchers have a
 * broken connection to it. One that does not hear it asks the others; who is asked and does not hear it either says so. Up to DROPS
 * datagrams get lost; who does not hear it asks so many times more. What another said is forgotten at any moment (FORGETS).
 *
 * A host that lives is lost to none if at most one watcher is deaf. At rest, if it has stopped, all know that it is lost.
 *
 * Holds: it_stops -DSTOPS -DDEAF=0 -DDROPS=1
 * Holds: it_stops_and_one_is_deaf -DSTOPS -DDEAF=1 -DDROPS=1
 * Holds: one_is_deaf -DDEAF=1 -DDROPS=1
 * Holds: one_is_deaf_and_forgets -DDEAF=1 -DDROPS=0 -DFORGETS
 * Refused: broken_one_is_enough -DDEAF=1 -DDROPS=0 -DALONE: assertion violated
 * Refused: broken_says_so_though_it_hears_it -DDEAF=1 -DDROPS=0 -DSAYS_ALWAYS: assertion violated
 * Refused: broken_tells_none -DSTOPS -DDEAF=0 -DDROPS=0 -DTELLS_NONE: assertion violated
 * Refused: broken_asks_once -DSTOPS -DDEAF=0 -DDROPS=2 -DASKS_ONCE: assertion violated
 */
#define WATCHERS 2
#define HOSTS 3
#ifdef ASKS_ONCE
#define TIMES 1
#else
#define TIMES (DROPS + 1)
#endif

mtype = { silent, lost };
chan to[HOSTS] = [12] of { mtype, byte };
bit stopped;
bit knows[HOSTS];
byte drops = DROPS;

#define hears(w) (!stopped && (w) >= DEAF)

inline say(who, what) {
  if
  :: to[who]!what, me
  :: drops > 0 -> drops--
  fi
}

inline lose() {
  knows[me] = 1;
#ifndef TELLS_NONE
  other = 0;
  do
  :: other < 2 * HOSTS ->
     if
     :: other % HOSTS != me -> say(other % HOSTS, lost)
     :: else
     fi;
     other++
  :: else -> break
  od
#endif
}

active [WATCHERS] proctype watcher() {
  byte me = _pid, other, from, asked, answers;
  bit doubted;
end:
  do
  :: atomic { !knows[me] && !hears(me) && (asked < TIMES || doubted) ->
       if
       :: asked < TIMES ->
          asked++;
          other = 0;
          do
          :: other < WATCHERS ->
             if
             :: other != me -> say(other, silent)
             :: else
             fi;
             other++
          :: else -> break
          od
       :: else
       fi;
#ifdef ALONE
       lose()
#else
       if
       :: doubted -> lose()
       :: else
       fi
#endif
     }
  :: atomic { to[me]?silent(from) ->
       doubted = 1;
       if
#ifdef SAYS_ALWAYS
       :: answers <= TIMES -> answers++; say(from, silent)
#else
       :: !hears(me) && answers <= TIMES -> answers++; say(from, silent)
#endif
       :: else
       fi
     }
  :: atomic { to[me]?lost(from) -> knows[me] = 1 }
#ifdef FORGETS
  :: doubted -> doubted = 0
#endif
  od
}

active proctype another_host() {
  byte from;
end:
  do
  :: to[WATCHERS]?lost(from) -> knows[WATCHERS] = 1
  od
}

active proctype it() {
#ifdef STOPS
  stopped = 1
#endif
  skip
}

active proctype monitor() {
end:
  do
  :: atomic { !stopped && (knows[0] || knows[1] || knows[2]) -> assert(false) }
  :: atomic { timeout -> assert(!stopped || (knows[0] && knows[1] && knows[2])); break }
  od
}
