// SPDX-License-Identifier: Apache-2.0
#include "backends/ucx/ucx_network.hpp"

#include <chrono>

namespace armilla::detail {

// ---- connections ----

ucp_ep_h ucx_network::endpoint_of(rank_t to) {
  ucp_ep_h endpoint = peers_[static_cast<std::size_t>(to)].endpoint;
  return endpoint != nullptr ? endpoint : connect(to);
}

ucp_ep_h ucx_network::connect(rank_t to) {
  peer& other = peers_[static_cast<std::size_t>(to)];
  if (other.lost || finished_) return nullptr;
  const std::byte* place = addresses_ + static_cast<std::size_t>(to) * room_for_address;
  host_mark host;
  std::memcpy(&host, place + sizeof(std::uint64_t), sizeof host);
  connection& mine = connections_.emplace_back(connection{this, to});
  ucp_ep_params_t how{};
  how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  how.address = reinterpret_cast<const ucp_address_t*>(place + sizeof(std::uint64_t) + sizeof host);
  // Both sides decide alike: the marks are the same, and so are the settings.
  how.err_mode = shared_memory_ && host == host_ ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  how.err_handler.cb = on_error;
  how.err_handler.arg = &mine;
  ucs_status_t status = ucp_ep_create(worker_, &how, &other.endpoint);
  if (status == UCS_OK) return other.endpoint;
  other.endpoint = nullptr;
  broken(to, status);
  return nullptr;
}

// ---- loss ----

void ucx_network::on_error(void* arg, ucp_ep_h, ucs_status_t status) {
  auto* mine = static_cast<connection*>(arg);
  mine->owner->broken(mine->rank, status);
}

void ucx_network::broken(rank_t rank, ucs_status_t status) {
  peer& other = peers_[static_cast<std::size_t>(rank)];
  if (other.lost || finished_) return;
  other.lost = true;
  other.endpoint = nullptr;  // UCX keeps it until the worker goes
  losses_.push_back({rank, ucs_status_string(status)});
}

network::loss ucx_network::lost() {
  if (losses_.empty()) return {};
  loss what = losses_.back();
  losses_.pop_back();
  // Nothing comes from it any more. UCX ends what goes to it, but not what would have come.
  for (transfer& each : transfers_) {
    if (each.active && each.receives && each.with == what.rank && each.request != nullptr)
      ucp_request_cancel(worker_, each.request);
  }
  return what;
}

// ---- sleep ----

bool ucx_network::arm() { return head_ == tail_ && descriptor_ >= 0 && ucp_worker_arm(worker_) == UCS_OK; }

// ---- the end ----

void ucx_network::finish() {
  if (finished_) return;
  finished_ = true;
  // The others need nothing of us any more but, perhaps, the last bytes in our queues. They may be gone already, and a flush to
  // one that is gone ends late or never: hence the limit.
  ucp_request_param_t how{};
  ucs_status_ptr_t flush = ucp_worker_flush_nbx(worker_, &how);
  auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  if (UCS_PTR_IS_PTR(flush)) {
    while (ucp_request_check_status(flush) == UCS_INPROGRESS && std::chrono::steady_clock::now() < limit) {
      ucp_worker_progress(worker_);
    }
    ucp_request_free(flush);
  }
  ucp_worker_destroy(worker_);
  worker_ = nullptr;
  ucp_cleanup(context_);
  context_ = nullptr;
}

ucx_network::~ucx_network() {
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

}  // namespace armilla::detail
