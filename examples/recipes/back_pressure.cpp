// SPDX-License-Identifier: Apache-2.0
// A work queue with back-pressure: one rank makes jobs no faster than all ranks finish them.
#include <functional>
#include <optional>

#include <armilla/armilla.hpp>

namespace am = armilla;

struct pool {
  am::channel<int> jobs{16};                        // holds at most 16 jobs
  std::optional<int> take() { return jobs.pop(); }  // waits for a job; nothing after the last one
};

static bool run_jobs(int count) {
  am::distributed<pool> work;  // rank 0's is used
  if (am::rank() == 0)
    am::spawn([&] {
      for (int job = 1; job <= count; ++job) work->jobs.push(job);  // waits while 16 jobs are in it
      work->jobs.close();
    }).detach();

  long sum = 0;
  while (const std::optional<int> job = am::call<&pool::take>(work.on(0)).get()) sum += *job;  // this is the work
  sum = am::all_reduce(sum, std::plus<>{});
  am::fence();  // no rank uses the pool any more

  const bool right = sum == long(count) * (count + 1) / 2;
  am::print_on(0, "{} jobs: {}\n", count, right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "JOBS", run_jobs); }
