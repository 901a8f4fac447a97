// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "armilla/collectives.hpp"
#include "armilla/distribution.hpp"
#include "armilla/error.hpp"

/// How algorithms and containers end: all members of a team meet and learn whether one of them failed. One reduction of a value
/// that fits into a cache line, which is a barrier as well.
namespace armilla {

/// The type of `am::nowait`: as the first argument of an algorithm it leaves out the agreement at the end (armilla/nowait.hpp).
/// An error that is thrown by no later agreement or fence ends the job.
struct nowait_t {};
inline constexpr nowait_t nowait{};

namespace detail {

/// That a program includes containers: `base/values/container_names.hpp` looks for it.
template <class T>
struct container_headers {
  using included = T;
};

struct rebalancer;  // takes containers over to other teams: see rebalance_inline.hpp

/// The first error of this rank in an algorithm.
class failure {
 public:
  /// Inside a `catch`: keeps what was thrown at element `index`. A lost rank is not a failure of the algorithm: it is thrown on.
  [[gnu::cold]] void note(std::size_t index = npos);
  bool happened() const noexcept { return what_ != nullptr; }

 private:
  friend struct failures;
  struct record {
    std::string type, text;
    std::size_t index = npos;
    throw_place from = {};
  };
  std::unique_ptr<record> what_;
};

/// This member's failure in a form that is compared: its number, or all ones.
std::uint64_t vote_of(const team& t, const failure& mine);
/// All members know that `loser` failed: throws its error on each.
[[noreturn, gnu::cold]] void throw_failure_of(const team& t, const char* operation, std::uint64_t loser, failure& mine);
/// For `nowait`: the team's next agreement or fence throws the failure.
void keep_failure(const team& t, const char* operation, failure& mine);

/// Around a meeting of all members: what was put aside before it is given back behind it.
class meeting {
 public:
  explicit meeting(const team& t);
  ~meeting();
  meeting(const meeting&) = delete;

 private:
  const team& t_;
  std::uint64_t before_;  // parts that were put aside before it began have smaller numbers
};

/// A block of this rank's segment that other members may still read until the team has met once more.
void retain(const team& t, global_address block);
/// The same for what lies elsewhere.
void retain(const team& t, std::shared_ptr<void> part);

/// A vote and a value in one reduction.
template <class T>
struct ballot {
  std::uint64_t loser;
  T value;
};

inline constexpr std::uint64_t no_loser = ~std::uint64_t{0};

/// All members have given the same argument, or all throw a usage_error that names two of them. One reduction.
void require_same_argument(const team& t, const char* operation, const char* argument, std::uint64_t mine);

/// Declares the element type of a container or algorithm. The team's next collective throws a usage_error that names both types
/// if members differ. Sends nothing.
void note_type(const team& t, const type_mark& type);

/// All members meet.
void meet(const team& t);
/// All members meet; if one failed, all throw a remote_error with the text of the lowest one.
void agree(const team& t, const char* operation, failure& mine);

/// The same, and returns the reduction of their values.
template <class T, class Op>
T agree(const team& t, const char* operation, failure& mine, const T& value, Op op) {
  ballot<T> all{no_loser, value};
  {
    const meeting here(t);
    all = t.all_reduce(ballot<T>{vote_of(t, mine), value}, [&op](const ballot<T>& a, const ballot<T>& b) {
      return ballot<T>{a.loser < b.loser ? a.loser : b.loser, op(a.value, b.value)};
    });
  }
  if (all.loser != no_loser) [[unlikely]]
    throw_failure_of(t, operation, all.loser, mine);
  return all.value;
}

}  // namespace detail
}  // namespace armilla
