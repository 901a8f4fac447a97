/* SPDX-License-Identifier: Apache-2.0 */
/*! A new rank comes into one of two teams that grow, over several hosts, while ranks die: armilla-run decides.
 *
 * Stands for: tools/armilla-run/gathering_desk.cpp: seek, take_seekers, end_promises, tell_seekers_if_alone, is_complete
 * Stands for: armilla/team/membership/growth.cpp: accept, agree_that_all_are_ready, none_will_invite
 * Code: armilla/team/membership/agreement.cpp: invite_new_ranks(t, *made, what.chosen, what.common, step); return gather_ready(
 * Code: tools/armilla-run/gathering_desk.cpp: (one.promised && std::ranges::any_of(one.by, decides))) continue;
 * Code: tools/armilla-run/gathering_desk.cpp: one = ends && kept && promised->second == step ? seekers_.erase(one) : std::next(one);
 *
 * Ranks 0 and 1 are one team, rank 2 is another, rank 3 seeks one. Each member grows until it has a team of those that are left of
 * its own, with rank 3 or without; it invites rank 3 before it gives its part of the second step. armilla-run takes what it is told
 * in one order, so it is one step here; answers and invitations come any time later. FAULTS of the ranks die, each at any moment.
 *
 * At rest all that live have a team, or, rank 3, know that there is none; and rank 3 is in a team if and only if the members of
 * that, which live, have it in theirs.
 *
 * Holds: none_dies -DFAULTS=0
 * Holds: one_dies -DFAULTS=1
 * Holds: two_die -DFAULTS=2
 * Refused: broken_is_named_to_both -DFAULTS=0 -DNO_PROMISE: assertion violated all_are_through
 * Refused: broken_is_named_again -DFAULTS=0 -DSTAYS: assertion violated all_are_through
 * Refused: broken_promise_outlives_its_members -DFAULTS=2 -DKEEPS: assertion violated is_taken_in
 * Refused: broken_team_of_which_a_member_died_before -DFAULTS=1 -DUSES_ANY: assertion violated both_alike
 */
#define NEW 8   /* the bit of rank 3 */
#define TRIES 4 /* of a team, at most: one for each death, and one more */
#define at(t, try) ((t) * TRIES + (try))
#define bit_of(i) (1 << (i))

byte gave[2 * TRIES];      /* parts of the first step */
byte chosen[2 * TRIES];    /* its answer; 0: there is none yet */
byte gave_ready[2 * TRIES];
byte ready[2 * TRIES];     /* the answer to the second step, and 16; 0: there is none yet */
byte invited[2 * TRIES];   /* by which members */
byte made[4];              /* 0: none yet; the members of its team; of rank 3 also 16: there is none for it */
byte dead;                 /* a set, as armilla-run knows it */
bit seeks, grew_after;     /* rank 3 waits; a team has asked, with nobody else to decide about rank 3, and did not get it */
byte promised = 255;       /* at(t, try) */
byte promised_to;          /* the members */
byte faults;

#define is_dead(i) ((dead >> (i)) & 1)
#ifdef NO_PROMISE
#define is_free true
#else
#ifdef KEEPS
#define is_free (promised == 255)
#else
#define is_free (promised == 255 || (promised_to & ~dead) == 0)
#endif
#endif

/* One step of armilla-run for each of the gatherings, behind whatever it has been told. */
inline look(g, all) {
  if
  :: chosen[g] == 0 && gave[g] != 0 && (all & ~(gave[g] | dead)) == 0 && (gave[g] & ~dead) != 0 ->
     chosen[g] = gave[g] & ~dead;
     if
     :: seeks && !is_dead(3) && is_free ->
        chosen[g] = chosen[g] | NEW;
        promised = g;
        promised_to = gave[g]
     :: else ->
        grew_after = grew_after | (seeks && !is_dead(3) && (promised == 255 || (promised_to & ~dead) == 0))
     fi
  :: else
  fi;
  if
  :: ready[g] == 0 && chosen[g] != 0 && gave_ready[g] != 0 && (chosen[g] & ~(gave_ready[g] | dead)) == 0 &&
     (gave_ready[g] & ~dead) != 0 ->
     ready[g] = 16 | (gave_ready[g] & ~dead);
     if
     :: promised == g ->
        promised = 255;
#ifndef STAYS
        if
        :: ready[g] == (16 | chosen[g]) -> seeks = 0
        :: else
        fi
#endif
     :: else
     fi
  :: else
  fi
}

inline look_at_all() {
  look(0, 3); look(1, 3); look(2, 3); look(3, 3);
  look(4, 4); look(5, 4); look(6, 4); look(7, 4)
}

#define has_part(i) (made[i] != 0 || is_dead(i))

proctype member(byte me; byte t) {
  byte try;
  {
    do
    :: made[me] == 0 ->
       assert(try < TRIES);
       d_step { gave[at(t, try)] = gave[at(t, try)] | bit_of(me); look_at_all() };
       chosen[at(t, try)] != 0;
       if
       :: chosen[at(t, try)] & NEW -> invited[at(t, try)] = invited[at(t, try)] | bit_of(me)
       :: else
       fi;
       d_step { gave_ready[at(t, try)] = gave_ready[at(t, try)] | bit_of(me); look_at_all() };
       ready[at(t, try)] != 0;
       if
#ifdef USES_ANY
       :: made[me] = chosen[at(t, try)]
#else
       :: ready[at(t, try)] == (16 | chosen[at(t, try)]) -> made[me] = chosen[at(t, try)]
       :: else -> try++
#endif
       fi
    :: else -> break
    od
  } unless { is_dead(me) }
}

proctype new_rank() {
  byte g;
  byte answered; /* invitations: a set of gatherings */
  {
    d_step { seeks = 1; look_at_all() };
    do
    :: made[3] == 0 ->
       if
       :: atomic { has_part(0) && has_part(1) && has_part(2) && !(invited[0] && !(answered & 1)) && !(invited[1] && !(answered & 2)) &&
                   !(invited[2] && !(answered & 4)) && !(invited[3] && !(answered & 8)) && !(invited[4] && !(answered & 16)) &&
                   !(invited[5] && !(answered & 32)) && !(invited[6] && !(answered & 64)) && !(invited[7] && !(answered & 128)) -> made[3] = 16 }
       :: invited[0] && !(answered & 1) -> g = 0
       :: invited[1] && !(answered & 2) -> g = 1
       :: invited[2] && !(answered & 4) -> g = 2
       :: invited[3] && !(answered & 8) -> g = 3
       :: invited[4] && !(answered & 16) -> g = 4
       :: invited[5] && !(answered & 32) -> g = 5
       :: invited[6] && !(answered & 64) -> g = 6
       :: invited[7] && !(answered & 128) -> g = 7
       fi;
       if
       :: made[3] == 0 ->
          answered = answered | bit_of(g);
          d_step { gave_ready[g] = gave_ready[g] | NEW; look_at_all() };
          ready[g] != 0; /* late: it is not in the answer */
          if
          :: ready[g] == (16 | chosen[g]) -> made[3] = chosen[g]
          :: else
          fi
       :: else
       fi
    :: else -> break
    od
  } unless { is_dead(3) }
}

proctype fate() {
  do
  :: faults < FAULTS ->
     faults++;
     if
     :: d_step { dead = dead | 1; look_at_all() }
     :: d_step { dead = dead | 2; look_at_all() }
     :: d_step { dead = dead | 4; look_at_all() }
     :: d_step { dead = dead | 8; look_at_all() }
     fi
  :: break
  od
}

#define alike(i) (is_dead(i) || is_dead(3) || ((made[i] & NEW) != 0) == ((made[3] & bit_of(i)) != 0 && made[3] != 16))
bit all_are_through, both_alike, is_taken_in;

init {
  atomic {
    run member(0, 0);
    run member(1, 0);
    run member(2, 1);
    run new_rank();
    run fate()
  };
  timeout;
  atomic {
    all_are_through = (has_part(0) && has_part(1) && has_part(2) && has_part(3) -> 1 : 0);
    assert(all_are_through);
    both_alike = (alike(0) && alike(1) && alike(2) -> 1 : 0);
    assert(both_alike);
    is_taken_in = 1 - grew_after;
    assert(is_taken_in)
  }
}
