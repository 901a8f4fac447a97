// SPDX-License-Identifier: Apache-2.0
#include "bench/suites/loss.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "bench/harness/arena.hpp"
#include "bench/harness/hosts.hpp"

namespace bench {
namespace {

using words = std::vector<std::string>;
constexpr int patience_s = 30;

class note_file {
 public:
  explicit note_file(const std::string& folder) : name_(folder + "armilla-bench-death-" + std::to_string(::getpid())) {
    const int file = ::open(name_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool made = file >= 0 && ::ftruncate(file, sizeof(death_note)) == 0;
    if (file >= 0) ::close(file);
    if (!made) throw std::runtime_error("cannot write " + name_);
    note_ = &map_note(name_);
  }
  note_file(const note_file&) = delete;
  ~note_file() {
    ::munmap(note_, sizeof(death_note));
    ::unlink(name_.c_str());
  }
  const std::string& name() const { return name_; }
  death_note& operator*() const { return *note_; }
  death_note* operator->() const { return note_; }

 private:
  std::string name_;
  death_note* note_;
};

/// A silent process and all that it starts.
class started {
 public:
  explicit started(const words& command) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setpgid(0, 0);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int out : {0, 1, 2}) ::dup2(nothing, out);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  started(const started&) = delete;
  ~started() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGTERM);
    if (!ends(5)) ::kill(-pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  bool ends(int seconds) {
    for (int i = 0; i < seconds * 200 && pid_ > 0; ++i) {
      if (::waitpid(pid_, nullptr, WNOHANG) != 0)
        pid_ = -1;
      else
        ::usleep(5000);
    }
    return pid_ <= 0;
  }

 private:
  pid_t pid_;
};

int wait_for_victim(const death_note& note, started& job) {
  for (int i = 0; i < patience_s * 1000; ++i) {
    if (const int victim = note.victim.load(); victim != 0) return victim;
    if (i % 64 == 63 && job.ends(0)) break;
    ::usleep(1000);
  }
  throw std::runtime_error("the job that was to lose a rank did not come to its traffic");
}

double worst_ms(const death_note& note, int dead, int ranks) {
  const std::uint64_t died = note.died.load();
  std::uint64_t last = 0;
  for (int r = 0; r < ranks; ++r) {
    if (r == dead) continue;
    const std::uint64_t heard = note.heard[r].load();
    if (heard < died) throw std::runtime_error("rank " + std::to_string(r) + " has not heard of the loss");
    last = std::max(last, heard - died);
  }
  return double(last) * 1e-6;
}

std::string on_loss(const std::string& row) {
  return row == "loss_local" ? "end" : row == "replaced_ready" ? "replace" : "continue";
}

/// `row`: what the others do.
double local_ms(const std::string& row, int ranks, std::mt19937& dice) {
  const note_file note("/tmp/");
  const int dead = int(dice() % unsigned(ranks));
  started job({"env", "ARMILLA_FABRIC=shm", "ARMILLA_RANKS=" + std::to_string(ranks), "ARMILLA_ON_LOSS=" + on_loss(row),
               own_folder() + "armilla-bench", "--mortal", note.name(), std::to_string(dead), row});
  const int victim = wait_for_victim(*note, job);
  ::usleep(useconds_t(dice() % 20'000));
  note->died = now_ns();
  ::kill(victim, SIGKILL);
  if (!job.ends(patience_s)) throw std::runtime_error("the job does not end");
  return worst_ms(*note, dead, ranks);
}

double hosts_ms() {
  const note_file note(own_folder());  // /tmp is each host's own
  const std::string name = "bench-" + std::to_string(::getpid()), program = own_folder() + "armilla-bench";
  const std::string on_h1 = "exec hosts run h1 env ARMILLA_LOSS_TIMEOUT=2s ARMILLA_FABRIC=auto " + own_folder() +
                            "armilla-run --hosts h1:2,h2:2 --rsh $TEST_HOSTS_RSH " + program + " --mortal " + note.name() +
                            " -1 loss_hosts";
  started job({hosts_fixture(), "with", "2", "--name", name, "--", "sh", "-c", on_h1});
  wait_for_victim(*note, job);
  ::usleep(1'000'000);  // the hosts have heard of each other
  started cut({hosts_fixture(), "cut", "--name", name, "h2"});
  if (!cut.ends(patience_s)) throw std::runtime_error("the cable cannot be pulled");
  note->died = now_ns();
  if (!job.ends(patience_s)) throw std::runtime_error("the job does not end");
  return worst_ms(*note, -1, 4);
}

}  // namespace

death_note& map_note(const std::string& name) {
  const int file = ::open(name.c_str(), O_RDWR | O_CLOEXEC);
  void* const place = file < 0 ? MAP_FAILED : ::mmap(nullptr, sizeof(death_note), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) ::close(file);
  if (place == MAP_FAILED) throw std::runtime_error("cannot map " + name);
  return *static_cast<death_note*>(place);
}

double loss_ms(const std::string& row, long deaths) {
  static std::mt19937 dice{std::random_device{}()};
  double worst = 0;
  const int ranks = row == "loss_local" ? 4 : 8;
  for (long i = 0; i < deaths; ++i) worst = std::max(worst, row == "loss_hosts" ? hosts_ms() : local_ms(row, ranks, dice));
  return worst;
}

}  // namespace bench
