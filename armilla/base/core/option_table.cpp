// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/option_table.hpp"

#include <bit>
#include <utility>

#include "armilla/base/core/fault_settings.hpp"
#include "armilla/base/core/option_text.hpp"
#include "armilla/base/values/limits.hpp"

namespace armilla::detail {
namespace {

using row = option_row;

constexpr std::uint64_t max_bytes = most_segment_bytes;

row shared(row r) {
  r.shared = true;
  return r;
}

row tunable(row r) {
  r.tunable = true;
  return r;
}

row also_named(const char* alias, row r) {
  r.alias = alias;
  r.text += " " + variable_of(alias) + " is its old name, which this version accepts.";
  return r;
}

row depends_on_machine(row r, const char* usual) {
  r.usual = usual;
  return r;
}

/// Those that follow belong together.
row heading(const char* text) {
  row r;
  r.heading = text;
  return r;
}

std::vector<row> without_headings(std::vector<row> list) {
  std::vector<row> rows;
  std::string heading;
  for (row& r : list) {
    if (r.name.empty()) {
      heading = r.heading;
      continue;
    }
    r.heading = heading;
    rows.push_back(std::move(r));
  }
  return rows;
}

bool anything(std::string_view) { return true; }

row flag(const char* name, bool options::* member, const char* text) {
  return {name, "0 or 1", text, [=](options& o, std::string_view v) { return parse_flag(v, o.*member); },
          [=](const options& o) { return std::string(o.*member ? "1" : "0"); }};
}

row number(const char* name, int options::* member, int low, int high, const char* text) {
  return {name, "a number from " + std::to_string(low) + " to " + std::to_string(high), text,
          [=](options& o, std::string_view v) { return parse_number(v, low, high, o.*member); },
          [=](const options& o) { return std::to_string(o.*member); }};
}

row words(const char* name, std::string options::* member, bool (*good)(std::string_view), const char* allowed,
          const char* text) {
  return {name, allowed, text, [=](options& o, std::string_view v) { return good(v) && (o.*member = v, true); },
          [=](const options& o) { return o.*member; }};
}

bool good_stats(std::string_view v) {
  while (!v.empty()) {
    const std::string_view word = v.substr(0, v.find(','));
    if (word != "0" && word != "1" && word != "timing" && !(word.size() > 5 && word.ends_with(".json"))) return false;
    v.remove_prefix(word.size() < v.size() ? word.size() + 1 : v.size());
  }
  return true;
}

bool good_faults(std::string_view v) { return fault_settings::from(v), true; }

bool good_fabric(std::string_view v) {
  return !v.empty() && v.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == v.npos;
}

enum class shape { any, power_of_two };

row bytes(const char* name, std::uint64_t options::* member, std::uint64_t low, std::uint64_t high, shape wanted,
          const char* text) {
  const bool power = wanted == shape::power_of_two;
  return {name, (power ? "a power of two from " : "bytes from ") + show_bytes(low) + " to " + show_bytes(high) + " (K M G T)",
          text,
          [=](options& o, std::string_view v) {
            std::uint64_t n = 0;
            if (!parse_bytes(v, n) || n < low || n > high || (power && !std::has_single_bit(n))) return false;
            return o.*member = n, true;
          },
          [=](const options& o) { return show_bytes(o.*member); }};
}

row duration(const char* name, std::uint64_t options::* member, std::uint64_t unit_ns, const char* text) {
  return {name, "a duration (ns us ms s; default " + std::string(unit_ns == 1000 ? "us" : "s") + ")", text,
          [=](options& o, std::string_view v) { return parse_duration(v, unit_ns, o.*member); },
          [=](const options& o) { return show_duration(o.*member); }};
}

template <class Enum>
row choice(const char* name, Enum options::* member, const std::vector<std::pair<const char*, Enum>>& values, const char* text) {
  std::string allowed = "one of";
  std::vector<std::string> words;
  for (const auto& [word, value] : values) allowed.append(" ").append(word), words.emplace_back(word);
  return {.name = name,
          .allowed = allowed,
          .text = text,
          .read =
              [=](options& o, std::string_view v) {
                for (const auto& [word, value] : values)
                  if (v == word) return o.*member = value, true;
                return false;
              },
          .show =
              [=](const options& o) {
                for (const auto& [word, value] : values)
                  if (o.*member == value) return std::string(word);
                return std::string();
              },
          .words = words};
}

row poll_budget() {
  return {"poll_budget", "0, a number of called functions, or a duration with its unit (ns us ms s)",
          "How much the library's own polls do for other ranks: a number of called functions, or a time; 0: no limit.",
          [](options& o, std::string_view v) {
            int bodies = 0;
            std::uint64_t ns = 0;
            if (!parse_number(v, 0, 1'000'000'000, bodies) && !parse_duration(v, 1, ns)) return false;
            o.poll_budget = {std::uint64_t(bodies), ns};
            return true;
          },
          [](const options& o) {
            return o.poll_budget.ns != 0 ? show_duration(o.poll_budget.ns) : std::to_string(o.poll_budget.bodies);
          }};
}

std::vector<row> make_table() {
  using o = options;
  const std::vector<std::pair<const char*, pattern>> patterns = {{"auto", pattern::automatic},
                                                                 {"flat", pattern::flat},
                                                                 {"tree", pattern::tree},
                                                                 {"hypercube", pattern::hypercube},
                                                                 {"dissemination", pattern::dissemination}};
  return without_headings({
      heading("The job"),
      number("ranks", &o::ranks, 1, most_local_ranks, "Number of ranks to start without a launcher."),
      number("max_ranks", &o::max_ranks, 0, most_lasting_ranks,
             "Largest number of ranks if others join the running job by armilla-run --join; 0: none can join. Needs "
             "ARMILLA_ON_LOSS=continue or replace, and one host."),
      shared(words("fabric", &o::fabric, good_fabric, "one of auto shm threads loop, or the name of a backend",
                   "auto: shared memory inside a host, the best available backend between hosts; shm: shared memory only; "
                   "threads: ranks are threads of one process; loop: a network inside the library (for tests); the name of a "
                   "backend, such as ucx or mpi: that network, also inside a host.")),
      choice("pin", &o::pin,
             {{"auto", pin_kind::automatic}, {"core", pin_kind::core}, {"share", pin_kind::share}, {"none", pin_kind::none}},
             "Bind each rank to its own core (core), several ranks to one core (share), or none; auto: core if enough cores are "
             "free of other jobs, share if no other job uses any; none otherwise, for a job of one rank, and under another "
             "launcher. OMP_NUM_THREADS=k gives each rank k cores."),
      flag("label", &o::label, "Print the rank before each line of its output."),
      choice("output", &o::output, {{"raw", output_kind::raw}, {"lines", output_kind::lines}},
             "Output of several ranks to a file or a pipe: bytes as ranks write them (raw), or whole lines in any order (lines). "
             "A terminal always gets raw output."),
      choice("launcher", &o::launcher, {{"auto", launcher_use::automatic}, {"none", launcher_use::none}},
             "Join the job of the mpirun or srun that started this process, or ignore it."),
      words("backends", &o::backends, anything, "folders, separated by colons",
            "Folders that are searched first for backends, the files libarmilla-<name>.so."),
      shared(
          flag("trust_network", &o::trust_network,
               "Let a backend such as UCX listen on a public address, where anyone can read and write the memory of the job.")),
      heading("Messages"),
      shared(bytes("ring", &o::ring, 4096, 1 << 30, shape::power_of_two, "Size of the ring between two ranks.")),
      tunable(bytes("aggregate", &o::aggregate, 0, 1 << 20, shape::any,
                    "Size of the buffer in which small one-way calls to one rank are aggregated; 0: no aggregation.")),
      number("poll_every", &o::poll_every, 0, 1'000'000, "Poll at every n-th communication call; 0: only where a rank waits."),
      poll_budget(),
      bytes("eager", &o::eager, 0, 1 << 30, shape::any,
            "Messages longer than this go through the shared heap, others through the ring; over a network at least 512."),
      bytes("backlog_limit", &o::backlog_limit, 4096, max_bytes, shape::any,
            "How much a rank may queue for slow receivers before it is an error."),
      bytes("backlog", &o::backlog, 0, max_bytes, shape::any,
            "How much a rank queues for another one before it stops reading from that rank."),
      bytes("receive_buffers", &o::receive_buffers, 0, max_bytes, shape::any,
            "Memory that a rank reuses for arguments that called functions read in place."),
      shared(bytes("network_window", &o::network_window, 4096, 1 << 30, shape::any,
                   "How much one rank may have in flight to another over a network before the receiver confirms it.")),
      shared(number(
          "route_hosts", &o::route_hosts, 0, 65536,
          "From this number of hosts on, at least four, other ranks forward small one-way calls between hosts; 0: never.")),
      shared(
          words("faults", &o::faults, good_faults,
                "words, separated by commas: delay=100us, jitter=1ms, reorder=0.1, swap=0.1, duplicate=0.05, drop=0.02, slow=1 "
                "(a rank), stop=0.01, linger=200ms, seed=7",
                "Make the network worse (for tests): each frame is late by delay and by up to jitter; with these probabilities "
                "frames of other ranks overtake it, frames of its own rank overtake it, it arrives twice, it is lost and sent "
                "again, or its receiver stops for a millisecond; one rank is slow.")),
      flag("cross_copy", &o::cross_copy, "Copy directly between processes where the system allows it."),
      heading("Waiting"),
      duration("spin", &o::spin_ns, 1000, "How long a wait spins before it yields the core."),
      duration("yield", &o::yield_ns, 1000, "How long a wait yields the core before it sleeps."),
      flag("crowding", &o::crowding,
           "Ranks that outnumber the cores measure whether other processes use these, and sleep at once while that is faster "
           "than yielding."),
      choice("wait", &o::wait, {{"auto", wait_mode::in_place}, {"switch", wait_mode::switching}},
             "How a rank's only fiber waits: it receives messages itself (auto), or switches to the loop (switch)."),
      also_named(
          "reception",
          shared(choice("progress_mode", &o::progress,
                        {{"auto", progress_mode::automatic},
                         {"poll", progress_mode::poll},
                         {"thread", progress_mode::thread},
                         {"signal", progress_mode::signal}},
                        "What receives messages while a rank computes: nothing (poll); a thread, those that are safe beside the "
                        "rank (thread); the rank itself, interrupted where it allows that (signal). auto: a thread, those of "
                        "other hosts, if their network can wake it."))),
      also_named("attend_after", duration("progress_after", &o::progress_after_ns, 1000,
                                          "The progress thread polls the network when its rank has not polled it for this "
                                          "time; 0: always.")),
      duration("stall", &o::stall_ns, 1'000'000'000,
               "End a job after all ranks have waited this long for events that cannot come; 0: never. A rank that receives no "
               "messages for 15 times as long while another waits is reported."),
      duration("wait_report", &o::wait_report_ns, 1'000'000'000,
               "Print what all ranks wait for when one has been idle for this time; 0: never. SIGUSR1 does the same."),
      heading("When a rank dies"),
      shared(choice(
          "on_loss", &o::on_loss, {{"end", loss_use::end}, {"continue", loss_use::go_on}, {"replace", loss_use::replace}},
          "What happens when a rank is lost: the job ends (end), the others continue (continue), or a new process also replaces "
          "the lost rank (replace). The last two need processes of one host, or armilla-run --hosts.")),
      shared(duration("loss_grace", &o::loss_grace_ns, 1'000'000'000,
                      "How long the other ranks may save what they need after a loss before the job is ended.")),
      shared(duration("loss_timeout", &o::loss_timeout_ns, 1'000'000'000,
                      "How long a host may be silent before its ranks are lost; 0: forever.")),
      heading("Fibers"),
      bytes("stack", &o::stack, 16 * 1024, std::uint64_t{1} << 32, shape::any,
            "Size of a fiber's stack. Called functions run on such stacks, too. Only used pages take memory."),
      number("stacks_kept", &o::stacks_kept, 0, 1'000'000,
             "How many stacks of ended fibers keep their memory, besides half of the most that the rank used."),
      heading("Teams"),
      shared(choice("barrier", &o::barrier, patterns, "The pattern of the barrier.")),
      shared(choice("fence", &o::fence, patterns, "The pattern of the fence.")),
      shared(choice("collectives", &o::collectives,
                    {{"auto", exchange_pattern::automatic}, {"flat", exchange_pattern::flat}, {"pairs", exchange_pattern::pairs}},
                    "How values and arrays move between hosts: each member sends to each host (flat); log2 N exchanges between "
                    "pairs of hosts (pairs); auto: pairs from three hosts on, and from 18 for what fits into a cache line.")),
      heading("Global memory"),
      depends_on_machine(shared(bytes("segment", &o::segment, least_segment_bytes, most_segment_bytes, shape::any,
                                      "Address space reserved for each rank's segment. Only used pages take memory.")),
                         "the machine's memory"),
      shared(choice("access", &o::access, {{"all", access_kind::all}, {"opened", access_kind::opened}},
                    "Other ranks reach all global memory (all), or only the regions that their owner opened (opened).")),
      shared(flag("access_by_message", &o::access_by_message,
                  "Access global memory by messages even where it is shared (for tests).")),
      flag("large_pages", &o::large_pages,
           "Ask the kernel for large pages in segments, and in containers that fill 16 MiB or more on a rank."),
      heading("Objects"),
      words("libraries", &o::libraries, anything, "folders, separated by colons",
            "Folders from which a rank loads shared libraries at another rank's request; by default none."),
      heading("Observation"),
      shared(words("stats", &o::stats, good_stats,
                   "0, 1, timing or the name of a file that ends in .json, or several of them, separated by commas",
                   "Print counters at the end (1), with the time of each component (timing), or write them to a file.")),
      choice("progress", &o::show_progress, {{"auto", progress_use::as_asked}, {"1", progress_use::on}, {"0", progress_use::off}},
             "Show the progress of algorithms on stderr; auto: on a terminal, if the program calls show_progress."),
      choice("progress_bar", &o::progress_bar, {{"0", bar_use::off}, {"1", bar_use::on}, {"tty", bar_use::terminal}},
             "Show a bar with rate and time left during a long algorithm, load or save, on stderr if that is a terminal (1), "
             "else on the process's terminal, if it has one (tty)."),
      shared(words(
          "trace", &o::trace, [](std::string_view v) { return v.empty() || (v.size() > 5 && v.ends_with(".json")); },
          "the name of a file that ends in .json",
          "Write what each rank did and when to this file, which Perfetto opens; also when the job fails.")),
      bytes("trace_events", &o::trace_events, 1024, std::uint64_t{1} << 28, shape::power_of_two,
            "How many events of a rank ARMILLA_TRACE stores, 32 bytes each; older ones are dropped and counted."),
      words("record", &o::record, anything, "the name of a file",
            "Write the order in which each rank receives messages to this name, followed by a dot and the rank's number."),
      words("replay", &o::replay, anything, "the name of a file",
            "Receive messages in the order that ARMILLA_RECORD wrote under this name."),
      choice("errors", &o::errors, {{"text", error_form::text}, {"json", error_form::json}},
             "How the job reports errors and losses on stderr: as text, or each as a JSON object on a line of its own (json)."),
      shared(flag(
          "checked", &o::checked,
          "Scan closures for addresses, and compare what members enter in collectives, if the library was built with checks.")),
      heading("Tuning"),
      depends_on_machine(words("tuned", &o::tuned, anything, "a file's name, or none",
                               "The file that armilla-tune writes, read before these variables, if it exists; none: no file."),
                         "armilla/tuned in $XDG_CONFIG_HOME or ~/.config"),
  });
}

}  // namespace

const std::vector<option_row>& option_table() {
  static const std::vector<option_row> rows = make_table();
  return rows;
}

}  // namespace armilla::detail
