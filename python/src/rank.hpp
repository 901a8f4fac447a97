// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "armilla/base/values/clock.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/mutex.hpp"
#include "armilla/poll.hpp"
#include "armilla/session/joining.hpp"
#include "armilla/session/session_state.hpp"
#include "block.hpp"

/// This process as a rank of a job.
///
/// Python code of a rank runs on its main fiber alone, for CPython knows one stack a thread. So bodies that come from other ranks
/// are only noted where messages are taken in; the package runs them where the rank waits, in greenlets, so that one that waits
/// holds up no other.
namespace armilla::python {

/// A call by name that has come in: its body is a fiber that waits until Python has run it.
struct named_body;

/// A call that has come in and has not begun.
struct incoming {
  rank_t source = 0;
  std::uint64_t id = 0;  ///< of the two-way call at its rank; 0: a one-way call. By name: of the body here
  block parts;
  bool by_name = false;
};

/// What an operation of this rank has come to.
enum class state : int { open = 0, value = 1, raised = 2 };

/// A two-way call that this rank asked, or a collective that it began.
struct operation {
  state now = state::open;
  std::vector<block> parts;  ///< the pickled value, or what was raised; of a collective one for each value
  std::exception_ptr error;  ///< of a collective or a call by name that failed
  bool collective = false;   ///< a fiber fills the above
  bool watched = false;      ///< a greenlet waits for it
  nb::object kept;           ///< what a collective reads or writes meanwhile

  bool ended() const { return now != state::open; }
};

struct rank_state {
  explicit rank_state(detail::joined_process joined) : process(std::move(joined)), session(process.ranks[0]) {}

  detail::joined_process process;
  detail::session_state session;
  std::deque<incoming> requests;
  std::unordered_map<std::uint64_t, operation> operations;
  std::deque<std::uint64_t> finished;  ///< those that are watched and have ended
  std::uint64_t last_id = 0;
  std::unordered_map<std::uint64_t, named_body*> bodies;  ///< by name, that Python has not ended
  mutex turn;                                             ///< of collectives: what an interrupt has left behind comes first
  bool over = false;                                      ///< Python runs nothing any more

  void end(std::uint64_t id, operation& done, state how) {
    done.now = how;
    if (done.watched) finished.push_back(id);
  }
};

/// Set from other threads and by the handler of a signal; `knock` wakes the rank.
struct doorbell {
  std::atomic<bool> interrupted = false, knocked = false;
};
extern doorbell bell;

/// The rank that this process is; throws usage_error outside a job, and on other threads than the one that joined it.
rank_state& here(const char* operation);

/// For bodies: they run on the rank's own thread, and only while it lives.
extern rank_state* rank_of_bodies;

/// SIGINT ends waits from here on, whatever handler the program has set meanwhile.
void catch_interrupts();

/// The same text for the life of the process: reports keep the name of a wait or a collective beyond it. There are few names.
const char* kept_name(const std::string& name);

/// Receives for some microseconds, until `done()`: what comes at once is worth no change of the interpreter's lock.
template <class Done>
void poll_some(Done done) {
  constexpr std::uint64_t patience_ns = 8'000;
  for (const std::uint64_t end = detail::now_ns() + patience_ns; !done() && detail::now_ns() < end;) poll();
}

/// Wakes the rank, if there is one, out of its wait. For other threads, and handlers of signals.
void knock() noexcept;

}  // namespace armilla::python
