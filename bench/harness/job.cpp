// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/job.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bench/harness/arena.hpp"
#include "bench/harness/example.hpp"
#include "bench/harness/hosts.hpp"
#include "bench/harness/tables.hpp"
#include "bench/suites/compile.hpp"
#include "bench/suites/loss.hpp"

namespace bench {
std::string own_folder() {
  char path[PATH_MAX];
  const long n = ::readlink("/proc/self/exe", path, sizeof path - 1);
  const std::string whole(path, n > 0 ? std::size_t(n) : 0);
  return whole.substr(0, whole.rfind('/') + 1);
}

namespace {

constexpr int patience = 180;  // seconds a row may take

using arguments = std::vector<std::string>;

/// Beside this program in a build, out of the way of users where it is installed.
std::string helper(const std::string& name) {
  const std::string installed = own_folder() + "../libexec/armilla/" + name;
  return ::access(installed.c_str(), X_OK) == 0 ? installed : own_folder() + name;
}

std::string mpi_program() { return helper("armilla-bench-mpi"); }

std::string ucx_program() { return helper("armilla-bench-ucx"); }

std::string peer_program() { return helper("armilla-bench-peer"); }

[[noreturn]] void become(const arguments& words) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  std::perror(argv[0]);
  ::_exit(127);
}

/// Child only: dies with the coordinator, in a group of its own.
void settle() {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0);
}

pid_t spawn(const arguments& words) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  settle();
  become(words);
}

bool on_hosts(worker_kind k) { return k >= worker_kind::hosts_mpi && k <= worker_kind::hosts_mixed_ucx; }

bool is_timed(worker_kind k) { return k == worker_kind::timed || k == worker_kind::programs_timed; }

bool by_message(worker_kind k) {
  return k == worker_kind::by_message || is_timed(k) || k == worker_kind::with_thread || k == worker_kind::interrupted;
}

arguments armilla_command(const job_options& o, const std::string& name, const std::string& left) {
  arguments words = {"env", "ARMILLA_RANKS=" + std::to_string(o.ranks), "ARMILLA_FABRIC=" + o.fabric};
  if (o.kind == worker_kind::traced) words.push_back("ARMILLA_TRACE=" + left);
  if (o.kind == worker_kind::yielding) words.push_back("ARMILLA_CROWDING=0");
  if (o.kind == worker_kind::goes_on) words.push_back("ARMILLA_ON_LOSS=continue");
  if (by_message(o.kind)) words.push_back("ARMILLA_ACCESS_BY_MESSAGE=1");
  if (is_timed(o.kind)) words.push_back("ARMILLA_STATS=timing," + left);
  if (o.kind == worker_kind::with_thread) words.push_back("ARMILLA_PROGRESS_MODE=thread");
  if (o.kind == worker_kind::interrupted) words.push_back("ARMILLA_PROGRESS_MODE=signal");
  words.insert(words.end(), {own_folder() + "armilla-bench", "--worker=armilla", name});
  return words;
}

arguments programs_command(const job_options& o, const std::string& name, const std::string& left) {
  arguments words = {"env", "ARMILLA_ACCESS_BY_MESSAGE=1"};
  if (is_timed(o.kind)) words.push_back("ARMILLA_STATS=timing," + left);
  words.insert(words.end(), {own_folder() + "armilla-run", "-n", "1", own_folder() + "armilla-bench", "--worker=programs", name,
                             ":", "-n", std::to_string(o.ranks - 1), peer_program(), name});
  return words;
}

arguments under_mpirun(int ranks, const arguments& program) {
  arguments words = {"env",
                     "OMPI_ALLOW_RUN_AS_ROOT=1",
                     "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                     "mpirun",
                     "--oversubscribe",
                     "--bind-to",
                     "none",
                     "--mca",
                     "mpi_yield_when_idle",
                     ranks > cores() ? "1" : "0",
                     "-n",
                     std::to_string(ranks)};
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

arguments mpi_command(const job_options& o, const std::string& name) { return under_mpirun(o.ranks, {mpi_program(), name}); }

bool over_mpi(worker_kind k) { return k == worker_kind::over_mpi || k == worker_kind::over_mpi_thread; }

bool attended(worker_kind k) { return k >= worker_kind::over_mpi_thread && k <= worker_kind::over_ucx_tcp_thread; }

/// TCP through the loopback device; otherwise UCX has what it chooses inside a host.
arguments transports(worker_kind k) {
  if (k == worker_kind::over_ucx_tcp || k == worker_kind::over_ucx_tcp_thread || k == worker_kind::ucx_tcp)
    return {"UCX_TLS=tcp", "UCX_NET_DEVICES=lo"};
  return {"UCX_TLS=sm,self"};
}

/// Where each rank has a core it spins as long as it waits, as MPI and what is written straight in UCX do beside it: neither
/// gives its core to a stranger for milliseconds.
arguments network_command(const job_options& o, const std::string& name) {
  arguments program = {"env", over_mpi(o.kind) ? "ARMILLA_FABRIC=mpi" : "ARMILLA_FABRIC=ucx"};
  if (attended(o.kind)) program.push_back("ARMILLA_PROGRESS_MODE=thread");
  if (o.ranks <= cores()) program.push_back("ARMILLA_SPIN=1s");
  const arguments how = transports(o.kind), self = {own_folder() + "armilla-bench", "--worker=armilla", name};
  if (!over_mpi(o.kind)) {
    program.push_back("ARMILLA_RANKS=" + std::to_string(o.ranks));
    program.insert(program.end(), how.begin(), how.end());
  }
  program.insert(program.end(), self.begin(), self.end());
  return over_mpi(o.kind) ? under_mpirun(o.ranks, program) : program;
}

arguments ucx_command(const job_options& o, const std::string& name) {
  arguments words = {"env"};
  const arguments how = transports(o.kind);
  words.insert(words.end(), how.begin(), how.end());
  words.insert(words.end(), {ucx_program(), name});
  return words;
}

arguments hand_command(const job_options& o, const std::string& name) {
  return {own_folder() + "armilla-bench", "--worker=hand", name, std::to_string(o.ranks)};
}

/// No other process took a core from a rank for more than a hundredth of the time. With fewer cores than ranks, they do it to
/// each other.
bool undisturbed(const std::vector<answer>& all) {
  if (int(all.size()) > cores()) return true;
  const auto lost =
      std::max_element(all.begin(), all.end(), [](const answer& a, const answer& b) { return a.lost < b.lost; })->lost;
  return lost <= all[0].seconds * 0.01;
}

bool ended(pid_t child, int seconds) {
  for (int i = 0; i <= seconds * 50; ++i) {
    if (::waitpid(child, nullptr, WNOHANG) != 0) return true;
    ::usleep(20'000);
  }
  return false;
}

}  // namespace

bool sample::steady() const { return undisturbed && std::abs(before - after) <= 0.15 * std::min(before, after); }

std::string example_program(const std::string& row) { return own_folder() + row; }

std::string example_launcher(int ranks) {
  std::string all;
  for (const std::string& word : under_mpirun(ranks, {})) all += (word == "none" && ranks <= cores() ? "core" : word) + " ";
  return all;
}

std::string missing(worker_kind kind) {
  const auto lacks = [](const std::string& file) { return ::access(file.c_str(), R_OK) != 0; };
  const std::string backends = own_folder() + "../lib/armilla/libarmilla-";
  switch (kind) {
    case worker_kind::example: return lacks(example_program("cg")) ? "no examples" : "";
    case worker_kind::example_mpi: return lacks(example_program("cg_mpi")) ? "no examples by MPI" : "";
    case worker_kind::polars: return no_module("polars");
    case worker_kind::duckdb: return no_module("duckdb");
    case worker_kind::mpi: return lacks(mpi_program()) ? "no MPI" : "";
    case worker_kind::over_mpi:
    case worker_kind::over_mpi_thread:
      return lacks(mpi_program()) ? "no MPI" : lacks(backends + "mpi-openmpi.so") ? "no backend for Open MPI" : "";
    case worker_kind::ucx:
    case worker_kind::ucx_tcp: return lacks(ucx_program()) ? "no UCX" : "";
    case worker_kind::over_ucx:
    case worker_kind::over_ucx_tcp:
    case worker_kind::over_ucx_tcp_thread: return lacks(backends + "ucx.so") ? "no backend for UCX" : "";
    case worker_kind::mourners_on_hosts:
    case worker_kind::hosts_ucx:
    case worker_kind::hosts_mixed_ucx: {
      const std::string lack = no_hosts();
      if (!lack.empty()) return lack;
      return lacks(own_folder() + "armilla-run") ? "no armilla-run" : lacks(backends + "ucx.so") ? "no backend for UCX" : "";
    }
    case worker_kind::hosts_mpi:
    case worker_kind::hosts_mixed_mpi: {
      const std::string lack = no_hosts();
      return lack.empty() ? missing(worker_kind::over_mpi) : lack;
    }
    default: return "";
  }
}

job::job(const job_options& options) {
  static int count = 0;
  const std::string name = "armilla-bench-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
  std::optional<temporary_folder> folder;
  if (on_hosts(options.kind)) folder.emplace();
  const std::string at = folder ? folder->name() + "/door" : name;
  const listener door(at);
  if (folder)
    child_ = spawn(command_on_hosts(options, folder->name(), at));
  else
    start(options, name);
  if (child_ < 0) throw std::runtime_error("cannot start a worker");
  accept_all(door, options.ranks);
}

void job::start(const job_options& options, const std::string& name) {
  if (is_timed(options.kind) || options.kind == worker_kind::traced) left_ = "/tmp/" + name + ".json";
  switch (options.kind) {
    case worker_kind::armilla:
    case worker_kind::fresh:
    case worker_kind::yielding:
    case worker_kind::goes_on:
    case worker_kind::by_message:
    case worker_kind::with_thread:
    case worker_kind::interrupted:
    case worker_kind::traced:
    case worker_kind::timed: child_ = spawn(armilla_command(options, name, left_)); break;
    case worker_kind::programs:
    case worker_kind::programs_timed: child_ = spawn(programs_command(options, name, left_)); break;
    case worker_kind::over_mpi:
    case worker_kind::over_ucx:
    case worker_kind::over_ucx_tcp:
    case worker_kind::over_mpi_thread:
    case worker_kind::over_ucx_tcp_thread: child_ = spawn(network_command(options, name)); break;
    case worker_kind::ucx:
    case worker_kind::ucx_tcp: child_ = spawn(ucx_command(options, name)); break;
    case worker_kind::mpi: child_ = spawn(mpi_command(options, name)); break;
    case worker_kind::hand: child_ = spawn(hand_command(options, name)); break;
    case worker_kind::hosts_mpi:
    case worker_kind::hosts_ucx:
    case worker_kind::hosts_mixed_mpi:
    case worker_kind::hosts_mixed_ucx: throw std::logic_error("a job on hosts is started by them");
    case worker_kind::compiler:
    case worker_kind::example:
    case worker_kind::example_mpi:
    case worker_kind::polars:
    case worker_kind::duckdb:
    case worker_kind::mourners:
    case worker_kind::pair:
    case worker_kind::mourners_on_hosts: throw std::logic_error("neither the compiler nor programs that end are a worker");
  }
}

void job::accept_all(const listener& door, int ranks) {
  const int memory = arena::create();
  ranks_.resize(std::size_t(ranks));
  for (int connected = 0, waited = 0; connected < ranks;) {
    const int descriptor = door.accept(100);
    if (descriptor >= 0) {
      link one(descriptor);
      int rank = -1;
      if (one.receive(&rank, sizeof rank, 10) != link::got::message || rank < 0 || rank >= ranks)
        throw std::runtime_error("a worker's rank did not say who it is");
      one.send_descriptor(memory);
      ranks_[std::size_t(rank)] = std::move(one);
      ++connected;
    } else if (int code = 0; ++waited > 300 || ::waitpid(child_, &code, WNOHANG) != 0) {
      broken_ = true;
      ::close(memory);
      if (WIFEXITED(code) && WEXITSTATUS(code) == no_hosts_code) throw not_here{"no leave to make hosts"};
      throw std::runtime_error("a worker did not start");
    }
  }
  ::close(memory);
}

job::~job() {
  finish();
  if (!left_.empty()) ::unlink(left_.c_str());
}

void job::finish() {
  command end{};
  if (!broken_) {
    for (const link& one : ranks_) one.send(&end, sizeof end);
    if (ended(child_, 20)) return;
  }
  ::kill(-child_, SIGTERM);
  if (ended(child_, 2)) return;
  ::kill(-child_, SIGKILL);
  ended(child_, 2);
}

sample job::run(const std::string& row, long size, long iterations) {
  command what{};
  std::snprintf(what.row, sizeof what.row, "%s", row.c_str());
  what.size = size;
  what.iterations = iterations;
  broken_ = true;  // until all have answered
  for (const link& one : ranks_) one.send(&what, sizeof what);
  const std::vector<answer> all = gather();
  broken_ = false;
  if (all[0].status == status::absent) throw no_such_row{};
  const rank_parts answerer = all.size() > 1 ? all[1].parts : rank_parts{};
  return {all[0].value, all[0].before, all[0].after, undisturbed(all), combine(all[0].parts, answerer)};
}

std::vector<answer> job::gather() {
  std::vector<answer> all(ranks_.size());
  // A rank that fails leaves the others waiting for it, so its word is looked for while they are.
  std::vector<bool> have(ranks_.size(), false);
  std::size_t missing = ranks_.size();
  for (int seconds = 0; missing != 0; ++seconds) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (have[r]) continue;
      const link::got got = ranks_[r].receive(&all[r], sizeof(answer), 1);
      if (got == link::got::closed) throw std::runtime_error("rank " + std::to_string(r) + " went away");
      if (got == link::got::nothing) continue;
      have[r] = true;
      --missing;
      if (all[r].status == status::failed) throw std::runtime_error(all[r].text);
    }
    if (seconds > patience) throw std::runtime_error("no answer within " + std::to_string(patience) + " s");
  }
  return all;
}

sample job_pool::run_pair(job_options each, const std::string& row, long size, long iterations) {
  each.kind = worker_kind::armilla;
  if (ranks_of_pair_ != each.ranks || !pair_[0] || !pair_[1])
    for (std::unique_ptr<job>& one : pair_) one = std::make_unique<job>(each);
  ranks_of_pair_ = each.ranks;
  sample of[2];
  std::exception_ptr failed[2];
  const auto run_one = [&](int i) {
    try {
      of[i] = pair_[i]->run(row, size, iterations);
    } catch (...) { failed[i] = std::current_exception(); }
  };
  std::thread second(run_one, 1);
  run_one(0);
  second.join();
  for (const std::exception_ptr& why : failed)
    if (why) {
      for (std::unique_ptr<job>& one : pair_) one.reset();
      std::rethrow_exception(why);
    }
  return {.value = std::max(of[0].value, of[1].value)};  // each disturbs the other one's lines: they say nothing
}

sample job_pool::run(const job_options& options, const std::string& row, long size, long iterations) {
  if (options.kind == worker_kind::compiler) return {compile_seconds(row)};
  if (options.kind == worker_kind::example || options.kind == worker_kind::example_mpi) return {example_ms(options, row, size)};
  if (options.kind == worker_kind::polars || options.kind == worker_kind::duckdb) return {tables_ns(row, size, iterations)};
  if (options.kind == worker_kind::mourners || options.kind == worker_kind::mourners_on_hosts) return {loss_ms(row, iterations)};
  if (options.kind == worker_kind::pair) return run_pair(options, row, size, iterations);
  auto at = std::find_if(slots_.begin(), slots_.end(), [&](const slot& s) {
    return s.options.kind == options.kind && s.options.ranks == options.ranks && s.options.fabric == options.fabric;
  });
  if (at == slots_.end()) at = slots_.insert(at, slot{options, nullptr});
  if (!at->running) at->running = std::make_unique<job>(options);
  try {
    const sample one = at->running->run(row, size, iterations);
    if (options.kind == worker_kind::fresh) at->running.reset();
    return one;
  } catch (const job::no_such_row&) { throw; } catch (...) {
    at->running.reset();
    throw;
  }
}

void job_pool::keep_only(int ranks) {
  std::erase_if(slots_, [&](const slot& s) { return s.options.ranks != ranks; });
  if (ranks_of_pair_ != ranks)
    for (std::unique_ptr<job>& one : pair_) one.reset();
}

}  // namespace bench
