// SPDX-License-Identifier: Apache-2.0
// How this process becomes a rank of a job, and how it ends as one.
#include <signal.h>

#include <cstdio>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "armilla/boot/children/supervisor.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/wire_up/launcher.hpp"
#include "armilla/error.hpp"
#include "armilla/poll.hpp"
#include "armilla/rpc/calls.hpp"
#include "armilla/rpc/client_service.hpp"
#include "armilla/session/layers.hpp"
#include "rank.hpp"

namespace armilla::python {

doorbell bell;
rank_state* rank_of_bodies = nullptr;

namespace {

// A process is in one job in its life.
std::unique_ptr<rank_state> joined;
constinit std::atomic<detail::control_block*> control = nullptr;  // of this rank, for `knock`
std::unique_ptr<outside_event> outside;                           // of a worker: its driver may end its waits
bool over = false;

// What a SIGINT runs after `on_interrupt`: the handler that was there before, which may be that of a library that calls
// `on_interrupt` itself, since that was there before it. So each entry within an entry goes one handler further down.
constexpr int most_handlers = 8;
struct sigaction handlers[most_handlers]{};
constinit std::atomic<int> handlers_known = 0;
thread_local int entered [[gnu::tls_model("initial-exec")]] = 0;

void run_handler(const struct sigaction& how, int number, siginfo_t* info, void* machine) {
  if ((how.sa_flags & SA_SIGINFO) != 0) return how.sa_sigaction(number, info, machine);
  if (how.sa_handler != SIG_DFL && how.sa_handler != SIG_IGN) how.sa_handler(number);
}

void on_interrupt(int number, siginfo_t* info, void* machine) {
  bell.interrupted.store(true, std::memory_order_release);
  const int which = handlers_known.load(std::memory_order_acquire) - ++entered;
  if (which >= 0) run_handler(handlers[which], number, info, machine);
  --entered;
  knock();
}

void join() {
  if (joined != nullptr) return;
  if (over) detail::throw_usage("session", "the job of this process has ended; a process can be in one job in its life");
  joined = std::make_unique<rank_state>(detail::join_or_supervise(0, nullptr));
  rank_of_bodies = joined.get();
  nb::module_::import_("armilla._line");  // here, since that is interpreted, which `lines_of_waits` may not be
  control.store(&detail::control_of(*joined->session.self.job, joined->session.self.rank), std::memory_order_release);
  set_aggregation(0);  // a call of Python leaves at once: its own work takes longer than its message
}

// What reports and attached clients call the program of these ranks: the script, not the interpreter.
void name_program(const std::string& name) {
  const detail::launch& self = here("start").session.self;
  std::snprintf(self.job->program_names[self.program], detail::job_block::max_name, "%s", name.c_str());
}

// In a child that the rank has forked nothing of this is its own.
bool is_rank() { return joined != nullptr && detail::current == &joined->session.rank; }

void finish() {
  if (!is_rank()) return;
  outside.reset();
  joined->over = true;
  {
    const nb::gil_scoped_release others;
    joined->session.finish();
  }
  control.store(nullptr, std::memory_order_release);
  rank_of_bodies = nullptr;
  over = true;
}

void fail(const std::string& why) {
  if (is_rank() && !joined->session.failed) joined->session.fail(why.c_str());
}
void fail_by_code(int code) {
  if (is_rank() && !joined->session.failed) joined->session.fail(code);
}

// Started as one of several: by our supervisor, an agent or a launcher.
bool launched() {
  const detail::launcher from = detail::find_launcher();
  if (from.kind == detail::launcher_kind::own) return true;
  if (from.kind == detail::launcher_kind::none || from.ranks == 1) return false;
  try {
    return detail::options::from_environment().launcher == detail::launcher_use::automatic;
  } catch (const error&) {
    return true;  // joining says what is wrong
  }
}

int supervise(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  const auto settings = detail::options::from_environment();
  detail::program_spec program{command.at(0), command, environment, rank_t(settings.ranks)};
  const nb::gil_scoped_release others;
  return detail::supervise({program}, settings);
}

}  // namespace

rank_state& here(const char* operation) {
  if (joined != nullptr && detail::current == &joined->session.rank) return *joined;
  if (joined != nullptr && detail::current == nullptr)
    detail::throw_usage(
        operation, "called on another thread than the one that joined the job; a rank is one thread: hand the call over to it");
  detail::here(operation);  // says what is wrong
  detail::throw_usage(operation, over ? "the job has ended" : "this process is no rank of a job yet");
}

void knock() noexcept {
  bell.knocked.store(true, std::memory_order_release);
  if (detail::control_block* const mine = control.load(std::memory_order_acquire)) detail::wake(*mine);
}

void catch_interrupts() {
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) != 0 || now.sa_sigaction == on_interrupt) return;
  const int known = handlers_known.load(std::memory_order_relaxed);
  int at = 0;
  while (at < known && handlers[at].sa_sigaction != now.sa_sigaction) ++at;
  if (at == most_handlers) return;  // they call each other, and the first ones `on_interrupt`
  handlers[at] = now;
  handlers_known.store(at + 1, std::memory_order_release);
  now.sa_sigaction = on_interrupt;
  now.sa_flags = (now.sa_flags & ~SA_RESTART) | SA_SIGINFO;
  sigaction(SIGINT, &now, nullptr);
}

void bind_session(nb::module_& m) {
  m.def("launched", &launched);
  m.def("join", &join);
  m.def("joined", &is_rank);
  m.def("name_program", &name_program);
  m.def("expect_outside", [] {
    here("serve");
    outside = std::make_unique<outside_event>();
  });
  m.def("finish", &finish);
  m.def("take_outside_calls", [](bool on) { detail::take_outside_calls(here("end").session.rank, on); });
  m.def("client_calls", [] { return here("end").session.rank.calls->clients->running(); });
  m.def("fail", &fail);
  m.def("fail_by_code", &fail_by_code);
  m.def("supervise", &supervise);
  m.def("knock", &knock);
  m.def("rank", [] { return int(here("rank").session.self.rank); });
  m.def("same_program", [](int other) {
    const detail::launch& self = here("rank").session.self;
    return self.job->rank[other].program == self.program;
  });
  m.def("size", [] { return int(here("size").session.self.world_size()); });
}

}  // namespace armilla::python
