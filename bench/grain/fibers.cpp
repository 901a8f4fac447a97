// SPDX-License-Identifier: Apache-2.0
// Task graphs by fibers: each column is a fiber, which waits for its inputs in channels.
#include <deque>
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/grain/rows.hpp"

namespace bench::grain {
namespace {

namespace am = armilla;

/// The channels of this rank's columns: one from each column.
class inboxes {
 public:
  void begin(const task_graph& g) {
    g_ = &g;
    channels_.clear();
    for (int i = 0; i < g.columns() * g.width(); ++i) channels_.emplace_back(std::size_t(g.steps_stored()) + 1);
  }
  am::channel<value>& channel(int from, int to) {
    return channels_[std::size_t((to - g_->begin(am::rank())) * g_->width() + from)];
  }
  /// Hands a value to the columns of this rank that need it.
  void take(const value& v) {
    for (const int column : g_->readers(v.step, int(v.column)))
      if (g_->rank_of(column) == am::rank()) channel(int(v.column), column).push(v);
  }

 private:
  const task_graph* g_ = nullptr;
  std::deque<am::channel<value>> channels_;
};

am::per_rank<inboxes> inputs;

void run_column(const task_graph& g, const steps& s, task_count& done, int column) {
  for (long step = s.first; step < s.last; ++step) {
    const value made = done.run(g, s, step, column, [&](int from) { return inputs->channel(from, column).pop().value(); });
    if (!s.has_readers(step)) continue;
    for (const int rank : g.reading_ranks(step, column)) am::async(rank, am::urgent([](value v) { inputs->take(v); }), made);
    inputs->take(made);
  }
}

}  // namespace

double fibers(row_context& c, const task_graph& g) {
  inputs->begin(g);
  am::barrier();
  return metg_search(c, g).find([&](const steps& s, task_count& done) {
    std::vector<am::fiber<void>> columns;
    for (int column = g.begin(c.rank); column < g.end(c.rank); ++column)
      columns.push_back(am::spawn([&, column] { run_column(g, s, done, column); }));
    for (am::fiber<void>& f : columns) f.join();
    am::flush();
  });
}

}  // namespace bench::grain
