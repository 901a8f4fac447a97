// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/types.hpp"
#include "armilla/boot/guest_mailbox.hpp"
#include "armilla/boot/job_search.hpp"

namespace armilla::detail {

/// What a guest asks of a rank: which method, and the message, from a multiple of 8, with 8 bytes for its index in front.
struct guest_question {
  guest_request request;
  std::string_view name, signature;
  std::uint64_t hash = 0;
  std::vector<std::byte> message;
};

/// One question under way. Its reply leaves the mailbox as soon as anything looks for it.
struct guest_answer {
  guest_answer(std::string_view of, int in) : name(of), slot(in) {}

  std::string name;
  int slot;  ///< in which it is; -1: no more
  std::atomic<bool> done = false;
  bool failed = false;
  std::vector<std::byte> bytes;  ///< the reply
};

/// A guest's line to one rank of the job. Threads may share it.
class rank_line {
 public:
  /// Takes a place at the rank. Throws limit_error if there is none, or no memory, rank_lost if the rank has ended, usage_error
  /// if it is on another host.
  rank_line(std::shared_ptr<job_memory> job, rank_t to);
  ~rank_line();
  rank_line(const rank_line&) = delete;

  /// Sends a question. With too many under way it waits until one has ended, so long at most.
  std::shared_ptr<guest_answer> ask(const guest_question& what, std::uint64_t patience_ns);
  /// Whether the reply is there.
  bool ready(guest_answer& one);
  /// Looks for the reply, for so long; does not sleep.
  bool spin(guest_answer& one, std::uint64_t span_ns);
  /// False: the deadline, of `now_ns`, came first; 0: none. Throws rank_lost if the rank has ended.
  bool wait(guest_answer& one, std::uint64_t deadline_ns);
  /// No reply is wanted any more: it does not begin, if it has not.
  void drop(guest_answer& one) noexcept;
  /// Why there is no reply yet: throws timeout_error that says what the rank does.
  [[noreturn]] void throw_late(const guest_answer& one, double seconds);
  rank_t to() const noexcept { return to_; }
  /// Whether the rank still knows this line: it has not if it could not open the mailbox, and a forked child has none of it.
  bool good() const noexcept;

 private:
  control_block& control() const noexcept { return control_of(job_->job(), to_); }
  void check_rank(std::string_view name) const;
  void take_place();
  int free_slot();
  bool forked() const noexcept;
  void check_line(std::string_view name) const;
  void put(guest_slot& slot, const guest_question& what);
  void take_reply(guest_answer& one);
  guest_slot* slot_of(guest_answer& one);
  void sleep_at(guest_slot& slot, std::uint32_t state, std::uint64_t deadline_ns) noexcept;

  std::shared_ptr<job_memory> job_;
  rank_t to_;
  std::uint32_t forks_;
  std::mutex lock_;
  std::shared_ptr<mapped_mailbox> box_;
  std::size_t place_ = 0;
  std::uint64_t word_ = 0;
  std::shared_ptr<guest_answer> in_slot_[guest_mailbox::slots];
  int overflow_[guest_mailbox::slots];
};

}  // namespace armilla::detail
