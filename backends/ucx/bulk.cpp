// SPDX-License-Identifier: Apache-2.0
#include "backends/ucx/ucx_network.hpp"

namespace armilla::detail {

// Tagged messages go by rendezvous where they are long: into the receiver's memory, without a copy between.

ucx_network::transfer& ucx_network::fresh_transfer(rank_t with, std::size_t bytes, bool receives) {
  transfer* what = free_transfers_;
  if (what != nullptr) {
    free_transfers_ = what->next;
  } else {
    what = &transfers_.emplace_back();
  }
  *what = transfer{this, nullptr, with, peers_[static_cast<std::size_t>(with)].life, receives, true, bytes, nullptr};
  return *what;
}

std::uintptr_t ucx_network::begun(transfer& what, ucs_status_ptr_t request) {
  if (UCS_PTR_IS_ERR(request)) {
    what.active = false;
    broken(what.with, what.life, UCS_PTR_STATUS(request));
  } else if (request == nullptr) {
    what.active = false;
  } else {
    what.request = request;
  }
  return reinterpret_cast<std::uintptr_t>(&what);
}

std::uintptr_t ucx_network::send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) {
  transfer& what = fresh_transfer(to, bytes, false);
  ucp_ep_h endpoint = endpoint_of(to);
  if (endpoint == nullptr) return begun(what, nullptr);  // lost
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.cb.send = on_bulk_sent;
  how.user_data = &what;
  return begun(what,
               ucp_tag_send_nbx(endpoint, data, bytes,
                                ucx_tag(peers_[static_cast<std::size_t>(to)].key, static_cast<std::uint32_t>(rank_), id), &how));
}

std::uintptr_t ucx_network::receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) {
  transfer& what = fresh_transfer(from, bytes, true);
  // The answer of a rendezvous goes over the endpoint that UCX makes for the request; nothing to connect here.
  if (peers_[static_cast<std::size_t>(from)].lost) return begun(what, nullptr);
  ucp_request_param_t how{};
  // No immediate completion: the length that came is told to the callback alone.
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  how.cb.recv = on_bulk_received;
  how.user_data = &what;
  return begun(what, ucp_tag_recv_nbx(worker_, data, bytes, ucx_tag(pair_key(from), static_cast<std::uint32_t>(from), id),
                                      ~std::uint64_t{0}, &how));
}

bool ucx_network::done(std::uintptr_t number) {
  auto* what = reinterpret_cast<transfer*>(number);
  if (what->active) return false;
  if (what->request != nullptr && worker_ != nullptr) ucp_request_free(what->request);
  what->request = nullptr;
  what->next = free_transfers_;
  free_transfers_ = what;
  return true;
}

/// Only what is received can be taken back; what is sent ends when UCX gives its endpoint up.
void ucx_network::cancel(transfer& what) {
  if (what.active && what.receives && what.request != nullptr) ucp_request_cancel(worker_, what.request);
}

// The callbacks may run before the call that began the transfer has returned: the request is freed when `done` is told.

void ucx_network::on_bulk_sent(void*, ucs_status_t status, void* transfer_) {
  auto* what = static_cast<transfer*>(transfer_);
  what->active = false;
  if (status != UCS_OK) what->owner->broken(what->with, what->life, status);
}

void ucx_network::on_bulk_received(void*, ucs_status_t status, const ucp_tag_recv_info_t* info, void* transfer_) {
  auto* what = static_cast<transfer*>(transfer_);
  what->active = false;
  if (status == UCS_OK && info->length != what->bytes) status = UCS_ERR_MESSAGE_TRUNCATED;
  if (status != UCS_OK) what->owner->broken(what->with, what->life, status);
}

}  // namespace armilla::detail
