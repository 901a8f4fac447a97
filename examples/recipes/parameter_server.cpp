// SPDX-License-Identifier: Apache-2.0
// A parameter server: rank 0 stores the weights of a model, which all ranks fit to their data without waiting for each other.
#include <array>
#include <cmath>
#include <random>

#include <armilla/armilla.hpp>

namespace am = armilla;

using weights = std::array<double, 2>;  // y = w[0] * x + w[1]

class server {
 public:
  weights pull() const { return w_; }
  void push(weights step) {
    for (std::size_t i = 0; i < w_.size(); ++i) w_[i] -= step[i];
  }

 private:
  weights w_{};
};

static bool fit(int steps) {
  am::remote<server> model;
  if (am::rank() == 0) model = am::create<server>(0).get();
  model = am::broadcast(model);  // all ranks refer to one object

  std::mt19937 random(unsigned(am::rank()) + 1);
  std::uniform_real_distribution<double> any(-1, 1);
  am::future<weights> next = am::call<&server::pull>(model);
  for (int step = 0; step < steps; ++step) {
    const weights w = next.get();
    next = am::call<&server::pull>(model);  // arrives while this rank computes
    weights gradient{};
    for (int k = 0; k < 10; ++k) {
      const double x = any(random), error = w[0] * x + w[1] - (2 * x + 1);
      gradient[0] += error * x, gradient[1] += error;
    }
    am::async<&server::push>(model, weights{0.01 * gradient[0], 0.01 * gradient[1]});
  }
  am::fence();
  const weights w = am::call<&server::pull>(model).get();
  const bool right = std::abs(w[0] - 2) < 0.01 && std::abs(w[1] - 1) < 0.01;
  am::print_on(0, "y = {:.2f} x + {:.2f}: {}\n", w[0], w[1], right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "STEPS", fit); }
