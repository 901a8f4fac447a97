// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <list>
#include <string>
#include <vector>

#include "armilla/boot/watch/binding_watch.hpp"
#include "armilla/boot/watch/ending.hpp"

namespace armilla::run {

using detail::job_block;

/// The memory of an agent's host, which its ranks have lent it: through it the agent tells them what is lost, as the supervisor
/// of a host by itself does. Mostly one piece; several where ranks share none.
class lent_memory {
 public:
  /// Maps what it needs of it, once, and closes the file. What is no job of so many ranks is left alone.
  /// `binds`: the library has chosen where its ranks run, and lets go of that where others use the cores.
  void take(int file, rank_t ranks, bool binds) noexcept;
  /// When to look at the cores again, in milliseconds; -1: never.
  int patience_ms() const;
  void look_at_cores();
  /// Lets the ranks of this host look what has come for them.
  void wake() const noexcept;
  /// Ranks `first` to `last` are lost, by this cause, on that host. `first` > `last`: none is.
  void tell(rank_t first, rank_t last, const std::string& cause, const std::string& host) const;
  /// Why rank `r`, which says that it has failed, did; empty: it has not noted that, or speaks for another.
  std::string cause_of(rank_t r) const;
  /// The `hint_of` its end.
  std::string hint_of(const detail::ending& how) const;

 private:
  std::vector<job_block*> pieces_;
  std::vector<ino_t> taken_;  // their files
  std::list<detail::binding_watch> bindings_;
};

}  // namespace armilla::run
