// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/supervisor.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/children/admission.hpp"
#include "armilla/boot/children/child.hpp"
#include "armilla/boot/children/child_starter.hpp"
#include "armilla/boot/children/joiners.hpp"
#include "armilla/boot/children/output.hpp"
#include "armilla/boot/children/plan.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/binding_watch.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/orphans.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/stats/trace_merge.hpp"

// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

constexpr std::uint64_t others_may_tidy_ns = 200 * milli;  // between SIGTERM and SIGKILL
constexpr std::uint64_t keyboard_ns = 100 * milli;         // until a Ctrl-C that struck a rank strikes us too
constexpr int look_again_ms = 20;                          // where the kernel has no pidfd for us

class supervisor {
 public:
  supervisor(const std::vector<program_spec>& programs, const options& settings)
      : plan_(make_plan(programs, settings)),
        watch_(*plan_.job, settings.stall_ns, settings.wait_report_ns),
        binding_(*plan_.job, settings.pin == pin_kind::automatic),
        grace_ns_(settings.loss_grace_ns),
        trace_(settings.trace),
        starter_(plan_, lines_, settings.output == output_kind::raw) {}
  int run();

 private:
  enum class phase { running, failing, ending, killing };

  void block_signals();
  void start_all();
  void wait_for_events();
  int patience_ms() const;
  void read_signals();
  void take(int signal);
  void reap();
  void judge();
  void tell_losses();
  bool has_begun() const;
  bool goes_on() const;
  void go_on_without_the_lost();
  bool lose(child& c);
  bool ended_well(const child& c) const;
  void look_for_joiners();
  bool typed_at_us_too(int signal);
  void stop_after(std::uint64_t ns);
  void advance();
  void kill_all(int signal);
  void pass_on(int signal);
  void look_after();
  void end_stalled();
  int report();

  job_plan plan_;
  output_lines lines_;
  joiners joiners_{plan_};
  stall_detector watch_;
  binding_watch binding_;
  std::uint64_t grace_ns_;
  std::string trace_;  // the file
  child_starter starter_;
  admission admission_{plan_, starter_, joiners_};
  orphanage orphans_;
  std::vector<child> children_;
  int signals_ = -1;
  phase phase_ = phase::running;
  std::uint64_t deadline_ = never;  // of the phase
  std::optional<ending> failure_;
  int interrupted_by_ = 0;
  bool stalled_ = false;
  std::optional<ending> first_loss_;  // where the others go on
  bool none_is_left_ = false;         // of those that shared the work: a replacement that starts now finds nothing to go on with
};

int supervisor::run() {
  block_signals();
  start_all();
  while (std::ranges::any_of(children_, &child::alive) || (lines_.is_blocked() && interrupted_by_ == 0)) {
    wait_for_events();
    read_signals();
    reap();
    lines_.forward();  // before what we say of those that have ended
    look_for_joiners();
    judge();
    tell_losses();
    joiners_.answer_settled(children_);
    look_after();
    binding_.look();
    advance();
  }
  judge();  // none may have come to life at all
  while (!lines_.finish() && interrupted_by_ == 0) {
    lines_.wait_beside({{signals_, POLLIN, 0}});
    read_signals();
  }
  const int code = report();
  if (!has_begun() && !trace_.empty()) remove_trace_parts(trace_, plan_.job->ranks_seen());
  const bool traced = trace_.empty() || merge_trace_files(trace_, plan_.job->ranks_seen());
  const int lost = lines_.lost();
  if (lost != 0) say(std::string("armilla: what the ranks wrote is lost in part: ") + std::strerror(lost));
  return code == 0 && (!traced || lost != 0) ? 1 : code;
}

// --- start ---

std::atomic<pid_t> supervising_thread = 0;

void send_on(int signal) {
  const int before = errno;
  syscall(SYS_tgkill, getpid(), supervising_thread.load(std::memory_order_relaxed), signal);
  errno = before;
}

// The program's libraries may have started threads that block nothing (OpenBLAS does): the kernel would give a signal for this
// process to one of them, which would end the process, or drop a SIGCHLD. Ranks that are executed begin without these handlers.
void send_on_from_other_threads(const sigset_t& mine) {
  supervising_thread = pid_t(syscall(SYS_gettid));
  for (int s = 1; s < SIGRTMIN; ++s) {
    struct sigaction how{};
    if (sigismember(&mine, s) != 1 || sigaction(s, nullptr, &how) != 0 || how.sa_handler != SIG_DFL) continue;
    how = {};
    how.sa_handler = send_on;
    how.sa_flags = SA_RESTART;
    sigaction(s, &how, nullptr);
  }
}

void supervisor::block_signals() {
  std::signal(SIGCHLD, SIG_DFL);  // ignored children would leave no status
  sigset_t mine;
  sigemptyset(&mine);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&mine, s);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &mine, &before);
  starter_.set_mask(before);
  signals_ = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0)
    pthread_sigmask(SIG_SETMASK, &before, nullptr);  // what ends this process ends the job
  else
    send_on_from_other_threads(mine);
}

void supervisor::start_all() {
  const rank_t each = plan_.job->threads != 0 ? plan_.world_size : 1;
  for (rank_t r = 0; r < plan_.world_size; r += each) children_.push_back(starter_.start(r, r + each - 1));
}

// --- what happens ---

void supervisor::wait_for_events() {
  std::vector<pollfd> list{{signals_, POLLIN, 0}};
  for (const child& c : children_)
    if (c.alive && c.pidfd >= 0) list.push_back({c.pidfd, POLLIN, 0});
  lines_.watch(list);
  joiners_.watch(list);
  poll(list.data(), nfds_t(list.size()), patience_ms());
}

int supervisor::patience_ms() const {
  const bool blind = signals_ < 0 || std::ranges::any_of(children_, [](const child& c) { return c.alive && c.pidfd < 0; });
  const std::uint64_t now = now_ns();
  int patience = deadline_ == never ? -1 : deadline_ <= now ? 0 : int((deadline_ - now) / milli) + 1;
  const auto at_most = [&](int ms) { patience = patience < 0 ? ms : std::min(patience, ms); };
  if (blind || joiners_.any_undecided()) at_most(look_again_ms);
  if (const int asked = lines_.patience_ms(); asked >= 0) at_most(asked);
  if (const int bound = binding_.patience_ms(); bound >= 0) at_most(bound);
  if (const int watching = watch_.patience_ms(); watching >= 0 && phase_ == phase::running) at_most(watching);
  return patience;
}

void supervisor::read_signals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == ssize_t(sizeof info)) take(int(info.ssi_signo));
}

void supervisor::take(int signal) {
  if (signal == SIGCHLD) return;  // a death, or a note: both are looked for anyway
  if (signal == SIGUSR1) watch_.ask_for_report();
  if (signal == SIGUSR1 || signal == SIGUSR2) return pass_on(signal);
  if (interrupted_by_ != 0) stop_after(0);  // asked twice
  if (!failure_ && interrupted_by_ == 0) interrupted_by_ = signal;
  if (phase_ == phase::running) phase_ = phase::failing;
  if (phase_ == phase::failing) deadline_ = 0;
}

void supervisor::reap() {
  for (child& c : children_) {
    if (!c.alive || waitpid(c.pid, &c.status, WNOHANG) == 0) continue;
    c.alive = false;
    if (c.pidfd >= 0) close(c.pidfd);
  }
}

// --- what it means ---

// A rank that ended before the job did is lost to the others, whatever made it end.
void supervisor::tell_losses() {
  if (phase_ != phase::failing || !failure_) return;
  for (child& c : children_) {
    if (c.told() || (c.alive ? !noted_by(plan_, c) : finished(plan_, c))) continue;
    c.place = child::state::lost;
    const auto how = noted_by(plan_, c) ? from_record(*plan_.job) : look_at(plan_, c);
    if (!how) continue;
    const bool caused = how->kind != ending::how::signal && !(failure_->first <= how->first && how->last <= failure_->last);
    tell_loss(*plan_.job, how->first, how->last, caused ? cause_of_secondary_loss(failure_->first) : cause_of(*how));
  }
}

// From the moment on in which all ranks have started: before, they need each other.
bool supervisor::has_begun() const {
  return plan_.job->arrived[all_started].load(std::memory_order_acquire) >= std::uint32_t(plan_.world_size);
}

bool supervisor::goes_on() const { return plan_.job->goes_on != 0 && has_begun(); }

void supervisor::go_on_without_the_lost() {
  for (child& c : children_) {
    if (c.place == child::state::coming) admission_.welcome(c);
    if (c.alive || c.told()) continue;
    if (c.place == child::state::starting || c.place == child::state::coming)
      admission_.lose_new_rank(c);
    else if (finished(plan_, c) && WIFEXITED(c.status))
      failure_ = failure_ ? failure_ : look_at(plan_, c);  // its part was done, but the program says that it failed
    else if (!lose(c))
      return;
  }
  if (failure_) return stop_after(grace_ns_);
  const auto is_left = [this](const child& c) {
    return !c.told() && (c.alive ? plan_.job->why_left(c.first) == nullptr : finished(plan_, c));
  };
  if (!none_is_left_ && std::ranges::any_of(children_, is_left)) return admission_.advance(children_);
  // What has told its own loss ends by itself, and is reported then.
  if (phase_ == phase::running && std::ranges::any_of(children_, &child::alive)) stop_after(grace_ns_);
}

bool supervisor::ended_well(const child& c) const { return c.first < plan_.world_size && finished(plan_, c); }

// False: Ctrl-C has ended the job.
bool supervisor::lose(child& c) {
  ending how = look_at(plan_, c).value_or(base_of(plan_, c));
  if (phase_ == phase::running && how.kind == ending::how::signal && typed_at_us_too(how.code)) return false;
  c.place = child::state::lost;
  tell_loss(*plan_.job, c.first, c.last, cause_of(how));
  if (!first_loss_) first_loss_ = how;
  const std::string hint = hint_of(how, *plan_.job);
  how.kind = ending::how::lost;
  how.text = plan_.job->why_left(c.first)->cause;  // as the rank itself has told it, if it has
  if (noted_by(plan_, c) && plan_.job->failure.kind == failure_kind::exception)
    how.text = cause_of(from_record(*plan_.job));  // at full length
  const auto left = std::ranges::count(children_, child::state::in_job, &child::place);
  if (left == 0 && std::ranges::none_of(children_, [this](const child& each) { return ended_well(each); })) none_is_left_ = true;
  vacate(*plan_.job, c);
  const std::string why = why_given_up(c);
  const std::string others = left > 1    ? fmt::format("the other {} ranks go on", left)
                             : left == 1 ? "the other rank goes on"
                                         : "no rank is left";
  say(report_of(account_of(how), why.empty() ? others : others + "; " + why, hint));
  return true;
}

// Places are given from the moment on in which a loss does not end the job.
void supervisor::look_for_joiners() {
  joiners_.take_requests();
  if (phase_ != phase::running) return joiners_.refuse_all("it is about to end");
  joiners_.withdraw(children_);
  if (goes_on()) joiners_.give_places(children_);
}

void supervisor::judge() {
  const bool decided = failure_ || interrupted_by_ != 0 || stalled_;
  // The rank that has found it has ended, too, and is no loss.
  if (!decided && plan_.job->stall.load(std::memory_order_acquire) == stall_state::found) return end_stalled();
  if (!decided && goes_on()) return go_on_without_the_lost();
  if (phase_ != phase::running) return;
  auto cause = find_failure(plan_, children_);
  if (!cause) return;
  const bool struck = cause->kind == ending::how::signal;
  if (struck && typed_at_us_too(cause->code)) return;
  failure_ = std::move(cause);
  stop_after(grace_ns_);  // the others hear of it, and often have something to say
}

// Ctrl-C strikes all processes of the terminal, a rank perhaps before us.
bool supervisor::typed_at_us_too(int signal) {
  if (signal != SIGINT && signal != SIGQUIT && signal != SIGHUP && signal != SIGTERM) return false;
  const std::uint64_t until = deadline_after_ns(keyboard_ns);
  for (std::uint64_t now; interrupted_by_ == 0 && (now = now_ns()) < until; read_signals()) {
    pollfd mine{signals_, POLLIN, 0};
    poll(&mine, 1, int((until - now) / milli) + 1);
  }
  return interrupted_by_ != 0;
}

// No rank can go on any more: that has been said, and there is nothing to wait for.
void supervisor::look_after() {
  if (phase_ == phase::running && watch_.look()) end_stalled();
}

void supervisor::end_stalled() {
  stalled_ = true;
  stop_after(0);
}

// --- the end ---

void supervisor::stop_after(std::uint64_t ns) {
  if (phase_ == phase::running) phase_ = phase::failing;
  deadline_ = ns == 0 ? 0 : deadline_after_ns(ns);
}

void supervisor::advance() {
  if (deadline_ == never || now_ns() < deadline_) return;
  if (phase_ == phase::failing) {
    phase_ = phase::ending;
    deadline_ = deadline_after_ns(others_may_tidy_ns);
    return kill_all(SIGTERM);
  }
  phase_ = phase::killing;
  deadline_ = never;
  kill_all(SIGKILL);
}

void supervisor::kill_all(int signal) {
  for (const child& c : children_)
    if (c.alive) kill(c.pid, signal);
}

// Not to those that are not prepared for it yet: SIGUSR1 would end them.
void supervisor::pass_on(int signal) {
  for (const child& c : children_)
    if (c.alive && (signal != SIGUSR1 || plan_.job->rank[c.first].stage.load(std::memory_order_acquire) != rank_stage::absent))
      kill(c.pid, signal);
}

int supervisor::report() {
  if (first_loss_ || failure_ || interrupted_by_ != 0 || stalled_) orphans_.end_all();
  if (!failure_ && interrupted_by_ == 0 && !stalled_) {
    const bool lost = none_is_left_ || std::ranges::none_of(children_, [this](const child& c) { return ended_well(c); });
    return first_loss_ && lost ? exit_code(*first_loss_) : 0;
  }
  if (stalled_) return stall_exit_code;
  if (failure_) {
    const failure_record& noted = plan_.job->failure;
    if (noted.complete() && failure_->first == noted.rank && failure_->last == noted.rank)
      failure_->same = ranks_with_the_same_failure(*plan_.job);
    say(report_of(account_of(*failure_), "the job was stopped", hint_of(*failure_, *plan_.job)));
    return exit_code(*failure_);
  }
  say(fmt::format("armilla: interrupted by signal {} ({}); the job was stopped", interrupted_by_, signal_name(interrupted_by_)));
  return 128 + interrupted_by_;
}

}  // namespace

int supervise(const std::vector<program_spec>& programs, const options& settings) {
  supervisor job(programs, settings);
  return job.run();
}

}  // namespace armilla::detail
