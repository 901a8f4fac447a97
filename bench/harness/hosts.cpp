// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/hosts.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "bench/harness/arena.hpp"

// Set by the build.
#ifndef ARMILLA_BENCH_HOSTS
#define ARMILLA_BENCH_HOSTS ""
#endif

namespace bench {
namespace {

using arguments = std::vector<std::string>;

/// Both sides of a comparison are started alike; of a mixed job only the network between the hosts is forced.
arguments settings(worker_kind kind) {
  switch (kind) {
    case worker_kind::hosts_mpi: return {"ARMILLA_FABRIC=mpi"};
    case worker_kind::hosts_ucx: return {"ARMILLA_FABRIC=ucx"};
    case worker_kind::hosts_mixed_mpi: return {"ARMILLA_FABRIC=auto", "UCX_TLS=none", "UCX_LOG_LEVEL=fatal"};  // no UCX: MPI
    default: return {"ARMILLA_FABRIC=auto"};
  }
}

}  // namespace

std::string hosts_fixture() { return ARMILLA_BENCH_HOSTS; }

std::string no_hosts() {
  if (::geteuid() != 0) return "not root, who makes the hosts,";
  if (::access(hosts_fixture().c_str(), X_OK) != 0) return "no fixture of hosts";
  return "";
}

std::vector<std::string> command_on_hosts(const job_options& options, const std::string& folder, const std::string& door) {
  const std::string name = "bench-" + folder.substr(folder.rfind('-') + 1), each = std::to_string(options.ranks / 2);
  arguments words = {hosts_fixture(), "with", "2", "--name", name, "--", hosts_fixture()};
  if (options.kind == worker_kind::hosts_mpi || options.kind == worker_kind::hosts_mixed_mpi)
    words.insert(words.end(), {"mpirun", "openmpi", "-n", std::to_string(options.ranks), "--mca", "mpi_yield_when_idle",
                               options.ranks > cores() ? "1" : "0"});
  else
    words.insert(words.end(), {"run", "h1", own_folder() + "armilla-run", "--hosts", "h1:" + each + ",h2:" + each, "--rsh",
                               hosts_fixture().substr(0, hosts_fixture().rfind('/') + 1) + "host-rsh"});
  words.insert(words.end(), {"env", "ARMILLA_PIN=none"});          // the hosts share the cores
  if (options.ranks > cores()) words.push_back("ARMILLA_SPIN=0");  // which no rank can see: as mpi_yield_when_idle
  const arguments how = settings(options.kind);
  words.insert(words.end(), how.begin(), how.end());
  words.insert(words.end(), {own_folder() + "armilla-bench", "--worker=armilla", door});
  return words;
}

temporary_folder::temporary_folder() {
  if (::mkdtemp(name_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "a folder in /tmp");
}

temporary_folder::~temporary_folder() { ::rmdir(name_.c_str()); }

}  // namespace bench
