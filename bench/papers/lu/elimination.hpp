// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/lu/part.hpp"

/// What both spellings of LU do alike. A step of a rank: the pivot block by its owner; the perimeter by those that have blocks in
/// row and column k; then all other blocks. The next step's pivot and perimeter come before most of this step's work, so that
/// they are there when others need them. No rank waits for all others anywhere.
///
/// An `Exchange` moves blocks:
///
/// | operation              | does                                                                            |
/// |------------------------|---------------------------------------------------------------------------------|
/// | `send_pivot(k)`        | gives the factored pivot block to the ranks that solve with it                  |
/// | `await_pivot(k)`       | returns when it is here                                                         |
/// | `perimeter_solved(k)`  | this rank's part of the perimeter may be read                                   |
/// | `begin_fetch(k)`       | begins to fetch the perimeter's blocks that this rank needs from others         |
/// | `finish_fetch(k)`      | returns when they are here                                                      |
///
/// Paper: MRPC, section 5 (blocked LU).
namespace lu {

template <class Exchange>
void prepare(part& mine, Exchange& exchange, int k) {
  if (mine.owns_pivot(k)) mine.factor_pivot(k);
  if (k + 1 == mine.steps()) return;
  if (mine.owns_pivot(k)) exchange.send_pivot(k);
  if (mine.in_row(k) || mine.in_column(k)) {
    if (!mine.owns_pivot(k)) exchange.await_pivot(k);
    mine.solve_perimeter(k);
    exchange.perimeter_solved(k);
  }
  exchange.begin_fetch(k);
}

template <class Exchange>
void eliminate(part& mine, Exchange& exchange) {
  prepare(mine, exchange, 0);
  for (int k = 0; k + 1 < mine.steps(); ++k) {
    exchange.finish_fetch(k);
    mine.update_urgent(k);
    prepare(mine, exchange, k + 1);
    mine.update_rest(k);
  }
}

}  // namespace lu
