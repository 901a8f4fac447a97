// SPDX-License-Identifier: Apache-2.0
// armilla-bench-ucx COORDINATOR: the worker of the rows written straight in UCX. Two ranks, which find each other in the arena.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include <ucp/api/ucp.h>

#include "bench/harness/worker.hpp"

namespace bench::ucx {
namespace {

constexpr std::size_t frame_bytes = 40;  // what a message of 8 bytes weighs with its heads

void must(ucs_status_t status, const char* call) {
  if (status != UCS_OK) throw std::runtime_error(std::string(call) + ": " + ucs_status_string(status));
}

class peer {
 public:
  explicit peer(row_context& c, std::uint64_t more_features = 0) {
    ucp_params_t what{};
    what.field_mask = UCP_PARAM_FIELD_FEATURES;
    what.features = UCP_FEATURE_AM | UCP_FEATURE_TAG | more_features;
    must(ucp_init(&what, nullptr, &context_), "ucp_init");
    ucp_worker_params_t how{};
    how.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    how.thread_mode = UCS_THREAD_MODE_SINGLE;
    must(ucp_worker_create(context_, &how, &worker_), "ucp_worker_create");
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.cb = on_frame;
    handler.arg = this;
    must(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
    connect(c);
  }
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer() {
    if (key_ != nullptr) ucp_rkey_destroy(key_);
    if (memory_ != nullptr) ucp_mem_unmap(context_, memory_);
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

  void send(std::uint64_t word) {
    std::memcpy(out_, &word, sizeof word);
    const ucp_request_param_t how{};
    wait(ucp_am_send_nbx(endpoint_, 0, nullptr, 0, out_, frame_bytes, &how));
  }
  std::uint64_t receive() {
    while (came_ == taken_) ucp_worker_progress(worker_);
    ++taken_;
    return last_;
  }
  void* start_send(void* data, std::size_t bytes, long number) {
    const ucp_request_param_t how{};
    return ucp_tag_send_nbx(endpoint_, data, bytes, std::uint64_t(number), &how);
  }
  void* start_receive(void* data, std::size_t bytes, long number) {
    const ucp_request_param_t how{};
    return ucp_tag_recv_nbx(worker_, data, bytes, std::uint64_t(number), ~std::uint64_t{0}, &how);
  }
  /// Lets the other rank reach memory of this one by a key, and learns that of the other.
  void expose(row_context& c, void* base, std::size_t bytes) {
    ucp_mem_map_params_t what{};
    what.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    what.address = base;
    what.length = bytes;
    must(ucp_mem_map(context_, &what, &memory_), "ucp_mem_map");
    void* key = nullptr;
    std::size_t length = 0;
    must(ucp_rkey_pack(context_, memory_, &key, &length), "ucp_rkey_pack");
    if (length > page - sizeof base) throw std::runtime_error("a key of UCX longer than a page");
    char* const mine = c.scratch<char>(std::size_t(c.rank) * page);
    c.sync();
    std::memcpy(mine, &base, sizeof base);
    std::memcpy(mine + sizeof base, key, length);
    ucp_rkey_buffer_release(key);
    c.sync();
    const char* const theirs = c.scratch<const char>(std::size_t(1 - c.rank) * page);
    std::memcpy(&there_, theirs, sizeof there_);
    must(ucp_ep_rkey_unpack(endpoint_, theirs + sizeof there_, &key_), "ucp_ep_rkey_unpack");
    c.sync();
  }
  void get(void* into, std::size_t bytes) {
    const ucp_request_param_t how{};
    wait(ucp_get_nbx(endpoint_, into, bytes, there_, key_, &how));
  }
  void wait(void* request) {
    if (!UCS_PTR_IS_PTR(request)) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_);
    ucp_request_free(request);
  }

 private:
  static constexpr std::size_t page = 4096;

  /// The scratch memory has a page for each rank's address.
  void connect(row_context& c) {
    ucp_address_t* address = nullptr;
    std::size_t length = 0;
    must(ucp_worker_get_address(worker_, &address, &length), "ucp_worker_get_address");
    if (length > page) throw std::runtime_error("an address of UCX longer than a page");
    std::memcpy(c.scratch<char>(std::size_t(c.rank) * page), address, length);
    ucp_worker_release_address(worker_, address);
    c.sync();
    ucp_ep_params_t how{};
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    how.address = c.scratch<const ucp_address_t>(std::size_t(1 - c.rank) * page);
    must(ucp_ep_create(worker_, &how, &endpoint_), "ucp_ep_create");
    c.sync();
  }

  static ucs_status_t on_frame(void* self, const void*, std::size_t, void* data, std::size_t, const ucp_am_recv_param_t*) {
    auto* mine = static_cast<peer*>(self);
    std::memcpy(&mine->last_, data, sizeof mine->last_);
    ++mine->came_;
    return UCS_OK;
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  ucp_mem_h memory_ = nullptr;
  ucp_rkey_h key_ = nullptr;  // of the other's memory, which begins there
  std::uint64_t there_ = 0;
  char out_[frame_bytes] = {};
  std::uint64_t last_ = 0, came_ = 0, taken_ = 0;
};

/// One for all rows: it is connected at the first.
peer& the_peer(row_context& c) {
  static peer kept(c);
  return kept;
}

double round_trip(row_context& c) {
  peer& p = the_peer(c);
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) p.send(std::uint64_t(i));
      verify(p.receive() == std::uint64_t(i), "frame of a round trip");
      if (c.rank == 1) p.send(std::uint64_t(i));
    }
  });
}

/// Messages of `size` bytes, four under way, into memory that is used again; ns each.
double bulk(row_context& c) {
  constexpr long under_way = 4;
  peer& p = the_peer(c);
  const auto bytes = std::size_t(c.size);
  static std::vector<char> room;
  room.resize(std::size_t(under_way) * bytes, 1);
  return time_per(c.iterations, [&](long n) {
    void* request[under_way] = {};
    for (long i = 0; i < n + under_way; ++i) {
      void*& one = request[i % under_way];
      p.wait(one);
      one = nullptr;
      if (i >= n) continue;
      char* at = room.data() + std::size_t(i % under_way) * bytes;
      one = c.rank == 0 ? p.start_send(at, bytes, i) : p.start_receive(at, bytes, i);
    }
    if (c.rank == 1) return p.send(0);
    (void)p.receive();
  });
}

/// Memory of the other rank by key, one range at a time, while the other does nothing but let UCX work; ns each.
double get(row_context& c) {
  const auto bytes = std::size_t(c.size);
  static std::vector<char> room(std::size_t{1} << 20, 1);
  if (bytes > room.size()) throw std::runtime_error("a range longer than what was exposed");
  static peer p(c, UCP_FEATURE_RMA);
  static const bool exposed = (p.expose(c, room.data(), room.size()), true);
  (void)exposed;
  std::vector<char> into(bytes);
  return time_per(c.iterations, [&](long n) {
    if (c.rank == 0) {
      for (long i = 0; i < n; ++i) p.get(into.data(), bytes);
      verify(into.back() == 1, "get by key");
      p.send(0);
    } else {
      (void)p.receive();
    }
  });
}

int serve_rank(const char* coordinator, int rank) {
  const row_table rows = {{"ucx_am", round_trip}, {"ucx_bulk", bulk}, {"ucx_get", get}};
  try {
    pin(rank);
    serve(coordinator, rank, 2, rows);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "armilla-bench-ucx, rank %d: %s\n", rank, e.what());
    return 1;
  }
}

}  // namespace
}  // namespace bench::ucx

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "armilla-bench-ucx: started by armilla-bench only\n");
    return 2;
  }
  if (::fork() == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(bench::ucx::serve_rank(argv[1], 1));
  }
  const int result = bench::ucx::serve_rank(argv[1], 0);
  while (::wait(nullptr) > 0) {}
  return result;
}
