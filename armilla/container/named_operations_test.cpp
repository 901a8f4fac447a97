// SPDX-License-Identifier: Apache-2.0
// Members enter different collectives in the middle of operations of containers: both sides hear which operation that was.
#include <string>
#include <utility>

#include "armilla/array.hpp"
#include "armilla/matrix.hpp"
#include "armilla/rebalance.hpp"
#include "armilla/unordered_map.hpp"
#include "armilla/vector.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

struct containers {
  am::vector<int> numbers;
  am::array<std::string> words;
  am::matrix<int> cells;
  am::unordered_map<int, int> map;

  explicit containers(const am::team& t)
      : numbers(64, am::on(t)), words(64, am::on(t)), cells({8, 8}, am::on(t, am::grid())), map(t) {
    numbers.keep(1), words.keep(1), cells.keep(1), map.keep(1);
  }
};

struct operation {
  const char* name;
  void (*run)(const am::team& t, containers& c);
};

const std::string path = "/tmp/armilla_named_operations_test";

const operation operations[] = {
    {"checkpoint", [](const am::team&, containers& c) { c.numbers.checkpoint(); }},
    {"checkpoint", [](const am::team&, containers& c) { c.words.checkpoint(); }},
    {"checkpoint", [](const am::team&, containers& c) { c.cells.checkpoint(); }},
    {"checkpoint", [](const am::team&, containers& c) { c.map.checkpoint(); }},
    {"resize", [](const am::team&, containers& c) { c.numbers.resize(100); }},
    {"redistribute", [](const am::team&, containers& c) { c.words.redistribute(am::cyclic(4)); }},
    {"clear", [](const am::team&, containers& c) { c.numbers.clear(); }},
    {"clear", [](const am::team&, containers& c) { c.map.clear(); }},
    {"keep_local", [](const am::team&, containers& c) { c.numbers.keep_local(1); }},
    {"rebalance", [](const am::team& t, containers& c) { c.numbers = am::rebalance(t, std::move(c.numbers)); }},
    {"rebalance", [](const am::team& t, containers& c) { c.map = am::rebalance(t, std::move(c.map)); }},
    {"load", [](const am::team&, containers& c) { c.numbers.load(path); }},
    {"load", [](const am::team&, containers& c) { c.cells.load(path); }},
    {"load", [](const am::team&, containers& c) { c.map.load(path); }},
};

}  // namespace

RANK_TEST(errors_of_collectives_name_the_operation_that_the_user_called) {
  if (am::ranks() == 1) return;
  const bool odd = am::rank() == am::ranks() - 1;
  for (const operation& o : operations) {
    const am::team t = am::world().split(0);
    containers all(t);
    const std::string here = o.name, there = std::string(" in ") + o.name;
    rank_test::expect_throws<am::usage_error>(
        [&] { odd ? o.run(t, all) : void(t.all_reduce(1L, [](long a, long b) { return a + b; })); },
        odd ? here.c_str() : there.c_str(), o.name, __FILE__, __LINE__);
    am::barrier();
  }
}
