// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/cg_problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "bench/papers/npb/random.hpp"

namespace npb {
namespace {

constexpr cg_problem problems[] = {
    {'T', 1400, 7, 1, 10, 9.9986441579140},    {'S', 1400, 7, 15, 10, 8.5971775078648},   {'W', 7000, 8, 15, 12, 10.362595087124},
    {'A', 14000, 11, 15, 20, 17.130235054029}, {'B', 75000, 13, 75, 60, 22.712745482631},
};

struct element {
  std::int32_t place;
  double value;
};
using sparse_vector = std::vector<element>;

sparse_vector::iterator find(sparse_vector& v, std::int32_t place) {
  return std::find_if(v.begin(), v.end(), [place](const element& e) { return e.place == place; });
}

/// Vector `i` of those that make the matrix: random elements at random places, and 0.5 at place i.
void make_vector(const cg_problem& p, std::int32_t i, generator& random, sparse_vector& v) {
  const auto places = double(std::bit_ceil(unsigned(p.order)));
  v.clear();
  while (v.size() < std::size_t(p.random_elements)) {
    const double value = random.next();
    const auto place = std::int32_t(places * random.next());
    if (place < p.order && find(v, place) == v.end()) v.push_back({place, value});
  }
  if (const auto at = find(v, i); at != v.end())
    at->value = 0.5;
  else
    v.push_back({i, 0.5});
}

/// All of the vectors, one behind the other.
struct vectors {
  std::vector<std::size_t> begin{0};
  std::vector<element> elements;

  explicit vectors(const cg_problem& p) {
    generator random(1);  // the first number is not used
    sparse_vector v;
    for (std::int32_t i = 0; i < p.order; ++i) {
      make_vector(p, i, random, v);
      elements.insert(elements.end(), v.begin(), v.end());
      begin.push_back(elements.size());
    }
  }
};

/// For each of the rows the vectors that have an element there, and it.
struct row_lists {
  std::vector<std::size_t> begin;
  std::vector<element> vectors_of;

  row_lists(const vectors& all, int first, int last) : begin(std::size_t(last - first) + 1) {
    const auto mine = [&](const element& e) { return e.place >= first && e.place < last; };
    for (const element& e : all.elements)
      if (mine(e)) ++begin[std::size_t(e.place - first) + 1];
    for (std::size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
    vectors_of.resize(begin.back());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i + 1 < all.begin.size(); ++i)
      for (std::size_t k = all.begin[i]; k < all.begin[i + 1]; ++k)
        if (const element& e = all.elements[k]; mine(e))
          vectors_of[next[std::size_t(e.place - first)]++] = {std::int32_t(i), e.value};
  }
};

}  // namespace

const cg_problem& cg_problem::find(char name) {
  for (const cg_problem& p : problems)
    if (p.name == name) return p;
  throw std::invalid_argument(std::string("CG has no class ") + name);
}

std::string cg_problem::shown(double zeta) { return fmt::format("{:.10g}", zeta); }

papers::json cg_problem::size() const {
  return {{"class", std::string(1, name)}, {"order", order}, {"operations", operations()}};
}

bool cg_problem::accepts(double found) const noexcept { return std::abs(found - zeta) <= 1e-10 * std::abs(zeta); }

// The sum over i of w_i x_i x_i^T, where w_i falls from 1 to `condition` geometrically, and `condition - shift` on the diagonal.
sparse_rows make_rows(const cg_problem& p, int first, int last) {
  const vectors all(p);
  const row_lists lists(all, first, last);
  const double ratio = std::pow(p.condition, 1.0 / p.order);
  std::vector<double> weight(std::size_t(p.order), 1.0);
  for (std::size_t i = 1; i < weight.size(); ++i) weight[i] = weight[i - 1] * ratio;

  sparse_rows a;
  a.begin.push_back(0);
  std::vector<double> sum(std::size_t(p.order), 0.0);
  std::vector<std::int32_t> last_row(std::size_t(p.order), -1), columns;
  for (std::int32_t row = first; row < last; ++row) {
    columns.clear();
    const auto add = [&](std::int32_t column, double value) {
      const auto c = std::size_t(column);
      if (last_row[c] != row) last_row[c] = row, sum[c] = 0, columns.push_back(column);
      sum[c] += value;
    };
    for (std::size_t k = lists.begin[std::size_t(row - first)]; k < lists.begin[std::size_t(row - first) + 1]; ++k) {
      const auto i = std::size_t(lists.vectors_of[k].place);
      const double scale = weight[i] * lists.vectors_of[k].value;
      for (std::size_t e = all.begin[i]; e < all.begin[i + 1]; ++e) add(all.elements[e].place, all.elements[e].value * scale);
    }
    add(row, p.condition - p.shift);
    std::sort(columns.begin(), columns.end());
    for (const std::int32_t c : columns) a.column.push_back(c), a.value.push_back(sum[std::size_t(c)]);
    a.begin.push_back(std::int64_t(a.column.size()));
  }
  return a;
}

}  // namespace npb
