// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/stats/counters.hpp"

/// Statistics: what a rank did, in numbers.
///
///     const auto before = am::stats();
///     step();
///     const auto took = am::stats() - before;
///     std::printf("%lu one-way calls\n", took.one_way_calls_sent);
///
/// Counters are always available. Times, methods and phases are available only if ARMILLA_STATS asks for them:
///
/// | ARMILLA_STATS= | gives                                                                                 |
/// |----------------|---------------------------------------------------------------------------------------|
/// | `1`            | counters, methods and phases of each rank and in total, printed to stderr at the end   |
/// | `timing`       | the same with the time of each component                                              |
/// | `FILE.json`    | the same as `1`, written to the file instead                                          |
///
/// Words can be combined by commas: `timing,run.json` writes times to the file, `1,run.json` also prints.
///
/// Paper: MRPC, section 5 (what is counted) and section 6 (components).
namespace armilla {

/// Seconds that a rank spent in each component. Each is measured by itself.
struct component_times {
  double cpu = 0;                     ///< the program's own code, including called functions and accesses to mapped memory
  double net = 0;                     ///< sending and receiving messages, and all waits
  double thread_management = 0;       ///< creating and switching fibers
  double thread_synchronisation = 0;  ///< locks, without waiting: their number by what one takes
  double runtime = 0;                 ///< marshalling, dispatch, stubs, replies

  double sum() const noexcept { return cpu + net + thread_management + thread_synchronisation + runtime; }
};

/// What arrived for one method: the function of an `async` or a `call`, a reply, or a handler of an active message.
struct method_statistics {
  std::string name;            ///< "async NAME(ARGUMENTS)", "call ...", "reply TYPE", "message NAME"
  std::uint64_t runs = 0;      ///< dispatches; messages that were sent together count once
  std::uint64_t messages = 0;  ///< messages
  std::uint64_t bytes = 0;     ///< of these, without headers
  /// By size: element k counts the messages of 2^k to 2^(k+1) - 1 bytes (each takes a multiple of 8).
  std::array<std::uint64_t, 32> sizes{};
};

/// A rank's numbers, or a sum over ranks. The counters are members: `stats().one_way_calls_sent`; they are described in
/// armilla/stats/counters.hpp.
struct statistics : detail::counters {
  double seconds = 0;                      ///< since the rank began to run
  component_times time;                    ///< 0 unless ARMILLA_STATS says `timing`
  std::uint64_t borders = 0;               ///< at which time was measured; each costs what the report says
  std::vector<method_statistics> methods;  ///< by name; empty unless ARMILLA_STATS is set

  /// Subtracts `earlier`, a snapshot of the same rank: what happened since then remains.
  statistics& operator-=(const statistics& earlier);
  /// Adds another rank's, or another phase's. Seconds add up too.
  statistics& operator+=(const statistics& other);
  friend statistics operator-(statistics later, const statistics& earlier) { return later -= earlier; }
  friend statistics operator+(statistics a, const statistics& b) { return a += b; }
};

/// Returns this rank's statistics up to now.
///
/// It copies them, and neither waits nor receives messages, so called functions may call it. `usage_error` outside of a session.
/// Cost: less than a microsecond, without methods.
statistics stats();

}  // namespace armilla
