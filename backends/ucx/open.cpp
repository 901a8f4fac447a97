// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <signal.h>
#include <sys/random.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <ucs/debug/debug.h>

#include "backends/ucx/ucx_network.hpp"

namespace armilla::detail {
namespace {

/// libucs catches crashes from the moment it is loaded, prints frames of its own and hides them from earlier handlers.
void give_back_signals() {
  if (std::getenv("UCX_HANDLE_ERRORS") != nullptr) return;  // the user wants it so
  Dl_info ucs{};
  if (dladdr(reinterpret_cast<void*>(&ucs_debug_disable_signal), &ucs) == 0) return;
  for (int signal : {SIGILL, SIGSEGV, SIGBUS, SIGFPE}) {
    struct sigaction now{};
    Dl_info owner{};
    if (sigaction(signal, nullptr, &now) != 0 || dladdr(reinterpret_cast<void*>(now.sa_handler), &owner) == 0) continue;
    if (owner.dli_fbase == ucs.dli_fbase) ucs_debug_disable_signal(signal);
  }
}

bool refuse(char* why, std::size_t room, const char* what, ucs_status_t status, const ucx_transports& transports) {
  std::snprintf(why, room, "UCX %s, %s: %s: %s; check the interfaces named for it and UCX_TLS", ucp_get_version_string(),
                transports.text().c_str(), what, ucs_status_string(status));
  return false;
}

/// UCX makes receives for shared memory in heaps of 512 and touches a page of each, 2 MiB for each of its two kinds; an eighth
/// does. It reads such options from the environment alone, while a worker is made, and complains about those for what it does not
/// use. A number in the environment holds.
class fewer_receives {
 public:
  explicit fewer_receives(const ucx_transports& used)
      : posix_(used.posix && set("UCX_POSIX_RX_BUFS_GROW")), sysv_(used.sysv && set("UCX_SYSV_RX_BUFS_GROW")) {}
  ~fewer_receives() {
    if (posix_) unsetenv("UCX_POSIX_RX_BUFS_GROW");
    if (sysv_) unsetenv("UCX_SYSV_RX_BUFS_GROW");
  }
  fewer_receives(const fewer_receives&) = delete;

 private:
  static bool set(const char* name) { return std::getenv(name) == nullptr && setenv(name, "64", 0) == 0; }

  bool posix_, sysv_;
};

/// UCX warns of devices that it is to use and cannot, as adapters without its module for them.
class fewer_warnings {
 public:
  explicit fewer_warnings(bool wanted) : wanted_(wanted) {
    if (wanted_) ucs_log_push_handler(keep_to_errors);
  }
  ~fewer_warnings() {
    if (wanted_) ucs_log_pop_handler();
  }
  fewer_warnings(const fewer_warnings&) = delete;

 private:
  bool wanted_;
};

}  // namespace

ucx_network::ucx_network(rank_t rank, rank_t ranks, const network_settings& settings)
    : rank_(rank),
      ranks_(ranks),
      goes_on_(settings.goes_on),
      new_rank_(settings.new_rank),
      greetings_(static_cast<std::size_t>(ranks)),
      most_(settings.frame_bytes),
      held_at_most_(settings.receives > 2 ? settings.receives - 1 : 1),
      arrivals_(64),
      peers_(static_cast<std::size_t>(ranks)),
      host_(this_host()) {
  how_to_send_.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  how_to_send_.cb.send = on_sent;
  how_to_send_.flags = UCP_AM_SEND_FLAG_EAGER;
}

bool ucx_network::start(const ucx_transports& transports, char* why, std::size_t room) {
  shared_memory_ = transports.shared_memory;
  version_ = std::string("UCX ") + ucp_get_version_string() + ", " + transports.text();
  const fewer_receives meanwhile(transports);
  ucp_config_t* config = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return refuse(why, room, "the configuration cannot be read", status, transports);
  if (!transports.tls.empty()) status = ucp_config_modify(config, "TLS", transports.tls.c_str());
  if (status == UCS_OK && !transports.devices.empty())
    status = ucp_config_modify(config, "NET_DEVICES", transports.devices.c_str());
  if (status == UCS_OK) {
    ucp_params_t what{};
    what.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    what.features = UCP_FEATURE_AM | UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
    what.estimated_num_eps = static_cast<std::size_t>(ranks_);
    const fewer_warnings meanwhile_too(transports.guessed);
    status = ucp_init(&what, config, &context_);
  }
  ucp_config_release(config);
  if (status != UCS_OK) return refuse(why, room, "it does not start", status, transports);

  ucp_worker_params_t how{};
  how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_AM_ALIGNMENT;
  how.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  how.am_alignment = 8;
  if (status = ucp_worker_create(context_, &how, &worker_); status != UCS_OK) {
    return refuse(why, room, "there is no worker", status, transports);
  }
  status = set_handler(long_frame, UCP_AM_FLAG_WHOLE_MSG | UCP_AM_FLAG_PERSISTENT_DATA, on_frame);
  if (status == UCS_OK) status = set_handler(short_frame, UCP_AM_FLAG_WHOLE_MSG, on_short_frame);
  if (status == UCS_OK) status = set_handler(greeting, 0, on_greeting);
  if (status != UCS_OK) return refuse(why, room, "active messages", status, transports);
  if (shared_memory_ && transports.sysv) sysv_ = sysv_memory::open();
  if (ucp_worker_get_efd(worker_, &descriptor_) != UCS_OK) descriptor_ = -1;
  return take_address(why, room);
}

ucs_status_t ucx_network::set_handler(am_id id, unsigned flags, ucp_am_recv_callback_t handler) {
  ucp_am_handler_param_t what{};
  what.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB |
                    UCP_AM_HANDLER_PARAM_FIELD_ARG;
  what.id = id;
  what.flags = flags;
  what.cb = handler;
  what.arg = this;
  return ucp_worker_set_am_recv_handler(worker_, &what);
}

/// The address that others get: its head, what UCX says, zeros.
bool ucx_network::take_address(char* why, std::size_t room) {
  if (getrandom(&key_, sizeof key_, 0) != sizeof key_) {
    std::snprintf(why, room, "the system gives no random numbers for rank %d's key", rank_);
    return false;
  }
  ucp_address_t* address = nullptr;
  std::size_t length = 0;
  if (ucs_status_t status = ucp_worker_get_address(worker_, &address, &length); status != UCS_OK) {
    std::snprintf(why, room, "UCX tells no address: %s", ucs_status_string(status));
    return false;
  }
  const ucx_address_head head{length, {}, key_, host_};
  address_used_ = sizeof head + length;
  bool fits = sizeof head + length <= room_for_address;
  if (fits) {
    address_.resize(room_for_address);
    std::memcpy(address_.data(), &head, sizeof head);
    std::memcpy(address_.data() + sizeof head, address, length);
  } else {
    std::snprintf(why, room, "UCX's address of rank %d takes %zu bytes, more than %zu: name fewer interfaces", rank_, length,
                  room_for_address - sizeof head);
  }
  ucp_worker_release_address(worker_, address);
  return fits;
}

network* ucx_network::open(rank_t rank, rank_t ranks, const network_settings& settings, bootstrap*, char* why, std::size_t room) {
  if (room > 0) *why = '\0';
  give_back_signals();
  std::unique_ptr<ucx_network> made(new ucx_network(rank, ranks, settings));
  ucx_transports transports = ucx_transports::of(settings.interfaces);
  transports.keep_to(settings.listens_on);
  return made->start(transports, why, room) ? made.release() : nullptr;
}

namespace {
const char* engine() {
  static const std::string name = std::string("UCX ") + ucp_get_version_string();
  return name.c_str();
}

constexpr plugin description = {plugin::good_version, "UCX", engine, true, nullptr, ucx_network::open};
}  // namespace

}  // namespace armilla::detail

extern "C" __attribute__((visibility("default"))) const armilla::detail::plugin* armilla_plugin() {
  return &armilla::detail::description;
}
