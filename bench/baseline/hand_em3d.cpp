// SPDX-License-Identifier: Apache-2.0
// EM3D with every value in shared memory and a spin barrier: the floor for a version that reads what it needs.
#include "bench/baseline/hand.hpp"
#include "bench/baseline/spin_barrier.hpp"
#include "bench/kernels/em3d.hpp"

namespace bench::hand {
namespace {

/// One rank's part of the graph; the values of all ranks lie in the arena.
class loaded_region : public em3d::part {
 public:
  explicit loaded_region(row_context& c)
      : part(em3d_graph(c), c.rank, c.ranks), c_(c), values_(c.scratch<double>(4096)), all_(c) {
    for (const em3d::field f : {em3d::electric, em3d::magnetic}) begin(f, own(f));
  }

  bool agrees(const em3d::values& all) const {
    return part::agrees(em3d::electric, own(em3d::electric), all) && part::agrees(em3d::magnetic, own(em3d::magnetic), all);
  }
  double* of(int rank, em3d::field f) const { return values_ + (2 * rank + f) * count(); }
  double* own(em3d::field f) const { return of(c_.rank, f); }

  void meet() { all_.wait(); }

 private:
  row_context& c_;
  double* values_;
  spin_barrier all_;
};

class by_loads {
 public:
  explicit by_loads(loaded_region& mine) : mine_(mine) {
    for (const em3d::field f : {em3d::electric, em3d::magnetic})
      for (const em3d::edge& e : mine_.edges(f))
        edges_[f].push_back({mine_.of(mine_.owner(e.from), em3d::other(f)) + mine_.place_at_owner(e.from), e.weight});
  }
  void half_step(em3d::field f) {
    em3d::subtract_terms({mine_.own(f), std::size_t(mine_.count())}, mine_.graph().degree,
                         [e = edges_[f].data()](std::size_t i) { return e[i].weight * *e[i].from; });
    mine_.meet();
  }

 private:
  struct loaded_edge {
    const double* from;
    double weight;
  };
  loaded_region& mine_;
  std::vector<loaded_edge> edges_[2];
};

double em3d_loads(row_context& c) {
  loaded_region mine(c);
  return em3d_row<by_loads>(c, mine, [&mine] { mine.meet(); });
}

}  // namespace

void add_em3d(row_table& rows) { rows.push_back({"hand_em3d_loads", em3d_loads}); }

}  // namespace bench::hand
