// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <span>

#include "armilla/barrier.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/dialect/splitc_array.hpp"
#include "armilla/dialect/splitc_atomic.hpp"
#include "armilla/dialect/splitc_collectives.hpp"
#include "armilla/dialect/splitc_pointer.hpp"
#include "armilla/event.hpp"
#include "armilla/poll.hpp"
#include "armilla/rank.hpp"
#include "armilla/run.hpp"

/// Split-C in C++: its words, as near to its spelling as C++ without a compiler of its own comes.
///
/// | Split-C                                   | here                                                       |
/// |-------------------------------------------|------------------------------------------------------------|
/// | `splitc_main(int argc, char *argv[])`     | `ARMILLA_SPLITC_PROGRAM { int splitc_main(int argc, char *argv[]) ... }` |
/// | `double *global gp`, `double *spread sp`  | `global<double *> gp`, `spread<double *> sp`               |
/// | `lx = *gp`, `*gp = lx`, `gp[i]`           | the same                                                   |
/// | `gp->x`                                   | `gp->*&S::x`                                               |
/// | `lx := *gp`, `*gp := lx`                  | `lx <<= *gp`, `*gp <<= lx`                                 |
/// | `*gp :- lx`                               | `*gp <<= store(lx)`                                        |
/// | `double A[n]::`, `int B[PROCS]::[m]`      | `spread_array<double> A(n)`, `spread_array<int, 1, 1> B(PROCS, m)` |
/// | `toglobal tolocal toproc`                 | the same                                                   |
/// | `sync() all_store_sync() store_sync(bytes) barrier() poll()` | the same                                |
/// | `bulk_read bulk_write bulk_get bulk_put bulk_store` | the same: bytes, the destination first           |
/// | `atomic(f, proc, ...)`                    | the same                                                   |
/// | `all_spread_malloc all_bcast all_reduce_to_one_add ...` | the same                                     |
/// | `MYPROC PROCS PROCSLOG on_one on_proc(p) for_my_1D(i, n)` | the same                                   |
///
/// One program, one thread of control a processor, which is a rank. What the two papers print is exact; what they only describe
/// follows the programs that exist (docs/guide/dialects.md says which is which).
/// Paper: Split-C on the Paragon, section 2; MRPC, section 2 and figure 2.
namespace armilla::splitc {

using armilla::all_store_sync;
using armilla::barrier;
using armilla::poll;

/// Waits for all gets and puts of this processor. Stores are not among them. Errors: the first that one of them met.
inline void sync() { sync_memory(); }

/// Waits until `bytes` more of signalling stores, of any processor, have arrived here, and subtracts them. A program uses this or
/// `all_store_sync` in a phase, not both.
inline void store_sync(std::size_t bytes) { detail::stores_arrived->wait(bytes); }

/// Copies `bytes` from `from`; complete when it returns. Lengths of all bulk transfers are bytes, and the destination comes
/// first. Errors of all of them: usage_error for null, and for more bytes than are there or any memory holds.
inline void bulk_read(void* into, const global<const void*>& from, std::size_t bytes) {
  event read;
  armilla::get(detail::bytes_at(into, bytes), detail::bytes_at(from), read);
  read.wait();
}
/// Copies `bytes` to `to`; complete when it returns.
inline void bulk_write(const global<void*>& to, const void* from, std::size_t bytes) {
  event written;
  armilla::put(detail::bytes_at(to), detail::bytes_at(from, bytes), written);
  written.wait();
}
/// As `:=`: complete after sync().
inline void bulk_get(void* into, const global<const void*>& from, std::size_t bytes) {
  armilla::get(detail::bytes_at(into, bytes), detail::bytes_at(from));
}
/// As `:=`: complete after sync(), and `from` must not change before.
inline void bulk_put(const global<void*>& to, const void* from, std::size_t bytes) {
  armilla::put(detail::bytes_at(to), detail::bytes_at(from, bytes));
}
/// As `:-`: complete after all_store_sync(), or at the owner by store_sync.
inline void bulk_store(const global<void*>& to, const void* from, std::size_t bytes) {
  const global_ptr<std::byte> at = detail::bytes_at(to);
  armilla::store(at, detail::bytes_at(from, bytes), detail::stores_arrived.on(at.rank()), bytes);
}

/// Seconds, for differences.
inline double get_seconds() { return double(armilla::detail::now_ns()) * 1e-9; }

/// Returns how many of `n` elements of a spread array are on this processor; 0 for a negative number.
inline int my_elements(int n) { return n <= armilla::rank() ? 0 : (n - armilla::rank() - 1) / armilla::ranks() + 1; }

namespace detail {
int start(int argc, char** argv, int (*program)(int, char**));
}

}  // namespace armilla::splitc

/// A Split-C program: a namespace of its own, in which Split-C's words mean what they mean there (POSIX has a `sync` and a
/// `poll`), and a main that calls its `splitc_main` on every processor. Once a program.
#define ARMILLA_SPLITC_PROGRAM                                                                                           \
  namespace splitc_program {                                                                                             \
  using namespace ::armilla::splitc;                                                                                     \
  using ::armilla::splitc::poll;                                                                                         \
  using ::armilla::splitc::sync;                                                                                         \
  int splitc_main(int argc, char* argv[]);                                                                               \
  }                                                                                                                      \
  int main(int argc, char** argv) { return ::armilla::splitc::detail::start(argc, argv, &splitc_program::splitc_main); } \
  namespace splitc_program

#define MYPROC (static_cast<int>(::armilla::rank()))
#define PROCS (static_cast<int>(::armilla::ranks()))
/// The logarithm of PROCS; -1 if it is not a power of two.
#define PROCSLOG (std::has_single_bit(unsigned(PROCS)) ? std::countr_zero(unsigned(PROCS)) : -1)
#define on_proc(p) if (MYPROC == (p))
#define on_one on_proc(0)
/// A loop over the elements of `A[n]::` that are on this processor.
#define for_my_1D(i, n) for (int i = MYPROC; i < (n); i += PROCS)
#define for_my_1d(i, n) for_my_1D(i, n)
