// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "armilla/boot/watch/ending.hpp"

namespace armilla::run {

using detail::job_block;

/// The memory of an agent's host, which its ranks have lent it: through it the agent tells them what is lost, as the supervisor
/// of a host by itself does. Mostly one piece; several where ranks share none.
class lent_memory {
 public:
  /// Maps what it needs of it, once, and closes the file. What is no job of so many ranks is left alone.
  void take(int file, rank_t ranks) noexcept;
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
};

}  // namespace armilla::run
