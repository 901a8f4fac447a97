// SPDX-License-Identifier: Apache-2.0
// A shared library with two classes of processor objects; a rank of armilla-host loads it when it is asked to.
#include <cmath>
#include <stdexcept>

#include "examples/solvers/api.hpp"
namespace am = armilla;

namespace {

class solver {
 public:
  virtual ~solver() = default;
  virtual double step(double dt) = 0;
  virtual double energy() const = 0;
};

class heat : public solver {
 public:
  explicit heat(std::vector<double> start) : grid_(std::move(start)) {
    if (grid_.size() < 3) throw std::invalid_argument("a rod has three points at least");
  }
  double step(double dt) override {
    std::vector<double> next = grid_;
    for (std::size_t i = 1; i + 1 < grid_.size(); ++i) next[i] += dt * (grid_[i - 1] - 2 * grid_[i] + grid_[i + 1]);
    grid_ = std::move(next);
    return grid_[1];
  }
  double energy() const override {
    double sum = 0;
    for (const double x : grid_) sum += x;
    return sum;
  }

 private:
  std::vector<double> grid_;
};

class decay : public solver {
 public:
  double step(double dt) override { return level_ *= std::exp(-dt); }
  double energy() const override { return level_; }

 private:
  double level_ = 1;
};

}  // namespace

extern "C" void armilla_library() {
  am::provide_class<solver_api::heat, heat>();
  am::provide_class<solver_api::decay, decay>();
  am::provide<solver_api::step, &solver::step>();  // of the base: for both
  am::provide<solver_api::energy, &solver::energy>();
}
