// SPDX-License-Identifier: Apache-2.0
#include "armilla/session/joining.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "armilla/base/core/option_table.hpp"
#include "armilla/base/core/option_text.hpp"
#include "armilla/boot/children/own_label.hpp"
#include "armilla/boot/children/plan.hpp"
#include "armilla/boot/children/supervisor.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/failure_record.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/boot/wire_up/crash_handlers.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/boot/wire_up/launched.hpp"
#include "armilla/boot/wire_up/launched_end.hpp"
#include "armilla/boot/wire_up/launcher.hpp"
#include "armilla/boot/wire_up/launcher_server.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/backend_list.hpp"
#include "armilla/fabric/backends.hpp"

namespace armilla::detail {
namespace {

// A process is in one job in its life: a second would find the first one's handlers and memory.
constinit std::atomic<bool> joined_before = false;

void require_first_time() {
  if (joined_before.exchange(true))
    throw_usage("run", "this process has run its job already; put all of it into one run, or one session");
}

std::string join_by(const std::string& way, const std::vector<std::string>& folders, std::unique_ptr<bootstrap>& started) {
  const backend found = load_backend(way, folders);
  if (!found) return found.problem;
  if (found.loaded->join == nullptr) return fmt::format("{} cannot join a launcher's job", found.file);
  char why[512] = {};
  started.reset(found.loaded->join(why, sizeof why));
  return started != nullptr ? std::string()
                            : fmt::format("{}: {}", found.file, *why != 0 ? why : "this process is in no job that it knows");
}

void join_launcher(const launcher& from, joined_process& process) {
  if (from.kind == launcher_kind::agent) {
    process.started = agent_line::take();
    return;
  }
  if (from.kind == launcher_kind::slurm)
    throw_usage("start",
                fmt::format("srun started {} tasks that cannot find each other; start them with srun --mpi=pmix (Slurm needs its "
                            "plug-in for PMIx), or set ARMILLA_LAUNCHER=none to run each as a job of its own",
                            from.ranks));
  if (const std::string gone = why_gone(from); !gone.empty())
    throw_usage(
        "start",
        fmt::format("the environment says that {} started this process, but {}: its variables were left over by a job that "
                    "has ended; unset them, or set ARMILLA_LAUNCHER=none",
                    from.name, gone));
  const auto folders = backend_folders(process.settings->backends);
  std::string problems;
  // All ranks must come to the same way, so nothing decides that one rank could see otherwise: the launcher's signs do.
  for (const backend_entry& way : usable_backends(list_backends(folders), &backend_entry::joins)) {
    const std::string problem = join_by(way.name, folders, process.started);
    process.started_by = way.name;
    if (process.started != nullptr) return;
    problems += "; " + problem;
  }
  if (problems.empty())
    problems =
        fmt::format("; no backend that can join it is in {} (ARMILLA_BACKENDS names other folders)", fmt::join(folders, ", "));
  throw_usage("start", fmt::format("{} started this process as one of {}, and there is no way to join the others{}; set "
                                   "ARMILLA_LAUNCHER=none to run each as a job of its own",
                                   from.name, from.ranks > 0 ? std::to_string(from.ranks) : "several", problems));
}

// What armilla-run starts, it has told already.
void complain_once() {
  if (const std::string text = complaint_of_tuned_file(); !text.empty()) say(text);
}

joined_process join_with_launcher(const launcher& from, joined_process process, const std::string& problem) {
  std::optional<own_label> label;  // agents label their ranks
  if (problem.empty() && process.settings->label && from.kind != launcher_kind::agent) label.emplace();
  join_launcher(from, process);
  if (label) label->tell(process.started->rank());
  process.ranks.push_back(join_launched(*process.started, *process.settings, problem));
  if (from.kind != launcher_kind::agent && process.ranks[0].rank == 0) complain_once();
  return process;
}

joined_process first_process(int argc, char** argv, joined_process process) {
  const options& settings = *process.settings;
  complain_once();
  program_spec self = this_program(argc, argv);
  self.ranks = settings.ranks;
  if (settings.ranks > 1 || settings.max_ranks > 1) std::exit(supervise({self}, settings));
  process.ranks.push_back(join_alone(settings, self.arguments[0].c_str()));
  return process;
}

// Launchers end the job of a rank that dies, each in its way, and there may be several hosts. The agents of armilla-run --hosts
// let the others go on, and replace it.
void require_one_host(const launcher& from, const options& settings) {
  const bool by_agents = from.kind == launcher_kind::agent;
  if (by_agents) require_replaceable(settings);
  const char* const name = settings.on_loss != loss_use::end && !by_agents ? "on_loss" : "max_ranks";
  if (settings.get(name) == options{}.get(name) || (from.kind != launcher_kind::agent && settings.launcher == launcher_use::none))
    return;
  throw_usage(
      "start",
      fmt::format("{0}={1} is for the ranks of one host, and {2} started this one; start the program by itself with "
                  "ARMILLA_RANKS or by armilla-run -n without --hosts, or unset {0}",
                  variable_of(name), settings.get(name), from.kind == launcher_kind::agent ? "armilla-run --hosts" : from.name));
}

joined_process join(int argc, char** argv) {
  joined_process process{std::make_unique<options>(), nullptr, {}, {}, {}};
  const launcher from = find_launcher();
  if (from.kind == launcher_kind::own) {
    process.ranks = join_job(*process.settings);
    return process;
  }
  const bool launched = from.kind != launcher_kind::none && from.ranks != 1;
  std::string problem;  // one of all ranks says what is wrong with their variables
  try {
    *process.settings = options::from_environment();
    if (launched) require_one_host(from, *process.settings);
  } catch (const error& why) {
    if (!launched) throw;
    problem = why.what();
  }
  if (launched && (from.kind == launcher_kind::agent || process.settings->launcher == launcher_use::automatic))
    return join_with_launcher(from, std::move(process), problem);
  return first_process(argc, argv, std::move(process));
}

// Before any layer starts: these want to know which ranks are far.
void connect(joined_process& process) {
  launch& self = process.ranks[0];
  try {
    process.beyond = choose_network(self, process.started_by);
  } catch (const error& why) {
    record_failure(*self.job, self.rank, failure_kind::start, 1, why.what());
    end_launched(self);
    throw;
  }
}

}  // namespace

joined_process join_or_supervise(int argc, char** argv) {
  require_first_time();
  joined_process process = join(argc, argv);
  install_crash_handlers(process.ranks[0]);
  connect(process);
  return process;
}

void take_kind(const launch& self, program_kind mine) {
  constexpr const char* names[] = {"none of them", "run", "run_main", "a session"};
  if (!self.new_rank) return self.job->kind.store(mine, std::memory_order_release);
  const program_kind theirs = self.job->kind.load(std::memory_order_acquire);
  if (theirs == mine || (theirs == program_kind::run_main && mine == program_kind::run)) return;
  throw_usage("start",
              fmt::format("this rank joins a running job whose ranks use {}, and its program uses {}: they would not come to "
                          "the end together; use {} here",
                          names[std::size_t(theirs)], names[std::size_t(mine)],
                          theirs == program_kind::session ? "a session" : "run with on_join"));
}

}  // namespace armilla::detail
