// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/dialect/invoke.hpp"
#include "armilla/dialect/meeting.hpp"
#include "armilla/dialect/sync.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/run.hpp"
#include "armilla/spawn.hpp"

/// MPC++ (level 0, the template library MTTL) in C++. The papers' words:
///
/// | MPC++                                  | here                                                                  |
/// |----------------------------------------|-----------------------------------------------------------------------|
/// | function instance, waited for          | `invoke(pe, f, arguments...)`, `invoke(result, pe, f, arguments...)`   |
/// | function instance, asynchronous        | `ainvoke(pe, f, arguments...)`, `ainvoke(sync, pe, f, arguments...)`   |
/// | member of a global object              | `invoke<&T::m>(gp, arguments...)`, `ainvoke<&T::m>(gp, arguments...)`  |
/// | global pointer                         | `GlobalPtr<T>`: `*gp` reads and writes, also `gp[i]` and `**gg`        |
/// | synchronising structure                | `Sync<T>`: `read`, `peek`, `write`                                    |
/// | barrier, reduction                     | `Barrier`, `Reduction<T, Op>`: `arrive`; the collectives of teams     |
/// | the main thread is on processor 0      | `return run_main(argc, argv, f);`                                     |
///
/// Threads are fibers: they switch only where they wait or `yield`. A variable has one copy in each process; where
/// ranks are threads, `per_rank` gives that.
/// Paper: MPC++, sections 2 and 3.
namespace armilla::mpcpp {

using armilla::run_main;
using armilla::yield;

/// MPC++'s pointer to an object of any rank; to_global makes one of a plain pointer.
template <class T>
using GlobalPtr = global_ptr<T>;

}  // namespace armilla::mpcpp
