// SPDX-License-Identifier: Apache-2.0
// armilla-run: starts the ranks of a job on this host or on several, of one program or of several.
//
//     armilla-run -n 4 ./hello arguments
//     armilla-run -n 1 ./master : -n 3 ./worker
//     armilla-run --hosts a:2,b:2 ./hello
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "agent.hpp"
#include "armilla/base/core/option_table.hpp"
#include "armilla/base/core/option_text.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/children/supervisor.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/error.hpp"
#include "client_server.hpp"
#include "debugger.hpp"
#include "explore.hpp"
#include "host_list.hpp"
#include "hosts.hpp"
#include "join.hpp"
#include "meeting.hpp"
#include "tools/arguments/arguments.hpp"

namespace {

using armilla::detail::escaped;
using armilla::detail::options;
using armilla::detail::program_spec;
using armilla::run::host_slots;
using armilla::tools::into;
using armilla::tools::words;

constexpr int wrong_use = 2, not_found = 127;
constexpr int most_meeting = 65'536;

struct failure {
  int code;
  std::string text;
};

// What the command line says of the whole job, as values of ARMILLA_*; empty: not said.
struct job_words {
  std::string fabric, pin, output;
  std::optional<std::string> hosts, hostfile, rsh, join, seed;
  int explore = 0;
  armilla::run::meeting_plan meeting;
  bool label = false, progress = false, manual = false, gdb = false, checked = false;
};

std::vector<words> split_at_colons(int argc, char** argv) {
  std::vector<words> parts(1);
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == ":")
      parts.emplace_back();
    else
      parts.back().emplace_back(argv[i]);
  return parts;
}

bool is_program(const std::string& path) {
  struct stat file{};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
}

// As a shell finds it.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) return name;
    const bool there = access(name.c_str(), F_OK) == 0;
    throw failure{not_found,
                  fmt::format("'{}' {}", name, there ? "cannot be executed: it is no executable file" : "does not exist")};
  }
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/bin:/bin";
  for (std::size_t at = 0, end; at <= folders.size(); at = end + 1) {
    end = std::min(folders.find(':', at), folders.size());
    const std::string candidate = folders.substr(at, end - at) + "/" + name;
    if (end > at && is_program(candidate)) return candidate;
  }
  throw failure{not_found,
                fmt::format("no program '{}' on PATH{}", name, is_program("./" + name) ? "; did you mean ./" + name + "?" : "")};
}

// The same program, compiled for the checked library: ./heat.checked for ./heat.
void take_checked_twin(program_spec& program) {
  constexpr std::string_view ending = ".checked";
  if (program.path.ends_with(ending)) return;
  const std::string twin = program.path + std::string(ending);
  if (!is_program(twin))
    throw failure{not_found, fmt::format("there is no program {0}, which --checked runs for {1}; build it: armilla-c++ --checked "
                                         "-g FILE.cpp -o {0} (CMake: a target that links armilla::checked)",
                                         twin, program.arguments[0])};
  program.path = twin;
  program.arguments[0] += ending;
}

armilla::tools::program description() {
  return {.name = "armilla-run",
          .summary = "starts the ranks of a job, on this host or on several, of one program or of several.",
          .usage = "[options] PROGRAM [arguments] [ : [-n N] [--env NAME=VALUE] PROGRAM [arguments] ]...",
          .options = {},
          .more =
              "Examples:\n"
              "  armilla-run -n 4 ./hello arguments             four ranks, each a process of this host\n"
              "  armilla-run -n 4 --fabric threads ./hello      the same as threads of one process\n"
              "  armilla-run -n 1 ./master : -n 3 ./worker      two programs in one job\n"
              "  armilla-run --hosts a:2,b:2 ./hello            four ranks on two hosts, by ssh\n"
              "  armilla-run --meet h1:29400 --hosts-expected 2 --key-file ~/.key -n 4 ./hello\n"
              "                                                 started on two hosts, one of them h1: eight ranks\n"
              "  armilla-run --join 1234 -n 2 ./worker          two ranks more for the job of process 1234\n\n"
              "ARMILLA_* variables set more options; --options prints all of them. The exit code is that of the job.\n",
          .command_follows = true};
}

std::string variable_of(const std::string& setting) {
  if (setting.empty() || setting[0] == '=') throw failure{wrong_use, fmt::format("--env wants NAME=value, not '{}'", setting)};
  if (setting.find('=') != std::string::npos) return setting;
  const char* const value = std::getenv(setting.c_str());
  if (value == nullptr)
    throw failure{wrong_use, fmt::format("--env {0}: this environment has no {0}; give a value: --env {0}=value", setting)};
  return setting + "=" + value;
}

void describe_program(armilla::tools::program& all, program_spec& program) {
  all.options = {
      {"-n, -np, --ranks", "N", "Ranks of the program that follows (default: ARMILLA_RANKS, else 1)",
       into(program.ranks, 1, int(armilla::detail::job_block::max_ranks))},
      {"--env", "NAME[=VALUE]",
       "A variable for the ranks of this program only; without a value it has that of this environment, which ranks on "
       "other hosts do not get otherwise; may be given several times",
       [&program](const std::string& setting) { program.environment.push_back(variable_of(setting)); }}};
}

void describe_job(armilla::tools::program& all, job_words& job) {
  all.options.insert(
      all.options.end(),
      {{"--fabric", "NAME",
        "What carries messages: auto, shm, threads, loop, or a backend such as ucx or mpi; see --options (default: auto)",
        into(job.fabric)},
       {"--pin", "HOW",
        "core: each rank on its own core; share: cores round-robin; none; auto: core if enough are free, otherwise share or none "
        "(default: auto)",
        into(job.pin)},
       {"--hosts", "LIST",
        "a:2,b:2: two ranks on host a, two on host b; every host has armilla-run and the programs at the same paths",
        [&job](const std::string& text) { job.hosts = text; }},
       {"--hostfile", "FILE", "The same from a file with one host a line: a, a:2 or a slots=2",
        [&job](const std::string& text) { job.hostfile = text; }},
       {"--rsh", "COMMAND", "What starts a command on a host, given the host's name and the command (default: ssh)",
        [&job](const std::string& text) { job.rsh = text; }},
       {"--meet", "HOST:PORT",
        "Start a job over several hosts without ssh: run the same command on each of them. HOST is one of them, to which the "
        "others connect; -n is the number of ranks on this host",
        into(job.meeting.place)},
       {"--hosts-expected", "N", "Number of hosts that run the command", into(job.meeting.hosts, 1, most_meeting)},
       {"--key-file", "FILE",
        "File with the key of the job, the same on all hosts: at least 16 characters, readable by its owner only; -: standard "
        "input",
        into(job.meeting.key_file)},
       {"--meet-within", "SECONDS", "How long hosts wait for each other (default: 300)", into(job.meeting.within_s, 1, 86'400)},
       {"--join", "JOB",
        "Add the ranks to a running job, named by a process or a program of it; it was started with ARMILLA_MAX_RANKS",
        [&job](const std::string& text) { job.join = text; }},
       {"--output", "HOW",
        "raw: bytes as ranks write them; lines: whole lines, if the output is a file or a pipe "
        "(default: raw)",
        into(job.output)},
       {"--label", "", "Print [rank] before each line of a rank", into(job.label)},
       {"--progress", "",
        "Show a bar with rate and time left on the terminal while the job runs a long algorithm, load, save, read or write",
        into(job.progress)},
       {"--checked", "",
        "Run the programs that are compiled for the checked library: ./heat.checked for ./heat; armilla-c++ --checked makes them",
        into(job.checked)},
       {"--explore", "RUNS",
        "Run the job RUNS times, each time in another order of messages that the library allows. Compare exit code and output, "
        "or "
        "the values passed to armilla::outcome. Report the first run that differs, and the first call that differs in it",
        into(job.explore, 1, 1'000'000)},
       {"--seed", "SEED",
        "Run the job once, in the order of a seed that --explore has reported; with --explore: the seed of the first run",
        [&job](const std::string& text) { job.seed = text; }},
       {"--gdb", "", "Start in gdb: all ranks of this host are its inferiors; say `break` and `run` there", into(job.gdb)},
       {"--options", "", "Print all ARMILLA_* variables and exit", into(job.manual)}});
}

program_spec parse(const words& part, job_words* job) {
  program_spec program;
  program.ranks = 0;  // not said
  armilla::tools::program all = description();
  describe_program(all, program);
  if (job != nullptr) describe_job(all, *job);
  program.arguments = armilla::tools::parse(all, part);
  if (job != nullptr && job->manual) return program;
  if (program.arguments.empty()) throw failure{wrong_use, "a program is missing: armilla-run -n 4 ./program arguments"};
  program.path = find_program(program.arguments[0]);
  return program;
}

// The command line goes before the environment; both are judged by the same table.
void pass_on(const job_words& job) {
  if (!job.fabric.empty()) setenv("ARMILLA_FABRIC", job.fabric.c_str(), 1);
  if (!job.pin.empty()) setenv("ARMILLA_PIN", job.pin.c_str(), 1);
  if (!job.output.empty()) setenv("ARMILLA_OUTPUT", job.output.c_str(), 1);
  if (job.label) setenv("ARMILLA_LABEL", "1", 1);
  // Rank 0 draws it. Its errors may go through a pipe: then it takes the terminal that it was started from.
  if (job.progress) setenv("ARMILLA_PROGRESS_BAR", isatty(STDERR_FILENO) == 1 ? "tty" : "1", 1);
}

// Where Slurm has started nothing yet, its srun starts the agents: nodes may not allow ssh.
constexpr const char* srun = "srun --quiet --overlap --mpi=none --nodes=1 --ntasks=1 --nodelist";

struct chosen_hosts {
  std::vector<host_slots> hosts;  ///< empty: this one
  std::string rsh;
};
chosen_hosts choose_hosts(const job_words& job) try {
  if (job.hosts && job.hostfile) throw failure{wrong_use, "--hosts and --hostfile name the same; leave one of them out"};
  if (job.hosts) return {armilla::run::hosts_of_list(*job.hosts), job.rsh.value_or("ssh")};
  if (job.hostfile) return {armilla::run::hosts_of_file(*job.hostfile), job.rsh.value_or("ssh")};
  if (job.gdb) return {};
  if (auto hosts = armilla::run::hosts_of_slurm()) return {std::move(*hosts), job.rsh.value_or(srun)};
  return {};
} catch (const std::invalid_argument& why) {
  if (job.hostfile) throw failure{wrong_use, fmt::format("--hostfile {}", why.what())};
  if (!job.hosts) throw failure{wrong_use, fmt::format("the variables of Slurm: {}; name the hosts by --hosts", why.what())};
  throw failure{wrong_use, fmt::format("--hosts wants names with the numbers of their ranks, a:2,b:2, not '{}': {}", *job.hosts,
                                       why.what())};
}

int run_on_several(const chosen_hosts& chosen, std::vector<program_spec> programs, const options& settings) {
  const std::vector<host_slots>& hosts = chosen.hosts;
  int slots = 0;
  for (const auto& host : hosts) slots += host.slots;
  for (auto& program : programs)
    if (program.ranks == 0) program.ranks = programs.size() == 1 ? slots : 1;
  return armilla::run::run_on_hosts(hosts, chosen.rsh, programs, settings);
}

// Hosts that meet are told nothing else.
void check_meeting(const job_words& job) {
  const auto& plan = job.meeting;
  const bool meets = !plan.place.empty();
  if (!meets && (plan.hosts != 0 || !plan.key_file.empty()))
    throw failure{wrong_use, "--hosts-expected and --key-file go with --meet HOST:PORT; add that option"};
  if (!meets) return;
  if (plan.hosts == 0) throw failure{wrong_use, "--meet needs the number of hosts; give --hosts-expected N"};
  if (plan.key_file.empty())
    throw failure{
        wrong_use,
        "--meet needs a key, or others could start programs here: (umask 077; openssl rand -hex 32 > FILE) makes one; give "
        "each host a copy, and pass --key-file FILE"};
  if (job.hosts || job.hostfile || job.rsh || job.join || job.gdb)
    throw failure{wrong_use,
                  "with --meet each host starts its own ranks; leave --hosts, --hostfile, --rsh, --join and --gdb out"};
}

void require_one_host(const options& settings, bool named) {
  if (settings.max_ranks != options{}.max_ranks)
    throw failure{wrong_use,
                  fmt::format("ARMILLA_MAX_RANKS={} is for the ranks of one host; {}, or unset ARMILLA_MAX_RANKS",
                              settings.get("max_ranks"),
                              named ? "leave --hosts and --meet out" : "set ARMILLA_LAUNCHER=none to ignore Slurm's nodes")};
}

// How the ranks of a running job are carried, bound and shown is settled.
int run_joiners(const job_words& job, std::vector<program_spec> programs) {
  if (job.hosts || job.hostfile || job.rsh || job.label || job.progress || job.gdb || !job.output.empty() ||
      !job.fabric.empty() || !job.pin.empty())
    throw failure{wrong_use,
                  "--join adds ranks to a job that was started otherwise; of the options only -n and --env go with it"};
  for (auto& program : programs) program.ranks = std::max(program.ranks, 1);
  return armilla::run::join_running(*job.join, std::move(programs));
}

int run_explored(const job_words& job, char** argv) try {
  if (job.hosts || job.hostfile || !job.meeting.place.empty() || job.join || job.gdb)
    throw failure{wrong_use,
                  "--explore and --seed run a job of this host; leave --hosts, --hostfile, --meet, --join and --gdb out"};
  const auto first = job.seed ? armilla::run::seeded_order::from(*job.seed) : armilla::run::seeded_order{};
  return job.explore != 0 ? armilla::run::explore(argv, job.explore, first) : armilla::run::repeat_order(argv, first);
} catch (const std::invalid_argument&) {
  throw failure{wrong_use, fmt::format("--seed wants what --explore has printed, such as 17 or 17:45, not '{}'", *job.seed)};
}

// The same command, without the word that led here.
[[noreturn]] void run_in_debugger(int argc, char** argv) {
  words all(argv, argv + argc);
  all.erase(std::ranges::find(all, "--gdb"));
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) all[0] = path;
  throw failure{not_found, armilla::run::become_debugger(all)};
}

int run(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--agent") return armilla::run::be_agent();
  if (argc > 3 && std::string(argv[1]) == "--client") return armilla::run::serve_client({argv + 2, argv + argc});
  const auto parts = split_at_colons(argc, argv);
  job_words job;
  std::vector<program_spec> programs;
  for (const auto& part : parts) programs.push_back(parse(part, programs.empty() ? &job : nullptr));
  if (job.manual) return armilla::detail::print_manual(stdout), 0;  // also if a variable is wrong: errors point to it
  if (job.checked)
    for (auto& program : programs) take_checked_twin(program);
  if ((job.explore != 0 || job.seed) && !armilla::run::is_explored()) return run_explored(job, argv);
  check_meeting(job);
  const bool meets = !job.meeting.place.empty();
  if (job.join) return run_joiners(job, std::move(programs));
  const chosen_hosts chosen = meets ? chosen_hosts{} : choose_hosts(job);
  if (job.rsh && chosen.hosts.empty())
    throw failure{wrong_use, "--rsh starts commands on other hosts, and none are named; give --hosts a:2,b:2, too"};
  if (job.rsh && job.rsh->empty()) throw failure{wrong_use, "--rsh wants a command, as ssh"};
  if (job.gdb && !chosen.hosts.empty())
    throw failure{wrong_use, "--gdb takes the ranks of one host; leave --hosts and --hostfile out"};
  if (job.gdb) run_in_debugger(argc, argv);
  pass_on(job);
  options settings = options::from_environment();
  if (const std::string text = armilla::detail::complaint_of_tuned_file(); !text.empty()) armilla::detail::say(text);
  for (const std::string_view setting : programs[0].environment)  // what rank 0 has counts, where all must have it alike
    if (setting.starts_with("ARMILLA_"))
      settings.set(setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
  if (!chosen.hosts.empty()) {
    require_one_host(settings, job.hosts || job.hostfile);
    return run_on_several(chosen, std::move(programs), settings);
  }
  if (meets) require_one_host(settings, true);
  for (auto& program : programs)
    if (program.ranks == 0) program.ranks = programs.size() == 1 ? settings.ranks : 1;
  if (meets) return armilla::run::run_with_meeting(job.meeting, programs, settings);
  return armilla::detail::supervise(programs, settings);
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const armilla::tools::wrong_use& wrong) {
  return armilla::tools::complain(description(), wrong.what());
} catch (const failure& f) {
  std::fprintf(stderr, "armilla-run: %s (see armilla-run --help)\n", escaped(f.text, "\n").c_str());
  return f.code;
} catch (const armilla::run::cannot_start& e) {
  std::fprintf(stderr, "%s\n", escaped(e.what(), "\n").c_str());
  return not_found;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", escaped(e.what(), "\n").c_str());
  return wrong_use;
}
