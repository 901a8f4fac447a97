// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "bench/grain/task_graph.hpp"
#include "bench/harness/row.hpp"

namespace bench::grain {

/// What a task makes, and others take.
struct value {
  long step;
  long column;
};

/// The work of a task: a chain of `length` multiplications and additions.
[[gnu::noipa]] inline double compute(long length) {
  double x = 1;
  for (long i = 0; i < length; ++i) x = x * 0.875 + 0.25;
  return x;
}

/// Steps [first, last) of a graph, with tasks of one length. Steps count on from one run to the next, so that a value that an
/// earlier run left is wrong. The tasks of the first step take no values.
struct steps {
  long first, last;
  long length;

  bool has_inputs(long step) const { return step != first; }
  bool has_readers(long step) const { return step + 1 != last; }
};

/// Counts the tasks of a rank and the values that they took.
class task_count {
 public:
  /// The task (step, column) of a rank: takes its inputs from `at(column)`, and returns its value.
  template <class At>
  value run(const task_graph& g, const steps& s, long step, int column, At&& at) {
    if (s.has_inputs(step))
      for (const int from : g.inputs(step, column)) check(at(from), step - 1, from);
    keep(compute(s.length));
    ++tasks;
    return {step, column};
  }
  void check(const value& v, long step, int column) {
    ++inputs;
    if (v.step != step || v.column != column) [[unlikely]]
      throw std::runtime_error("wrong input: value of step " + std::to_string(v.step) + ", column " + std::to_string(v.column) +
                               " in place of step " + std::to_string(step) + ", column " + std::to_string(column));
  }

  long tasks = 0, inputs = 0;
};

}  // namespace bench::grain
