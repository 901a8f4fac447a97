// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/pin.hpp"

#include <hwloc.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include "armilla/base/core/options.hpp"

namespace armilla::detail {
namespace {

place allowed_processors() {
  place all;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) all.push_back(cpu);
  return all;
}

// "max 100000" or "150000 100000" (version 2 of control groups); one number a file (version 1).
double quota_of(const char* path, const char* period_path) {
  const auto closing = [](std::FILE* f) { std::fclose(f); };
  const std::unique_ptr<std::FILE, decltype(closing)> file(std::fopen(path, "re"), closing);
  double quota = 0, period = 0;
  if (!file || std::fscanf(file.get(), "%lf", &quota) != 1 || quota <= 0) return 0;
  if (period_path == nullptr) return std::fscanf(file.get(), "%lf", &period) == 1 && period > 0 ? quota / period : 0;
  const std::unique_ptr<std::FILE, decltype(closing)> second(std::fopen(period_path, "re"), closing);
  return second && std::fscanf(second.get(), "%lf", &period) == 1 && period > 0 ? quota / period : 0;
}

// As a container sees it: its own group at the root.
double processor_quota() {
  const double quota = quota_of("/sys/fs/cgroup/cpu.max", nullptr);
  return quota > 0 ? quota : quota_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us");
}

std::vector<place> each_its_own(const place& processors) {
  std::vector<place> cores;
  for (int cpu : processors) cores.push_back({cpu});
  return cores;
}

std::vector<place> cores_of(hwloc_topology_t machine, const place& allowed) {
  std::vector<place> cores;
  const int n = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE);
  for (int i = 0; i < n; ++i) {
    const hwloc_obj_t core = hwloc_get_obj_by_type(machine, HWLOC_OBJ_CORE, unsigned(i));
    place mine;
    for (int cpu : allowed)
      if (hwloc_bitmap_isset(core->cpuset, unsigned(cpu))) mine.push_back(cpu);
    if (!mine.empty()) cores.push_back(mine);
  }
  return cores;
}

// hwloc would load every plugin it finds, drivers of graphics cards and their threads among them, to tell which processors
// share a core.
class no_plugins {
 public:
  no_plugins() : ours_(std::getenv(variable) == nullptr) {
    if (ours_) setenv(variable, "", 1);
  }
  no_plugins(const no_plugins&) = delete;
  no_plugins& operator=(const no_plugins&) = delete;
  ~no_plugins() {
    if (ours_) unsetenv(variable);
  }

 private:
  static constexpr const char* variable = "HWLOC_PLUGINS_PATH";
  bool ours_;
};

std::vector<place> find_cores(const place& allowed) {
  const no_plugins only_what_is_linked;
  hwloc_topology_t machine = nullptr;
  if (hwloc_topology_init(&machine) != 0) return each_its_own(allowed);
  hwloc_topology_set_all_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE);  // caches, devices: not asked for, not read
  hwloc_topology_set_type_filter(machine, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  std::vector<place> cores;
  if (hwloc_topology_load(machine) == 0) cores = cores_of(machine, allowed);
  hwloc_topology_destroy(machine);
  return cores.empty() ? each_its_own(allowed) : cores;
}

}  // namespace

machine look_at_machine(bool cores) {
  machine here;
  const place allowed = allowed_processors();
  if (allowed.empty()) {  // the system does not say; hwloc would ask for ever
    here.processors = std::uint32_t(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, long(CPU_SETSIZE)));
    here.cores.resize(here.processors);
  } else {
    here.processors = std::uint32_t(allowed.size());
    here.cores = cores ? find_cores(allowed) : each_its_own(allowed);
  }
  const double quota = processor_quota();
  if (quota > 0) here.processors = std::min(here.processors, std::max<std::uint32_t>(1, std::uint32_t(std::lround(quota))));
  return here;
}

// The socket is neither listened at nor connected: it is there for its name, of which there is one in the network of this host.
static descriptor claim_core(const place& core) {
  descriptor mine(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const int n = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "armilla-core-%d", core.front());
  const auto bytes = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + std::size_t(n));
  if (mine.get() >= 0 && bind(mine.get(), reinterpret_cast<const sockaddr*>(&name), bytes) != 0) mine.reset(-1);
  return mine;
}

core_claims::core_claims(const std::vector<place>& cores, std::size_t most) {
  for (std::size_t i = 0; i < cores.size() && cores_.size() < most; ++i) {
    if (cores[i].empty()) continue;
    descriptor mine = claim_core(cores[i]);
    if (mine.get() < 0) continue;
    held_.push_back(std::move(mine));
    cores_.push_back(i);
  }
}

void core_claims::keep_to_the_end() noexcept {
  for (descriptor& one : held_) one.release();
}

// A list, "4,2", is of nested regions.
std::size_t cores_wanted(const std::vector<std::string>& settings) {
  constexpr std::string_view name = "OMP_NUM_THREADS=";
  const char* text = std::getenv("OMP_NUM_THREADS");
  for (const std::string& one : settings)
    if (one.starts_with(name)) text = one.c_str() + name.size();
  const long n = text != nullptr ? std::strtol(text, nullptr, 10) : 1;
  return n >= 1 && n <= CPU_SETSIZE ? std::size_t(n) : 1;
}

std::vector<place> places_to_run(const machine& here, const std::vector<std::size_t>& wanted,
                                 const std::vector<std::size_t>& claimed, pin_kind how) {
  std::vector<place> result(wanted.size());
  const std::size_t total = std::accumulate(wanted.begin(), wanted.end(), std::size_t(0)), all = here.cores.size();
  if (how == pin_kind::none || (how == pin_kind::automatic && wanted.size() == 1)) return result;
  if (how == pin_kind::automatic && claimed.size() < total && (claimed.size() < std::min(total, all) || total != wanted.size()))
    return result;  // it would stand in another's way, or in its own
  std::vector<std::size_t> order = claimed;
  for (std::size_t i = 0; i < all && claimed.size() < total; ++i)
    if (std::ranges::find(claimed, i) == claimed.end()) order.push_back(i);
  std::size_t next = 0;
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    for (std::size_t i = 0; i < std::min(wanted[r], all); ++i) {
      const place& core = here.cores[order[next++ % order.size()]];
      result[r].insert(result[r].end(), core.begin(), core.end());
    }
    std::ranges::sort(result[r]);
  }
  return result;
}

chosen_places choose_places(const machine& here, const std::vector<std::size_t>& wanted, pin_kind how) {
  const bool binds = how != pin_kind::none && !(how == pin_kind::automatic && wanted.size() == 1);
  core_claims claims(here.cores, binds ? std::accumulate(wanted.begin(), wanted.end(), std::size_t(0)) : 0);
  std::vector<place> where = places_to_run(here, wanted, claims.cores(), how);
  if (std::ranges::all_of(where, &place::empty)) claims = core_claims(here.cores, 0);
  return {std::move(where), std::move(claims)};
}

void note_place(const place& where, std::int16_t (&cpu)[4]) noexcept {
  for (auto& one : cpu) one = -1;
  std::size_t range = 0;
  for (std::size_t i = 0; i < where.size(); ++i) {
    const bool goes_on = i > 0 && where[i] == where[i - 1] + 1;
    if (!goes_on && i > 0 && ++range == 2) return;
    if (!goes_on) cpu[2 * range] = std::int16_t(where[i]), cpu[2 * range + 1] = 0;
    ++cpu[2 * range + 1];
  }
}

cpu_set_t processors_of(const std::int16_t (&cpu)[4]) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::size_t range : {0, 2})
    for (int one = cpu[range], left = cpu[range + 1]; one >= 0 && one < CPU_SETSIZE && left > 0; ++one, --left)
      CPU_SET(one, &set);
  return set;
}

void bind_here(const std::int16_t (&cpu)[4]) noexcept {
  const cpu_set_t set = processors_of(cpu);
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set);
}

}  // namespace armilla::detail
