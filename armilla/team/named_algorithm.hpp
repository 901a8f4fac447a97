// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/base/types.hpp"

namespace armilla::detail {

struct context;

/// The running fiber is in the algorithm `name` until the end of the scope: errors of collectives and what is said of waits name
/// it. Of algorithms inside of each other the outermost counts, which is the one that the user has called.
/// Budget: some ten instructions.
class named_algorithm {
 public:
  named_algorithm(context& self, const char* name) noexcept;
  ~named_algorithm();
  named_algorithm(const named_algorithm&) = delete;
  bool outermost() const noexcept { return named_ != nullptr; }

 private:
  context* named_ = nullptr;
};

/// The algorithm that the running fiber is in; `otherwise` if it is in none.
const char* algorithm_here(const char* otherwise) noexcept;
/// usage_error of it, or of `otherwise`: what it goes over was moved from, or made by default.
[[noreturn, gnu::cold]] void throw_no_ranks(const char* otherwise);
/// What rank `r` of this host shows of itself; empty: it is in none, or on another host.
std::string algorithm_of(const context& self, rank_t r);

}  // namespace armilla::detail
