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

#include "armilla/base/values/types.hpp"
#include "armilla/boot/visitors/client_mailbox.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/client/client_line.hpp"

namespace armilla::detail {

/// One two-way call under way in the mailbox. Its reply leaves that as soon as anything looks for it.
struct mailbox_answer : client_answer {
  mailbox_answer(std::string_view of, int in) : client_answer(of), slot(in) {}
  int slot;  ///< in which it is; -1: no more
};

/// An attached client's line to a rank of its own host.
class rank_line final : public client_line {
 public:
  /// Takes a place at the rank. Throws limit_error if there is none, or no memory, rank_lost if the rank has ended.
  rank_line(std::shared_ptr<job_memory> job, rank_t to);
  ~rank_line() override;

  std::shared_ptr<client_answer> ask(const client_two_way_call& what, std::uint64_t patience_ns) override;
  bool ready(client_answer& one) override;
  bool spin(client_answer& one, std::uint64_t span_ns) override;
  bool wait(client_answer& one, std::uint64_t deadline_ns) override;
  void drop(client_answer& one) noexcept override;
  std::string why_late(client_answer& one, double seconds) override;
  /// The rank does not know this line any more if it could not open the mailbox.
  bool good() const noexcept override;
  /// Whether a two-way call would not wait for another one's end.
  bool has_room();
  /// Throws rank_lost if the rank has ended, and limit_error where the line is good no more; there will be no reply to `name`.
  void check_line(std::string_view name) const;

 private:
  control_block& control() const noexcept { return control_of(job_->job(), to()); }
  void check_rank(std::string_view name) const;
  void take_place();
  int free_slot();
  bool forked() const noexcept;
  void put(client_slot& slot, const client_two_way_call& what);
  void take_reply(mailbox_answer& one);
  bool take_if_there(mailbox_answer& one);
  client_slot* slot_of(mailbox_answer& one);
  void sleep_at(client_slot& slot, std::uint32_t state, std::uint64_t deadline_ns) noexcept;

  std::shared_ptr<job_memory> job_;
  std::uint32_t forks_;
  std::mutex lock_;
  std::shared_ptr<mapped_mailbox> box_;
  std::size_t place_ = 0;
  std::uint64_t word_ = 0;
  std::shared_ptr<mailbox_answer> in_slot_[client_mailbox::slots];
  int overflow_[client_mailbox::slots];
};

}  // namespace armilla::detail
