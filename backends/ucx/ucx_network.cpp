// SPDX-License-Identifier: Apache-2.0
#include "backends/ucx/ucx_network.hpp"

#include <sched.h>

#include <cstring>

namespace armilla::detail {

namespace {
using namespace std::chrono_literals;
constexpr std::chrono::milliseconds connects_within = 10s;  // else some connect later, by their first frame
}  // namespace

// ---- connections ----

ucx_address_head ucx_network::head_of(const std::byte* address) noexcept {
  ucx_address_head head;
  std::memcpy(&head, address, sizeof head);
  return head;
}

ucp_ep_h ucx_network::connect(rank_t to) {
  peer& other = peers_[static_cast<std::size_t>(to)];
  if (other.lost || finished_) return nullptr;
  const std::byte* place = address_of(to);
  const ucx_address_head head = head_of(place);
  if (pair_key(to) == 0) return nullptr;
  bool reports_errors = !near(head);
  connection& mine = connections_.emplace_back(connection{this, to, other.life, reports_errors, nullptr});
  ucp_ep_params_t how{};
  how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  how.address = reinterpret_cast<const ucp_address_t*>(place + sizeof head);
  how.err_mode = reports_errors ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE;
  how.err_handler.cb = on_error;
  how.err_handler.arg = &mine;
  ucs_status_t status = ucp_ep_create(worker_, &how, &mine.endpoint);
  if (status == UCS_OK) return other.endpoint = mine.endpoint;
  connections_.pop_back();
  broken(to, other.life, status);
  return nullptr;
}

void ucx_network::greet(rank_t to) {
  alignas(8) static constexpr std::byte nothing[most_short] = {};
  const peer& other = peers_[static_cast<std::size_t>(to)];
  if (other.endpoint == nullptr) return;  // lost by the frame before it
  prefix& front = greetings_[static_cast<std::size_t>(to)] = {static_cast<std::uint32_t>(rank_), 0, other.key};
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK;
  how.flags = UCP_AM_SEND_FLAG_EAGER;
  how.cb.send = [](void* request, ucs_status_t, void*) { ucp_request_free(request); };
  // One that finds no way may be forgotten: the next frame tells.
  static_cast<void>(ucp_am_send_nbx(other.endpoint, greeting, &front, sizeof front, nothing, sizeof nothing, &how));
}

ucs_status_t ucx_network::on_greeting(void* self_, const void* header, std::size_t header_length, void*, std::size_t,
                                      const ucp_am_recv_param_t*) {
  auto& self = *static_cast<ucx_network*>(self_);
  prefix front{};
  if (header_length != sizeof front) return UCS_OK;
  std::memcpy(&front, header, sizeof front);
  if (front.key != 0 && front.source < static_cast<std::uint32_t>(self.ranks_) &&
      front.key == self.pair_key(static_cast<rank_t>(front.source)))
    self.peers_[front.source].greeted_us = true;
  return UCS_OK;
}

void ucx_network::set_addresses(const std::byte* all) {
  addresses_ = all;
  unsigned major = 0, minor = 0, release = 0;
  ucp_get_version(&major, &minor, &release);
  // Before 1.14 UCX aborts a rank whose answer to one that wants to connect finds that one dead. So none is left to connect.
  if (goes_on_ && !new_rank_ && (major < 1 || (major == 1 && minor < 14))) connect_all();
}

/// A greeting comes when its sender's connection is there. Behind the last one nothing is left that a peer waits for.
void ucx_network::connect_all() {
  const auto is_far = [this](rank_t r) { return r != rank_ && !near(head_of(address_of(r))) && pair_key(r) != 0; };
  const auto waits_for = [&](rank_t r) {
    return is_far(r) && !peers_[std::size_t(r)].lost && !peers_[std::size_t(r)].greeted_us;
  };
  for (rank_t r = 0; r < ranks_; ++r)
    if (is_far(r) && endpoint_of(r) != nullptr) greet(r);
  progress_for(connects_within, [&, r = rank_t{0}]() mutable {
    while (r < ranks_ && !waits_for(r)) ++r;
    return r == ranks_;
  });
  flush();
}

// ---- loss ----

void ucx_network::on_error(void* arg, ucp_ep_h, ucs_status_t status) {
  auto* mine = static_cast<connection*>(arg);
  mine->owner->broken(mine->rank, mine->life, status);
}

void ucx_network::broken(rank_t rank, std::uint32_t life, ucs_status_t status) {
  peer& other = peers_[static_cast<std::size_t>(rank)];
  if (other.lost || other.life != life || finished_) return;
  other.lost = true;
  other.endpoint = nullptr;  // closed at the end: this may be called while UCX uses it
  bool cut = status == UCS_ERR_ENDPOINT_TIMEOUT || status == UCS_ERR_CONNECTION_RESET;
  losses_.push_back({rank, cut ? "the connection broke" : ucs_status_string(status)});
}

void ucx_network::give_up(rank_t rank) {
  peer& other = peers_[static_cast<std::size_t>(rank)];
  if (finished_ || worker_ == nullptr) return;
  other.lost = true;
  other.endpoint = nullptr;  // closed at the end, which ends what is still to be sent
  for (transfer& each : transfers_)
    if (each.with == rank) cancel(each);
}

std::uint64_t ucx_network::find_key(rank_t r) noexcept {
  if (addresses_ == nullptr) return 0;
  peer& other = peers_[static_cast<std::size_t>(r)];
  const std::uint64_t theirs = head_of(address_of(r)).key;
  if (theirs != 0 && (theirs ^ key_) != other.gone) other.key = theirs ^ key_;
  return other.key;
}

void ucx_network::expect(rank_t rank) {
  give_up(rank);
  const auto is_of = [rank](const came& one) { return static_cast<rank_t>(one.source()) == rank; };
  std::uint64_t kept = head_;
  for (std::uint64_t i = head_; i != tail_; ++i) {
    const came one = arrivals_[i & (arrivals_.size() - 1)];
    is_of(one) ? release(one.token()) : void(arrivals_[kept++ & (arrivals_.size() - 1)] = one);
  }
  tail_ = kept;
  std::erase_if(early_, [&](const early_frame& one) { return is_of(one.what) && (release(one.what.token()), true); });
  peer& other = peers_[static_cast<std::size_t>(rank)];
  const std::uint32_t life = other.life + 1;
  const std::uint64_t before = head_of(address_of(rank)).key;
  other = {};
  other.life = life;
  other.gone = before != 0 ? before ^ key_ : 0;
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

ucs_log_func_rc_t keep_to_errors(const char*, unsigned, const char*, ucs_log_level_t level, const ucs_log_component_config_t*,
                                 const char*, va_list) {
  return level <= UCS_LOG_LEVEL_ERROR ? UCS_LOG_FUNC_RC_CONTINUE : UCS_LOG_FUNC_RC_STOP;
}

void ucx_network::finish() {
  if (finished_) return;
  sysv_.reset();
  finished_ = true;  // what comes from here on is dropped
  for (; head_ != tail_; ++head_) release(arrivals_[head_ & (arrivals_.size() - 1)].token());
  for (const early_frame& each : early_) release(each.what.token());
  early_.clear();
  for (transfer& each : transfers_) cancel(each);
  if (worker_ != nullptr) {
    // What UCX has to say about requests that are not waited for any more is dropped.
    ucs_log_push_handler(keep_to_errors);
    flush();
    close_connections();
    for (transfer& each : transfers_) {
      if (!each.active && each.request != nullptr) ucp_request_free(each.request);
      each.request = nullptr;
    }
    ucp_worker_destroy(worker_);
    ucs_log_pop_handler();
    worker_ = nullptr;
  }
  if (context_ != nullptr) ucp_cleanup(context_);
  context_ = nullptr;
}

/// The others need nothing of us any more but, perhaps, the last bytes in our queues.
void ucx_network::flush() {
  ucp_request_param_t how{};
  wait_a_little(ucp_worker_flush_nbx(worker_, &how));
}

/// By force, which ends what is under way; UCX insists on that before the worker goes. Where it allows no force, the worker
/// takes the endpoints along: closing them would wait for ranks that may have gone.
void ucx_network::close_connections() {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  how.flags = UCP_EP_CLOSE_FLAG_FORCE;
  for (connection& each : connections_) {
    if (each.reports_errors) wait_a_little(ucp_ep_close_nbx(each.endpoint, &how));
  }
}

/// Others may be gone already, and a flush to one that is gone ends late or never: hence the limit.
void ucx_network::wait_a_little(ucs_status_ptr_t request) {
  if (!UCS_PTR_IS_PTR(request)) return;
  progress_for(100ms, [request] { return ucp_request_check_status(request) != UCS_INPROGRESS; });
  ucp_request_free(request);
}

template <class Condition>
void ucx_network::progress_for(std::chrono::milliseconds limit, Condition is_met) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!is_met() && std::chrono::steady_clock::now() < until)
    if (ucp_worker_progress(worker_) == 0) sched_yield();
}

ucx_network::~ucx_network() { finish(); }

}  // namespace armilla::detail
