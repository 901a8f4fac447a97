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
#include "armilla/error.hpp"
#include "armilla/guest/circuit.hpp"
#include "armilla/guest/guest_line.hpp"

namespace armilla::detail {

/// One question to another host under way.
struct far_answer : guest_answer {
  far_answer(circuit_head::word asked, std::string_view of, std::uint64_t which, rank_t to)
      : guest_answer(of), what(asked), number(which), rank(to) {}
  circuit_head::word what;
  std::uint64_t number;
  rank_t rank;
};

/// A guest's way to the ranks of one other host of the job. Threads may share it.
class far_host {
 public:
  /// The host of rank `r`. Throws usage_error if the job has no agents, and timeout_error if there is no answer from there.
  far_host(const job_memory& job, rank_t r);
  far_host(const far_host&) = delete;

  const std::string& name() const noexcept { return ranks_.host; }
  bool has(rank_t r) const noexcept;
  rank_t first() const noexcept { return ranks_.ranks.empty() ? no_rank : ranks_.ranks.front(); }
  /// False: nothing can be asked any more, or this is a forked child.
  bool good() const noexcept;
  /// At most 64 calls are under way; one more waits so long until one has ended. Throws rank_lost, and limit_error if none has,
  /// or if the agent takes nothing for so long: the others are as before then.
  std::shared_ptr<far_answer> ask(circuit_head::word what, rank_t r, std::string_view name, std::span<const std::byte> body,
                                  std::uint64_t patience_ns);
  bool ready(far_answer& one);
  /// False: the deadline came first. Throws rank_lost if the way there has broken.
  bool wait(far_answer& one, std::uint64_t deadline_ns);
  void drop(far_answer& one) noexcept;
  /// Waits so long: the answer's bytes. Throws what came instead of them, and timeout_error.
  std::vector<std::byte> take(far_answer& one, std::uint64_t patience_ns);
  /// Both in one.
  std::vector<std::byte> get(circuit_head::word what, rank_t r, std::string_view name, std::span<const std::byte> body,
                             std::uint64_t patience_ns);

 private:
  void require_own_process() const;
  std::size_t calls();
  void pump();
  void await(std::unique_lock<std::mutex>& lock, std::uint64_t deadline_ns);
  [[noreturn]] void throw_broken(rank_t r, std::string_view question) const;

  static constexpr std::size_t most_calls = 64, most_waiting = 1 << 20;
  std::uint32_t forks_ = forks_so_far();
  mutable std::mutex lock_;  // of all below; while `reading_` one thread waits at the socket without it
  std::condition_variable changed_;
  circuit circuit_;
  bool broken_ = false, reading_ = false;
  std::string refusal_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::weak_ptr<far_answer>> asked_;
  far_ranks ranks_;
};

/// A guest's line to a rank of another host.
class far_line final : public guest_line {
 public:
  far_line(std::shared_ptr<far_host> host, rank_t to) noexcept : guest_line(to), host_(std::move(host)) {}

  std::shared_ptr<guest_answer> ask(const guest_question& what, std::uint64_t patience_ns) override;
  bool ready(guest_answer& one) override;
  bool spin(guest_answer& one, std::uint64_t span_ns) override;
  bool wait(guest_answer& one, std::uint64_t deadline_ns) override;
  void drop(guest_answer& one) noexcept override;
  std::string why_late(guest_answer& one, double seconds) override;
  bool good() const noexcept override { return host_->good(); }

 private:
  std::shared_ptr<far_host> host_;
};

}  // namespace armilla::detail
