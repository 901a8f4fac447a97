// SPDX-License-Identifier: Apache-2.0
#include "examples/graph/part.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace graphs {

/// Takes in the ends of edges while the graph is read.
struct end_collector {
  std::vector<part::end> ends;
  void add(vertex place, vertex far) { ends.push_back({place, far}); }
};

part::part(const source& s) : ranks_(vertex(am::ranks())), rank_(vertex(am::rank())) {
  const auto larger = [](vertex a, vertex b) { return std::max(a, b); };
  const auto smaller = [](vertex a, vertex b) { return std::min(a, b); };
  const std::vector<edge> edges = edges_of(s, am::rank(), am::ranks());
  vertex greatest = 0, smallest = ~vertex{0};
  for (const edge& e : edges) {
    greatest = std::max({greatest, e.from, e.to});
    smallest = std::min({smallest, e.from, e.to});
  }
  edges_ = am::all_reduce(std::uint64_t(edges.size()), std::plus<>{});
  greatest_ = am::all_reduce(greatest, larger);
  smallest_ = am::all_reduce(smallest, smaller);
  check_numbers(s, greatest_, edges_);

  am::distributed<end_collector> collectors;
  for (const edge& e : edges) {
    am::async<&end_collector::add>(collectors.on(owner(e.from)), place(e.from), e.to);
    am::async<&end_collector::add>(collectors.on(owner(e.to)), place(e.to), e.from);
  }
  am::fence();
  arrange(collectors->ends);
  std::uint64_t mine = 0;
  for (vertex p = 0; p < places(); ++p) mine += degree(p) != 0;
  vertices_ = am::all_reduce(mine, std::plus<>{});
}

/// A counting sort by place.
void part::arrange(const std::vector<end>& ends) {
  if (ends.size() > ~std::uint32_t{0})
    throw std::runtime_error("the graph is too large: 2^32 ends of edges on a rank; take more ranks");
  const vertex places = greatest_ / ranks_ + 1;  // on some ranks one more than they need
  first_.assign(std::size_t(places) + 1, 0);
  for (const end& e : ends) ++first_[e.place + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  to_.resize(ends.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const end& e : ends) to_[next[e.place]++] = e.far;
}

}  // namespace graphs
