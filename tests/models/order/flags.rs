// SPDX-License-Identifier: Apache-2.0
//! Flag lines of collectives over several operations: flat lines that are used again, and the two lines a round of trees and hypercubes.
//!
// Stands for: armilla/team/core/record.hpp: await_step, has_room, begin_flat, write_line, post, await_post
// Stands for: armilla/team/core/team.cpp: make_room
// Stands for: armilla/team/core/pattern.cpp: tree, double_up, double_up_from, post, wait
// Code: armilla/team/core/record.hpp: line.step.store(t.sign | step, std::memory_order_release);
// Code: armilla/team/core/record.hpp: if (flag.load(std::memory_order_acquire) == expected) return;
// Code: armilla/team/core/record.hpp: if (step - t.known >= team_slot::flat_lines) [[unlikely]] make_room(t, step - team_slot::flat_lines / 2, what);
// Code: armilla/team/core/team.cpp: i != t.rank && step_of(shown.load(std::memory_order_acquire)) < step)
// Code: armilla/team/core/pattern.cpp: flag_line& line = t_.my_slot().pattern[step_ % 2][round];
// Code: armilla/team/core/pattern.cpp: line.step.store(t_.sign | step_, std::memory_order_release);
//!
//! Two flat lines a member in place of 32. A flat broadcast is the hard case: its root writes on without hearing of its readers.
use crate::*;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

#[derive(Clone, Copy)]
struct How {
    write: Ordering,
    wait: Ordering,
    room: Ordering,
    room_for: u64, // steps that a member may be ahead
    parities: u64,
    up_and_down: bool,
}

static WHOLE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0); // executions in which no look was in vain

const LINES: u64 = 2;
const AS_WRITTEN: How = How { write: Release, wait: Acquire, room: Acquire, room_for: LINES, parities: 2, up_and_down: true };

#[derive(Default)]
struct Line {
    step: AtomicU64,
    payload: UnsafeCell<u64>,
}

impl Line {
    fn post(&self, how: How, step: u64, value: u64) {
        self.payload.with_mut(|p| unsafe { *p = value });
        self.step.store(step, how.write);
    }
    /// One look. The looks in front of it that found nothing change nothing, so each execution has one in which no look is in vain;
    /// a member whose look is gives up, and with it this execution. Of three threads that spin loom tries endless ones.
    fn wait(&self, how: How, step: u64) -> Option<u64> {
        (self.step.load(how.wait) == step).then(|| self.payload.with(|p| unsafe { *p }))
    }
}

/// What all members map: the lines of each.
struct Flat {
    how: How,
    lines: Vec<Vec<Line>>,
}

impl Flat {
    fn new(how: How, members: usize) -> Flat {
        Flat { how, lines: (0..members).map(|_| (0..LINES).map(|_| Line::default()).collect()).collect() }
    }
    fn line(&self, member: usize, step: u64) -> &Line {
        &self.lines[member][(step % LINES) as usize]
    }
    #[must_use]
    fn post(&self, me: usize, step: u64, known: &mut u64) -> Option<()> {
        if step - *known >= self.how.room_for {
            let room = step - LINES / 2;
            for other in (0..self.lines.len()).filter(|i| *i != me) {
                if self.line(other, room).step.load(self.how.room) < room {
                    return None;
                }
            }
            *known = room;
        }
        self.line(me, step).post(self.how, step, step * 10);
        Some(())
    }
    #[must_use]
    fn read(&self, member: usize, step: u64) -> Option<()> {
        assert_eq!(self.line(member, step).wait(self.how, step)?, step * 10, "what another step shows");
        Some(())
    }
}

fn all_do<Team: 'static>(team: Team, members: usize, part: fn(&Team, usize) -> Option<()>) {
    let team = Arc::new(team);
    let others: Vec<_> = (1..members)
        .map(|me| {
            let team = team.clone();
            thread::spawn(move || part(&team, me))
        })
        .collect();
    let mut whole = part(&team, 0).is_some();
    for one in others {
        whole &= one.join().unwrap().is_some();
    }
    if whole {
        WHOLE.fetch_add(1, Relaxed);
    }
}

fn explore_whole(one: impl Fn() + Sync + Send + 'static) {
    explore(one);
    assert!(WHOLE.load(Relaxed) > 0, "each execution was given up");
}

/// The root shows a value in each step, and reads nothing; the others read it.
fn broadcasts(how: How) {
    explore_whole(move || {
        all_do(Flat::new(how, 2), 2, |team, me| {
            let mut known = 0;
            for step in 1..5 {
                team.post(me, step, &mut known)?;
                if me != 0 {
                    team.read(0, step)?;
                }
            }
            Some(())
        })
    });
}

/// All show, and read all.
fn barriers(how: How) {
    explore_whole(move || {
        all_do(Flat::new(how, 2), 2, |team, me| {
            let mut known = 0;
            for step in 1..5 {
                team.post(me, step, &mut known)?;
                for other in (0..2).filter(|i| *i != me) {
                    team.read(other, step)?;
                }
                known = step;
            }
            Some(())
        })
    });
}

const FOLD_IN: usize = 2;
const FOLD_OUT: usize = 3;

/// Lines by member, parity and round.
struct Pattern {
    how: How,
    lines: Vec<Vec<Line>>,
}

impl Pattern {
    fn new(how: How, members: usize) -> Pattern {
        Pattern { how, lines: (0..members).map(|_| (0..8).map(|_| Line::default()).collect()).collect() }
    }
    fn line(&self, member: usize, step: u64, round: usize) -> &Line {
        &self.lines[member][(step % self.how.parities) as usize * 4 + round]
    }
    fn post(&self, me: usize, step: u64, round: usize, value: u64) {
        self.line(me, step, round).post(self.how, step, value)
    }
    fn wait(&self, member: usize, step: u64, round: usize) -> Option<u64> {
        self.line(member, step, round).wait(self.how, step)
    }
    /// Members 1 and 2 are children of 0.
    fn tree(&self, me: usize, step: u64, mut value: u64) -> Option<u64> {
        if me == 0 {
            value += self.wait(1, step, 0)? + self.wait(2, step, 0)?;
        } else {
            self.post(me, step, 0, value);
            if self.how.up_and_down {
                value = self.wait(0, step, 1)?;
            }
        }
        self.post(me, step, 1, value);
        Some(value)
    }
    /// Member 1 folds into 0, which doubles up with 2.
    fn hypercube(&self, me: usize, step: u64, mut value: u64) -> Option<u64> {
        if me == 1 {
            self.post(1, step, FOLD_IN, value);
            return self.wait(0, step, FOLD_OUT);
        }
        if me == 0 {
            value += self.wait(1, step, FOLD_IN)?;
        }
        self.post(me, step, 0, value);
        value += self.wait(2 - me, step, 0)?;
        if me == 0 {
            self.post(0, step, FOLD_OUT, value);
        }
        Some(value)
    }
}

fn value(me: usize, step: u64) -> u64 {
    (step * 100 + me as u64) * 10
}

fn sum(step: u64) -> u64 {
    (0..3).map(|i| value(i, step)).sum()
}

fn trees(how: How) {
    explore_whole(move || {
        all_do(Pattern::new(how, 3), 3, |team, me| {
            for step in 1..4 {
                let got = team.tree(me, step, value(me, step))?;
                assert!(!team.how.up_and_down || got == sum(step), "a sum without a member");
            }
            Some(())
        })
    });
}

fn hypercubes(how: How) {
    explore_whole(move || {
        all_do(Pattern::new(how, 3), 3, |team, me| {
            for step in 1..4 {
                assert_eq!(team.hypercube(me, step, value(me, step))?, sum(step), "a sum without a member");
            }
            Some(())
        })
    });
}

pub const VARIANTS: &[Variant] = &[
    Variant { name: "broadcasts", refused: HOLDS, run: || broadcasts(AS_WRITTEN) },
    Variant { name: "barriers", refused: HOLDS, run: || barriers(AS_WRITTEN) },
    Variant { name: "trees", refused: HOLDS, run: || trees(AS_WRITTEN) },
    Variant { name: "hypercubes", refused: HOLDS, run: || hypercubes(AS_WRITTEN) },
    Variant { name: "broken_write_relaxed", refused: RACE, run: || broadcasts(How { write: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_wait_relaxed", refused: RACE, run: || broadcasts(How { wait: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_room_relaxed", refused: RACE, run: || broadcasts(How { room: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_room_for_one_more", refused: RACE, run: || broadcasts(How { room_for: LINES + 1, ..AS_WRITTEN }) },
    Variant { name: "broken_one_parity", refused: RACE, run: || hypercubes(How { parities: 1, ..AS_WRITTEN }) },
    Variant { name: "broken_up_only", refused: RACE, run: || trees(How { up_and_down: false, ..AS_WRITTEN }) },
];
