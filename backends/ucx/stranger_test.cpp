// SPDX-License-Identifier: Apache-2.0
/// ucx_stranger_test LIBRARY.so: two ranks over TCP without a launcher, and a stranger that knows the address of one of them, but
/// not its key. It connects, sends what looks like frames and transfers of the other rank, and bytes that are nothing. The ranks
/// go on as if nothing had come. Exit code 0: all is as promised.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

#include <ucp/api/ucp.h>

#include "backends/conformance/together.hpp"
#include "backends/ucx/address.hpp"

namespace {

using armilla::detail::ucx_address_head;
using conformance::network;
using conformance::rank_t;

constexpr rank_t ranks = 2;
constexpr int members = ranks + 1;
constexpr std::size_t bulk_bytes = 100'000;
constexpr std::uint32_t bulk_id = 7;

class member : public conformance::together {
 public:
  member(const char* library, rank_t rank, conformance::common& all) : together(rank, members, all) {
    open(library, "tcp,lo", ranks);
  }

  void go_on() {
    meet(1);  // he comes before this rank has looked for the other's address
    meet(2);
    poll_once();
    if (came_ != 0) fail("a frame came of a rank that has sent none");
    exchange(10);
    std::vector<std::byte> room(bulk_bytes, std::byte(rank_));
    const rank_t other = 1 - rank_;
    // He may try to fill this before its sender does.
    std::uintptr_t transfer = rank_ == 0 ? net_->receive_bulk(other, bulk_id, room.data(), room.size()) : 0;
    send_noise_to_own_ports();
    meet(3);  // now he comes again
    meet(4);  // he has been
    if (rank_ == 1) transfer = net_->send_bulk(other, bulk_id, room.data(), room.size());
    until("the transfer is over", [&] {
      poll_once();
      return net_->done(transfer);
    });
    for (std::byte b : room)
      if (b != std::byte(1)) fail("a stranger's bytes are in a transfer");
    exchange(100);
    if (came_ != 0) fail("frames came that nobody sent");
    if (net_->lost().rank != armilla::detail::no_rank) fail("a rank is lost because of a stranger");
    meet(5);
    net_->finish();
    delete net_;
  }

 private:
  void exchange(std::uint64_t frames) {
    for (std::uint64_t i = 0; i < frames; ++i) {
      send(1 - rank_, ++sent_);
      until("a frame comes", [&] { return came_ > 0 || poll_once(); });
      --came_;
      if (last_ != sent_) fail("a frame of somebody else");
    }
  }

  /// Bytes that are no UCX at all.
  void send_noise_to_own_ports() const {
    for (int socket = 3; socket < 256; ++socket) {
      int listens = 0;
      socklen_t size = sizeof listens;
      if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) continue;
      sockaddr_in where{};
      size = sizeof where;
      if (getsockname(socket, reinterpret_cast<sockaddr*>(&where), &size) != 0 || where.sin_family != AF_INET) continue;
      const int out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const std::vector<char> noise(1000, '!');
      if (connect(out, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0)
        if (::send(out, noise.data(), noise.size(), MSG_NOSIGNAL) < 0) fail("a port of this rank takes no bytes");
      close(out);
    }
  }

  std::uint64_t sent_ = 0;
};

class stranger : public conformance::together {
 public:
  explicit stranger(conformance::common& all) : together(ranks, members, all) {}

  void disturb() {
    setenv("UCX_TLS", "tcp", 1);
    setenv("UCX_NET_DEVICES", "lo", 1);
    meet(0);
    ucp_params_t what{};
    what.field_mask = UCP_PARAM_FIELD_FEATURES;
    what.features = UCP_FEATURE_AM | UCP_FEATURE_TAG;
    ucp_worker_params_t plain{};
    if (ucp_init(&what, nullptr, &context_) != UCS_OK || ucp_worker_create(context_, &plain, &worker_) != UCS_OK)
      fail("the stranger has no UCX");
    meet(1);
    ucp_ep_params_t how{};
    how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    how.address = reinterpret_cast<const ucp_address_t*>(all_.addresses + sizeof(ucx_address_head));
    if (ucp_ep_create(worker_, &how, &endpoint_) != UCS_OK) fail("the stranger cannot connect");
    const ucp_request_param_t param{};
    send_frames(0);
    wait(ucp_worker_flush_nbx(worker_, &param));
    meet(2);
    meet(3);
    send_frames(10);
    std::vector<char> data(bulk_bytes, 's');
    for (std::uint64_t tag : {std::uint64_t{1} << 32 | bulk_id, armilla::detail::ucx_tag(0, 1, bulk_id)})
      wait(ucp_tag_send_nbx(endpoint_, data.data(), 1000, tag, &param));
    wait(ucp_worker_flush_nbx(worker_, &param));
    meet(4);
    meet(5);
  }

 private:
  void send_frames(std::uint32_t number) {
    for (unsigned id : {0U, 1U})
      for (std::size_t bytes : {0, 4, 56, 200, 5000, 300'000}) {
        frame(id, bytes, number, 0);
        frame(id, bytes, number, 0x0123456789abcdef);
      }
  }
  /// As the next one of rank 1, but for the key.
  void frame(unsigned id, std::size_t bytes, std::uint32_t number, std::uint64_t key) {
    std::vector<std::uint32_t> words(bytes / 4, 0);
    if (bytes >= 16) {
      words[0] = 1;
      words[1] = number;
      std::memcpy(&words[2], &key, sizeof key);
    }
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_AM_SEND_FLAG_EAGER;
    wait(ucp_am_send_nbx(endpoint_, id, nullptr, 0, words.data(), bytes, &param));
  }
  void wait(void* request) const {
    if (!UCS_PTR_IS_PTR(request)) return;
    until("the stranger's message is out", [&] {
      ucp_worker_progress(worker_);
      return ucp_request_check_status(request) != UCS_INPROGRESS;
    });
    ucp_request_free(request);
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  conformance::common& all = conformance::common_memory();
  for (int i = 0; i < members; ++i) {
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (i < ranks)
      member(argv[1], i, all).go_on();
    else
      stranger(all).disturb();
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0, failures = 0;
  while (wait(&status) > 0) failures += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  if (failures == 0) std::fprintf(stderr, "a stranger over UCX: all as promised\n");
  return failures;
}
