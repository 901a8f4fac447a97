// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace armilla::run {

/// An order of a job's messages: what follows from `seed`, up to the decision `limit`; from there on the default.
struct seeded_order {
  std::uint64_t seed = 1;
  std::uint64_t limit = ~std::uint64_t{0};
  /// "17" or "17:45". Throws `std::invalid_argument` if it is neither.
  static seeded_order from(const std::string& text);
};

/// The system refuses memory or a process for a run: armilla-run ends with 127, as for every program that does not start.
struct cannot_start : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Whether this process runs one of the jobs of an exploration: --explore and --seed have had their effect.
bool is_explored();

/// Runs this process' command line as it is, in the default order, and in the orders of `runs` seeds from `first` on, until one
/// gives another exit code, output or outcome; says which one, and from which call on. Returns 0 if there is none, else 1.
int explore(char** arguments, int runs, seeded_order first);

/// Runs it once, in that order. Returns the job's exit code.
int repeat_order(char** arguments, const seeded_order& order);

}  // namespace armilla::run
