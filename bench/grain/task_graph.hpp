// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace bench::grain {

/// Which tasks of a step a task of the next step takes values from, in addition to its own column's.
enum class pattern {
  stencil,  ///< the columns beside it
  nearest,  ///< two columns on each side
  spread,   ///< two columns that are a third of the width apart, others in each step
  fft,      ///< the column whose number differs in one bit, another bit in each step
  tree,     ///< from column 0 to all columns in log2(width) steps, and back
  random,   ///< each column with probability 1/2, in eight different steps
};

/// A graph of `width` columns of tasks, which are dealt to the ranks in blocks. In each step each column has a task. It takes
/// the values of some tasks of the step before. The steps repeat after 64.
class task_graph {
 public:
  /// Columns of one rank that another rank needs.
  struct message {
    int rank;
    int first, last;  ///< they are within [first, last)
    std::vector<int> columns;
  };

  task_graph(pattern kind, int width, int ranks);

  int width() const { return width_; }
  int ranks() const { return ranks_; }
  int columns() const { return columns_; }  ///< of a rank
  int rank_of(int column) const { return column / columns_; }
  int begin(int rank) const { return rank * columns_; }
  int end(int rank) const { return begin(rank) + columns_; }

  /// Columns whose values of the step before the task (step, column) takes, in ascending order.
  const std::vector<int>& inputs(long step, int column) const { return of(step).inputs[std::size_t(column)]; }
  /// Columns whose tasks of the step after take the value of (step, column).
  const std::vector<int>& readers(long step, int column) const { return of(step + 1).readers[std::size_t(column)]; }
  /// Other ranks that have such tasks.
  const std::vector<int>& reading_ranks(long step, int column) const { return of(step + 1).ranks[std::size_t(column)]; }
  /// The columns of `rank` whose values other ranks need, and the others: so the former can be sent while the latter compute.
  const std::vector<int>& sent_columns(long step, int rank) const { return of(step + 1).first[std::size_t(rank)]; }
  const std::vector<int>& own_columns(long step, int rank) const { return of(step + 1).later[std::size_t(rank)]; }
  /// What `rank` sends after a step, and what it receives before a step.
  const std::vector<message>& sent(long step, int rank) const { return of(step + 1).sent[std::size_t(rank)]; }
  const std::vector<message>& received(long step, int rank) const { return of(step).received[std::size_t(rank)]; }

  /// The number of steps whose values have to be stored: no task begins before all tasks this many steps back have ended. So a
  /// value may replace the one that many steps before without asking whether that one was read. It is a power of two.
  int steps_stored() const { return steps_stored_; }
  /// Where a rank stores the value of (step, column), in a table of `table_size` values. Those of one rank and step fill whole
  /// cache lines.
  std::size_t place(long step, int column) const {
    return std::size_t(step & (steps_stored_ - 1)) * row_ + place_in_row_[std::size_t(column)];
  }
  std::size_t table_size() const { return std::size_t(steps_stored_) * row_; }

 private:
  struct step_inputs {
    std::vector<std::vector<int>> inputs, readers, ranks;  // by column
    std::vector<std::vector<int>> first, later;            // by rank
    std::vector<std::vector<message>> sent, received;
  };

  const step_inputs& of(long step) const { return steps_[std::size_t(step) % repetition]; }
  void connect(step_inputs& s) const;
  int most_steps_apart() const;

  static constexpr std::size_t repetition = 64;

  int width_, ranks_, columns_;
  std::vector<step_inputs> steps_;
  int steps_stored_ = 1;
  std::size_t row_;
  std::vector<std::size_t> place_in_row_;  // by column
};

}  // namespace bench::grain
