// SPDX-License-Identifier: Apache-2.0
#include "client_relay.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/local_socket.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/client/circuit.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;

constexpr std::size_t most_circuits = 8;  // of this host, at a time; others wait in the socket's queue
constexpr std::size_t most_served = 32;   // of other hosts
constexpr int most_in_queue = 16;
constexpr std::uint64_t between_clients_ns = 10 * milli;
constexpr int packets_at_once = 8;  // of one attached client, before others and the job have their turn
static_assert(circuit::packet + sizeof(circuit_frame_head) <= channel::most_later);

// As a frame that the attached client reads.
std::string refusal(std::string_view why) {
  circuit_head all{};
  all.what = circuit_head::refused;
  all.bytes = why.size();
  return std::string(reinterpret_cast<const char*>(&all), sizeof all).append(why);
}

bool is_later(ssize_t n) noexcept { return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR); }

}  // namespace

client_relay::~client_relay() {
  for (const pid_t process : served_by_) kill(process, SIGKILL);
}

void client_relay::open(int memory) try {
  const job_memory lent(getpid(), memory);
  const auto is_known = [&](const entrance& one) { return one.identity == lent.identity(); };
  if (!lent.valid() || std::ranges::any_of(entrances_, is_known)) return;
  entrance& one = entrances_.emplace_back();
  one.identity = lent.identity();
  one.memory.reset(fcntl(memory, F_DUPFD_CLOEXEC, 0));
  one.listener.reset(listen_locally(relay_socket_name(one.identity), most_in_queue));  // or another agent here has it
} catch (const std::exception&) {}  // no room for it: attached clients call the ranks of their own host alone

// Also those that have left, until the other side knows: so attached clients that come and go have no more under way than others.
std::size_t client_relay::clients() const {
  return std::size_t(std::ranges::count_if(ends_, [this](const end& one) { return one.which.opener == number_; }));
}

bool client_relay::takes_clients() const { return clients() < most_circuits && now_ns() >= next_client_ns_; }

std::uint64_t client_relay::until_ns() const {
  return clients() < most_circuits && now_ns() < next_client_ns_ ? next_client_ns_ : never;
}

void client_relay::watch(std::vector<pollfd>& list) const {
  if (takes_clients())
    for (const entrance& one : entrances_)
      if (one.listener.get() >= 0) list.push_back({one.listener.get(), POLLIN, 0});
  for (const end& one : ends_) {
    if (one.socket.get() < 0) continue;
    const bool reads = one.may_send >= circuit::packet && !one.closing, writes = !one.for_socket.empty();
    if (reads || writes) list.push_back({one.socket.get(), short((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0});
  }
}

// One after the other with a pause: each starts a process on another host. Also where none can be taken, or the poll would not
// wait.
void client_relay::take_in(int listener) {
  if (!takes_clients()) return;
  const int client = accept_locally(listener);
  if (client < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
  next_client_ns_ = now_ns() + between_clients_ns;
  if (client < 0) return;
  end& one = ends_.emplace_back();
  one.which = {number_, next_++, -1, 0};
  one.socket.reset(client);
  if (!is_of_same_user(client)) ends_.pop_back();
}

void client_relay::advance() {
  for (const entrance& one : entrances_)
    if (one.listener.get() >= 0) take_in(one.listener.get());
  std::erase_if(ends_, [this](end& one) { return !carry(one); });
}

void client_relay::say(const end& one, circuit_frame_head::word what, std::string_view bytes) {
  circuit_frame_head which = one.which;
  which.what = what;
  root_.send_later(channel::circuit, which.with(bytes));
}

// False: this end is no more, and either side knows that of the other.
bool client_relay::carry(end& one) {
  const bool goes_on = one.socket.get() >= 0 && write_to(one) && (one.closing ? !one.for_socket.empty() : read_from(one));
  if (goes_on) return true;
  one.socket.reset(-1);
  one.for_socket.clear();
  if (one.open && !std::exchange(one.told, true)) say(one, circuit_frame_head::close);
  return one.open && !one.closing;
}

bool client_relay::write_to(end& one) {
  while (!one.for_socket.empty()) {
    const std::string& packet = one.for_socket.front();
    const ssize_t n = send(one.socket.get(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) return is_later(n);
    one.taken += packet.size();
    one.for_socket.pop_front();
  }
  if (one.taken >= circuit_frame_head::window / 4 && !one.closing) {
    const std::uint64_t bytes = std::exchange(one.taken, 0);
    say(one, circuit_frame_head::taken, {reinterpret_cast<const char*>(&bytes), sizeof bytes});
  }
  return true;
}

bool client_relay::read_from(end& one) {
  char bytes[circuit::packet];
  for (int packets = 0; packets < packets_at_once && one.may_send >= circuit::packet; ++packets) {
    const ssize_t n = recv(one.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n <= 0) return is_later(n);
    if (!std::exchange(one.open, true)) {
      if (std::size_t(n) != sizeof one.which.rank) return one.open = false;
      std::memcpy(&one.which.rank, bytes, sizeof one.which.rank);
      say(one, circuit_frame_head::open);
      continue;
    }
    one.may_send -= std::size_t(n);
    say(one, circuit_frame_head::data, {bytes, std::size_t(n)});
  }
  return true;
}

void client_relay::take(const std::string& text) {
  const auto said = circuit_frame_head::of(text);
  if (!said) return;
  if (said->what == circuit_frame_head::open) return serve(*said);
  if (said->what == circuit_frame_head::host_gone) return close_all_of(*said);
  const auto is_meant = [&](const end& one) { return one.which.opener == said->opener && one.which.number == said->number; };
  const auto one = std::ranges::find_if(ends_, is_meant);
  if (one == ends_.end()) return;
  if (said->what == circuit_frame_head::close) {
    one->closing = true;
    if (text.size() > sizeof *said) one->for_socket.push_back(refusal(std::string_view(text).substr(sizeof *said)));
  }
  if (said->what == circuit_frame_head::data && one->socket.get() >= 0) one->for_socket.push_back(text.substr(sizeof *said));
  std::uint64_t bytes = 0;
  if (said->what == circuit_frame_head::taken && text.size() == sizeof *said + sizeof bytes) {
    std::memcpy(&bytes, text.data() + sizeof *said, sizeof bytes);
    one->may_send = std::min<std::size_t>(circuit_frame_head::window, one->may_send + bytes);
  }
  if (!carry(*one)) ends_.erase(one);
}

void client_relay::close_all_of(const circuit_frame_head& gone) {
  for (end& one : ends_)
    one.closing |= one.which.opener == gone.opener ||
                   (one.which.rank >= gone.rank && one.which.rank < gone.rank + std::int32_t(gone.number));
}

// --- for attached clients of other hosts ---

void client_relay::serve(const circuit_frame_head& which) {
  end& one = ends_.emplace_back();
  one.which = which;
  one.open = true;
  const bool full = served_by_.size() >= most_served;
  const pid_t process = full ? -1 : start_server(one);
  if (process > 0) return served_by_.push_back(process);
  one.told = true;
  one.socket.reset(-1);
  say(one, circuit_frame_head::close,
      full ? fmt::format("{} serves {} attached clients already; end one, or wait", host_, most_served)
           : fmt::format("{} cannot start what serves attached clients: {}", host_, std::strerror(errno)));
}

// This program again, which has of this one a socket, and the memory of the ranks.
pid_t client_relay::start_server(end& one) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  one.socket.reset(ends[0]);
  const descriptor its(ends[1]);
  std::vector<std::string> words{"armilla-run", "--client", host_, std::to_string(its.get())};
  for (const entrance& each : entrances_) words.push_back(std::to_string(each.memory.get()));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char self[PATH_MAX] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return -1;
  const pid_t parent = getpid(), process = vfork();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  fcntl(its.get(), F_SETFD, 0);
  for (const entrance& each : entrances_) fcntl(each.memory.get(), F_SETFD, 0);
  setpgid(0, 0);  // a Ctrl-C is the job's alone
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
  execv(self, arguments.data());
  _exit(127);
}

void client_relay::reap() {
  std::erase_if(served_by_, [](pid_t process) { return waitpid(process, nullptr, WNOHANG) == process; });
}

}  // namespace armilla::run
