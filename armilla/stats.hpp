// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/stats/counters.hpp"

/// What a rank did, in numbers. Counters are always there; times, methods and phases only if ARMILLA_STATS asks for them:
///
/// | ARMILLA_STATS= | gives                                                                                      |
/// |----------------|--------------------------------------------------------------------------------------------|
/// | `1`            | counters, methods and phases of each rank and in total, printed on stderr at the end        |
/// | `timing`       | the same with the time of each component                                                   |
/// | `FILE.json`    | the same as `1`, written to the file instead                                               |
///
/// Words can be combined by commas: `timing,run.json` writes times to the file, `1,run.json` prints as well.
/// Paper: MRPC, section 5 (what is counted) and section 6 (components).
namespace armilla {

/// Seconds that a rank spent in each component. Each is measured at its borders; none is what the others leave.
struct component_times {
  double cpu = 0;                     ///< the program's own code, bodies and accesses to mapped memory included
  double net = 0;                     ///< messages leaving and coming, and all waiting, whatever for
  double thread_management = 0;       ///< creating and switching fibers
  double thread_synchronisation = 0;  ///< locks, without waiting: their number by what one takes
  double runtime = 0;                 ///< marshalling, dispatch, stubs, replies

  double sum() const noexcept { return cpu + net + thread_management + thread_synchronisation + runtime; }
};

/// What came in for one method: for the body of an `async` or a `call`, a reply, a handler of an active message.
struct method_statistics {
  std::string name;            ///< "async NAME(ARGUMENTS)", "call ...", "reply TYPE", "message NAME"
  std::uint64_t runs = 0;      ///< dispatches; messages that travelled together cost one
  std::uint64_t messages = 0;  ///< messages
  std::uint64_t bytes = 0;     ///< of these, without headers
  /// By size: place k counts the messages of 2^k to 2^(k+1) - 1 bytes (each takes a multiple of 8).
  std::array<std::uint64_t, 32> sizes{};
};

/// A rank's numbers, or a sum over ranks. The counters are members: `stats().statements_sent`; they are described in
/// armilla/stats/counters.hpp.
struct statistics : detail::counters {
  double seconds = 0;                      ///< since the rank began to run
  component_times time;                    ///< 0 unless ARMILLA_STATS says `timing`
  std::uint64_t borders = 0;               ///< at which time was measured; each costs what the report says
  std::vector<method_statistics> methods;  ///< by name; empty unless ARMILLA_STATS is set

  /// What happened since `earlier`, a snapshot of the same rank.
  statistics& operator-=(const statistics& earlier);
  /// Adds another rank's, or another phase's. Seconds add up too.
  statistics& operator+=(const statistics& other);
  friend statistics operator-(statistics later, const statistics& earlier) { return later -= earlier; }
  friend statistics operator+(statistics a, const statistics& b) { return a += b; }
};

/// This rank's numbers up to now. Copies them; neither waits nor takes in messages, so it may be used in bodies. Cost: less than
/// a microsecond, without methods. Errors: usage_error outside a session.
///
///     const auto before = armilla::stats();
///     step();
///     const auto took = armilla::stats() - before;
///     std::printf("%lu statements\n", took.statements_sent);
statistics stats();

}  // namespace armilla
