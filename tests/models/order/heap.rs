// SPDX-License-Identifier: Apache-2.0
//! Blocks of one rank's segment that other ranks give back: which of several succeeds, and when the owner may use the memory again.
//!
// Stands for: armilla/ring/heap.cpp: mark_freed, deallocate, remote_free, collect, allocate, set_generation
// Code: armilla/ring/heap.cpp: if (seen == 0 || !__atomic_compare_exchange_n(found.generation, &seen, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
// Code: armilla/ring/heap.cpp: } while (!__atomic_compare_exchange_n(&h.returned, &top, found.begin, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
// Code: armilla/ring/heap.cpp: std::uint64_t at = __atomic_exchange_n(&head().returned, 0, __ATOMIC_ACQUIRE);
// Code: armilla/ring/heap.cpp: if (__atomic_load_n(&head().returned, __ATOMIC_RELAXED) != 0) [[unlikely]]
//!
//! Chunks and size classes are not here: only the owner touches what they consist of. A block is its generation, the link that it
//! holds while it is in the stack, and the user's bytes.
use crate::*;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU16, AtomicUsize, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

#[derive(Clone, Copy)]
pub struct How {
    push: Ordering,
    collect: Ordering,
    swaps_generation: bool,
    checks_generation: bool,
    link_before_push: bool,
}

pub const AS_WRITTEN: How =
    How { push: Release, collect: Acquire, swaps_generation: true, checks_generation: true, link_before_push: true };

pub struct Block {
    generation: AtomicU16,
    pub link: UnsafeCell<usize>,
    pub bytes: UnsafeCell<u64>,
}

/// A pointer to a block: which, and its generation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pointer(pub usize, pub u16);

pub struct Heap {
    how: How,
    returned: AtomicUsize, // block + 1; 0: none
    pub blocks: Vec<Block>,
}

impl Heap {
    pub fn new(how: How, blocks: usize) -> Heap {
        let block = |_| Block { generation: AtomicU16::new(0), link: UnsafeCell::new(0), bytes: UnsafeCell::new(0) };
        Heap { how, returned: AtomicUsize::new(0), blocks: (0..blocks).map(block).collect() }
    }
    fn mark_freed(&self, p: Pointer) -> bool {
        let generation = &self.blocks[p.0].generation;
        let seen = if self.how.checks_generation { p.1 } else { generation.load(Relaxed) };
        if self.how.swaps_generation {
            return seen != 0 && generation.compare_exchange(seen, 0, Relaxed, Relaxed).is_ok();
        }
        let lives = generation.load(Relaxed) == seen && seen != 0;
        if lives {
            generation.store(0, Relaxed);
        }
        lives
    }
    pub fn remote_free(&self, p: Pointer) -> bool {
        if !self.mark_freed(p) {
            return false;
        }
        let link = |top: usize| self.blocks[p.0].link.with_mut(|l| unsafe { *l = top });
        let mut top = 0; // not by a load: loom takes an access in front of another by the same thread for all there is to reorder
        loop {
            if self.how.link_before_push {
                link(top);
            }
            match self.returned.compare_exchange_weak(top, p.0 + 1, self.how.push, Relaxed) {
                Ok(_) => break,
                Err(now) => top = now,
            }
        }
        if !self.how.link_before_push {
            link(top);
        }
        true
    }
}

/// What only the owner's thread may use.
pub struct Owner {
    pub heap: Arc<Heap>,
    free: Vec<usize>,
    generations: u16,
}

impl Owner {
    pub fn new(heap: &Arc<Heap>) -> Owner {
        Owner { heap: heap.clone(), free: (0..heap.blocks.len()).rev().collect(), generations: 0 }
    }
    fn collect(&mut self) {
        let mut at = self.heap.returned.swap(0, self.heap.how.collect);
        while at != 0 {
            let block = at - 1;
            at = self.heap.blocks[block].link.with(|l| unsafe { *l });
            self.release(block);
        }
    }
    fn release(&mut self, block: usize) {
        assert!(!self.free.contains(&block), "a block that was freed twice");
        self.heap.blocks[block].link.with_mut(|l| unsafe { *l = 99 }); // of the list of its chunk
        self.free.push(block);
    }
    pub fn allocate(&mut self) -> Option<Pointer> {
        if self.heap.returned.load(Relaxed) != 0 {
            self.collect();
        }
        let block = self.free.pop()?;
        self.generations += 1;
        self.heap.blocks[block].generation.store(self.generations, Relaxed);
        Some(Pointer(block, self.generations))
    }
    fn deallocate(&mut self, p: Pointer) -> bool {
        let first = self.heap.mark_freed(p);
        if first {
            self.release(p.0);
        }
        first
    }
}

fn use_and_free(heap: &Heap, p: Pointer) -> bool {
    assert_eq!(heap.blocks[p.0].bytes.with(|b| unsafe { *b }), u64::from(p.1), "bytes of another block");
    heap.remote_free(p)
}

/// Two ranks give one block each back, the owner allocates meanwhile.
fn two_blocks(how: How) {
    explore(move || {
        let heap = Arc::new(Heap::new(how, 2));
        let mut owner = Owner::new(&heap);
        let fill = |p: Pointer| heap.blocks[p.0].bytes.with_mut(|b| unsafe { *b = u64::from(p.1) });
        let given: Vec<_> = (0..2).map(|_| owner.allocate().unwrap()).collect();
        given.iter().for_each(|p| fill(*p));
        let freeing: Vec<_> = given
            .into_iter()
            .map(|p| {
                let heap = heap.clone();
                thread::spawn(move || assert!(use_and_free(&heap, p)))
            })
            .collect();
        let mut had = 0;
        for _ in 0..2 {
            if let Some(p) = owner.allocate() {
                had += 1;
                fill(p);
            }
        }
        for one in freeing {
            one.join().unwrap();
        }
        while let Some(p) = owner.allocate() {
            had += 1;
            fill(p);
        }
        assert_eq!(had, 2, "a block that never comes back");
    });
}

/// Two other ranks and the owner give the same block back.
fn one_block(how: How) {
    explore(move || {
        let heap = Arc::new(Heap::new(how, 1));
        let mut owner = Owner::new(&heap);
        let p = owner.allocate().unwrap();
        let freeing: Vec<_> = (0..2)
            .map(|_| {
                let heap = heap.clone();
                thread::spawn(move || heap.remote_free(p))
            })
            .collect();
        let mine = owner.deallocate(p);
        let others = freeing.into_iter().map(|one| one.join().unwrap()).filter(|won| *won).count();
        assert_eq!(others + usize::from(mine), 1, "one block, and not one that frees it");
        assert!(owner.allocate().is_some() && owner.allocate().is_none());
    });
}

/// A rank frees by a pointer whose block the owner may have freed and given out anew.
fn old_pointer(how: How) {
    explore(move || {
        let heap = Arc::new(Heap::new(how, 1));
        let mut owner = Owner::new(&heap);
        let old = owner.allocate().unwrap();
        let theirs = heap.clone();
        let freeing = thread::spawn(move || theirs.remote_free(old));
        if owner.deallocate(old) {
            let new = owner.allocate().unwrap();
            assert!(!freeing.join().unwrap(), "an old pointer frees a new block");
            assert!(owner.deallocate(new));
        } else {
            assert!(freeing.join().unwrap());
        }
    });
}

pub const VARIANTS: &[Variant] = &[
    Variant { name: "two_blocks", refused: HOLDS, run: || two_blocks(AS_WRITTEN) },
    Variant { name: "one_block", refused: HOLDS, run: || one_block(AS_WRITTEN) },
    Variant { name: "old_pointer", refused: HOLDS, run: || old_pointer(AS_WRITTEN) },
    Variant { name: "broken_push_relaxed", refused: RACE, run: || two_blocks(How { push: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_collect_relaxed", refused: RACE, run: || two_blocks(How { collect: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_link_behind_push", refused: RACE, run: || two_blocks(How { link_before_push: false, ..AS_WRITTEN }) },
    Variant {
        name: "broken_generation_not_swapped",
        refused: RACE, // both write its link
        run: || one_block(How { swaps_generation: false, ..AS_WRITTEN }),
    },
    Variant {
        name: "broken_generation_not_compared",
        refused: RACE, // it is in the stack and in the owner's list
        run: || old_pointer(How { checks_generation: false, ..AS_WRITTEN }),
    },
];
