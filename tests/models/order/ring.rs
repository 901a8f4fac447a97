// SPDX-License-Identifier: Apache-2.0
//! A ring between one writer and one reader: lap words, lines that held the inside of longer frames, padding, credit.
//!
// Stands for: armilla/ring/ring_writer.hpp: reserve, publish, lap_mark
// Stands for: armilla/ring/ring.cpp: refresh_credit, reserve_behind_pad, mark_inside, clear_word, publish_head
// Stands for: armilla/ring/ring.hpp: ready, front, release
// Code: armilla/ring/ring_writer.hpp: word_at(line).store(std::uint64_t(lap_mark(tail_ >> shift_)) << 32 | bytes, std::memory_order_release);
// Code: armilla/ring/ring.hpp: word_at(line_).load(std::memory_order_acquire) >> 32 == expected_
// Code: armilla/ring/ring.cpp: credit_ = memory_.head->load(std::memory_order_acquire) + memory_.count;
// Code: armilla/ring/ring.cpp: shared_head_->store(head_, std::memory_order_release);
// Code: armilla/ring/ring.cpp: word_at(memory_.lines + line * cache_line).store(0, std::memory_order_relaxed);
// Code: armilla/ring/ring.cpp: std::uint64_t(lap_mark(tail_ >> shift_)) << 32 | frame_pad, std::memory_order_release);
//!
//! A line is its first 8 bytes, an atomic, and the rest, a cell whose accesses loom checks for races. The first 8 bytes of the
//! inside of a frame look like a frame word of the next lap: the worst that a payload can hold.
use crate::*;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU64, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

#[derive(Clone, Copy)]
struct How {
    publish: Ordering,
    poll: Ordering,
    give_back: Ordering,
    refresh: Ordering,
    clears: bool,
    credit_too_large: u64,
    laps_differ: bool,
}

const AS_WRITTEN: How = How {
    publish: Release,
    poll: Acquire,
    give_back: Release,
    refresh: Acquire,
    clears: true,
    credit_too_large: 0,
    laps_differ: true,
};

const PAD: u64 = 0xffff_ffff;

struct Line {
    word: AtomicU64,
    rest: UnsafeCell<u64>,
}

struct Memory {
    head: AtomicU64,
    lines: Vec<Line>,
}

fn word(how: How, lap: u64, lines: u64) -> u64 {
    (0x8000_0000 | if how.laps_differ { lap } else { 0 }) << 32 | lines
}

struct Writer {
    memory: Arc<Memory>,
    how: How,
    tail: u64,
    credit: u64,
    inside: Vec<bool>,
}

impl Writer {
    fn count(&self) -> u64 {
        self.memory.lines.len() as u64
    }
    fn at(&self, position: u64) -> &Line {
        &self.memory.lines[(position % self.count()) as usize]
    }
    fn has_credit(&mut self, lines: u64) -> bool {
        let needed = lines + 1; // one stays free behind the frame
        if self.credit - self.tail < needed {
            self.credit = self.memory.head.load(self.how.refresh) + self.count() + self.how.credit_too_large;
        }
        self.credit - self.tail >= needed
    }
    fn mark_inside(&mut self, lines: u64) {
        for i in 1..lines {
            let at = ((self.tail + i) % self.count()) as usize;
            self.inside[at] = true;
        }
    }
    fn clear_word(&mut self, position: u64) {
        let at = (position % self.count()) as usize;
        if self.inside[at] && self.how.clears {
            self.inside[at] = false;
            self.memory.lines[at].word.store(0, Relaxed);
        }
    }
    fn reserve(&mut self, lines: u64) -> bool {
        let to_end = self.count() - self.tail % self.count();
        if lines <= to_end {
            return self.has_credit(lines);
        }
        if !self.has_credit(to_end + lines) {
            return false;
        }
        self.mark_inside(to_end);
        self.clear_word(0);
        let pad = word(self.how, self.tail / self.count(), PAD);
        self.at(self.tail).word.store(pad, self.how.publish);
        self.tail += to_end;
        true
    }
    /// Behind `reserve`: fills `lines` lines with `value`, and shows them.
    fn publish(&mut self, lines: u64, value: u64) {
        let lap = self.tail / self.count();
        for i in 0..lines {
            let line = self.at(self.tail + i);
            line.rest.with_mut(|p| unsafe { *p = value });
            if i > 0 {
                line.word.store(word(self.how, lap + 1, 1), Relaxed);
            }
        }
        self.mark_inside(lines);
        self.clear_word(self.tail + lines);
        self.at(self.tail).word.store(word(self.how, lap, lines), self.how.publish);
        self.tail += lines;
    }
}

struct Reader {
    memory: Arc<Memory>,
    how: How,
    head: u64,
}

impl Reader {
    /// One look; the frame that waits, if any: its lines and its value.
    fn take(&mut self) -> Option<(u64, u64)> {
        let count = self.memory.lines.len() as u64;
        loop {
            let first = &self.memory.lines[(self.head % count) as usize];
            if first.word.load(self.how.poll) >> 32 != word(self.how, self.head / count, 0) >> 32 {
                return None;
            }
            let lines = first.word.load(Relaxed) & PAD;
            if lines == PAD {
                self.release(count - self.head % count);
                continue;
            }
            assert!(lines <= count - self.head % count, "a frame that nothing has sent");
            let value = first.rest.with(|p| unsafe { *p });
            for i in 1..lines {
                let line = &self.memory.lines[((self.head + i) % count) as usize];
                assert_eq!(line.rest.with(|p| unsafe { *p }), value, "a frame of which lines are old");
                assert_eq!(line.word.load(Relaxed), word(self.how, self.head / count + 1, 1), "a frame of which lines are old");
            }
            self.release(lines);
            return Some((lines, value));
        }
    }
    fn release(&mut self, lines: u64) {
        self.head += lines;
        self.memory.head.store(self.head, self.how.give_back);
    }
    fn expect(&mut self, frames: &[u64], taken: &mut usize) {
        if let Some(frame) = self.take() {
            assert!(*taken < frames.len(), "a frame that nothing has sent");
            assert_eq!(frame, (frames[*taken], *taken as u64 + 1), "another frame than was sent");
            *taken += 1;
        }
    }
}

/// Sends frames of so many lines through a ring of `count` lines. The first `before` are sent, and some of them read, before the
/// two run at the same time. A writer that finds no credit gives up in the end; all that it has sent is there in the end.
fn send(how: How, count: usize, frames: &'static [u64], before: usize, read_before: usize) {
    explore(move || {
        let memory = Arc::new(Memory {
            head: AtomicU64::new(0),
            lines: (0..count).map(|_| Line { word: AtomicU64::new(0), rest: UnsafeCell::new(0) }).collect(),
        });
        let mut reader = Reader { memory: memory.clone(), how, head: 0 };
        let mut writer = Writer { memory, how, tail: 0, credit: count as u64, inside: vec![false; count] };
        let mut taken = 0;
        let mut sent = 0;
        while sent < before {
            if writer.reserve(frames[sent]) {
                sent += 1;
                writer.publish(frames[sent - 1], sent as u64);
            }
            if taken < read_before {
                reader.expect(frames, &mut taken);
            }
        }
        let reading = thread::spawn(move || {
            for _ in 0..3 {
                reader.expect(frames, &mut taken);
            }
            (reader, taken)
        });
        for _ in 0..frames.len() - before + 1 {
            if sent < frames.len() && writer.reserve(frames[sent]) {
                sent += 1;
                writer.publish(frames[sent - 1], sent as u64);
            }
        }
        let (mut reader, mut taken) = reading.join().unwrap();
        while taken < sent {
            let had = taken;
            reader.expect(frames, &mut taken);
            assert!(taken > had, "a frame that was sent never comes");
        }
        reader.expect(&frames[..sent], &mut taken);
    });
}

const SHORT: &[u64] = &[1, 1, 1, 1, 1];
const LAP: &[u64] = &[1, 1, 1, 1, 1, 1];
const LONG: &[u64] = &[2, 1, 1, 1, 2, 1];
const PADDED: &[u64] = &[1, 2, 2, 1, 1];
const INVENTED: Option<&str> = Some("a frame that nothing has sent");

fn short(how: How) {
    send(how, 4, SHORT, 1, 1)
}
fn lap(how: How) {
    send(how, 4, LAP, 4, 1)
}
fn long(how: How) {
    send(how, 4, LONG, 2, 2)
}
fn padded(how: How) {
    send(how, 4, PADDED, 1, 1)
}

pub const VARIANTS: &[Variant] = &[
    Variant { name: "short_frames", refused: HOLDS, run: || short(AS_WRITTEN) },
    Variant { name: "next_lap", refused: HOLDS, run: || lap(AS_WRITTEN) },
    Variant { name: "long_frames", refused: HOLDS, run: || long(AS_WRITTEN) },
    Variant { name: "padding", refused: HOLDS, run: || padded(AS_WRITTEN) },
    Variant { name: "broken_word_relaxed", refused: RACE, run: || short(How { publish: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_poll_relaxed", refused: RACE, run: || short(How { poll: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_position_relaxed", refused: RACE, run: || lap(How { give_back: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_credit_relaxed", refused: RACE, run: || lap(How { refresh: Relaxed, ..AS_WRITTEN }) },
    Variant { name: "broken_credit_too_large", refused: RACE, run: || lap(How { credit_too_large: 2, ..AS_WRITTEN }) },
    Variant { name: "broken_inside_not_cleared", refused: INVENTED, run: || long(How { clears: false, ..AS_WRITTEN }) },
    Variant { name: "broken_laps_alike", refused: INVENTED, run: || short(How { laps_differ: false, ..AS_WRITTEN }) },
];
