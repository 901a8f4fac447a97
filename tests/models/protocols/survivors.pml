/* SPDX-License-Identifier: Apache-2.0 */
/*! Members of a team that are left agree which they are, while others die: team::survivors.
 *
 * Stands for: armilla/team/membership/agreement.cpp: decide, all_ready, propose, all_have_asked, agree_on_team
 * Code: armilla/team/membership/agreement.cpp: if (!has_posted(i, step_) && !is_lost(i) && !has_ended(*t_.owner, t_.members[i])) return false;
 * Code: armilla/team/membership/agreement.cpp: while (before >> proposer_bits < step_)
 * Code: armilla/team/membership/agreement.cpp: return is_ready(i) || is_lost(i);
 * Code: armilla/team/membership/agreement.cpp: return std::ranges::all_of(chosen.members, is_ready) && new_ranks_are_ready(*t_.owner, chosen.new_ranks, team);
 *
 * Each of N members asks, waits for all that it has not heard to be dead, proposes, takes the decision, and shows that it is ready.
 * FAULTS of them die, each at any moment, also behind the end; the others hear of each death at some time, if they wait. What a dead
 * member has written stays. Memory is in one order here: each word is written by release and read by acquire, behind what it names.
 *
 * At rest all that live have returned, in the same attempt and with the same members, each among them. A member that returned and
 * died had the same. Who is not among them is dead.
 *
 * Holds: none_dies -DFAULTS=0
 * Holds: one_dies -DFAULTS=1
 * Holds: two_die -DFAULTS=2
 * Refused: broken_each_decides -DFAULTS=1 -DNO_SWAP: assertion violated all_have_returned
 * Refused: broken_any_loss_ends_the_wait -DFAULTS=1 -DANY_LOSS: assertion violated all_have_returned
 * Refused: broken_nobody_is_left_out -DFAULTS=1 -DWAITS_FOR_ALL: assertion violated all_have_returned
 * Refused: broken_ready_is_not_awaited -DFAULTS=1 -DNOT_READY: assertion violated nothing_is_used_before_all_are_ready
 */
#ifndef N
#define N 3
#endif

byte step[N];      /* 2k - 1: asks for the k-th time; 2k: is ready */
byte decided;      /* attempt << 4 | proposer, one word */
byte proposal[N];  /* sets of members, by bit */
bit dead[N];
byte result[N];    /* that it has returned with; 0: it has not */
byte attempt[N];   /* in which it has */
byte faults;
byte early;        /* members that returned before a chosen one was ready */

#define bit_of(i) (1 << (i))
#define has(set, i) (((set) >> (i)) & 1)
#define known(i) (step[i] >= 2 * k - 1 || has(lost, i))
#define found(i) ((step[i] >= 2 * k - 1 && !has(lost, i)) << (i))
#define come(i) (!has(chosen, i) || step[i] >= 2 * k || has(lost, i))
#define is_ready(i) (!has(chosen, i) || step[i] >= 2 * k)

proctype member(byte me) {
  byte k, lost, chosen, i;
  {
    do
    :: k++;
       step[me] = 2 * k - 1;
       do
       :: (decided >> 4) >= k -> break
#ifdef WAITS_FOR_ALL
       :: (decided >> 4) < k && step[0] >= 2 * k - 1 && step[1] >= 2 * k - 1 && step[2] >= 2 * k - 1 ->
#else
       :: (decided >> 4) < k && known(0) && known(1) && known(2) ->
#endif
          proposal[me] = found(0) | found(1) | found(2);
          atomic {
            if
            :: (decided >> 4) < k -> decided = k << 4 | me
            :: else
            fi
          }
       :: dead[0] && !has(lost, 0) -> lost = lost | 1
       :: dead[1] && !has(lost, 1) -> lost = lost | 2
       :: dead[2] && !has(lost, 2) -> lost = lost | 4
       od;
#ifdef NO_SWAP
       chosen = found(0) | found(1) | found(2);
#else
       chosen = proposal[decided & 15];
#endif
       step[me] = 2 * k;
       do
#ifdef NOT_READY
       :: break
#endif
#ifdef ANY_LOSS
       :: (lost & chosen) != 0 -> break
#endif
       :: come(0) && come(1) && come(2) -> break
       :: dead[0] && !has(lost, 0) -> lost = lost | 1
       :: dead[1] && !has(lost, 1) -> lost = lost | 2
       :: dead[2] && !has(lost, 2) -> lost = lost | 4
       od;
       if
#ifdef NOT_READY
       :: true ->
#else
       :: is_ready(0) && is_ready(1) && is_ready(2) ->
#endif
          atomic {
            early = early + !(is_ready(0) && is_ready(1) && is_ready(2));
            attempt[me] = k;
            result[me] = chosen
          };
          break
#ifndef NOT_READY
       :: !(is_ready(0) && is_ready(1) && is_ready(2))
#endif
       fi
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

#define same(i, j) (result[i] == 0 || result[j] == 0 || (result[i] == result[j] && attempt[i] == attempt[j]))
#define returned(i) (dead[i] || has(result[i], i))
bit all_agree, all_have_returned, nothing_is_used_before_all_are_ready;

init {
  atomic {
    run member(0);
    run member(1);
    run member(2);
    run fate()
  };
  timeout;
  atomic {
    nothing_is_used_before_all_are_ready = (early == 0 -> 1 : 0);
    assert(nothing_is_used_before_all_are_ready);
    all_have_returned = (returned(0) && returned(1) && returned(2) -> 1 : 0);
    assert(all_have_returned);
    all_agree = (same(0, 1) && same(1, 2) && same(0, 2) -> 1 : 0);
    assert(all_agree)
  }
}
