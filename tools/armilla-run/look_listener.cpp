// SPDX-License-Identifier: Apache-2.0
#include "look_listener.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <span>
#include <utility>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/local_socket.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/client/look.hpp"
#include "armilla/client/remote_look.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;

constexpr std::size_t most_clients = 8;  // at a time; others wait in the socket's queue
constexpr int most_queued = 16;
constexpr std::size_t ranks_in_a_part = 8;  // about 5 KiB

// Long names of programs may make a part too long: then each look is one.
void tell_part(channel& root, std::span<const rank_look> looks) {
  std::string part = looks_as_bytes(looks);
  if (part.size() <= channel::most_later) return root.send_later(channel::seen, std::move(part));
  for (const rank_look& one : looks)
    if (looks.size() > 1) tell_part(root, {&one, 1});
}

}  // namespace

void look_listener::open(int memory) try {
  auto lent = std::make_unique<job_memory>(getpid(), memory);
  const auto is_known = [&](const entrance& one) { return one.memory->identity() == lent->identity(); };
  if (!lent->valid() || std::ranges::any_of(entrances_, is_known)) return;
  entrance& one = entrances_.emplace_back();
  one.listener.reset(listen_locally(look_socket_name(lent->identity()), most_queued));
  if (one.listener.get() < 0 && errno == EADDRINUSE) return entrances_.pop_back();  // another agent here looks at these ranks
  one.memory = std::move(lent);
} catch (const std::exception&) {}  // no room for it: attached clients see the ranks of this host alone

// While there is no room for more attached clients, those that wait outside cost nothing.
void look_listener::watch(std::vector<pollfd>& list) const {
  if (next_.size() < most_clients)
    for (const entrance& one : entrances_)
      if (one.listener.get() >= 0) list.push_back({one.listener.get(), POLLIN, 0});
}

std::uint64_t look_listener::until_ns() const { return some_wait_ ? now_ns() + channel::try_again_ns : never; }

void look_listener::take_in(int listener) {
  for (std::size_t tries = 0; next_.size() < most_clients && tries < most_clients; ++tries) {
    const int client = accept_locally(listener);
    if (client < 0) return;
    next_.emplace_back(client);
    if (!is_of_same_user(client)) next_.pop_back();
  }
}

void look_listener::advance() {
  for (const entrance& one : entrances_)
    if (one.listener.get() >= 0) take_in(one.listener.get());
  if (!asked_ && !next_.empty()) {
    now_ = std::exchange(next_, {});
    asked_ = root_.send(channel::look, "");
  }
  some_wait_ = !root_.send_waiting();
}

void look_listener::tell() {
  std::vector<rank_look> looks;
  for (const entrance& one : entrances_)
    for (rank_t r = 0; r < one.memory->ranks(); ++r) {
      looks.push_back(look_at(*one.memory, r));
      looks.back().host = host_;
      if (!looks.back().here) looks.pop_back();
    }
  for (std::size_t at = 0; at < looks.size(); at += ranks_in_a_part)
    tell_part(root_, std::span(looks).subspan(at, std::min(ranks_in_a_part, looks.size() - at)));
  root_.send_later(channel::seen, "");
}

void look_listener::take(const std::string& part) {
  heard_ += part;
  if (part.empty()) answer();
}

// A connection that has carried nothing takes a byte and a file at once.
void look_listener::answer() {
  const descriptor file(memfd_create("armilla looks", MFD_CLOEXEC));
  const bool good = file.get() >= 0 && write(file.get(), heard_.data(), heard_.size()) == ssize_t(heard_.size());
  for (const descriptor& client : now_)
    if (good) send_with_descriptor(client.get(), "", 1, file.get());
  now_.clear();
  heard_.clear();
  asked_ = false;
}

}  // namespace armilla::run
