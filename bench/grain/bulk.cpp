// SPDX-License-Identifier: Apache-2.0
// Task graphs in steps: a rank runs its tasks of a step, and stores the values that another rank needs in that one's memory
// before it runs the others. The number of the step is stored last, and is the flag.
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/grain/rows.hpp"

namespace bench::grain {
namespace {

namespace am = armilla;

/// A table of values on each rank.
class value_tables {
 public:
  explicit value_tables(std::size_t size) : own_(am::allocate<value>(size)), all_(am::world().all_gather(own_)) { am::barrier(); }
  ~value_tables() {
    am::barrier();
    am::deallocate(own_);
  }

  value& operator[](std::size_t place) { return own_.local()[place]; }
  void send(am::rank_t to, std::size_t place) {
    const am::global_ptr<value> p = all_[std::size_t(to)] + std::ptrdiff_t(place);
    const value v = (*this)[place];
    p->*& value::column = v.column;
    p->*& value::step = v.step;
  }
  bool has(std::size_t place, long step) const { return (own_ + std::ptrdiff_t(place))->*&value::step == step; }

 private:
  am::global_ptr<value> own_;
  std::vector<am::global_ptr<value>> all_;
};

void run(const row_context& c, const task_graph& g, const steps& s, task_count& done, value_tables& values) {
  const int me = am::rank();
  for (long step = s.first; step < s.last; ++step) {
    if (s.has_inputs(step))
      for (const task_graph::message& m : g.received(step, me))
        for (const int column : m.columns)
          while (!values.has(g.place(step - 1, column), step - 1)) am::poll(), c.relax();
    const auto run_tasks = [&](const std::vector<int>& columns) {
      for (const int column : columns)
        values[g.place(step, column)] =
            done.run(g, s, step, column, [&](int from) -> const value& { return values[g.place(step - 1, from)]; });
    };
    run_tasks(g.sent_columns(step, me));
    if (s.has_readers(step))
      for (const task_graph::message& m : g.sent(step, me))
        for (const int column : m.columns) values.send(m.rank, g.place(step, column));
    run_tasks(g.own_columns(step, me));
  }
}

}  // namespace

double bulk(row_context& c, const task_graph& g) {
  value_tables values(g.table_size());
  return metg_search(c, g).find([&](const steps& s, task_count& done) { run(c, g, s, done, values); });
}

}  // namespace bench::grain
