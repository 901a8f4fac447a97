// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/process_monitor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/watch/tell_loss.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t all_are_told_ns = 100 * milli;  // when a launcher ends a job, it tells one rank after the other
constexpr std::uint64_t to_say_it_ns = 300 * milli;     // behind the grace

/// As in linux/pidfd.h from 6.15 on.
struct ended_process {
  std::uint64_t mask = 1 << 3;  // how it ended
  std::uint64_t group = 0;
  std::uint32_t ids[11] = {};
  std::int32_t status = 0;
};
static_assert(sizeof(ended_process) == 64);
constexpr unsigned long pidfd_get_info = _IOWR(0xff, 11, ended_process);

// The kernel calls handlers without an argument.
struct signalled_process {
  int event = -1;
  pid_t pid = 0;  // a forked child is none of ours
};
constinit signalled_process signalled;

void on_end(int number) {
  const int saved = errno;
  if (getpid() != signalled.pid) {
    signal(number, SIG_DFL);
    raise(number);
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(signalled.event, &one, sizeof one);
  errno = saved;
}

bool by_launcher(int status) noexcept {
  if (!WIFSIGNALED(status)) return false;
  const int number = WTERMSIG(status);
  return number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
}

// Of one that its parent has not asked for yet.
int status_of_zombie(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::size_t behind_name = all.rfind(')');
  if (behind_name == all.npos) return -1;
  std::istringstream words(all.substr(behind_name + 1));
  std::string word;
  for (int field = 3; words >> word; ++field) {
    if (field == 3 && word != "Z") return -1;
    if (field == 52) return std::stoi(word);
  }
  return -1;
}

}  // namespace

int status_of_ended(pid_t pid, int pidfd) noexcept try {
  if (const int status = status_of_zombie(pid); status >= 0) return status;
  ended_process how;
  return ioctl(pidfd, pidfd_get_info, &how) == 0 && (how.mask & (1 << 3)) != 0 ? how.status : -1;
} catch (const std::exception&) { return -1; }

process_monitor::process_monitor(job_block& job, rank_t me, const std::vector<process>& all, std::uint64_t grace_ns)
    : job_(job), me_(me), grace_ns_(grace_ns) {
  const auto mine = std::size_t(std::ranges::find(all, me, &process::rank) - all.begin());
  for (std::size_t i = 1; i < all.size() && i <= most_watched; ++i) {
    const process who = all[(mine + i) % all.size()];
    if (const int descriptor = int(syscall(SYS_pidfd_open, who.pid, 0)); descriptor >= 0) others_.push_back({who, descriptor});
  }
}

process_monitor::~process_monitor() {
  for (const watched& w : others_) close(w.descriptor);
}

void process_monitor::start(const std::shared_ptr<process_monitor>& self, listener heard) {
  if (self->others_.empty()) return;
  self->heard_ = std::move(heard);
  struct sigaction now{};
  if (sigaction(SIGTERM, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
    self->signal_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    signalled = {self->signal_, getpid()};
    now.sa_handler = on_end;
    now.sa_flags = SA_RESTART;
    if (self->signal_ >= 0) sigaction(SIGTERM, &now, nullptr);
  }
  start_helper_thread("process monitor", [self] { self->run(); }).detach();
}

void process_monitor::run() noexcept try {
  std::vector<pollfd> list;
  while (signal_ >= 0 || !others_.empty()) {  // a monitor that has taken the signal stays for it
    list.assign(1, {signal_, POLLIN, 0});
    for (const watched& w : others_) list.push_back({w.descriptor, POLLIN, 0});
    poll(list.data(), nfds_t(list.size()), patience_ms());
    if (told_ns_ == 0) told_to_end(0);
    for (std::size_t i = others_.size(); i-- > 0;) {
      if (list[i + 1].revents == 0) continue;
      look(others_[i]);
      close(others_[i].descriptor);
      others_.erase(others_.begin() + std::ptrdiff_t(i));
    }
    end_if_it_is_time();
  }
} catch (const std::exception&) { signal(SIGTERM, SIG_DFL); }  // no memory: no process is watched

bool process_monitor::told_to_end(std::uint64_t within_ns) {
  if (told_ns_ != 0 || signal_ < 0) return told_ns_ != 0;
  pollfd mine{signal_, POLLIN, 0};
  if (poll(&mine, 1, int(within_ns / milli)) > 0) told_ns_ = now_ns();
  return told_ns_ != 0;
}

// SIGTERM came: time is up when no rank is found to be lost, or when that has been said.
int process_monitor::patience_ms() const {
  if (told_ns_ == 0) return -1;
  const std::uint64_t until = lost_ns_ != 0 ? lost_ns_ + grace_ns_ + to_say_it_ns : told_ns_ + all_are_told_ns;
  const std::uint64_t now = now_ns();
  return now >= until ? 0 : int((until - now) / milli) + 1;
}

void process_monitor::end_if_it_is_time() {
  if (told_ns_ == 0) return;
  if (lost_ns_ == 0 && job_.epoch.load(std::memory_order_acquire) != 0) lost_ns_ = now_ns();  // another rank saw it
  const auto& record = job_.failure;
  const bool said_elsewhere = record.stage.load(std::memory_order_acquire) == 2 && record.kind != failure_kind::lost;
  if (patience_ms() > 0 && !said_elsewhere) return;
  signal(SIGTERM, SIG_DFL);
  kill(getpid(), SIGTERM);
  close(signal_);
  signal_ = -1;
}

void process_monitor::look(watched& w) {
  const auto finished = [this](rank_t r) { return job_.rank[r].stage.load(std::memory_order_acquire) == rank_stage::finished; };
  if (finished(w.who.rank) || finished(me_)) return;
  const int status = status_of_ended(w.who.pid, w.descriptor);
  // No loss to report: the launcher ends the job, or a failure that has its own message caused this end.
  if (status >= 0 && by_launcher(status) && told_to_end(all_are_told_ns)) return;
  const bool failing = job_.failure.stage.load(std::memory_order_acquire) != 0;
  if (failing && status >= 0 && WIFSIGNALED(status) && (by_launcher(status) || WTERMSIG(status) == SIGKILL)) return;
  lose(w, status);
}

void process_monitor::lose(const watched& w, int status) {
  const rank_t r = w.who.rank;
  const auto& record = job_.failure;
  ending how;
  if (record.stage.load(std::memory_order_acquire) == 2 && record.rank == r) {
    how = from_record(job_);
  } else if (status >= 0) {
    how.kind = WIFSIGNALED(status) ? ending::how::signal : ending::how::exited;
    how.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    how.core = WIFSIGNALED(status) && WCOREDUMP(status);
  } else {
    how.kind = ending::how::lost;
    how.text = "ended, and the system does not say how";
  }
  if (lost_ns_ == 0) lost_ns_ = now_ns();
  const std::string cause = cause_of(how);
  const bool first = record_failure(job_, r, failure_kind::lost, 1, cause);
  tell_loss(job_, r, r, cause);
  heard_(r, first);
}

}  // namespace armilla::detail
