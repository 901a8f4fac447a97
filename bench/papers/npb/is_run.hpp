// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bench/papers/common/measure.hpp"
#include "bench/papers/npb/is_problem.hpp"

namespace npb {

/// The arguments of IS: which classes, and how often.
class is_options : public papers::command_line {
 public:
  explicit is_options(const std::string& version);
  const std::vector<std::string>& classes() const noexcept { return classes_; }

 private:
  std::vector<std::string> classes_{"S"};
};

/// Runs the classes that are asked for. `Sort` is the part that communicates: `prepare`, `run` (timed) and `right`.
template <class Sort, papers::job Job>
void run_is(const is_options& how, const Job& job, const char* version, const char* source) {
  papers::runner<Job> run(how, job);
  if (!run.wants(version)) return;
  for (const std::string& name : how.classes()) {
    const is_problem& p = *find_is_problem(name[0]);
    Sort sort(p);
    run.measure({.version = version,
                 .size = {{"class", name}, {"keys", p.keys()}, {"operations", p.operations()}},
                 .unit = "s",
                 .checks = {{"right_ranks", p.places.size() * std::size_t(p.iterations)}},
                 .source = source},
                papers::work{.prepare = [&] { sort.prepare(); },
                             .body = [&] { sort.run(); },
                             .right = [&] { return sort.right(); },
                             .value = [](double seconds) { return seconds; }});
  }
}

}  // namespace npb
