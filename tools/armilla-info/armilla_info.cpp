// SPDX-License-Identifier: Apache-2.0
// armilla-info: what there is on this machine, what a job that is started like this one gets and why, and all options.
//
//     armilla-info
//     mpirun -n 4 armilla-info
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "armilla/armilla.hpp"
#include "armilla/attach.hpp"
#include "armilla/base/core/option_text.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/wire_up/launcher.hpp"
#include "armilla/fabric/backend_list.hpp"
#include "armilla/fabric/backends.hpp"
#include "armilla/fabric/shared_network.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/session/session_state.hpp"
#include "security.hpp"
#include "tools/arguments/arguments.hpp"

namespace {

using namespace armilla::detail;

template <class... Arguments>
void line(std::string_view title, fmt::format_string<Arguments...> text, Arguments&&... values) {
  fmt::print("  {:<12} {}\n", title, fmt::format(text, std::forward<Arguments>(values)...));
}

// --- what there is ---

std::vector<std::string> folders() { return backend_folders(options::from_environment().backends); }

// One backend, in a process of its own: two engines in one process need not get on, as two MPIs do not.
int probe(std::string_view name) {
  const backend found = load_backend(name, folders());
  if (!found)
    line(name, "cannot be used: {}", found.problem);
  else
    line(name, "{}; {}", found.loaded->engine != nullptr ? found.loaded->engine() : found.loaded->name, found.file);
  return 0;
}

void print_backend(const char* self, const backend_entry& one) {
  std::FILE* const answer = popen(fmt::format("exec '{}' --backend {}", self, one.name).c_str(), "r");
  if (answer == nullptr) return;
  std::string text(16 * 1024, 0);
  text.resize(std::fread(text.data(), 1, text.size(), answer));
  if (pclose(answer) != 0 || text.empty()) text = fmt::format("  {:<12} cannot be used: loading it ends the process\n", one.name);
  fmt::print("{}", text);
  if (!one.problem.empty()) line("", "{}", one.problem);
}

void print_available() {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return;
  fmt::print("Backends, as {} finds them\n", self);
  std::fflush(stdout);
  const std::vector<backend_entry> all = list_backends(folders());
  for (const backend_entry& each : all) print_backend(self, each);
  if (all.empty()) line("none", "looked in {}; ARMILLA_BACKENDS names other folders", fmt::join(folders(), ", "));
}

// --- what this job got ---

std::string list(const std::vector<armilla::rank_t>& ranks) {
  return ranks.size() <= 16 ? fmt::format("{}", fmt::join(ranks, " "))
                            : fmt::format("{} ... {} ({} ranks)", ranks.front(), ranks.back(), ranks.size());
}

void print_hosts(const launch& self) {
  std::vector<std::vector<armilla::rank_t>> hosts(1);
  for (armilla::rank_t r = 0; r < self.world_size(); ++r) {
    const std::size_t host = self.host_of.empty() ? 0 : self.host_of[std::size_t(r)];
    if (host >= hosts.size()) hosts.resize(host + 1);
    hosts[host].push_back(r);
  }
  line("ranks", "{} on {} host{}", self.world_size(), hosts.size(), hosts.size() == 1 ? "" : "s");
  for (std::size_t h = 0; h < hosts.size(); ++h) line(fmt::format("host {}", h), "ranks {}", list(hosts[h]));
  for (const auto& program : self.programs) line("program", "{} on ranks {}", program.name, list(program.ranks));
}

std::string while_computing(const options& settings, const network* beyond) {
  const std::string mode = " (ARMILLA_PROGRESS_MODE=" + settings.get("progress_mode") + ")";
  const bool by_thread = beyond != nullptr && answers_by_thread(settings, *beyond);
  std::string text;
  if (settings.progress == progress_mode::signal) text = "interrupted where the program allows it";
  if (settings.progress == progress_mode::thread) text = "a thread answers one-sided access and safe functions of all ranks";
  if (settings.progress == progress_mode::automatic && by_thread)
    text = "a thread answers one-sided access and safe functions that come over the network";
  if (text.empty()) return "nobody answers" + mode;
  if (settings.progress == progress_mode::signal && by_thread) text += "; a thread answers one-sided access over the network";
  text += mode;
  if (!by_thread) return text;
  if (!beyond->any_thread()) return text + ", but this network takes one thread only";
  return text + (settings.progress_after_ns == 0
                     ? ", and always polls the network"
                     : ", when the rank has not polled for ARMILLA_PROGRESS_AFTER=" + settings.get("progress_after"));
}

// How the segments of ranks are reached to which the network carries messages.
std::string way_to_segments(const launch& self) {
  remote_segments* const beyond = memory_of(*current).mapped_far.get();
  int far = 0, mapped = 0;
  for (armilla::rank_t r = 0; r < self.places; ++r) {
    if (!self.far(r)) continue;
    ++far;
    if (beyond != nullptr && beyond->at(r, 0, 1) != nullptr) ++mapped;
  }
  return mapped == 0
             ? fmt::format("over the network their owners are asked, by messages{}", checked ? "; this is a checked build" : "")
             : fmt::format("{} of {} over the network are mapped: loads and stores, which need nothing of the owner", mapped,
                           far);
}

// Why these backends are the ones of this job, and not their kin.
void print_signs(const std::vector<backend_entry>& all) {
  for (const backend_entry& each : all)
    if (const backend_sign* const sign = sign_of(each); sign != nullptr) line("sign of", "{}: {}", each.name, sign->text);
}

// What moves between cores at a time: what the kernel says of the first processor's cache; 0 where it says nothing.
std::size_t line_of_caches() {
  std::size_t bytes = 0;
  std::ifstream("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size") >> bytes;
  return bytes;
}

void print_machine() {
  const std::size_t there = line_of_caches();
  line("machine", "pages of {}, cache lines of {}; rings and flags are laid out for lines of {}{}",
       show_bytes(std::uint64_t(sysconf(_SC_PAGESIZE))), there == 0 ? "an unknown length" : fmt::format("{} bytes", there),
       cache_line, there > cache_line ? ": right here, too, at some cost" : "");
}

void print_job(const launch& self, const launcher& from) {
  fmt::print("This job\n");
  if (self.started != nullptr)
    line("started by", "{}, joined by {}", from.name, self.started->name());
  else
    line("started by", "{}", self.job->supervisor > 0 ? "Armilla's own supervisor" : "nobody: a job of one rank");
  print_hosts(self);
  line("network", "{}", self.beyond != nullptr ? fmt::format("{}: {}", self.beyond->name(), self.why) : "none: " + self.why);
  if (self.beyond != nullptr)
    line("waiting", "{}",
         self.beyond->descriptor() >= 0 ? "idle ranks sleep until something comes"
                                        : "this network wakes no rank: idle ranks look every half millisecond");
  if (self.beyond != nullptr) line("segments", "{}", way_to_segments(self));
  line("computing", "{}", while_computing(*self.settings, self.beyond));
  print_signs(list_backends(backend_folders(self.settings->backends)));
  line("processors", "{} on {} cores{}", self.processors, self.cores,
       self.oversubscribed ? ", fewer than ranks: who waits gives way soon" : "");
  print_machine();
  line("memory", "segments of {}, rings of {}", show_bytes(self.layout.segment_bytes), show_bytes(self.layout.ring_bytes));
}

void print_all(const launcher& from) {
  const launch& self = current->session->self;
  fmt::print("{}\n", armilla::tools::version_of("armilla-info"));
  print_available();
  fmt::print("\n");
  print_job(self, from);
  fmt::print("\n");
  fmt::print("Options that are not at their defaults\n");
  if (print_changes(*self.settings, stdout) == 0) fmt::print("  none\n");
  fmt::print("\nAll options\n");
  print_manual(stdout);
  std::fflush(stdout);
}

// --- what runs ---

int print_jobs() {
  const auto all = armilla::jobs();
  if (all.empty())
    fmt::print("This user runs no job on this host.\n");
  else
    fmt::print("{:>8} {:>6}  {}\n", "PROCESS", "RANKS", "PROGRAM");
  for (const auto& job : all)
    fmt::print("{:>8} {:>6}  {}{}\n", job.process, job.ranks, job.program, job.threads ? " (threads)" : "");
  return 0;
}

armilla::tools::program description(bool& backends, bool& security, bool& page) {
  using armilla::tools::into;
  return {.name = "armilla-info",
          .summary = "prints the backends of this host, what a job that is started like this one gets and why, and all options.",
          .usage = "[jobs | --backends | --security | --options-page]",
          .options = {{"--backends", "", "Only the backends that can be loaded, and of which library", into(backends)},
                      {"--security", "", "Only which ports are open in such a job, and to whom", into(security)},
                      {"--options-page", "", "Only all options, as the page of the documentation", into(page)}},
          .more =
              "jobs: the running jobs of this user on this host.\n\nStart it as you start your program:\n  ARMILLA_RANKS=4 "
              "armilla-info\n  mpirun -n 4 armilla-info\n"};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--backend") return probe(argv[2]);
  bool backends_only = false, security = false, page = false;
  const armilla::tools::program self = description(backends_only, security, page);
  if (const auto words = armilla::tools::parse_or_exit(self, argc, argv); words.size() == 1 && words[0] == "jobs")
    return print_jobs();
  else if (!words.empty())
    return armilla::tools::complain(self, fmt::format("'{}' is too much", words[0]));
  if (backends_only) return print_available(), 0;
  if (page) return print_options_page(stdout), 0;
  const launcher from = find_launcher();
  return armilla::run(argc, argv, [&] {
    if (armilla::rank() != 0) return;
    security ? armilla::info::print_security() : print_all(from);
  });
}
