// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/watch/binding_watch.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "life_frame.hpp"

namespace armilla::run {

using detail::job_block;

/// The memory of an agent's host, which its ranks have lent it: through it the agent tells them what is lost, as the supervisor
/// of a host by itself does. Mostly one piece; several where ranks share none.
class lent_memory {
 public:
  /// Maps what it needs of it, once. What is no job of so many ranks is left alone.
  /// `binds`: the library has chosen where its ranks run, and lets go of that where others use the cores.
  void take(int file, rank_t ranks, bool binds) noexcept;
  /// When to look at the cores again, in milliseconds; -1: never.
  int patience_ms() const;
  void look_at_cores();
  /// Lets the ranks of this host look what has come for them.
  void wake() const noexcept;
  /// Ranks `first` to `last` are lost, by this cause, on that host. `first` > `last`: none is.
  void tell(rank_t first, rank_t last, const std::string& cause, const std::string& host) const;
  /// The memory that rank `r` shares, and its descriptor, for a process that comes in its place; null, -1: none is here.
  job_block* of(rank_t r) const noexcept;
  int memory_of(rank_t r) const noexcept;
  /// What armilla-run says of such a process. `is_ours`: it is one of this agent's.
  void change(const life_frame& said, std::string_view address, bool is_ours) const;
  /// Why rank `r`, which says that it has failed, did; empty: it has not noted that, or speaks for another.
  std::string cause_of(rank_t r) const;
  /// A rank here has found that the job stands still, has said so, and has ended.
  bool stands_still() const noexcept;
  /// The `hint_of` its end.
  std::string hint_of(const detail::ending& how) const;

 private:
  std::vector<job_block*> pieces_;
  std::list<detail::descriptor> files_;  // of each
  std::vector<ino_t> taken_;             // the same
  std::list<detail::binding_watch> bindings_;
};

}  // namespace armilla::run
