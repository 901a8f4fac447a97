// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "armilla/collectives.hpp"
#include "armilla/distribution.hpp"

/// Rows of a matrix, or vertices of a graph, that are dealt in blocks to the members of a team by what they weigh, and what
/// belongs to them.
namespace armilla::detail {

/// First rows of the members' blocks, and behind the last: as many entries and rows in each as can be. `weights` are those of
/// `width` rows each.
std::vector<std::size_t> balanced_borders(std::span<const std::uint64_t> weights, std::size_t width, std::size_t rows,
                                          rank_t members);
/// How many rows count as one when they are dealt: a power of two.
std::size_t rows_a_weight(std::size_t rows) noexcept;
/// Where the rows lie.
placement blocks_between(const std::vector<std::size_t>& borders);

/// Which member has each row, by one look at a small table.
class row_owners {
 public:
  row_owners() = default;
  row_owners(const std::vector<std::size_t>& borders, std::size_t width);
  /// Budget: a shift and a load.
  std::uint32_t operator()(std::size_t row) const noexcept { return of_[row >> shift_]; }

 private:
  unsigned shift_ = 0;
  std::vector<std::uint16_t> of_;
};

/// The weight of each `rows_a_weight` rows, of all members together: `each` calls its argument with the row of each entry.
template <class Each>
std::vector<std::size_t> deal_rows(const team& t, std::size_t rows, Each each) {
  const std::size_t width = rows_a_weight(rows);
  std::vector<std::uint64_t> weights((rows + width - 1) / width, 0);
  each([&](std::size_t row) { ++weights[row / width]; });
  t.all_reduce(std::span<std::uint64_t>(weights), std::plus<>{});
  return balanced_borders(weights, width, rows, t.size());
}

/// Sends each entry to the member that has its row. There they lie by the members that gave them, each one's in its order.
template <class Entry, class RowOf>
std::vector<Entry> entries_of_own_rows(const team& t, std::span<const Entry> given, const row_owners& owner, RowOf row_of) {
  const auto members = std::size_t(t.size());
  std::vector<std::size_t> counts(members, 0), received(members);
  for (const Entry& e : given) ++counts[owner(row_of(e))];
  std::vector<std::size_t> next(members, 0);
  for (std::size_t m = 1; m < members; ++m) next[m] = next[m - 1] + counts[m - 1];
  std::vector<Entry> in_turn(given.size());
  for (const Entry& e : given) in_turn[next[owner(row_of(e))]++] = e;
  return t.all_to_all_v(std::span<const Entry>(in_turn), counts, received);
}

}  // namespace armilla::detail
