// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/container/grid/matrix_inline.hpp"
#include "armilla/container/place/agreed_exchange.hpp"

/// Cells of a matrix of two dimensions on their way between the members that have them and those that read or write them.
namespace armilla::detail {

/// `at`: row by row.
template <class T>
struct cell_value {
  std::uint64_t at;
  T value;
};

/// Collective: each cell that a member gives gets its value.
template <class M, class T>
void set_cells(M& m, const char* operation, std::vector<cell_value<T>>& mine) {
  const auto& shape = m.plan().shape;
  std::vector<std::vector<cell_value<T>>> parts(std::size_t(m.members().size()));
  failure why;
  try {
    for (const cell_value<T>& c : mine) parts[std::size_t(shape.member_of(shape.cell_of(std::size_t(c.at))))].push_back(c);
    mine = {};
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  const auto block = m.local();
  for (const auto& part : exchange_agreed(m.members(), operation, parts, why))
    for (const cell_value<T>& c : part) {
      const auto cell = shape.cell_of(std::size_t(c.at));
      block(cell[0] - block.origin(0), cell[1] - block.origin(1)) = c.value;
    }
  meet(m.members());
}

/// Collective: all cells column by column, of which each member gets those of its share of the columns.
template <class M>
std::vector<typename M::value_type> cells_by_columns(const M& m, const char* operation) {
  using value = typename M::value_type;
  const team& t = m.members();
  const std::size_t rows = m.extent(0);
  const placement columns(m.extent(1), t.size(), blocks());
  std::vector<std::vector<cell_value<value>>> parts(std::size_t(t.size()));
  std::vector<value> all;
  failure why;
  try {
    all.resize(rows * columns.count(t.rank()));
    const auto block = m.local();
    for (std::size_t i = 0; i < block.extent(0); ++i)
      for (std::size_t j = 0; j < block.extent(1); ++j) {
        const auto to = columns.locate(block.origin(1) + j);
        parts[std::size_t(to.member)].push_back({to.place * rows + block.origin(0) + i, block(i, j)});
      }
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  for (const auto& part : exchange_agreed(t, operation, parts, why))
    for (const cell_value<value>& c : part) all[std::size_t(c.at)] = c.value;
  return all;
}

}  // namespace armilla::detail
