// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/client/circuit.hpp"
#include "armilla/client/client_line.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

/// One two-way call to another host under way.
struct remote_answer : client_answer {
  remote_answer(circuit_head::word asked, std::string_view of, std::uint64_t which, rank_t to)
      : client_answer(of), what(asked), number(which), rank(to) {}
  circuit_head::word what;
  std::uint64_t number;
  rank_t rank;
};

/// An attached client's way to the ranks of one other host of the job. Threads may share it.
class remote_host {
 public:
  /// The host of rank `r`. Throws usage_error if the job has no agents, and timeout_error if there is no answer from there.
  remote_host(const job_memory& job, rank_t r);
  remote_host(const remote_host&) = delete;

  const std::string& name() const noexcept { return ranks_.host; }
  bool has(rank_t r) const noexcept;
  rank_t first() const noexcept { return ranks_.ranks.empty() ? no_rank : ranks_.ranks.front(); }
  /// False: nothing can be asked any more, or this is a forked child.
  bool good() const noexcept;
  /// At most 64 calls are under way; one more waits so long until one has ended. Throws rank_lost, and limit_error if none has,
  /// or if the agent takes nothing for so long: the others are as before then.
  std::shared_ptr<remote_answer> ask(circuit_head::word what, rank_t r, std::string_view name, std::span<const std::byte> body,
                                     std::uint64_t patience_ns);
  bool ready(remote_answer& one);
  /// False: the deadline came first. Throws rank_lost if the way there has broken.
  bool wait(remote_answer& one, std::uint64_t deadline_ns);
  void drop(remote_answer& one) noexcept;
  /// Waits so long: the answer's bytes. Throws what came instead of them, and timeout_error.
  std::vector<std::byte> take(remote_answer& one, std::uint64_t patience_ns);
  /// Both in one.
  std::vector<std::byte> get(circuit_head::word what, rank_t r, std::string_view name, std::span<const std::byte> body,
                             std::uint64_t patience_ns);

 private:
  void require_own_process() const;
  std::size_t calls();
  void pump();
  void await(std::unique_lock<std::mutex>& lock, std::uint64_t deadline_ns);
  [[noreturn]] void throw_broken(rank_t r, std::string_view two_way_call) const;

  static constexpr std::size_t most_calls = 64, most_waiting = 1 << 20;
  std::uint32_t forks_ = forks_so_far();
  mutable std::mutex lock_;  // of all below; while `reading_` one thread waits at the socket without it
  std::condition_variable changed_;
  circuit circuit_;
  bool broken_ = false, reading_ = false;
  std::string refusal_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::weak_ptr<remote_answer>> asked_;
  remote_ranks ranks_;
};

/// An attached client's line to a rank of another host.
class remote_line final : public client_line {
 public:
  remote_line(std::shared_ptr<remote_host> host, rank_t to) noexcept : client_line(to), host_(std::move(host)) {}

  std::shared_ptr<client_answer> ask(const client_two_way_call& what, std::uint64_t patience_ns) override;
  bool ready(client_answer& one) override;
  bool spin(client_answer& one, std::uint64_t span_ns) override;
  bool wait(client_answer& one, std::uint64_t deadline_ns) override;
  void drop(client_answer& one) noexcept override;
  std::string why_late(client_answer& one, double seconds) override;
  bool good() const noexcept override { return host_->good(); }

 private:
  std::shared_ptr<remote_host> host_;
};

}  // namespace armilla::detail
