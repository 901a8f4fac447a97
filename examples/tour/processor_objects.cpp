// SPDX-License-Identifier: Apache-2.0
// Processor objects: made on a chosen rank, held by references that travel, gone with the last of them.
#include <cstdio>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/tour/expect.hpp"
namespace am = armilla;

namespace {

struct model {
  virtual ~model() = default;
  virtual double step(double dt) = 0;
};

struct solver : model {
  explicit solver(std::vector<double> start) : grid(std::move(start)) {}
  double step(double dt) override { return time += dt; }
  void attach(am::remote<model> other) { neighbour = std::move(other); }
  std::size_t points() const { return grid.size(); }
  static constexpr am::atomic_list<&solver::attach> atomic_methods{};

  std::vector<double> grid;
  am::remote<model> neighbour;
  double time = 0;
};

struct shape {
  virtual ~shape() = default;
  virtual double area() const = 0;
};
struct circle : shape {
  circle() = default;
  explicit circle(double r) : radius(r) {}
  double area() const override { return 3 * radius * radius; }
  void define_type(auto& t) { t.local(radius); }
  double radius = 0;
};

double area_of(const am::polymorphic<shape>& s) { return s->area(); }

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const am::rank_t next = (am::rank() + 1) % am::ranks();

    const std::vector<double> grid(100);
    am::remote<solver> s = am::create<solver>(next, grid).get();  // a processor object on the next rank
    am::future<double> r = am::call<&solver::step>(s, 0.5);
    expect(r.get() == 0.5 && am::call<&solver::points>(s).get() == 100, "it has its arguments");
    am::async<&solver::time>(s, 7.0);
    expect(am::call<&solver::time>(s).get() == 7, "data members can be set and read");

    auto soon = am::create<solver>(next, grid);  // no wait: the call goes behind the creation
    expect(am::call<&solver::step>(soon, 2.0).get() == 2, "a call on a reference that was not there yet");

    am::call<&solver::attach>(s, soon.get()).get();  // s now holds the only reference to the second one
    am::remote<model> m = s;                         // a reference to a base
    expect(am::call<&model::step>(m, 1.0).get() == 8, "virtual methods work");
    const std::vector<am::remote<model>> all = am::all_gather(m);
    am::async<&model::step>(all[0], 1.0);
    am::fence();

    am::register_type<shape, circle>("tour.circle");
    am::barrier();
    expect(am::call<&area_of>(next, am::polymorphic<shape>(circle(2))).get() == 12, "an argument of a derived class");
    am::fence();
    if (am::rank() == 0) std::printf("processor_objects: all as expected\n");
  });
}
