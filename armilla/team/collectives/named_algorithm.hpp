// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct context;

/// The running fiber is in the algorithm or operation `name` until the end of the scope: errors of collectives, what is said of
/// waits, and the job's progress name it. Of those inside of each other the outermost counts, which is the one that the user has
/// called. `name` must live on. Budget: some fifteen instructions.
class named_algorithm {
 public:
  named_algorithm(context& self, const char* name) noexcept;
  /// Throws usage_error outside of ranks.
  explicit named_algorithm(const char* name);
  ~named_algorithm();
  named_algorithm(const named_algorithm&) = delete;
  bool outermost() const noexcept { return named_ != nullptr; }

 private:
  context* named_ = nullptr;
};

/// In the algorithm that the running fiber is in, this rank has that many units more to do: the job's progress is the share of
/// them that is done. `unit` is a literal: "elements", "bytes".
void expect_work(std::uint64_t units, const char* unit) noexcept;
/// So many of them are done. Budget: a load and a store on a line of this rank; once for thousands of units.
void count_work(std::uint64_t units) noexcept;

/// The algorithm that the running fiber is in; `otherwise` if it is in none.
const char* algorithm_here(const char* otherwise) noexcept;
/// usage_error of it, or of `otherwise`: what it goes over was moved from, or made by default.
[[noreturn, gnu::cold]] void throw_no_ranks(const char* otherwise);
/// Ranks have entered different collectives, says the running fiber before it throws: `which` is their team and number, not 0.
void post_mismatch(const context& self, std::uint64_t which) noexcept;
/// The algorithm that rank `r` of this host is in, or was in when it posted the mismatch `which`; of a container that it makes
/// there also where: "am::array<int> (heat.cpp:42)". Empty: none, or it is on
/// another host.
std::string algorithm_of(const context& self, rank_t r, std::uint64_t which);

}  // namespace armilla::detail
