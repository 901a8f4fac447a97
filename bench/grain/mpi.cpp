// SPDX-License-Identifier: Apache-2.0
// Task graphs in steps by MPI: what another rank needs of a step goes to it in one message, before the tasks whose values
// no other rank needs. The receive of the next step's inputs begins before the tasks of a step.
#include "bench/baseline/mpi.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "bench/grain/rows.hpp"

namespace bench::grain {
namespace {

class mpi_steps {
 public:
  mpi_steps(const task_graph& g, int rank) : g_(g), me_(rank), values_(g.table_size()) {}

  void run(const steps& s, task_count& done) {
    for (long step = s.first; step < s.last; ++step) {
      wait(receives_);
      if (s.has_readers(step)) begin_receives(step + 1);
      run_tasks(s, step, g_.sent_columns(step, me_), done);
      wait(sends_);
      if (s.has_readers(step)) begin_sends(step);
      run_tasks(s, step, g_.own_columns(step, me_), done);
    }
    wait(sends_);
  }

 private:
  static void wait(std::vector<MPI_Request>& requests) {
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }
  void run_tasks(const steps& s, long step, const std::vector<int>& columns, task_count& done) {
    for (const int column : columns)
      values_[g_.place(step, column)] =
          done.run(g_, s, step, column, [&](int from) -> const value& { return values_[g_.place(step - 1, from)]; });
  }
  static int bytes(const task_graph::message& m) { return int(std::size_t(m.last - m.first) * sizeof(value)); }

  void begin_receives(long step) {
    for (const task_graph::message& m : g_.received(step, me_))
      MPI_Irecv(&values_[g_.place(step - 1, m.first)], bytes(m), MPI_BYTE, m.rank, 0, MPI_COMM_WORLD, &receives_.emplace_back());
  }
  void begin_sends(long step) {
    for (const task_graph::message& m : g_.sent(step, me_))
      MPI_Isend(&values_[g_.place(step, m.first)], bytes(m), MPI_BYTE, m.rank, 0, MPI_COMM_WORLD, &sends_.emplace_back());
  }

  const task_graph& g_;
  const int me_;
  std::vector<value> values_;
  std::vector<MPI_Request> receives_, sends_;
};

double by_mpi(row_context& c, const task_graph& g) {
  mpi_steps tasks(g, c.rank);
  return metg_search(c, g).find([&](const steps& s, task_count& done) { tasks.run(s, done); });
}

}  // namespace
}  // namespace bench::grain

namespace bench::mpi {

void add_grain(row_table& rows) {
  grain::add_patterns<grain::by_mpi>(rows, {"mpi_grain_stencil", "mpi_grain_nearest", "mpi_grain_spread", "mpi_grain_fft",
                                            "mpi_grain_tree", "mpi_grain_random"});
}

}  // namespace bench::mpi
