// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/pin.hpp"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

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

std::vector<place> places_to_run(const machine& here, rank_t ranks, pin_kind how) {
  std::vector<place> result(std::size_t(ranks), place{});
  if (how == pin_kind::none) return result;
  for (std::size_t r = 0; r < result.size(); ++r) result[r] = here.cores[r % here.cores.size()];
  return result;
}

void bind_here(const std::int16_t (&cpu)[4]) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int one : cpu)
    if (one >= 0 && one < CPU_SETSIZE) CPU_SET(one, &set);
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set);
}

}  // namespace armilla::detail
