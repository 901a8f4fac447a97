// SPDX-License-Identifier: Apache-2.0
#include "backends/pmix/pmix_bootstrap.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace armilla::detail {

namespace {

// PMIx hands its handlers no argument of their owner, so what they need is global.
std::atomic<int> other_end = -1;

void on_lost_server(std::size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t*, std::size_t, pmix_info_t*, std::size_t,
                    pmix_event_notification_cbfunc_fn_t done, void* with) {
  if (const int end = other_end.exchange(-1); end >= 0) close(end);
  if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, with);
}

}  // namespace

pmix_bootstrap::pmix_bootstrap(const pmix_proc_t& self, rank_t ranks) : self_(self), ranks_(ranks), name_(pmix_launcher_name()) {
  int ends[2];
  pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  lifeline_ = ends[0];
  other_end = ends[1];
  PMIx_Register_event_handler(&lost, 1, nullptr, 0, on_lost_server, nullptr, nullptr);
}

bool pmix_bootstrap::exchange(const void* mine, void* all, std::size_t bytes) {
  if (bytes == 0) return meet();
  char key[PMIX_MAX_KEYLEN + 1];
  std::snprintf(key, sizeof key, "armilla.%llu", static_cast<unsigned long long>(exchanges_++));
  if (!publish(key, mine, bytes) || !fence(true, "the exchange of addresses")) return false;
  for (rank_t from = 0; from < ranks_; ++from) {
    std::byte* place = static_cast<std::byte*>(all) + static_cast<std::size_t>(from) * bytes;
    if (from == rank()) {
      std::memcpy(place, mine, bytes);
    } else if (!fetch(key, static_cast<pmix_rank_t>(from), place, bytes)) {
      return false;
    }
  }
  return true;
}

bool pmix_bootstrap::publish(const char* key, const void* data, std::size_t bytes) {
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = static_cast<char*>(const_cast<void*>(data));  // PMIx_Put copies and does not write
  value.data.bo.size = bytes;
  if (pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key, &value); status != PMIX_SUCCESS) return failed("PMIx_Put", status);
  if (pmix_status_t status = PMIx_Commit(); status != PMIX_SUCCESS) return failed("PMIx_Commit", status);
  return true;
}

bool pmix_bootstrap::fetch(const char* key, pmix_rank_t from, void* data, std::size_t bytes) {
  pmix_proc_t other = self_;
  other.rank = from;
  pmix_value_t* value = nullptr;
  if (pmix_status_t status = PMIx_Get(&other, key, nullptr, 0, &value); status != PMIX_SUCCESS) {
    return failed(("PMIx_Get of what rank " + std::to_string(from) + " gave").c_str(), status);
  }
  bool good = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == bytes;
  if (good) {
    std::memcpy(data, value->data.bo.bytes, bytes);
  } else {
    error_ = "rank " + std::to_string(from) + " gave other than the " + std::to_string(bytes) +
             " bytes that were due: start all ranks from the same version of Armilla";
  }
  PMIX_VALUE_RELEASE(value);
  return good;
}

bool pmix_bootstrap::fence(bool collect, const char* what) {
  pmix_proc_t everybody = self_;
  everybody.rank = PMIX_RANK_WILDCARD;
  pmix_info_t info;
  PMIX_INFO_CONSTRUCT(&info);
  PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
  pmix_status_t status = PMIx_Fence(&everybody, 1, &info, 1);
  PMIX_INFO_DESTRUCT(&info);
  return status == PMIX_SUCCESS || failed((std::string("PMIx_Fence for ") + what).c_str(), status);
}

bool pmix_bootstrap::failed(const char* what, pmix_status_t status) {
  error_ = std::string(what) + " at rank " + std::to_string(rank()) + " of " + std::to_string(ranks_) + ": " +
           PMIx_Error_string(status) + "; the launcher or another rank may have ended";
  return false;
}

void pmix_bootstrap::abort(int code) {
  // No processes named: all of the job. The launcher says which rank it was. Open MPI's mpirun ends a job by itself when a
  // process ends with a code, and version 4.1 may crash or hang when it is asked by PMIx while others are in a fence.
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) PMIx_Abort(code, "", nullptr, 0);
  _exit(code);
}

void pmix_bootstrap::finish() {
  if (finished_) return;
  finished_ = true;
  // Another user of PMIx_Init in this process (an MPI) keeps its client: it is counted.
  PMIx_Finalize(nullptr, 0);
}

std::string pmix_launcher_name() {
  // "OpenPMIx 4.2.2rc2 (PMIx Standard: ...)" and the like: the first word with a digit in front is the version.
  std::string version = "PMIx";
  if (const char* text = PMIx_Get_version()) {
    const char* from = std::strpbrk(text, "0123456789");
    if (from != nullptr) version += " " + std::string(from, std::strspn(from, "0123456789."));
  }
  const char* launcher = "launcher";
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PRTE_LAUNCHED") != nullptr) {
    launcher = "mpirun";
  } else if (std::getenv("SLURM_STEP_ID") != nullptr) {
    launcher = "srun";
  }
  return version + " (" + launcher + ")";
}

}  // namespace armilla::detail
