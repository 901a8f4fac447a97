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
  r.text += " " + variable_of(alias) + " is its old name, understood in this version still.";
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
  return {name,
          (power ? "a power of two from " : "bytes from ") + show_bytes(low) + " to " + show_bytes(high) + " (suffixes K M G T)",
          text,
          [=](options& o, std::string_view v) {
            std::uint64_t n = 0;
            if (!parse_bytes(v, n) || n < low || n > high || (power && !std::has_single_bit(n))) return false;
            return o.*member = n, true;
          },
          [=](const options& o) { return show_bytes(o.*member); }};
}

row duration(const char* name, std::uint64_t options::* member, std::uint64_t unit_ns, const char* text) {
  return {name, "a duration (suffixes ns us ms s; without one: " + std::string(unit_ns == 1000 ? "us" : "s") + ")", text,
          [=](options& o, std::string_view v) { return parse_duration(v, unit_ns, o.*member); },
          [=](const options& o) { return show_duration(o.*member); }};
}

template <class Enum>
row choice(const char* name, Enum options::* member, const std::vector<std::pair<const char*, Enum>>& values, const char* text) {
  std::string allowed = "one of";
  for (const auto& [word, value] : values) allowed.append(" ").append(word);
  return {name, allowed, text,
          [=](options& o, std::string_view v) {
            for (const auto& [word, value] : values)
              if (v == word) return o.*member = value, true;
            return false;
          },
          [=](const options& o) {
            for (const auto& [word, value] : values)
              if (o.*member == value) return std::string(word);
            return std::string();
          }};
}

row poll_budget() {
  return {
      "poll_budget", "0, a number of bodies, or a duration with its unit (suffixes ns us ms s)",
      "How much a poll that the program has not asked for does for others: so many bodies, or those that begin within so long; "
      "0: no limit.",
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
      number("ranks", &o::ranks, 1, most_local_ranks, "How many ranks to start, without a launcher."),
      number("max_ranks", &o::max_ranks, 0, most_lasting_ranks,
             "How many ranks there can be when others join the running job by armilla-run --join; 0: none can. With "
             "ARMILLA_ON_LOSS=continue or replace, on one host in shared memory."),
      shared(words(
          "fabric", &o::fabric, good_fabric, "one of auto shm threads loop, or the name of a backend",
          "auto: shared memory inside a host, between hosts the best backend that there is; shm: shared memory only; threads: "
          "ranks are threads of one process; loop: everything takes the way over a network, inside the library (for tests); the "
          "name of a backend, as ucx or mpi: everything goes by that one, also inside a host.")),
      choice("pin", &o::pin,
             {{"auto", pin_kind::automatic}, {"core", pin_kind::core}, {"share", pin_kind::share}, {"none", pin_kind::none}},
             "One core for each rank, one core for several, or none fixed; auto: core if there are enough, else share."),
      flag("label", &o::label, "Put the rank before each line that it prints."),
      choice("output", &o::output, {{"raw", output_kind::raw}, {"lines", output_kind::lines}},
             "What several ranks print, where it goes to a file or a pipe: each rank's bytes as it writes them (raw), or whole "
             "lines, "
             "which the supervisor passes on, those of different ranks in any order (lines). A terminal gets them raw."),
      choice("launcher", &o::launcher, {{"auto", launcher_use::automatic}, {"none", launcher_use::none}},
             "Join the job of the mpirun or srun that started this process, or take no notice of it."),
      words("backends", &o::backends, anything, "folders with colons between",
            "Where to look first for backends, the files libarmilla-<name>.so."),
      shared(flag("trust_network", &o::trust_network,
                  "Let a backend listen on a public address although what reaches it there can read and write the memory of the "
                  "job, as with "
                  "UCX.")),
      heading("Messages"),
      shared(bytes("ring", &o::ring, 4096, 1 << 30, shape::power_of_two, "Size of the ring between each two ranks.")),
      tunable(bytes("aggregate", &o::aggregate, 0, 1 << 20, shape::any,
                    "Size of the buffer in which small statements to one rank travel together; 0: each goes alone.")),
      number("poll_every", &o::poll_every, 0, 1'000'000, "Poll at every n-th communication call; 0: only where one waits."),
      poll_budget(),
      bytes("eager", &o::eager, 0, 1 << 30, shape::any,
            "Up to this size a message goes through the ring, beyond it through the shared heap; over a network at least 512."),
      bytes("backlog_limit", &o::backlog_limit, 4096, max_bytes, shape::any,
            "How much a rank may queue for receivers that do not keep up, before it is an error."),
      bytes("backlog", &o::backlog, 0, max_bytes, shape::any,
            "How much a rank queues for another that does not take it in, before it reads nothing more from that one."),
      bytes("receive_buffers", &o::receive_buffers, 0, max_bytes, shape::any,
            "How much memory a rank keeps for arguments that bodies read in place."),
      shared(bytes("network_window", &o::network_window, 4096, 1 << 30, shape::any,
                   "How much may be under way over a network from one rank to another before the receiver says that it has "
                   "taken it in.")),
      shared(number("route_hosts", &o::route_hosts, 0, 65536,
                    "From so many hosts on, and from four at least, small statements to other hosts go by way of others, along "
                    "rows and columns of hosts; "
                    "0: never.")),
      shared(words(
          "faults", &o::faults, good_faults,
          "words with commas between: delay=100us, jitter=1ms, reorder=0.1, swap=0.1, duplicate=0.05, drop=0.02, slow=1 (a "
          "rank), "
          "stop=0.01, linger=200ms, seed=7",
          "Make the network worse (for tests): each frame comes later by delay and by up to jitter; with these probabilities it "
          "is "
          "overtaken by those of other ranks, by those of its own, comes twice, is lost and sent again, or its receiver stops "
          "for "
          "a millisecond; one rank is slow. Without a network nothing happens.")),
      flag("cross_copy", &o::cross_copy, "Copy straight between processes where the system allows it."),
      heading("Waiting"),
      duration("spin", &o::spin_ns, 1000, "How long a wait spins before it yields the core."),
      duration("yield", &o::yield_ns, 1000, "How long a wait yields the core before it sleeps."),
      flag("crowding", &o::crowding,
           "Ranks that outnumber the cores of their host find out whether other work has these as well, and sleep at once while "
           "that is quicker than to yield."),
      choice("wait", &o::wait, {{"auto", wait_mode::in_place}, {"switch", wait_mode::switching}},
             "How a fiber waits that could take in messages itself, for it is the only one: in place, or by switching to the "
             "loop."),
      also_named(
          "reception",
          shared(choice("progress_mode", &o::progress,
                        {{"poll", progress_mode::poll}, {"thread", progress_mode::thread}, {"signal", progress_mode::signal}},
                        "What takes in messages while a rank computes: nothing (poll); a thread, what is safe beside the "
                        "rank (thread); the rank itself, interrupted where it allows that (signal)."))),
      also_named(
          "attend_after",
          duration("progress_after", &o::progress_after_ns, 1000,
                   "With ARMILLA_PROGRESS_MODE=thread: when a rank has left the network alone for so long, its thread looks "
                   "there; 0: the thread always does.")),
      duration("stall", &o::stall_ns, 1'000'000'000,
               "End a job after all ranks have waited this long for events that cannot come; 0: never. A rank that takes in no "
               "messages for 15 times as long while another waits is reported."),
      duration("wait_report", &o::wait_report_ns, 1'000'000'000,
               "Say what all ranks wait for when one has had nothing to do for so long; 0: never. SIGUSR1 asks for the same. "
               "Under mpirun or srun each rank tells its own."),
      heading("When a rank dies"),
      shared(choice("on_loss", &o::on_loss,
                    {{"end", loss_use::end}, {"continue", loss_use::go_on}, {"replace", loss_use::replace}},
                    "What the loss of a rank does to the job: it ends (end), the others go on (continue), or they do and a new "
                    "process takes the lost one's place (replace); the last two in shared memory of one host, continue also over "
                    "the hosts of armilla-run --hosts.")),
      shared(duration(
          "loss_grace", &o::loss_grace_ns, 1'000'000'000,
          "How long the others go on when a rank has been lost, to hear of it and to save what they need, before the job is "
          "ended.")),
      shared(duration("loss_timeout", &o::loss_timeout_ns, 1'000'000'000,
                      "How long a host may be silent before its ranks are lost, whatever they compute; 0: for ever.")),
      heading("Fibers"),
      bytes("stack", &o::stack, 16 * 1024, std::uint64_t{1} << 32, shape::any,
            "Size of a fiber's stack; bodies run on such stacks, too. Only what is used takes memory."),
      number("stacks_kept", &o::stacks_kept, 0, 1'000'000, "How many stacks of fibers that have ended are kept for others."),
      heading("Teams"),
      shared(choice("barrier", &o::barrier, patterns, "The pattern of the barrier.")),
      shared(choice("fence", &o::fence, patterns, "The pattern of the fence.")),
      shared(choice(
          "collectives", &o::collectives,
          {{"auto", exchange_pattern::automatic}, {"flat", exchange_pattern::flat}, {"pairs", exchange_pattern::pairs}},
          "How values and arrays move between hosts: flat: each member tells each host; pairs: in log2 N exchanges between "
          "pairs of hosts; auto: pairs from three hosts on, and from 18 for what fits into a cache line.")),
      heading("Global memory"),
      depends_on_machine(shared(bytes("segment", &o::segment, least_segment_bytes, most_segment_bytes, shape::any,
                                      "Address space reserved for each rank's segment (used pages cost, others do not).")),
                         "the machine's memory"),
      shared(choice("access", &o::access, {{"all", access_kind::all}, {"opened", access_kind::opened}},
                    "Other ranks reach all global memory, or only the regions that their owner opened.")),
      shared(flag("access_by_message", &o::access_by_message,
                  "Reach global memory by messages even where it is shared (for tests).")),
      flag("large_pages", &o::large_pages,
           "Ask the kernel for large pages in segments; containers that fill 16 MiB and more on a rank take them at once."),
      heading("Objects"),
      words("libraries", &o::libraries, anything, "folders with colons between",
            "The folders from which a rank loads shared libraries when another rank asks for one; by default none."),
      heading("Looking inside"),
      shared(words("stats", &o::stats, good_stats,
                   "0, 1, timing or the name of a file that ends in .json, or several of them with commas between",
                   "Print counters at the end (1), with the time of each component (timing), or write them to a file.")),
      choice("progress", &o::show_progress, {{"auto", progress_use::as_asked}, {"1", progress_use::on}, {"0", progress_use::off}},
             "Tell on stderr how long algorithms get on; auto: on a terminal, where the program asks for it by show_progress."),
      shared(words(
          "trace", &o::trace, [](std::string_view v) { return v.empty() || (v.size() > 5 && v.ends_with(".json")); },
          "the name of a file that ends in .json",
          "Write what each rank did and when to this file, which Perfetto opens; also when the job fails.")),
      bytes("trace_events", &o::trace_events, 1024, std::uint64_t{1} << 28, shape::power_of_two,
            "How many events of a rank are kept for ARMILLA_TRACE, 32 bytes each; older ones are dropped and counted."),
      words("record", &o::record, anything, "the name of a file",
            "Write the order in which each rank takes in messages to this name and the rank's number behind a point."),
      words("replay", &o::replay, anything, "the name of a file",
            "Take in messages in the order that ARMILLA_RECORD wrote under this name."),
      shared(flag("checked", &o::checked,
                  "Scan closures for addresses, and compare what members enter in collectives, where the library was built with "
                  "checks.")),
      heading("What was measured"),
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
