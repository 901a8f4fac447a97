// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// What the programs of the papers have in common. The files here know no Armilla, except armilla_job.hpp, and no MPI, except
/// mpi_job.hpp: baselines use the rest.
namespace papers {

using json = nlohmann::ordered_json;

/// One version of a program on one size, measured: a line of what armilla-report reads.
struct record {
  std::string program = {};
  std::string version = {};
  std::string by = {};  ///< what did it: armilla, mpi, threads, openmp, ...
  int ranks = 1;
  std::string fabric = {};     ///< what carried it
  json size = json::object();  ///< what the user chose: {"nodes": 200, ...}
  std::string unit = {};       ///< of a sample: "ns/edge"
  std::vector<double> samples = {};
  bool verified = false;
  json checks = {};         ///< optional: values that every version of the program must agree in
  std::string source = {};  ///< optional: the file whose lines between `// parallel` and `// end of parallel` are counted
  json components = {};     ///< optional: seconds by component
  json counts = {};         ///< optional: what was counted, by name
};

/// One line of JSON, without the line's end.
std::string json_line(const record& r);

/// The same as a row of a table for people, and the row above the first one.
std::string table_line(const record& r);
std::string table_head();

/// The middle one, or the mean of the two in the middle; 0 of nothing.
double median(std::vector<double> v);

}  // namespace papers
