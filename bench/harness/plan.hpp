// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/harness/job.hpp"
#include "bench/harness/strangers.hpp"

namespace bench {

/// Something to compare with, done by a worker between two samples of the row itself.
struct baseline {
  worker_kind worker;
  std::string row;
  double limit = 0;       ///< of the pairwise ratio; 0: none
  long iterations = 0;    ///< 0: the row's own
  double limit_more = 0;  ///< of the pairwise difference, in the row's unit; 0: none
  int ranks = 0;          ///< 0: the row's own
};

/// One row of the table.
struct spec {
  std::string name;
  std::string suite;
  std::string row;  ///< the worker's row; several specs may use one with different sizes
  std::string unit = "ns";
  long size = 0;
  long quick_size = 0;  ///< of a quick run; 0: the same
  long iterations = 1000;
  std::vector<baseline> baselines = {};  ///< the first one fills the fields `baseline` and `ratio`
  double limit_x = 0;                    ///< target on the ratio to the raw line, 0: none
  double limit_value = 0;                ///< target on the value itself, 0: none
  double limit_spread = 0;               ///< target on the greatest value by the least, 0: none
  int ranks = 0;                         ///< 0: what the user asked for
  int runs = 30;
  worker_kind worker = worker_kind::armilla;
  int strangers = 0;                            ///< processes that do nothing but use the cores meanwhile
  stranger_kind beside = stranger_kind::spins;  ///< what they do
  paper_row paper = {};                         ///< if the MRPC paper measured the same: shown beside the baseline that is timed
};

/// The rows of these suites.
void add_algorithms(std::vector<spec>& rows);
void add_containers(std::vector<spec>& rows);
void add_orders(std::vector<spec>& rows);
void add_matrices(std::vector<spec>& rows);
void add_prk(std::vector<spec>& rows);
void add_crowded(std::vector<spec>& rows);
void add_graphs(std::vector<spec>& rows);
void add_programs(std::vector<spec>& rows);
void add_fiber(std::vector<spec>& rows);
void add_grain(std::vector<spec>& rows);
void add_mrpc(std::vector<spec>& rows);
void add_network(std::vector<spec>& rows);
void add_loss(std::vector<spec>& rows);
void add_growth(std::vector<spec>& rows);

/// Where TBB is installed: the row stands beside `tbb_NAME`, by hand, as well.
void add_tbb_to(spec& row, double limit);

/// Every row, in the order they are printed; of other suites than network and loss only those that can be run here.
std::vector<spec> plan();

}  // namespace bench
