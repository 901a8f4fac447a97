// SPDX-License-Identifier: Apache-2.0
// What the backend is measured against: active messages and tagged messages of UCX, written straight down.
#include <pmix.h>
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <ucp/api/ucp.h>

#include "backends/conformance/figures.hpp"

namespace {

using conformance::figures;
using conformance::measured_work;

class by_hand {
 public:
  explicit by_hand(const measured_work& w) : w_(w), out_(w.longest), room_(under_way * w.bulk_bytes, 1) {
    ucp_params_t what{};
    what.field_mask = UCP_PARAM_FIELD_FEATURES;
    what.features = UCP_FEATURE_AM | UCP_FEATURE_TAG;
    ucp_init(&what, nullptr, &context_);
    ucp_worker_params_t how{};
    how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    how.thread_mode = UCS_THREAD_MODE_SINGLE;
    ucp_worker_create(context_, &how, &worker_);
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.cb = on_frame;
    handler.arg = this;
    ucp_worker_set_am_recv_handler(worker_, &handler);
    connect();
  }
  ~by_hand() {
    meet();
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
    PMIx_Finalize(nullptr, 0);
  }

  void send() {
    ucp_request_param_t how{};
    wait(ucp_am_send_nbx(endpoint_, 0, nullptr, 0, out_.data(), w_.frame_bytes, &how));
  }
  void receive() {
    for (int tries = 0; came_ == taken_; ++tries) {
      look();
      if (tries > 2000) sched_yield();
    }
    ++taken_;
  }
  void look() { ucp_worker_progress(worker_); }
  void bulk() {
    void* request[under_way] = {};
    ucp_request_param_t how{};
    for (int i = 0; i < w_.bulks + under_way; ++i) {
      void*& r = request[i % under_way];
      wait(r);
      r = nullptr;
      if (i >= w_.bulks) continue;
      char* at = room_.data() + std::size_t(i % under_way) * w_.bulk_bytes;
      r = w_.rank == 0 ? ucp_tag_send_nbx(endpoint_, at, w_.bulk_bytes, std::uint64_t(i), &how)
                       : ucp_tag_recv_nbx(worker_, at, w_.bulk_bytes, std::uint64_t(i), ~std::uint64_t{0}, &how);
    }
  }

 private:
  static constexpr int under_way = 4;

  void connect() {
    ucp_address_t* address = nullptr;
    std::size_t length = 0;
    ucp_worker_get_address(worker_, &address, &length);
    PMIx_Init(&self_, nullptr, 0);
    static int uses = 0;
    const std::string key = "plain." + std::to_string(uses++);
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = reinterpret_cast<char*>(address);
    value.data.bo.size = length;
    PMIx_Put(PMIX_GLOBAL, key.c_str(), &value);
    PMIx_Commit();
    meet();
    ucp_worker_release_address(worker_, address);
    pmix_proc_t other = self_;
    other.rank = 1 - self_.rank;
    pmix_value_t* theirs = nullptr;
    PMIx_Get(&other, key.c_str(), nullptr, 0, &theirs);
    ucp_ep_params_t how{};
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    how.address = reinterpret_cast<const ucp_address_t*>(theirs->data.bo.bytes);
    ucp_ep_create(worker_, &how, &endpoint_);
    PMIX_VALUE_RELEASE(theirs);
  }
  void meet() {
    const bool collect = true;
    pmix_proc_t everybody = self_;
    everybody.rank = PMIX_RANK_WILDCARD;
    pmix_info_t info;
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    PMIx_Fence(&everybody, 1, &info, 1);
  }

  static ucs_status_t on_frame(void* self, const void*, std::size_t, void* data, std::size_t, const ucp_am_recv_param_t*) {
    auto* mine = static_cast<by_hand*>(self);
    std::memcpy(mine->out_.data(), data, 8);
    ++mine->came_;
    return UCS_OK;
  }
  void wait(void* request) {
    if (!UCS_PTR_IS_PTR(request)) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_);
    ucp_request_free(request);
  }

  const measured_work& w_;
  std::vector<char> out_;
  std::vector<char> room_;
  pmix_proc_t self_{};
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  std::uint64_t came_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void armilla_measure(const measured_work& work, figures& measured) {
  by_hand side(work);
  measured = conformance::measure(side, work);
}
