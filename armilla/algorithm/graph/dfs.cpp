// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/distributed.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

/// What the search knows of its vertices. Each lies where its vertex does; so the rank that searches finds them.
struct search_arrays {
  array<std::int64_t> order;    ///< -1: not entered
  array<vertex_id> from;        ///< the vertex from which it was entered
  array<std::uint64_t> passed;  ///< how many edges of its row have been looked at

  explicit search_arrays(const graph_shape& g)
      : order(g.where.size(), -1, as_in(g.members, g.where)),
        from(g.where.size(), as_in(g.members, g.where)),
        passed(g.where.size(), as_in(g.members, g.where)) {}
};

/// Where an array lies on each member; null: not mapped.
template <class T>
class mapped_blocks {
 public:
  mapped_blocks(const graph_shape& g, array<T>& x) : first_of_(g.first_of.data()), at_(g.out.of.size()) {
    for (std::size_t m = 0; m < at_.size(); ++m) at_[m] = global_ptr<T>(x.state().blocks.at(rank_t(m))).local();
  }
  T& operator()(std::size_t member, vertex_id v) const noexcept { return at_[member][v - first_of_[member]]; }

 private:
  const std::size_t* first_of_;
  std::vector<T*> at_;
};

/// Where the search stands: it enters `at` from `from`, or comes back to `at`.
struct search_step {
  vertex_id at, from;
  std::int64_t entered;
  bool enters;
};

/// One rank's part: it searches while it has the step.
class searcher {
 public:
  searcher(const graph_shape& g, search_arrays& known, vertex_id root)
      : g_(&g),
        order_(g, known.order),
        from_(g, known.from),
        passed_(g, known.passed),
        root_(root),
        tried_(g.out.of.size() > 1 ? g.where.size() : 0) {}

  void can_send_to(const distributed<searcher>& parts) { parts_ = &parts; }

  /// One-way call: goes on with the search, until it leads to memory that is not mapped, or is over.
  void go_on(search_step s) {
    for (;;) {
      const std::size_t member = g_->owner(s.at);
      if (g_->out.of[member].begin == nullptr) {
        const rank_t there = g_->members.world_rank(rank_t(member));
        count_moved(1);
        return async<&searcher::go_on>(parts_->on(there), s);
      }
      if (!advance(s, member)) return;
    }
  }

 private:
  /// One vertex is mapped: the next step, or false where the search is over.
  bool advance(search_step& s, std::size_t member) {
    std::int64_t& order = order_(member, s.at);
    if (s.enters && order >= 0) {
      s = {s.from, 0, s.entered, false};
      return true;
    }
    if (s.enters) {
      order = s.entered++;
      count_work(1);
      from_(member, s.at) = s.from;
    }
    const std::span<const vertex_id> row = g_->out.of[member][s.at - g_->first_of[member]];
    std::uint64_t& passed = passed_(member, s.at);
    while (passed < row.size() && is_entered(row[passed])) ++passed;
    if (passed < row.size()) {
      s = {row[passed++], s.at, s.entered, true};
      return true;
    }
    count_elements(row.size());
    if (s.at == root_) return false;
    s = {from_(member, s.at), 0, s.entered, false};
    return true;
  }

  /// Of a vertex that is not mapped: whether it was tried from here, since then it is entered.
  bool is_entered(vertex_id v) {
    const std::size_t member = g_->owner(v);
    if (g_->out.of[member].begin != nullptr) return order_(member, v) >= 0;
    const bool tried = tried_[v];
    tried_[v] = true;
    return tried;
  }

  const graph_shape* g_;
  mapped_blocks<std::int64_t> order_;
  mapped_blocks<vertex_id> from_;
  mapped_blocks<std::uint64_t> passed_;
  vertex_id root_;
  const distributed<searcher>* parts_ = nullptr;
  std::vector<bool> tried_;
};

}  // namespace

array<std::int64_t> dfs(const graph_shape& g, std::size_t root) {
  algorithm_call why("dfs");
  why.about(&g);
  require_same_argument(g.members, "dfs", "root", root);
  checked_vertex(g, root, "dfs");
  expect_work(g.count, "vertices");
  search_arrays known(g);
  distributed<searcher> parts = object_access::of_members<searcher>(g.members, g, known, vertex_id(root));
  parts->can_send_to(parts);
  meet(g.members);
  if (g.owner(root) == std::uint32_t(g.members.rank())) parts->go_on({vertex_id(root), 0, 0, true});
  g.members.fence();
  agree(g.members, "dfs", why);
  return std::move(known.order);
}

}  // namespace armilla::detail
