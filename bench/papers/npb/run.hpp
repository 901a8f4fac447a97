// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/papers/common/measure.hpp"

namespace npb {

/// The arguments of a benchmark: which classes, and how often.
class options : public papers::command_line {
 public:
  options(const std::string& program, const std::string& description, const std::string& version);
  const std::vector<std::string>& classes() const noexcept { return classes_; }

 private:
  std::vector<std::string> classes_{"S"};
};

/// Runs the classes that are asked for. `Solver` is the part that communicates: made from a problem, with `prepare`, `run`
/// (timed), `right` and `checks`. `Count` counts what is sent in `run`: `begin`, `end`, and `each()`, the mean of all ranks.
template <class Solver, class Count, papers::job Job>
void run(const options& how, const Job& job, const char* version, const char* source) {
  papers::runner<Job> runner(how, job);
  if (!runner.wants(version)) return;
  for (const std::string& name : how.classes()) {
    const auto& p = Solver::problem::find(name[0]);
    Solver solver(p);
    Count count;
    runner.measure({.version = version, .size = p.size(), .unit = "s", .source = source},
                   papers::work{.prepare = [&] { solver.prepare(); },
                                .body =
                                    [&] {
                                      count.begin();
                                      solver.run();
                                      count.end();
                                    },
                                .right = [&] { return solver.right(); },
                                .value = [](double seconds) { return seconds; }},
                   [&](papers::record& r) {
                     r.checks = solver.checks();
                     r.counts = count.each(job);
                   });
  }
}

}  // namespace npb
