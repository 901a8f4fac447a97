/* SPDX-License-Identifier: Apache-2.0 */
/*! Ranks meet, and tell a loss alike, while some of them die: fences and barriers of all ranks where a job goes on.
 *
 * Stands for: armilla/team/membership/living.cpp: meet, attempt, recover, pass, passed_by_any
 * Code: armilla/team/membership/living.cpp: const auto [made, over, told_passed] = agree_on_team(all, number << 1, what, [&] { return passed_by_any(number) || given_up(); });
 * Code: armilla/team/membership/living.cpp: if (over) return pass(number);
 * Code: armilla/team/membership/living.cpp: if (attempt(meeting, number + 1)) return;
 *
 * N ranks come to two meetings, one behind the other. In each a rank shows that it has come and passes when all have that are left.
 * One that hears of a death before asks instead, for the number of the meeting and the try in it, and takes it for over where a rank
 * has passed, or goes on with those that are left, which tells a loss. How these agree is survivors.pml: here it is one step, in
 * which all have asked that it has not heard to be dead. FAULTS of them die, each at any moment.
 *
 * At rest all that live are through both meetings, and each meeting told a loss to all of them or to none.
 *
 * Holds: none_dies -DFAULTS=0
 * Holds: one_dies -DFAULTS=1
 * Holds: two_die -DFAULTS=2
 * Refused: broken_passes_are_not_seen -DFAULTS=1 -DBLIND: assertion violated all_are_through
 * Refused: broken_one_that_asks_passes -DFAULTS=1 -DASKS_AND_PASSES: assertion violated all_are_through
 * Refused: broken_passes_are_shown_late -DFAULTS=1 -DSHOWN_LATE: assertion violated all_hear_alike
 */
#define N 3
#define MEETINGS 2
#define number (4 * meeting + try)

byte come[N];    /* number of the meeting in which it is, in the usual way */
byte asked[N];   /* for which it has asked */
byte passed[N];  /* the last that it has passed */
byte ready[N];
byte decided[4 * MEETINGS + 4];  /* by number: the set of those that are left; 0: nothing */
bit dead[N];
bit told[N * (MEETINGS + 1)];  /* by rank and meeting */
byte through[N];               /* meetings */
byte faults;

#define has(set, i) (((set) >> (i)) & 1)
#define here(i) (!has(team, i) || come[i] >= number || passed[i] >= number)
#define lost_here(i) (has(team, i) && dead[i])
#define known(i) (asked[i] >= number || dead[i])
#define found(i) ((asked[i] >= number && !dead[i]) << (i))
#define ended(i) (through[i] == MEETINGS)
#ifdef BLIND
#define over false
#else
#define over (passed[0] >= number || passed[1] >= number || passed[2] >= number)
#endif
#define settled(i) (!has(decided[number], i) || ready[i] >= number || dead[i])
#define is_ready(i) (!has(decided[number], i) || ready[i] >= number)

proctype rank(byte me) {
  byte meeting = 1, try, team = 7;
  bit tell, done;
  {
    do
    :: meeting <= MEETINGS ->
       try = 0;
       tell = 0;
       done = 0;
       do
       :: done -> break
       :: !done ->
          come[me] = number; /* the usual way */
          if
          :: here(0) && here(1) && here(2) -> done = 1
          :: lost_here(0) || lost_here(1) || lost_here(2) -> skip
          fi;
          do
          :: done -> break
          :: !done ->
             asked[me] = number;
             if
             :: atomic { over && decided[number] == 0 -> done = 1 }
             :: atomic {
                  decided[number] == 0 && !over && (known(0) || ended(0)) && (known(1) || ended(1)) && (known(2) || ended(2)) ->
                  decided[number] = found(0) | found(1) | found(2)
                }
             :: decided[number] != 0
#ifdef ASKS_AND_PASSES
             :: here(0) && here(1) && here(2) -> done = 1
#endif
             fi;
             if
             :: done -> break
             :: else
             fi;
             ready[me] = number;
             settled(0) && settled(1) && settled(2);
             if
             :: is_ready(0) && is_ready(1) && is_ready(2) ->
                team = decided[number];
                tell = 1;
                try++;
                break /* and again in the usual way, with these */
             :: else -> try++
             fi
          od
       od;
#ifdef SHOWN_LATE
       told[me * (MEETINGS + 1) + meeting] = tell;
       through[me] = meeting;
       passed[me] = number;
#else
       passed[me] = number;
       told[me * (MEETINGS + 1) + meeting] = tell;
       through[me] = meeting;
#endif
       meeting++
    :: else -> break
    od
  } unless { dead[me] }
}

proctype fate() {
  do
  :: faults < FAULTS -> faults++;
     if
     :: dead[0] = 1
     :: dead[1] = 1
     :: dead[2] = 1
     fi
  :: break
  od
}

#define at_end(i) (dead[i] || ended(i))
#define alike(i, j, m) (dead[i] || dead[j] || told[(i) * (MEETINGS + 1) + (m)] == told[(j) * (MEETINGS + 1) + (m)])
bit all_are_through, all_hear_alike;

init {
  atomic {
    run rank(0);
    run rank(1);
    run rank(2);
    run fate()
  };
  timeout;
  atomic {
    all_are_through = (at_end(0) && at_end(1) && at_end(2) -> 1 : 0);
    assert(all_are_through);
    all_hear_alike = (alike(0, 1, 1) && alike(1, 2, 1) && alike(0, 2, 1) && alike(0, 1, 2) && alike(1, 2, 2) && alike(0, 2, 2) -> 1 : 0);
    assert(all_hear_alike)
  }
}
