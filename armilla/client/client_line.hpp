// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/visitors/client_mailbox.hpp"

namespace armilla::detail {

/// What an attached client asks of a rank: which method, and the message, from a multiple of 8, with 8 bytes for its index in
/// front.
struct client_two_way_call {
  client_request request;
  std::string_view name, signature;
  std::uint64_t hash = 0;
  std::vector<std::byte> message;
};

/// How a two-way call ended, or why there is no reply.
enum class client_outcome : std::uint32_t { answered, thrown, lost, limit, usage, timeout };

/// One two-way call under way.
struct client_answer {
  explicit client_answer(std::string_view of) : name(of) {}
  virtual ~client_answer() = default;

  std::string name;
  std::atomic<bool> done = false;
  client_outcome outcome = client_outcome::answered;
  bool taken = false;
  std::vector<std::byte> bytes;  ///< the reply; if it was thrown, type and text, between them a zero; else the text
};

/// How long one that only looks at a job waits for a slot at a rank.
inline constexpr std::uint64_t waits_for_slot_ns = 1'000'000;

/// An attached client's line to one rank of the job. Threads may share it.
class client_line {
 public:
  explicit client_line(rank_t to) noexcept : to_(to) {}
  virtual ~client_line() = default;
  client_line(const client_line&) = delete;

  /// Sends a two-way call. With too many under way it waits until one has ended, so long at most.
  virtual std::shared_ptr<client_answer> ask(const client_two_way_call& what, std::uint64_t patience_ns) = 0;
  /// Whether the reply is there.
  virtual bool ready(client_answer& one) = 0;
  /// Looks for the reply, for so long; for one that is due at once.
  virtual bool spin(client_answer& one, std::uint64_t span_ns) = 0;
  /// False: the deadline, of `now_ns`, came first; 0: none. Throws rank_lost if the rank has ended.
  virtual bool wait(client_answer& one, std::uint64_t deadline_ns) = 0;
  /// No reply is wanted any more: it does not begin, if it has not.
  virtual void drop(client_answer& one) noexcept = 0;
  /// Why there is no reply after so many seconds: a sentence that says what the rank does.
  virtual std::string why_late(client_answer& one, double seconds) = 0;
  /// Throws timeout_error that says it.
  [[noreturn]] void throw_late(client_answer& one, double seconds);
  /// Whether two-way calls can still go this way; a forked child has none of its parent's lines.
  virtual bool good() const noexcept = 0;
  rank_t to() const noexcept { return to_; }

 private:
  rank_t to_;
};

std::string_view text_of(const std::vector<std::byte>& bytes) noexcept;
/// Throws what came instead of a reply.
[[noreturn]] void throw_outcome(rank_t rank, const client_answer& one);
/// Waits for the answer; the bytes of the reply. Throws what came instead, and timeout_error.
std::vector<std::byte> take_answer(client_line& line, client_answer& one, std::uint64_t patience_ns);

/// Another number in each child of a fork. To ask the kernel for the process instead is a system call for each two-way call.
std::uint32_t forks_so_far() noexcept;

}  // namespace armilla::detail
