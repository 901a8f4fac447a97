// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "armilla/algorithm/order/partition_plan.hpp"
#include "armilla/container/place/failure_agreement.hpp"

/// Finds, in sorted parts of several members, where the first so many elements of all end.
namespace armilla::detail {

/// One search: this member's part, and how many elements of all members are wanted. `lower` is the answer: so many are its own.
struct cut {
  const void* part;
  std::size_t n, wanted;
  std::size_t lower = 0, upper = n;  ///< the answer lies in [lower, upper]
  bool done = false;
};

/// An element that a member offers to compare with, and for how many it stands. Of equal elements the member and then the place
/// say which comes first.
struct offer {
  std::uint64_t place, stands_for;
};

/// What shows the elements that members offer to all members.
class offer_exchange {
 public:
  /// The values of all members' offers, member by member: value i is at `values + i * stride`.
  struct shown {
    const std::byte* values;
    std::size_t stride;
  };
  /// Collective. `all` gets the offers of all members. An offer that stands for nothing has no value.
  virtual shown show(std::span<const cut> cuts, std::span<const offer> mine, std::vector<offer>& all) = 0;

 protected:
  ~offer_exchange() = default;
};

/// Does all searches at once. Each round of two collectives leaves at most three quarters of what was left: some twenty rounds
/// for a million elements. All members have the same number of searches, and want the same. Ends early on all members if
/// one has failed.
///
/// Returns whether this member may use its answers: false after a failure, or if the order is not a strict weak one. Members may
/// differ: `cuts_agreed` asks all.
bool find_cuts(const team& t, std::span<cut> cuts, std::size_t size, erased_order comes_first, offer_exchange& offers,
               const failure& why);

/// The agreement after `find_cuts`: whether all members may use their answers. If not, each is to keep the elements that it has.
bool cuts_agreed(const team& t, const char* operation, failure& why, bool mine);

}  // namespace armilla::detail
