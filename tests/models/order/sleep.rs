// SPDX-License-Identifier: Apache-2.0
//! A rank goes to sleep while others send to it: no message is missed, though the sender has no fence.
//!
// Stands for: armilla/fabric/event_count.cpp: prepare_wait, cancel_wait, sleep, sleep_at
// Stands for: armilla/am/endpoint/progress.hpp: idle
// Stands for: armilla/fabric/notify.hpp: notify
// Stands for: armilla/boot/host/control_block.cpp: wake
// Stands for: armilla/boot/host/control_block.hpp: enter
// Stands for: armilla/am/endpoint/inbox.cpp: adopt, anything_has_come
// Stands for: armilla/am/endpoint/outbox.cpp: open_ring
// Code: armilla/fabric/event_count.cpp: mine_.sleeping.store(how, std::memory_order_seq_cst);
// Code: armilla/fabric/event_count.cpp: if (asymmetric_ && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) != 0) asymmetric_ = false;
// Code: armilla/fabric/event_count.cpp: std::uint64_t limit = asymmetric_ ? ~std::uint64_t(0) : bounded_sleep_ns;
// Code: armilla/fabric/event_count.cpp: if (mine_.sleeping.compare_exchange_strong(prepared, at_descriptor, std::memory_order_seq_cst)) {
// Code: armilla/am/endpoint/progress.hpp: sleeper_.prepare_wait(); if (anything()) sleeper_.cancel_wait(); else rest(backoff);
// Code: armilla/fabric/notify.hpp: std::atomic_signal_fence(std::memory_order_seq_cst);
// Code: armilla/fabric/notify.hpp: return sleeping.load(std::memory_order_relaxed) != 0;
// Code: armilla/boot/host/control_block.hpp: entries.fetch_add(1, std::memory_order_release);
// Code: armilla/am/endpoint/inbox.cpp: const std::uint32_t entries = directory_.entries.load(std::memory_order_acquire);
// Code: armilla/am/endpoint/inbox.cpp: if (explores == nullptr && any_entered()) return true;
// Code: armilla/boot/host/control_block.cpp: const std::uint32_t was = sleeper.sleeping.exchange(awake, std::memory_order_seq_cst);
//!
//! `membarrier` interrupts every core between two of its instructions, and returns when all have been. So each core has a lock here,
//! which it holds while it executes one, and the sleeper takes each of them once. That orders what the core did before against the
//! sleeper's next look, and the sleeper's flag against what the core does next, and nothing more; loom tries all places.
//! A ring is looked at once its writer has entered it, which it does before its first frame.
//! A futex is a lock of the kernel under which the word is compared, a signal that is pending ends the next sleep.
use crate::*;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering, Ordering::*};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

const AWAKE: u32 = 0;
const ASLEEP: u32 = 1;
const AT_DESCRIPTOR: u32 = 3;

#[derive(Clone, Copy)]
struct How {
    membarrier: bool,
    bounded: bool,
    looks_again: bool,
    flag_before_barrier: bool,
    compiler_keeps_order: bool,
    kernel_compares: bool,
    descriptor: bool,
    swaps_at_descriptor: bool,
    enters_first: bool,
}

const AS_WRITTEN: How = How {
    membarrier: true,
    bounded: false,
    looks_again: true,
    flag_before_barrier: true,
    compiler_keeps_order: true,
    kernel_compares: true,
    descriptor: false,
    swaps_at_descriptor: true,
    enters_first: true,
};

struct Ring {
    entered: AtomicU32,
    word: AtomicU32,
    bytes: UnsafeCell<u32>,
}

#[derive(Default)]
struct Kernel {
    signal: bool,
}

struct Job {
    how: How,
    sleeping: AtomicU32,
    kernel: Mutex<Kernel>,
    woken: Condvar,
    cores: Vec<Mutex<()>>,
    rings: Vec<Ring>,
}

impl Job {
    fn new(how: How, senders: usize) -> Job {
        Job {
            how,
            sleeping: AtomicU32::new(AWAKE),
            kernel: Mutex::new(Kernel::default()),
            woken: Condvar::new(),
            cores: (0..senders).map(|_| Mutex::new(())).collect(),
            rings: (0..senders).map(|_| Ring { entered: AtomicU32::new(0), word: AtomicU32::new(0), bytes: UnsafeCell::new(0) }).collect(),
        }
    }
    fn wake(&self) {
        let was = self.sleeping.swap(AWAKE, SeqCst);
        if was == AWAKE {
            return;
        }
        let mut kernel = self.kernel.lock().unwrap();
        kernel.signal |= was == AT_DESCRIPTOR;
        if was == AT_DESCRIPTOR || !self.how.descriptor {
            self.woken.notify_one();
        }
    }
    fn send(&self, me: usize) {
        let instruction = || self.how.membarrier.then(|| self.cores[me].lock().unwrap());
        let enter = || {
            let _one = instruction();
            self.rings[me].entered.store(1, Release);
        };
        if self.how.enters_first {
            enter();
        }
        let publish = || {
            let _one = instruction();
            self.rings[me].bytes.with_mut(|p| unsafe { *p = 7 });
            self.rings[me].word.store(1, Release);
        };
        let sleeps = || {
            let _one = instruction();
            self.sleeping.load(Relaxed) != AWAKE
        };
        let wakes = if self.how.compiler_keeps_order {
            publish();
            sleeps()
        } else {
            let early = sleeps();
            publish();
            early
        };
        if wakes {
            self.wake();
        }
        if !self.how.enters_first {
            enter();
        }
    }
    fn membarrier(&self) {
        for core in self.cores.iter().filter(|_| self.how.membarrier) {
            drop(core.lock().unwrap());
        }
    }
    /// A store. By `swap`, which acquires nothing: so loom knows that it stands behind the exchanges of wakers that have read what
    /// the sleeper stored before. Behind a store it would let a load find what such an exchange has left.
    fn set_attention(&self, value: u32, order: Ordering) {
        self.sleeping.swap(value, order);
    }
    fn prepare_wait(&self) {
        if !self.how.flag_before_barrier {
            self.membarrier();
        }
        self.set_attention(ASLEEP, Release);
        if self.how.flag_before_barrier {
            self.membarrier();
        }
    }
    fn cancel_wait(&self) {
        self.set_attention(AWAKE, Relaxed);
    }
    fn sleep(&self) {
        if self.how.descriptor {
            self.sleep_at_descriptor();
        } else if self.how.bounded {
            thread::yield_now();
        } else {
            let kernel = self.kernel.lock().unwrap();
            if !self.how.kernel_compares || self.sleeping.load(Relaxed) == ASLEEP {
                drop(self.woken.wait(kernel).unwrap());
            }
        }
        self.cancel_wait();
    }
    fn sleep_at_descriptor(&self) {
        if !self.how.swaps_at_descriptor {
            self.set_attention(AT_DESCRIPTOR, Release);
        } else if self.sleeping.compare_exchange(ASLEEP, AT_DESCRIPTOR, SeqCst, SeqCst).is_err() {
            return;
        }
        let mut kernel = self.kernel.lock().unwrap();
        while !kernel.signal {
            kernel = self.woken.wait(kernel).unwrap();
        }
        kernel.signal = false;
    }
    /// Takes in what has come; whether there was anything.
    fn look(&self, taken: &mut [bool]) -> bool {
        let before = taken.iter().filter(|t| **t).count();
        for (ring, taken) in self.rings.iter().zip(taken.iter_mut()) {
            if !*taken && ring.entered.load(Acquire) == 1 && ring.word.load(Acquire) == 1 {
                assert_eq!(ring.bytes.with(|p| unsafe { *p }), 7);
                *taken = true;
            }
        }
        taken.iter().filter(|t| **t).count() > before
    }
    fn receive_all(&self) {
        let mut taken = vec![false; self.rings.len()];
        while !taken.iter().all(|t| *t) {
            if self.look(&mut taken) {
                continue;
            }
            self.prepare_wait();
            if self.how.looks_again && self.look(&mut taken) {
                self.cancel_wait();
            } else {
                self.sleep();
            }
        }
    }
}

fn sleep(how: How, senders: usize, preemptions: Option<usize>) {
    explore_up_to(preemptions, move || {
        let job = Arc::new(Job::new(how, senders));
        let sending: Vec<_> = (0..senders)
            .map(|me| {
                let job = job.clone();
                thread::spawn(move || job.send(me))
            })
            .collect();
        job.receive_all();
        for one in sending {
            one.join().unwrap();
        }
    });
}

fn one(how: How) {
    sleep(how, 1, None)
}

const BOUNDED: How = How { membarrier: false, bounded: true, ..AS_WRITTEN };
const DESCRIPTOR: How = How { descriptor: true, ..AS_WRITTEN };

pub const VARIANTS: &[Variant] = &[
    Variant { name: "membarrier", refused: HOLDS, run: || one(AS_WRITTEN) },
    Variant { name: "membarrier_two_senders", refused: HOLDS, run: || sleep(AS_WRITTEN, 2, Some(3)) },
    Variant { name: "no_membarrier_bounded_sleep", refused: HOLDS, run: || one(BOUNDED) },
    Variant { name: "at_a_descriptor", refused: HOLDS, run: || one(DESCRIPTOR) },
    Variant { name: "at_a_descriptor_two_senders", refused: HOLDS, run: || sleep(DESCRIPTOR, 2, Some(3)) },
    Variant { name: "broken_no_membarrier", refused: ALL_SLEEP, run: || one(How { membarrier: false, ..AS_WRITTEN }) },
    Variant { name: "broken_no_second_look", refused: ALL_SLEEP, run: || one(How { looks_again: false, ..AS_WRITTEN }) },
    Variant { name: "broken_enters_behind_its_frame", refused: ALL_SLEEP, run: || one(How { enters_first: false, ..AS_WRITTEN }) },
    Variant { name: "broken_flag_behind_barrier", refused: ALL_SLEEP, run: || one(How { flag_before_barrier: false, ..AS_WRITTEN }) },
    Variant { name: "broken_compiler_reorders", refused: ALL_SLEEP, run: || one(How { compiler_keeps_order: false, ..AS_WRITTEN }) },
    Variant { name: "broken_kernel_does_not_compare", refused: ALL_SLEEP, run: || one(How { kernel_compares: false, ..AS_WRITTEN }) },
    Variant { name: "broken_descriptor_stored", refused: ALL_SLEEP, run: || one(How { swaps_at_descriptor: false, ..DESCRIPTOR }) },
];
