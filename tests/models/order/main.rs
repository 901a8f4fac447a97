// SPDX-License-Identifier: Apache-2.0
//! What the library does with atomics, explored in all executions that C11 allows, as far as loom knows them.
//!
//!     order                  lists the variants of all models
//!     order MODEL VARIANT    explores one: exit code 0 if the model holds, or if the checker has refused what it must refuse
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

mod block;
mod counters;
mod flags;
mod heap;
mod losses;
mod ring;
mod sleep;

/// A model with certain orderings. `refused`: it is broken, and the checker says this.
pub struct Variant {
    pub name: &'static str,
    pub refused: Option<&'static str>,
    pub run: fn(),
}

pub const HOLDS: Option<&str> = None;
/// Two accesses of which one is a write, and nothing between them.
pub const RACE: Option<&str> = Some("Causality violation");
/// Something that was said never comes.
pub const NEVER_ENDS: Option<&str> = Some("exceeded maximum number of branches");
/// All threads sleep.
pub const ALL_SLEEP: Option<&str> = Some("deadlock");

static EXECUTIONS: AtomicUsize = AtomicUsize::new(0);

/// Explores all executions of `one`.
pub fn explore(one: impl Fn() + Sync + Send + 'static) {
    explore_up_to(None, one)
}

/// Those in which threads are interrupted at most so often where they could go on.
pub fn explore_up_to(preemptions: Option<usize>, one: impl Fn() + Sync + Send + 'static) {
    let mut how = loom::model::Builder::new();
    how.preemption_bound = preemptions;
    how.max_branches = 2000;
    how.check(move || {
        EXECUTIONS.fetch_add(1, Relaxed);
        one()
    });
}

const MODELS: &[(&str, &[Variant])] = &[
    ("block", block::VARIANTS),
    ("counters", counters::VARIANTS),
    ("flags", flags::VARIANTS),
    ("heap", heap::VARIANTS),
    ("losses", losses::VARIANTS),
    ("ring", ring::VARIANTS),
    ("sleep", sleep::VARIANTS),
];

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<String>() {
        return text.clone();
    }
    panic.downcast_ref::<&str>().unwrap_or(&"a panic without text").to_string()
}

fn end(good: bool, text: String) -> ! {
    println!("{}", text);
    std::process::exit(!good as i32)
}

/// At the first panic: what follows it where loom takes threads down that still hold something says nothing.
fn judge(refused: Option<&str>, text: String) -> ! {
    let count = EXECUTIONS.load(Relaxed);
    let first = text.trim().lines().next().unwrap_or("");
    match refused {
        Some(why) if text.contains(why) => end(true, format!("refused in execution {}: {}", count, first)),
        Some(why) => end(false, format!("refused for another reason than '{}': {}", why, text)),
        None => end(false, format!("fails in execution {}: {}", count, text)),
    }
}

fn run(variant: &Variant) -> ! {
    let refused = variant.refused;
    std::panic::set_hook(Box::new(move |panic| judge(refused, text_of(panic.payload()))));
    (variant.run)();
    let count = EXECUTIONS.load(Relaxed);
    match refused {
        None => end(true, format!("holds in {} executions", count)),
        Some(_) => end(false, format!("is broken, but {} executions show nothing", count)),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for (model, variants) in MODELS {
        for variant in variants.iter() {
            if arguments.is_empty() {
                println!("{} {}", model, variant.name);
            } else if arguments[0] == *model && arguments.get(1).map(String::as_str) == Some(variant.name) {
                run(variant)
            }
        }
    }
    if !arguments.is_empty() {
        eprintln!("order: no such model and variant; without arguments it lists them");
        std::process::exit(2)
    }
}
