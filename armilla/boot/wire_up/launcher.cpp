// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launcher.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/boot/wire_up/join_job.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t most_environment = 8 << 20;

bool set(const char* variable) noexcept { return std::getenv(variable) != nullptr; }

// What the kernel gave this process: setenv changes other memory. Empty where there is no /proc.
const std::string& environment_at_start() {
  static const std::string all = [] {
    std::string wrong;
    return read_small_file("/proc/self/environ", most_environment, wrong).value_or("");
  }();
  return all;
}

bool holds(const std::string& environment, std::string_view name) {
  const std::string entry = '\0' + std::string(name) + '=';
  return environment.starts_with(std::string_view(entry).substr(1)) || environment.find(entry) != environment.npos;
}

int number(const char* variable) noexcept {
  const char* const text = std::getenv(variable);
  const long n = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  return n > 0 && n < INT_MAX ? int(n) : 0;
}

}  // namespace

launcher find_launcher() {
  if (started_as_rank()) return {launcher_kind::own, 0, "armilla-run"};
  return find_launcher(environment_at_start());
}

bool is_own_sign(std::string_view name) {
  // Parameters (MCA) may be the program's; a few say where a launcher is.
  constexpr std::string_view kins[] = {"OMPI_", "PMIX_", "PMI_", "PRTE_"}, of_launchers[] = {"orte", "ess", "pmix"};
  const auto has = [&](const auto& some, std::string_view text) {
    return std::ranges::any_of(some, [&](std::string_view one) { return text.starts_with(one); });
  };
  constexpr std::string_view parameter = "_MCA_";
  const std::size_t at = name.find(parameter);
  const bool tells = has(kins, name) && (at == name.npos || has(of_launchers, name.substr(at + parameter.size())));
  return tells && !environment_at_start().empty() && !holds(environment_at_start(), name);
}

launcher find_launcher(const std::string& at_start) {
  const auto came = [&](const char* variable) { return set(variable) && (at_start.empty() || holds(at_start, variable)); };
  if (started_as_rank()) return {launcher_kind::own, 0, "armilla-run"};
  if (set(line_variable)) return {launcher_kind::agent, 0, "armilla-run"};
  if (set(joined_variable)) return {};  // a rank started this process: what is set was meant for that one
  if (came("OMPI_COMM_WORLD_RANK")) return {launcher_kind::open_mpi, number("OMPI_COMM_WORLD_SIZE"), "mpirun of Open MPI"};
  const bool step = set("SLURM_STEP_ID") && set("SLURM_PROCID");
  if (came("PMIX_RANK") && came("PMIX_NAMESPACE"))
    return {launcher_kind::pmix, step ? number("SLURM_STEP_NUM_TASKS") : 0, step ? "srun" : "a launcher that speaks PMIx"};
  if (came("PMI_RANK") || (came("PMI_FD") && came("PMI_SIZE")))
    return {launcher_kind::mpich, number("PMI_SIZE"), step ? "srun" : "mpirun of MPICH"};
  if (step) return {launcher_kind::slurm, number("SLURM_STEP_NUM_TASKS"), "srun"};
  return {};
}

}  // namespace armilla::detail
