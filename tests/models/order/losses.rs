// SPDX-License-Identifier: Apache-2.0
//! The log of losses and the note of the first failure in the job block: what tells them never waits, and no rank sleeps past one.
//!
// Stands for: armilla/boot/watch/tell_loss.cpp: tell_loss
// Stands for: armilla/boot/host/membership.cpp: why_left
// Stands for: armilla/boot/watch/failure_record.cpp: record_failure
// Stands for: armilla/boot/children/child.cpp: noted_by
// Stands for: armilla/am/endpoint/losses.cpp: hear
// Stands for: armilla/fabric/event_count.hpp: losses_to_hear, hear_losses
// Stands for: armilla/fabric/event_count.cpp: sleep
// Code: armilla/boot/watch/tell_loss.cpp: const std::uint32_t mine = job.departures_begun.fetch_add(1, std::memory_order_relaxed);
// Code: armilla/boot/watch/tell_loss.cpp: e.complete.store(mine + 1, std::memory_order_release);
// Code: armilla/boot/watch/tell_loss.cpp: job.epoch.fetch_add(1, std::memory_order_seq_cst); job.locals.each([&](rank_t r) { wake(control_of(job, r)); });
// Code: armilla/boot/host/membership.hpp: return life_word[r].compare_exchange_strong(word, next.word(), std::memory_order_acq_rel);
// Code: armilla/fabric/event_count.hpp: losses_heard_ = losses_->load(std::memory_order_acquire);
// Code: armilla/fabric/event_count.cpp: if (losses_ != nullptr && losses_->load(std::memory_order_seq_cst) != losses_heard_) return cancel_wait();
// Code: armilla/am/endpoint/losses.cpp: sleeper_.hear_losses(); const job_block& job = out_.host().job(); if (job.takes_new_ranks()) look_for_successors(); for (const rank_t r : lost_since(job, out_)) lose(r);
// Code: armilla/boot/host/membership.cpp: if (one.now == presence::living) return nullptr;
// Code: armilla/boot/host/membership.cpp: const std::uint32_t number = e.complete.load(std::memory_order_acquire);
// Code: armilla/boot/watch/failure_record.cpp: if (!first.stage.compare_exchange_strong(unused, 1, std::memory_order_relaxed)) {
// Code: armilla/boot/watch/failure_record.cpp: first.stage.store(2, std::memory_order_release);
// Code: armilla/boot/children/child.cpp: record.stage.load(std::memory_order_acquire) == 2
//!
//! `sleeping` and `count` are both seq_cst in the code; a fence between the two accesses of each side says so to loom. There is no
//! membarrier here: what tells of a loss may be a process that has not asked the kernel for it.
use crate::*;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{fence, AtomicU32, Ordering, Ordering::*};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

#[derive(Clone, Copy)]
struct How {
    complete: Ordering,
    read: Ordering,
    one_order: bool,
    record_before_count: bool,
    count_heard_first: bool,
    note_swapped: bool,
    note_complete: Ordering,
}

const AS_WRITTEN: How = How {
    complete: Release,
    read: Acquire,
    one_order: true,
    record_before_count: true,
    count_heard_first: true,
    note_swapped: true,
    note_complete: Release,
};

struct Entry {
    complete: AtomicU32,
    rank: UnsafeCell<usize>,
}

struct Job {
    how: How,
    count: AtomicU32,
    begun: AtomicU32,
    entries: Vec<Entry>,
    lost: Vec<AtomicU32>,
    sleeping: AtomicU32,
    kernel: Mutex<()>,
    woken: Condvar,
}

impl Job {
    fn one_order(&self) {
        if self.how.one_order {
            fence(SeqCst);
        }
    }
    fn find(&self, rank: usize) -> bool {
        self.lost[rank].load(Acquire) != 0
            && self.entries.iter().any(|e| e.complete.load(self.how.read) != 0 && e.rank.with(|r| unsafe { *r }) == rank)
    }
    fn tell(&self, rank: usize) {
        if self.find(rank) {
            return;
        }
        let mine = self.begun.fetch_add(1, Relaxed) as usize;
        let e = &self.entries[mine];
        if !self.how.record_before_count {
            self.count.fetch_add(1, AcqRel);
        }
        e.rank.with_mut(|r| unsafe { *r = rank });
        e.complete.store(1, self.how.complete);
        let _ = self.lost[rank].compare_exchange(0, 1, AcqRel, Acquire);
        if self.how.record_before_count {
            self.count.fetch_add(1, AcqRel);
        }
        self.one_order();
        if self.sleeping.swap(0, AcqRel) == 1 {
            drop(self.kernel.lock().unwrap());
            self.woken.notify_one();
        }
    }
    fn hear(&self, heard: &mut u32, lost: &mut [bool]) {
        if self.how.count_heard_first {
            *heard = self.count.load(Acquire);
        }
        for rank in 0..lost.len() {
            lost[rank] = lost[rank] || self.find(rank);
        }
        if !self.how.count_heard_first {
            *heard = self.count.load(Acquire);
        }
    }
    fn sleep(&self, heard: u32) {
        self.sleeping.swap(1, Release); // a store: see sleep.rs
        self.one_order();
        if self.count.load(Acquire) == heard {
            let kernel = self.kernel.lock().unwrap();
            if self.sleeping.load(Relaxed) == 1 {
                drop(self.woken.wait(kernel).unwrap());
            }
        }
        self.sleeping.swap(0, Relaxed);
    }
}

/// A rank that waits until it has heard of all that `told` names, each told by another process.
fn log(how: How, told: &'static [usize]) {
    explore_up_to(Some(3), move || {
        let entry = |_: &usize| Entry { complete: AtomicU32::new(0), rank: UnsafeCell::new(0) };
        let job = Arc::new(Job {
            how,
            count: AtomicU32::new(0),
            begun: AtomicU32::new(0),
            entries: told.iter().map(entry).collect(),
            lost: (0..2).map(|_| AtomicU32::new(0)).collect(),
            sleeping: AtomicU32::new(0),
            kernel: Mutex::new(()),
            woken: Condvar::new(),
        });
        let telling: Vec<_> = told
            .iter()
            .map(|rank| {
                let job = job.clone();
                thread::spawn(move || job.tell(*rank))
            })
            .collect();
        let mut heard = 0;
        let mut lost = [false; 2];
        while !told.iter().all(|rank| lost[*rank]) {
            if job.count.load(Relaxed) != heard {
                job.hear(&mut heard, &mut lost);
            } else {
                job.sleep(heard);
            }
        }
        for one in telling {
            one.join().unwrap();
        }
    });
}

struct Note {
    stage: AtomicU32,
    rank: UnsafeCell<usize>,
}

/// Two ranks fail at the same time, the supervisor reads who was first.
fn note(how: How) {
    explore(move || {
        let note = Arc::new(Note { stage: AtomicU32::new(0), rank: UnsafeCell::new(9) });
        let failing: Vec<_> = (0..2)
            .map(|rank| {
                let note = note.clone();
                thread::spawn(move || {
                    let mine = if how.note_swapped {
                        note.stage.compare_exchange(0, 1, Relaxed, Relaxed).is_ok()
                    } else {
                        note.stage.load(Relaxed) == 0
                    };
                    if mine {
                        note.rank.with_mut(|r| unsafe { *r = rank });
                        note.stage.store(2, how.note_complete);
                    }
                    mine
                })
            })
            .collect();
        let look = || (note.stage.load(Acquire) == 2).then(|| note.rank.with(|r| unsafe { *r }));
        let early = look();
        let first: Vec<_> = failing.into_iter().map(|one| one.join().unwrap()).collect();
        assert!(first[0] != first[1], "not one first failure");
        assert!(early.unwrap_or(look().unwrap()) == usize::from(first[1]), "another failure than was first");
    });
}

const BOTH: &[usize] = &[0, 1];
const SAME: &[usize] = &[1, 1];

pub const VARIANTS: &[Variant] = &[
    Variant { name: "one_loss", refused: HOLDS, run: || log(AS_WRITTEN, &[1]) },
    Variant { name: "two_losses", refused: HOLDS, run: || log(AS_WRITTEN, BOTH) },
    Variant { name: "one_loss_told_twice", refused: HOLDS, run: || log(AS_WRITTEN, SAME) },
    Variant { name: "first_failure", refused: HOLDS, run: || note(AS_WRITTEN) },
    Variant { name: "broken_complete_relaxed", refused: RACE, run: || log(How { complete: Relaxed, ..AS_WRITTEN }, BOTH) },
    Variant { name: "broken_read_relaxed", refused: RACE, run: || log(How { read: Relaxed, ..AS_WRITTEN }, BOTH) },
    Variant { name: "broken_no_one_order", refused: ALL_SLEEP, run: || log(How { one_order: false, ..AS_WRITTEN }, &[1]) },
    Variant {
        name: "broken_count_before_record",
        refused: ALL_SLEEP,
        run: || log(How { record_before_count: false, ..AS_WRITTEN }, BOTH),
    },
    Variant {
        name: "broken_count_heard_last",
        refused: ALL_SLEEP,
        run: || log(How { count_heard_first: false, ..AS_WRITTEN }, BOTH),
    },
    Variant { name: "broken_note_not_swapped", refused: RACE, run: || note(How { note_swapped: false, ..AS_WRITTEN }) },
    Variant { name: "broken_note_relaxed", refused: RACE, run: || note(How { note_complete: Relaxed, ..AS_WRITTEN }) },
];
