// SPDX-License-Identifier: Apache-2.0
#include "armilla/guest/far_host.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/boot/local_socket.hpp"

namespace armilla::detail {
namespace {

constexpr int agent_within_ms = 1'000;
constexpr std::uint64_t begin_within_ns = 5'000'000'000;  // a process starts over there
constexpr std::uint64_t say_why_within_ns = 1'000'000'000;

int connect_to_agent(const job_memory& job, rank_t r) {
  descriptor agent(connect_locally(relay_socket_name(job.identity()), agent_within_ms));
  if (agent.get() >= 0 && send(agent.get(), &r, sizeof r, MSG_NOSIGNAL) == ssize_t(sizeof r)) return agent.release();
  if (errno == EAGAIN)
    throw_timeout("call", fmt::format("rank {} runs on another host, and the agent of this one takes no more guests within {} s",
                                      r, agent_within_ms / 1000));
  throw_usage("call", fmt::format("rank {} runs on another host, where only a job that was started by armilla-run --hosts takes "
                                  "guests' calls, and while it runs",
                                  r));
}

}  // namespace

far_host::far_host(const job_memory& job, rank_t r) : circuit_(connect_to_agent(job, r)) {
  try {
    ranks_ = from_circuit<far_ranks>(get(circuit_head::hosts, r, "hosts", {}, begin_within_ns));
  } catch (const timeout_error&) {
    throw_timeout("call", fmt::format("there is no way to the host of rank {} within {} s: an agent is stopped, or other guests "
                                      "have all there are",
                                      r, begin_within_ns / 1'000'000'000));
  }
}

bool far_host::has(rank_t r) const noexcept { return std::ranges::count(ranks_.ranks, r) != 0; }

bool far_host::good() const noexcept {
  if (forks_ != forks_so_far()) return false;
  const std::lock_guard lock(lock_);
  return !broken_;
}

void far_host::throw_broken(rank_t r, std::string_view question) const {
  throw_rank_lost(r, "call",
                  fmt::format("has ended, or there is no way to its host{}{} any more; there is no reply to '{}'",
                              name().empty() ? "" : " ", name(), question));
}

std::shared_ptr<far_answer> far_host::ask(circuit_head::word what, rank_t r, std::string_view name,
                                          std::span<const std::byte> body, std::uint64_t patience_ns) {
  if (!good()) throw_broken(r, name);
  if (body.size() > circuit_head::most_bytes)
    throw_limit("call", fmt::format("{} bytes for rank {} of {}: at most {} go to another host at once", body.size(), r,
                                    this->name(), circuit_head::most_bytes));
  auto one = std::make_shared<far_answer>(name, 0, r);
  {
    const std::lock_guard lock(lock_);
    one->number = next_++;
    asked_[one->number] = one;
  }
  const std::lock_guard sending(sending_);
  if (circuit_.send({one->number, what, r, 0, 0, 0}, body, now_ns() + patience_ns)) return one;
  const std::lock_guard lock(lock_);
  broken_ = true;
  asked_.erase(one->number);
  throw_broken(r, name);
}

// With the lock, and no thread at the socket.
void far_host::take_in() {
  if (!broken_ && !circuit_.receive()) broken_ = true;
  while (auto frame = circuit_.next()) {
    const auto found = asked_.find(frame->head.number);
    if (found == asked_.end()) continue;
    if (const auto one = found->second.lock()) {
      one->bytes = std::move(frame->body);
      one->outcome = guest_outcome(std::min<std::uint32_t>(frame->head.outcome, std::uint32_t(guest_outcome::timeout)));
      one->done.store(true, std::memory_order_release);
    }
    asked_.erase(found);
  }
}

bool far_host::ready(far_answer& one) {
  const std::lock_guard lock(lock_);
  if (!one.done && !reading_) take_in();
  return one.done;
}

// One thread at a time waits at the socket, for all; when it has what it wants, another one does.
bool far_host::wait(far_answer& one, std::uint64_t deadline_ns) {
  std::unique_lock lock(lock_);
  for (;;) {
    if (!one.done && !reading_) take_in();
    if (one.done) return true;
    if (broken_) throw_broken(one.rank, one.name);
    const std::uint64_t now = now_ns();
    if (deadline_ns != 0 && now >= deadline_ns) return false;
    const std::uint64_t span = deadline_ns == 0 ? 1'000'000'000 : std::min<std::uint64_t>(deadline_ns - now, 1'000'000'000);
    if (reading_) {
      changed_.wait_for(lock, std::chrono::nanoseconds(span));
      continue;
    }
    reading_ = true;
    lock.unlock();
    pollfd socket{circuit_.socket(), POLLIN, 0};
    const timespec most{time_t(span / 1'000'000'000), long(span % 1'000'000'000)};
    ppoll(&socket, 1, &most, nullptr);
    lock.lock();
    take_in();
    reading_ = false;
    changed_.notify_all();
  }
}

void far_host::drop(far_answer& one) noexcept {
  if (one.done || !good()) return;
  {
    const std::lock_guard lock(lock_);
    asked_.erase(one.number);
  }
  const std::lock_guard sending(sending_);
  circuit_.send({one.number, circuit_head::drop, one.rank, 0, 0, 0}, {}, now_ns() + say_why_within_ns);
}

std::vector<std::byte> far_host::take(far_answer& one, std::uint64_t patience_ns) {
  if (!wait(one, now_ns() + patience_ns)) {
    drop(one);
    throw_timeout("call", fmt::format("the host of rank {}{}{} does not answer '{}' within {:.1f} s", one.rank,
                                      name().empty() ? "" : ", ", name(), one.name, double(patience_ns) / 1e9));
  }
  if (one.outcome != guest_outcome::answered) throw_outcome(one.rank, one);
  return std::move(one.bytes);
}

std::vector<std::byte> far_host::get(circuit_head::word what, rank_t r, std::string_view question,
                                     std::span<const std::byte> body, std::uint64_t patience_ns) {
  return take(*ask(what, r, question, body, patience_ns), patience_ns);
}

namespace {
far_answer& of_host(guest_answer& one) noexcept { return static_cast<far_answer&>(one); }
}  // namespace

std::shared_ptr<guest_answer> far_line::ask(const guest_question& what, std::uint64_t patience_ns) {
  const far_call all{std::uint32_t(what.request), std::string(what.name), std::string(what.signature), what.hash, what.message};
  return host_->ask(circuit_head::call, to(), what.name, circuit_bytes(all), patience_ns);
}

bool far_line::ready(guest_answer& one) { return host_->ready(of_host(one)); }
bool far_line::spin(guest_answer& one, std::uint64_t span_ns) { return host_->wait(of_host(one), now_ns() + span_ns); }
bool far_line::wait(guest_answer& one, std::uint64_t deadline_ns) { return host_->wait(of_host(one), deadline_ns); }
void far_line::drop(guest_answer& one) noexcept { host_->drop(of_host(one)); }

std::string far_line::why_late(guest_answer& one, double seconds) try {
  const far_lateness late{of_host(one).number, seconds};
  return from_circuit<std::string>(host_->get(circuit_head::late, to(), "late", circuit_bytes(late), say_why_within_ns));
} catch (const timeout_error&) {
  return fmt::format("there is no reply to '{}' within {:.1f} s, and {} does not say why: an agent may be stopped", one.name,
                     seconds, host_->name());
}

}  // namespace armilla::detail
