// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "bench/papers/common/clock.hpp"
#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/record.hpp"

namespace papers {

/// What runs a program: armilla_job, mpi_job, or this process alone.
template <class J>
concept job = requires(const J& j, double x) {
  { j.rank() } -> std::convertible_to<int>;
  { j.ranks() } -> std::convertible_to<int>;
  { j.fabric() } -> std::convertible_to<std::string>;  ///< what carries it
  { j.by() } -> std::convertible_to<std::string>;
  j.barrier();
  { j.greatest(x) } -> std::convertible_to<double>;  ///< of all ranks' numbers; collective
};

/// One process with as many threads as it likes.
struct alone {
  std::string who;  ///< "threads", "openmp", "lapack", ...
  int workers = 1;  ///< stands for the ranks
  int rank() const { return 0; }
  int ranks() const { return workers; }
  std::string fabric() const { return "threads"; }
  std::string by() const { return who; }
  void barrier() const {}
  double greatest(double x) const { return x; }
};

/// Seconds that the slowest rank takes for `body`, which all ranks begin together. Collective; the same number on every rank.
template <job Job, class Body>
double seconds_of_slowest(const Job& j, Body&& body) {
  j.barrier();
  const double start = seconds_now();
  body();
  return j.greatest(seconds_now() - start);
}

/// Says where the time of the measured parts went, for those whose library knows. See armilla_job.hpp.
template <job Job>
class meter {
 public:
  void begin() {}
  void end() {}
  json of_all(const Job&) const { return {}; }
};

/// What a version does for a sample, in this order.
template <class Prepare, class Body, class Right, class Value>
struct work {
  Prepare prepare;  ///< not timed: back to the beginning
  Body body;        ///< timed, to the end of the slowest rank; ends when this rank's part is complete
  Right right;      ///< whether this rank's results are right
  Value value;      ///< the sample: from seconds
};
template <class P, class B, class R, class V>
work(P, B, R, V) -> work<P, B, R, V>;

/// What `measure` adds to a record if not told.
struct nothing_more {
  void operator()(record&) const {}
};

/// Runs and prints versions. On every rank; rank 0 prints.
template <job Job>
class runner {
 public:
  explicit runner(const command_line& how, Job j = {}) : how_(how), job_(std::move(j)) {}
  bool wants(std::string_view version) const { return how_.wants(version); }
  const Job& job() const noexcept { return job_; }
  int samples() const noexcept { return how_.samples(); }

  /// One sample that does not count, unless it is to run cold, and as many as asked for that do, verified each, then printed.
  /// Sets program, by, ranks, fabric, samples and verified. Collective. Throws on every rank when a result is wrong, after it
  /// printed that. `complete(r)` adds what is known only after the last sample: counts, for instance; it is collective, too.
  template <class P, class B, class R, class V, class Complete = nothing_more>
  void measure(record r, const work<P, B, R, V>& w, const Complete& complete = {}) {
    r.verified = true;
    meter<Job> spent, warming_up;
    for (int i = how_.cold() ? 0 : -1; i < how_.samples() && r.verified; ++i) {
      w.prepare();
      meter<Job>& now = i < 0 ? warming_up : spent;
      const double seconds = seconds_of_slowest(job_, [&] {
        now.begin();
        w.body();
        now.end();
      });
      if (i >= 0) r.samples.push_back(w.value(seconds));
      r.verified = job_.greatest(w.right() ? 0 : 1) == 0;
    }
    r.components = spent.of_all(job_);
    complete(r);
    add(std::move(r));
  }

  /// Prints what was measured otherwise: `samples` and `verified` are set, the same on every rank; `by` may be.
  void add(record r) {
    r.program = how_.program();
    if (r.by.empty()) r.by = job_.by();
    r.ranks = job_.ranks();
    r.fabric = job_.fabric();
    if (job_.rank() == 0) print(r);
    if (!r.verified) throw std::runtime_error(r.program + " " + r.version + ": the results are wrong");
  }

 private:
  void print(const record& r) {
    if (!how_.writes_json() && how_.begins_table()) std::printf("%s\n%s\n", r.program.c_str(), table_head().c_str());
    std::printf("%s\n", (how_.writes_json() ? json_line(r) : table_line(r)).c_str());
    std::fflush(stdout);
  }

  const command_line& how_;
  Job job_;
};

}  // namespace papers
