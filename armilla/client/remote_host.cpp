// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/remote_host.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/local_socket.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr int agent_within_ms = 1'000;
constexpr std::uint64_t begin_within_ns = 5'000'000'000;  // a process starts over there
constexpr std::uint64_t say_why_within_ns = 1'000'000'000;

int connect_to_agent(const job_memory& job, rank_t r) {
  descriptor agent(connect_locally(relay_socket_name(job.identity()), agent_within_ms));
  if (agent.get() >= 0 && send(agent.get(), &r, sizeof r, MSG_NOSIGNAL) == ssize_t(sizeof r)) return agent.release();
  const int why = errno;
  if (why == EAGAIN)
    throw_timeout(
        "call", fmt::format("rank {} runs on another host, and the agent of this one takes no more attached clients within {} s",
                            r, agent_within_ms / 1000));
  if (why != ECONNREFUSED && why != ENOENT && why != EPIPE && why != 0)
    throw_limit("call", fmt::format("rank {} runs on another host, and there is no connection to the agent of this one: {}", r,
                                    std::generic_category().message(why)));
  throw_usage("call", fmt::format("rank {} runs on another host, where only a job that was started by armilla-run --hosts takes "
                                  "attached clients' calls, and while it runs",
                                  r));
}

}  // namespace

remote_host::remote_host(const job_memory& job, rank_t r) : circuit_(connect_to_agent(job, r)) {
  try {
    ranks_ = from_circuit<remote_ranks>(get(circuit_head::hosts, r, "hosts", {}, begin_within_ns));
  } catch (const timeout_error&) {
    throw_timeout(
        "call", fmt::format("there is no way to the host of rank {} within {} s: an agent is stopped, or other attached clients "
                            "have all there are",
                            r, begin_within_ns / 1'000'000'000));
  }
  if (!has(r)) throw_limit("call", fmt::format("rank {} has not begun on {} yet: call again", r, name()));
}

bool remote_host::has(rank_t r) const noexcept { return std::ranges::count(ranks_.ranks, r) != 0; }

bool remote_host::good() const noexcept {
  if (forks_ != forks_so_far()) return false;
  const std::lock_guard lock(lock_);
  return !broken_;
}

// Before any lock: a thread that the child does not have may hold it.
void remote_host::require_own_process() const {
  if (forks_ != forks_so_far())
    throw_limit("call", "this is a forked child, which has none of its parent's calls to other hosts: call again");
}

void remote_host::throw_broken(rank_t r, std::string_view two_way_call) const {
  if (!refusal_.empty()) throw_limit("call", fmt::format("'{}' of rank {} does not begin: {}", two_way_call, r, refusal_));
  throw_rank_lost(r, "call",
                  fmt::format("has ended, or there is no way to its host{}{} any more; there is no reply to '{}'",
                              name().empty() ? "" : " ", name(), two_way_call));
}

std::shared_ptr<remote_answer> remote_host::ask(circuit_head::word what, rank_t r, std::string_view two_way_call,
                                                std::span<const std::byte> body, std::uint64_t patience_ns) {
  require_own_process();
  if (body.size() > circuit_head::most_bytes)
    throw_limit("call", fmt::format("{} bytes for rank {} of {}: at most {} go to another host at once", body.size(), r, name(),
                                    circuit_head::most_bytes));
  const std::uint64_t deadline_ns = now_ns() + patience_ns;
  std::unique_lock lock(lock_);
  for (;;) {
    pump();
    if (broken_) throw_broken(r, two_way_call);
    if ((what != circuit_head::call || calls() < most_calls) && circuit_.waiting() < most_waiting) break;
    if (now_ns() >= deadline_ns)
      throw_limit("call",
                  fmt::format("{} calls to {} are under way, and none has ended: '{}' of rank {} does not begin; wait for "
                              "some of them first",
                              calls(), name(), two_way_call, r));
    await(lock, deadline_ns);
  }
  auto one = std::make_shared<remote_answer>(what, two_way_call, next_++, r);
  asked_[one->number] = one;
  circuit_.post({one->number, what, r, 0, 0, 0}, body);
  pump();
  return one;
}

// With the lock: those that are still wanted.
std::size_t remote_host::calls() {
  std::erase_if(asked_, [](const auto& one) { return one.second.expired(); });
  return std::size_t(std::ranges::count_if(asked_, [](const auto& entry) {
    const auto one = entry.second.lock();
    return one != nullptr && one->what == circuit_head::call;
  }));
}

// With the lock: sends and takes in what can be.
void remote_host::pump() {
  if (broken_) return;
  const bool sent = circuit_.flush();
  if (reading_) return void(broken_ = !sent);  // that thread takes in
  if (!circuit_.receive() || !sent) broken_ = true;
  while (auto frame = circuit_.next()) {
    if (frame->head.what == circuit_head::refused) refusal_ = text_of(frame->body);
    const auto found = asked_.find(frame->head.number);
    if (frame->head.what != circuit_head::answer || found == asked_.end()) continue;
    if (const auto one = found->second.lock()) {
      one->bytes = std::move(frame->body);
      one->outcome = client_outcome(std::min<std::uint32_t>(frame->head.outcome, std::uint32_t(client_outcome::timeout)));
      one->done.store(true, std::memory_order_release);
    }
    asked_.erase(found);
  }
}

// One thread at a time waits at the socket, for all. It looks now and then whether another has something to send.
void remote_host::await(std::unique_lock<std::mutex>& lock, std::uint64_t deadline_ns) {
  constexpr std::uint64_t most_ns = 20'000'000;
  const std::uint64_t now = now_ns();
  const std::uint64_t span = deadline_ns == 0 ? most_ns : std::min(deadline_ns > now ? deadline_ns - now : 0, most_ns);
  if (reading_) {
    changed_.wait_for(lock, std::chrono::nanoseconds(span));
    return;
  }
  reading_ = true;
  pollfd socket{circuit_.socket(), short(circuit_.waiting() != 0 ? POLLIN | POLLOUT : POLLIN), 0};
  lock.unlock();
  const timespec most{time_t(span / 1'000'000'000), long(span % 1'000'000'000)};
  ppoll(&socket, 1, &most, nullptr);
  lock.lock();
  reading_ = false;
  changed_.notify_all();
}

bool remote_host::ready(remote_answer& one) {
  require_own_process();
  const std::lock_guard lock(lock_);
  if (!one.done) pump();
  return one.done;
}

bool remote_host::wait(remote_answer& one, std::uint64_t deadline_ns) {
  require_own_process();
  std::unique_lock lock(lock_);
  for (;;) {
    if (!one.done) pump();
    if (one.done) return true;
    if (broken_) throw_broken(one.rank, one.name);
    if (deadline_ns != 0 && now_ns() >= deadline_ns) return false;
    await(lock, deadline_ns);
  }
}

// It leaves with what follows, if not now.
void remote_host::drop(remote_answer& one) noexcept try {
  if (one.done || forks_ != forks_so_far()) return;
  const std::lock_guard lock(lock_);
  if (asked_.erase(one.number) == 0) return;
  circuit_.post({one.number, circuit_head::drop, one.rank, 0, 0, 0}, {});
  pump();
} catch (const std::exception&) {}  // no memory to say it: the reply is not taken

std::vector<std::byte> remote_host::take(remote_answer& one, std::uint64_t patience_ns) {
  if (!wait(one, now_ns() + patience_ns)) {
    drop(one);
    throw_timeout("call", fmt::format("the host of rank {}{}{} does not answer '{}' within {:.1f} s", one.rank,
                                      name().empty() ? "" : ", ", name(), one.name, double(patience_ns) / 1e9));
  }
  if (one.outcome != client_outcome::answered) throw_outcome(one.rank, one);
  return std::move(one.bytes);
}

std::vector<std::byte> remote_host::get(circuit_head::word what, rank_t r, std::string_view two_way_call,
                                        std::span<const std::byte> body, std::uint64_t patience_ns) {
  return take(*ask(what, r, two_way_call, body, patience_ns), patience_ns);
}

namespace {
remote_answer& of_host(client_answer& one) noexcept { return static_cast<remote_answer&>(one); }
}  // namespace

std::shared_ptr<client_answer> remote_line::ask(const client_two_way_call& what, std::uint64_t patience_ns) {
  const remote_call all{std::uint32_t(what.request), std::string(what.name), std::string(what.signature), what.hash,
                        what.message};
  return host_->ask(circuit_head::call, to(), what.name, circuit_bytes(all), patience_ns);
}

bool remote_line::ready(client_answer& one) { return host_->ready(of_host(one)); }
bool remote_line::spin(client_answer& one, std::uint64_t span_ns) { return host_->wait(of_host(one), now_ns() + span_ns); }
bool remote_line::wait(client_answer& one, std::uint64_t deadline_ns) { return host_->wait(of_host(one), deadline_ns); }
void remote_line::drop(client_answer& one) noexcept { host_->drop(of_host(one)); }

std::string remote_line::why_late(client_answer& one, double seconds) try {
  const remote_lateness late{of_host(one).number, seconds};
  return from_circuit<std::string>(host_->get(circuit_head::late, to(), "late", circuit_bytes(late), say_why_within_ns));
} catch (const timeout_error&) {
  return fmt::format("there is no reply to '{}' within {:.1f} s, and {} does not say why: an agent may be stopped", one.name,
                     seconds, host_->name());
}

}  // namespace armilla::detail
