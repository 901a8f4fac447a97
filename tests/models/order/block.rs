// SPDX-License-Identifier: Apache-2.0
//! A long message in a block of its sender's segment: the receiver reads it behind a watermark while it is being written, and gives
//! the block back, in which the next message may follow.
//!
// Stands for: armilla/wire/watermark.hpp: raise, finished
// Stands for: armilla/wire/watermark.cpp: await, await_end, copy_in_pieces
// Stands for: armilla/am/endpoint/block.cpp: start_block, outgoing_block, give_back
// Code: armilla/wire/watermark.hpp: __atomic_store_n(&filled, bytes, __ATOMIC_RELEASE);
// Code: armilla/wire/watermark.cpp: const std::uint64_t now = __atomic_load_n(&filled, __ATOMIC_ACQUIRE);
// Code: armilla/wire/watermark.cpp: __atomic_load_n(&mark.filled, __ATOMIC_ACQUIRE) <= bytes
// Code: armilla/am/endpoint/block.cpp: mark->raise(0);
// Code: armilla/am/endpoint/block.cpp: await_end(*mark_, size_); // the last piece may be read before the writer has said its last word mark_ = nullptr; heap::attach(segment_, heap_first_).remote_free(offset_);
//!
//! The heap is that of heap.rs. The watermark lies where the heap keeps a block's link: whoever raises it must not meet that.
use crate::heap::{Heap, Owner, Pointer};
use crate::*;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

#[derive(Clone, Copy)]
struct How {
    raise: Ordering,
    look: Ordering,
    awaits_end: bool,
    lowered_before_name: bool,
    raised_behind_bytes: bool,
}

const AS_WRITTEN: How = How { raise: Release, look: Acquire, awaits_end: true, lowered_before_name: true, raised_behind_bytes: true };
const SIZE: u64 = 2;
const GIVEN_UP: u64 = u64::MAX;

struct Job {
    how: How,
    heap: Arc<Heap>,
    filled: AtomicU64,
    bytes: Vec<UnsafeCell<u64>>,
    names: Vec<AtomicU64>, // the ring: a word for each message, its block's generation
}

impl Job {
    fn raise(&self, p: Pointer, bytes: u64) {
        self.heap.blocks[p.0].link.with(|_| ()); // in use, and not in a list
        self.filled.store(bytes, self.how.raise);
    }
    fn write(&self, p: Pointer, at: u64, value: u64) {
        if !self.how.raised_behind_bytes {
            self.raise(p, at + 1);
        }
        self.bytes[at as usize].with_mut(|b| unsafe { *b = value });
        if self.how.raised_behind_bytes {
            self.raise(p, at + 1);
        }
    }
    fn send(&self, p: Pointer, message: usize, gives_up: bool) {
        if self.how.lowered_before_name {
            self.raise(p, 0);
        }
        self.names[message].store(u64::from(p.1), Release);
        if !self.how.lowered_before_name {
            self.raise(p, 0);
        }
        self.write(p, 0, message as u64);
        if gives_up {
            return self.raise(p, GIVEN_UP);
        }
        self.write(p, 1, message as u64);
        self.raise(p, SIZE + 1);
    }
    /// Whether they will come.
    fn wait(&self, bytes: u64) -> bool {
        loop {
            let now = self.filled.load(self.how.look);
            if now >= bytes {
                return now != GIVEN_UP;
            }
            thread::yield_now();
        }
    }
    fn receive(&self, message: usize) {
        let mut name = 0;
        while name == 0 {
            name = self.names[message].load(Acquire);
            if name == 0 {
                thread::yield_now();
            }
        }
        for at in 0..SIZE {
            if !self.wait(at + 1) {
                break;
            }
            assert_eq!(self.bytes[at as usize].with(|b| unsafe { *b }), message as u64, "bytes of another message");
        }
        while self.how.awaits_end && self.filled.load(self.how.look) <= SIZE {
            thread::yield_now();
        }
        assert!(self.heap.remote_free(Pointer(0, name as u16)));
    }
}

/// The receiver takes two messages, the second of which the sender writes if the block has come back by then.
fn two_messages(how: How, gives_up: bool) {
    explore(move || {
        let heap = Arc::new(Heap::new(heap::AS_WRITTEN, 1));
        let mut owner = Owner::new(&heap);
        let job = Arc::new(Job {
            how,
            heap,
            filled: AtomicU64::new(SIZE + 1), // of an earlier message
            bytes: (0..SIZE).map(|_| UnsafeCell::new(9)).collect(),
            names: (0..2).map(|_| AtomicU64::new(0)).collect(),
        });
        let p = owner.allocate().unwrap();
        let theirs = job.clone();
        let receiving = thread::spawn(move || {
            theirs.receive(0);
            theirs
        });
        job.send(p, 0, gives_up);
        let again = owner.allocate();
        if let Some(p) = again {
            job.send(p, 1, false);
        }
        receiving.join().unwrap();
        if again.is_some() {
            job.receive(1);
        }
        assert!(owner.allocate().is_some(), "the block never comes back");
    });
}

fn both(how: How) {
    two_messages(how, false)
}

pub const VARIANTS: &[Variant] = &[
    Variant { name: "two_messages", refused: HOLDS, run: || both(AS_WRITTEN) },
    Variant { name: "given_up", refused: HOLDS, run: || two_messages(AS_WRITTEN, true) },
    Variant { name: "broken_raise_relaxed", refused: RACE, run: || both(How { raise: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_look_relaxed", refused: RACE, run: || both(How { look: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_end_not_awaited", refused: RACE, run: || both(How { awaits_end: false, ..AS_WRITTEN }) },
    Variant { name: "broken_name_before_mark", refused: RACE, run: || both(How { lowered_before_name: false, ..AS_WRITTEN }) },
    Variant { name: "broken_mark_before_bytes", refused: RACE, run: || both(How { raised_behind_bytes: false, ..AS_WRITTEN }) },
];
