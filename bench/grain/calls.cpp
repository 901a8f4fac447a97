// SPDX-License-Identifier: Apache-2.0
// Task graphs by one-way calls: a value goes to the ranks that need it by a call, and a task is ready when the last of its inputs
// has arrived. Tasks whose values others need run first.
#include <deque>
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/grain/rows.hpp"

namespace bench::grain {
namespace {

namespace am = armilla;

/// The tasks of this rank that have not run.
class waiting_tasks {
 public:
  void begin(const task_graph& g, const steps& s) {
    g_ = &g;
    s_ = s;
    begin_ = g.begin(am::rank());
    end_ = g.end(am::rank());
    values_.resize(g.table_size());
    missing_.resize(g.table_size());
    for (long step = s.first; step < s.first + g.steps_stored(); ++step)
      for (int column = begin_; column < end_; ++column) expect_inputs(step, column);
    for (int column = begin_; column < end_; ++column) make_ready(s.first, column);
  }

  /// Takes a value that tasks of this rank need.
  void take(const value& v) {
    values_[g_->place(v.step, int(v.column))] = v;
    for (const int column : g_->readers(v.step, int(v.column)))
      if (column >= begin_ && column < end_ && --missing_[g_->place(v.step + 1, column)] == 0) make_ready(v.step + 1, column);
  }

  void run(const row_context& c, task_count& done);

 private:
  void expect_inputs(long step, int column) { missing_[g_->place(step, column)] = int(g_->inputs(step, column).size()); }

  void make_ready(long step, int column) {
    (g_->reading_ranks(step, column).empty() ? ready_ : ready_for_others_).push_back({step, column});
  }

  const task_graph* g_ = nullptr;
  steps s_{};
  int begin_ = 0, end_ = 0;  // this rank's columns
  std::vector<value> values_;
  std::vector<int> missing_;
  std::deque<value> ready_for_others_, ready_;  // step and column; other ranks wait for the former
};

am::per_rank<waiting_tasks> tasks;

void waiting_tasks::run(const row_context& c, task_count& done) {
  long last = s_.first;
  for (long left = (s_.last - s_.first) * g_->columns(); left > 0; --left) {
    while (ready_for_others_.empty() && ready_.empty()) am::poll(), c.relax();
    std::deque<value>& from = ready_for_others_.empty() ? ready_ : ready_for_others_;
    const auto [step, column] = from.front();
    from.pop_front();
    if (step != std::exchange(last, step) || &from == &ready_) am::flush();  // others wait for what was sent
    const value made = done.run(*g_, s_, step, int(column),
                                [&, step = step](int input) -> const value& { return values_[g_->place(step - 1, input)]; });
    expect_inputs(step + g_->steps_stored(), int(column));
    if (!s_.has_readers(step)) continue;
    for (const int rank : g_->reading_ranks(step, int(column))) am::async(rank, [](value v) { tasks->take(v); }, made);
    take(made);
  }
}

}  // namespace

double calls(row_context& c, const task_graph& g) {
  return metg_search(c, g).find([&](const steps& s, task_count& done) {
    tasks->begin(g, s);
    tasks->run(c, done);
    am::flush();
  });
}

}  // namespace bench::grain
