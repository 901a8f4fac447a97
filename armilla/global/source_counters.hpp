// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/counter.hpp"
#include "armilla/spread_array.hpp"

namespace armilla {

/// On every rank one counter for each rank that may signal it. So a rank knows how often each has signalled, and a source that is
/// a turn ahead is not taken for another one that is late.
///
///     am::source_counters arrived;                     // made by all ranks together
///     am::put(q, mine, arrived.on(left));              // on left it counts what I have sent
///     am::put(r, mine, arrived.on(right));
///     arrived.from(left).wait();                       // left's data of this turn are here,
///     arrived.from(right).wait();                      // and right's
///
/// Made by all ranks together (a collective with a barrier), destroyed by all together. Memory: 128 bytes a rank, on each rank.
class source_counters {
 public:
  source_counters();

  /// The counter on rank r that counts this rank's signals: for `put` and `store`, or to `signal()`. usage_error if r is no rank.
  global_ptr<counter> on(rank_t r) const;
  /// This rank's counter of the signals of `source`. usage_error if that is no rank.
  counter& from(rank_t source) const;
  /// Waits until every rank, this one included, has signalled `n` times since its last wait, and takes those off.
  void wait_all(std::uint64_t n = 1) const;

 private:
  detail::spread_storage storage_;
};

}  // namespace armilla
