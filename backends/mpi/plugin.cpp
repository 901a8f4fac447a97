// SPDX-License-Identifier: Apache-2.0
#include "armilla/plugin.hpp"

#include <climits>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "backends/mpi/launched.hpp"
#include "backends/mpi/mpi_network.hpp"

namespace armilla::mpi {
namespace {

void say(const std::string& text, char* why, std::size_t room) { std::snprintf(why, room, "%s", text.c_str()); }

detail::bootstrap* join(char* why, std::size_t room) try {
  const started s = start(false);  // what rank 0 has set is not known yet
  if (!s.error.empty()) return say(s.error, why, room), nullptr;
  auto job = std::make_unique<launched_job>(s);
  if (job->error()[0] != '\0') return say(job->error(), why, room), nullptr;
  return job.release();
} catch (const std::exception& e) { return say(e.what(), why, room), nullptr; }

detail::network* open(rank_t rank, rank_t ranks, const detail::network_settings& settings, detail::bootstrap* from_here,
                      char* why, std::size_t room) try {
  if (settings.frame_bytes < 64 || settings.frame_bytes > INT_MAX || settings.receives < 2)
    return say("MPI: frames of " + std::to_string(settings.frame_bytes) + " bytes and " + std::to_string(settings.receives) +
                   " receives: at least 64 bytes and 2 receives are needed",
               why, room),
           nullptr;
  // The bootstrap that joined by MPI has begun it and ends it; if another brought the ranks together, MPI is begun here.
  const auto* const joined = static_cast<const launched_job*>(from_here);
  const started s = start(settings.one_thread, joined != nullptr && joined->ours());
  if (!s.error.empty()) return say(s.error, why, room), nullptr;
  if (s.rank != rank || s.ranks != ranks)
    return say("MPI calls this rank " + std::to_string(s.rank) + " of " + std::to_string(s.ranks) + ", its launcher " +
                   std::to_string(rank) + " of " + std::to_string(ranks) + ": start all ranks by one launcher that MPI knows",
               why, room),
           nullptr;
  return std::make_unique<mpi_network>(s, settings).release();
} catch (const std::exception& e) { return say(e.what(), why, room), nullptr; }

const char* engine() {
  static const std::string name = library_name();
  return name.c_str();
}

constexpr detail::plugin description{detail::plugin::good_version, "MPI", engine, false, join, open};

}  // namespace
}  // namespace armilla::mpi

extern "C" __attribute__((visibility("default"))) const armilla::detail::plugin* armilla_plugin() {
  return &armilla::mpi::description;
}
