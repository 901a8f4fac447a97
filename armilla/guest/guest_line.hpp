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
#include "armilla/boot/visitors/guest_mailbox.hpp"

namespace armilla::detail {

/// What a guest asks of a rank: which method, and the message, from a multiple of 8, with 8 bytes for its index in front.
struct guest_question {
  guest_request request;
  std::string_view name, signature;
  std::uint64_t hash = 0;
  std::vector<std::byte> message;
};

/// How a question ended, or why there is no reply.
enum class guest_outcome : std::uint32_t { answered, thrown, lost, limit, usage, timeout };

/// One question under way.
struct guest_answer {
  explicit guest_answer(std::string_view of) : name(of) {}
  virtual ~guest_answer() = default;

  std::string name;
  std::atomic<bool> done = false;
  guest_outcome outcome = guest_outcome::answered;
  bool taken = false;
  std::vector<std::byte> bytes;  ///< the reply; if it was thrown, type and text, between them a zero; else the text
};

/// A guest's line to one rank of the job. Threads may share it.
class guest_line {
 public:
  explicit guest_line(rank_t to) noexcept : to_(to) {}
  virtual ~guest_line() = default;
  guest_line(const guest_line&) = delete;

  /// Sends a question. With too many under way it waits until one has ended, so long at most.
  virtual std::shared_ptr<guest_answer> ask(const guest_question& what, std::uint64_t patience_ns) = 0;
  /// Whether the reply is there.
  virtual bool ready(guest_answer& one) = 0;
  /// Looks for the reply, for so long; for one that is due at once.
  virtual bool spin(guest_answer& one, std::uint64_t span_ns) = 0;
  /// False: the deadline, of `now_ns`, came first; 0: none. Throws rank_lost if the rank has ended.
  virtual bool wait(guest_answer& one, std::uint64_t deadline_ns) = 0;
  /// No reply is wanted any more: it does not begin, if it has not.
  virtual void drop(guest_answer& one) noexcept = 0;
  /// Why there is no reply after so many seconds: a sentence that says what the rank does.
  virtual std::string why_late(guest_answer& one, double seconds) = 0;
  /// Throws timeout_error that says it.
  [[noreturn]] void throw_late(guest_answer& one, double seconds);
  /// Whether questions can still go this way; a forked child has none of its parent's lines.
  virtual bool good() const noexcept = 0;
  rank_t to() const noexcept { return to_; }

 private:
  rank_t to_;
};

std::string_view text_of(const std::vector<std::byte>& bytes) noexcept;
/// Throws what came instead of a reply.
[[noreturn]] void throw_outcome(rank_t rank, const guest_answer& one);
/// Waits for the answer; the bytes of the reply. Throws what came instead, and timeout_error.
std::vector<std::byte> take_answer(guest_line& line, guest_answer& one, std::uint64_t patience_ns);

/// Another number in each child of a fork. To ask the kernel for the process instead is a system call for each question.
std::uint32_t forks_so_far() noexcept;

}  // namespace armilla::detail
