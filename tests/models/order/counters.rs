// SPDX-License-Identifier: Apache-2.0
//! Numbers that one rank writes and another reads: signals of a counter, what a progress thread has processed, a rank's report of its
//! waits. Each says that something else has been written before. A rank's own statistics are not here: no other thread reads them.
//!
// Stands for: armilla/global/counter.cpp: signal_counter, is_ours
// Stands for: armilla/counter.hpp: value
// Stands for: armilla/am/endpoint/progress_thread.cpp: look_at_rings
// Stands for: armilla/am/endpoint/ledger.cpp: processed_from
// Stands for: armilla/session/wait_report.cpp: write_down
// Stands for: armilla/boot/watch/stall_detector.cpp: has_answered, waits_of
// Code: armilla/global/counter.cpp: return __atomic_compare_exchange_n(&claimed, &who, me, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
// Code: armilla/global/counter.cpp: __atomic_store_n(&to.alone, to.alone + n, __ATOMIC_RELEASE);
// Code: armilla/global/counter.cpp: __atomic_fetch_add(&to.shared, n, __ATOMIC_RELEASE);
// Code: armilla/counter.hpp: return __atomic_load_n(&shared, __ATOMIC_ACQUIRE) + __atomic_load_n(&alone, __ATOMIC_ACQUIRE);
// Code: armilla/am/endpoint/progress_thread.cpp: mine_.in.shows_processed[in.source].store(in.reader.position(), std::memory_order_release);
// Code: armilla/am/endpoint/ledger.cpp: all[std::size_t(r)].load(std::memory_order_acquire)
// Code: armilla/session/wait_report.cpp: const std::uint32_t request = mine.asked.load(std::memory_order_acquire);
// Code: armilla/session/wait_report.cpp: mine.answered.store(request, std::memory_order_release);
// Code: armilla/boot/watch/stall_detector.cpp: return rank.answered.load(std::memory_order_acquire) == rank.asked.load(std::memory_order_relaxed);
use crate::*;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

#[derive(Clone, Copy)]
struct How {
    alone: Ordering,
    shared: Ordering,
    value: Ordering,
    claims: bool,
    processed: Ordering,
    processed_behind_bodies: bool,
    answered: Ordering,
    answers_two_way_call_read_first: bool,
}

const AS_WRITTEN: How = How {
    alone: Release,
    shared: Release,
    value: Acquire,
    claims: true,
    processed: Release,
    processed_behind_bodies: true,
    answered: Release,
    answers_two_way_call_read_first: true,
};

struct Counter {
    how: How,
    shared: AtomicU64,
    alone: AtomicU64,
    claimed: AtomicU64,
    data: Vec<Vec<UnsafeCell<u64>>>,
}

impl Counter {
    // The code looks before it swaps: the same, but for the locked instruction that it spares.
    fn is_ours(&self, me: u64) -> bool {
        if !self.how.claims {
            return true;
        }
        self.claimed.compare_exchange(0, me, Relaxed, Relaxed).unwrap_or_else(|who| if who == me { 0 } else { who }) == 0
    }
    fn signal(&self, source: usize, turn: usize) {
        self.data[source][turn].with_mut(|d| unsafe { *d = 1 });
        if self.is_ours(source as u64 + 1) {
            let now = unsafe { self.alone.unsync_load() };
            self.alone.store(now + 1, self.how.alone);
        } else {
            self.shared.fetch_add(1, self.how.shared);
        }
    }
    fn value(&self) -> u64 {
        self.shared.load(self.how.value) + self.alone.load(self.how.value)
    }
}

/// Two ranks write twice each and signal, a third one waits for all four.
fn signals(how: How) {
    explore_up_to(Some(3), move || {
        let turns = |_| (0..2).map(|_| UnsafeCell::new(0)).collect();
        let counter = Arc::new(Counter {
            how,
            shared: AtomicU64::new(0),
            alone: AtomicU64::new(0),
            claimed: AtomicU64::new(0),
            data: (0..2).map(turns).collect(),
        });
        let signalling: Vec<_> = (0..2)
            .map(|source| {
                let counter = counter.clone();
                thread::spawn(move || (0..2).for_each(|turn| counter.signal(source, turn)))
            })
            .collect();
        while counter.value() < 4 {
            thread::yield_now();
        }
        for cell in counter.data.iter().flatten() {
            assert_eq!(cell.with(|d| unsafe { *d }), 1);
        }
        for one in signalling {
            one.join().unwrap();
        }
    });
}

/// A progress thread runs two bodies; what the rank finds counted as processed it sees with its effects.
fn processed(how: How) {
    explore(move || {
        let shown = Arc::new(AtomicU64::new(0));
        let effects: Arc<Vec<_>> = Arc::new((0..2).map(|_| UnsafeCell::new(0)).collect());
        let (theirs, to) = (shown.clone(), effects.clone());
        let running = thread::spawn(move || {
            for body in 0..2 {
                let show = || theirs.store(body + 1, how.processed);
                if !how.processed_behind_bodies {
                    show();
                }
                to[body as usize].with_mut(|e| unsafe { *e = 1 });
                if how.processed_behind_bodies {
                    show();
                }
            }
        });
        let done = shown.load(Acquire);
        assert!(effects[..done as usize].iter().all(|e| e.with(|e| unsafe { *e }) == 1));
        running.join().unwrap();
    });
}

struct Control {
    asked: AtomicU64,
    answered: AtomicU64,
    text: UnsafeCell<u64>,
}

/// A supervisor asks, gives up after some looks, and asks again.
fn report(how: How) {
    explore(move || {
        let control = Arc::new(Control { asked: AtomicU64::new(0), answered: AtomicU64::new(0), text: UnsafeCell::new(0) });
        let theirs = control.clone();
        let answering = thread::spawn(move || {
            let mut answered = 0;
            for _ in 0..3 {
                let two_way_call = theirs.asked.load(Acquire);
                if two_way_call == answered {
                    continue;
                }
                theirs.text.with_mut(|t| unsafe { *t += 1 });
                answered = if how.answers_two_way_call_read_first { two_way_call } else { theirs.asked.load(Acquire) };
                theirs.answered.store(answered, how.answered);
            }
        });
        for two_way_call in 1..3 {
            control.asked.store(two_way_call, SeqCst); // a fetch_add, and nothing else adds
            for _ in 0..2 {
                if control.answered.load(Acquire) == two_way_call {
                    assert!(control.text.with(|t| unsafe { *t }) > 0);
                    break;
                }
            }
        }
        answering.join().unwrap();
    });
}

pub const VARIANTS: &[Variant] = &[
    Variant { name: "signals", refused: HOLDS, run: || signals(AS_WRITTEN) },
    Variant { name: "processed", refused: HOLDS, run: || processed(AS_WRITTEN) },
    Variant { name: "report", refused: HOLDS, run: || report(AS_WRITTEN) },
    Variant { name: "broken_alone_relaxed", refused: RACE, run: || signals(How { alone: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_shared_relaxed", refused: RACE, run: || signals(How { shared: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_value_relaxed", refused: RACE, run: || signals(How { value: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_two_alone", refused: RACE, run: || signals(How { claims: false, ..AS_WRITTEN }) },
    Variant { name: "broken_processed_relaxed", refused: RACE, run: || processed(How { processed: Relaxed, ..AS_WRITTEN }) },
    Variant {
        name: "broken_processed_before_bodies",
        refused: RACE,
        run: || processed(How { processed_behind_bodies: false, ..AS_WRITTEN }),
    },
    Variant { name: "broken_answered_relaxed", refused: RACE, run: || report(How { answered: Relaxed, ..AS_WRITTEN }) },
];
