// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

#include "armilla/plugin.hpp"
#include "backends/pmix/pmix_bootstrap.hpp"

namespace armilla::detail {
namespace {

/// The number of ranks of the whole job: all programs that one command has started.
pmix_status_t job_size(const pmix_proc_t& self, std::uint32_t& size) {
  pmix_proc_t job = self;
  job.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* value = nullptr;
  pmix_status_t status = PMIx_Get(&job, PMIX_JOB_SIZE, nullptr, 0, &value);
  if (status != PMIX_SUCCESS) return status;
  status = value->type == PMIX_UINT32 ? PMIX_SUCCESS : PMIX_ERR_TYPE_MISMATCH;
  if (status == PMIX_SUCCESS) size = value->data.uint32;
  PMIX_VALUE_RELEASE(value);
  return status;
}

bootstrap* refuse(char* why, std::size_t room, const char* what, const char* reason) {
  std::snprintf(why, room, "%s: %s; look at the launcher's version of PMIx, or start the program by armilla-run", what, reason);
  PMIx_Finalize(nullptr, 0);
  return nullptr;
}

bootstrap* join(char* why, std::size_t room) {
  if (room > 0) *why = '\0';
  // The cheap two-way call first: PMIx_Init without a launcher looks around for a server of the machine's.
  if (std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr) return nullptr;
  pmix_proc_t self;
  PMIX_PROC_CONSTRUCT(&self);
  pmix_status_t status = PMIx_Init(&self, nullptr, 0);
  if (status == PMIX_ERR_UNREACH) return nullptr;  // the variables were inherited from a job that is not ours
  if (status != PMIX_SUCCESS) {
    std::snprintf(why, room, "PMIx_Init: %s; look at the launcher's version of PMIx, or start the program by armilla-run",
                  PMIx_Error_string(status));
    return nullptr;
  }
  std::uint32_t size = 0;
  status = job_size(self, size);
  if (status != PMIX_SUCCESS) return refuse(why, room, "PMIx does not tell the number of ranks", PMIx_Error_string(status));
  if (size == 0 || size > static_cast<std::uint32_t>(std::numeric_limits<rank_t>::max()) || self.rank >= size) {
    return refuse(why, room, "PMIx tells a rank that is not below the number of ranks", std::to_string(self.rank).c_str());
  }
  return new pmix_bootstrap(self, static_cast<rank_t>(size));
}

constexpr plugin description = {plugin::good_version, "PMIx", PMIx_Get_version, false, join, nullptr};

}  // namespace
}  // namespace armilla::detail

extern "C" __attribute__((visibility("default"))) const armilla::detail::plugin* armilla_plugin() {
  return &armilla::detail::description;
}
