// SPDX-License-Identifier: Apache-2.0
// Water, molecules that all act on each other: reading and updating those of other ranks one at a time (atomic) and in bundles
// (prefetch), in Split-C's words and in CC++'s, and in the library's own, by global pointers and by calls; and by threads with
// locks.
#include <functional>
#include <vector>

#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/measure.hpp"
#include "bench/papers/water/atomic_by_calls.hpp"
#include "bench/papers/water/atomic_by_pointers.hpp"
#include "bench/papers/water/atomic_in_ccpp.hpp"
#include "bench/papers/water/atomic_in_splitc.hpp"
#include "bench/papers/water/options.hpp"
#include "bench/papers/water/prefetch_by_calls.hpp"
#include "bench/papers/water/prefetch_by_pointers.hpp"
#include "bench/papers/water/prefetch_in_ccpp.hpp"
#include "bench/papers/water/prefetch_in_splitc.hpp"
#include "bench/papers/water/threads.hpp"

namespace {

using namespace water;

/// A size, and what the energies must be in the end.
struct problem {
  papers::runner<papers::armilla_job>& run;
  const water_options& how;
  box space;
  energies expected;

  problem(papers::runner<papers::armilla_job>& r, const water_options& o, int molecules)
      : run(r), how(o), space(molecules, o.cutoff), expected(expected_energies(space, o.cutoff, o.steps)) {}

  template <class Version, class Part>
  void measure(const char* name, const char* source) {
    if (!run.wants(name)) return;
    am::distributed<Part> parts(space);
    {
      Version version(parts);
      run.measure(how.describe(name, space, expected, source),
                  papers::work{.prepare = [&] { parts->reset(); },
                               .body =
                                   [&] {
                                     for (int s = 0; s < how.steps; ++s) version.step();
                                   },
                               .right = [&] { return right(*parts); },
                               .value = [&](double seconds) { return how.microseconds_a_step(seconds); }});
      am::fence();
    }
    am::fence();
  }

  /// Every rank has the sum of what the molecules have for themselves; rank 0 computes the pairs, and compares.
  bool right(part& mine) const {
    mine.show();
    const energies own = am::world().all_reduce(mine.mine().own_energies(), std::plus<>{});
    const auto shown = am::all_gather(mine.shown_places());
    bool same = true;
    if (am::rank() == 0) {
      std::vector<triple> places(std::size_t(space.molecules));
      for (am::rank_t r = 0; r < am::ranks(); ++r)
        am::get(std::span(&places[std::size_t(mine.of(r).first)], std::size_t(mine.of(r).count())), shown[std::size_t(r)]);
      am::sync_memory();
      same = agree(energies_of(space, places, own), expected);
    }
    am::barrier();
    return same;
  }
};

void measure_threads(const papers::command_line& line, const problem& p) {
  const int n = am::ranks();
  papers::runner<papers::alone> run(line, {"threads", n});
  threads_with_locks all(p.space, n);
  double seconds = 0;
  const auto steps = [&](int t) {
    all.meet();
    const double start = papers::seconds_now();
    for (int s = 0; s < p.how.steps; ++s) all.step(t);
    all.meet();
    if (t == 0) seconds = papers::seconds_now() - start;
  };
  const auto right = [&] {
    std::vector<triple> places;
    energies own;
    for (int t = 0; t < n; ++t) {
      const molecules& m = all.of(t).mine();
      places.insert(places.end(), m.places().begin(), m.places().end());
      own = own + m.own_energies();
    }
    return agree(energies_of(p.space, places, own), p.expected);
  };
  run.measure(p.how.describe("threads", p.space, p.expected, "bench/papers/water/threads.hpp"),
              papers::work{.prepare =
                               [&] {
                                 for (int t = 0; t < n; ++t) all.of(t).reset();
                               },
                           .body = [&] { papers::on_threads(n, steps); },
                           .right = right,
                           .value = [&](double) { return p.how.microseconds_a_step(seconds); }});
}

int run_all(const papers::command_line& line, const water_options& how) {
  for (const int n : how.molecules)
    if (am::ranks() > n / 2) return am::rank() == 0 ? how.check(line, am::ranks()) : 2;
  papers::runner<papers::armilla_job> run(line);
  for (const int n : how.molecules) {
    problem p(run, how, n);
    p.measure<in_splitc::atomic_version, part>("atomic/splitc", "bench/papers/water/atomic_in_splitc.hpp");
    p.measure<in_ccpp::atomic_version, part>("atomic/ccpp", "bench/papers/water/atomic_in_ccpp.hpp");
    p.measure<in_splitc::prefetch_version, part>("prefetch/splitc", "bench/papers/water/prefetch_in_splitc.hpp");
    p.measure<in_ccpp::prefetch_version, part>("prefetch/ccpp", "bench/papers/water/prefetch_in_ccpp.hpp");
    p.measure<atomic_by_pointers, part>("atomic/pointers", "bench/papers/water/atomic_by_pointers.hpp");
    p.measure<atomic_by_calls, atomic_part>("atomic/calls", "bench/papers/water/atomic_by_calls.hpp");
    p.measure<prefetch_by_pointers, part>("prefetch/pointers", "bench/papers/water/prefetch_by_pointers.hpp");
    p.measure<prefetch_by_calls, asked_part>("prefetch/calls", "bench/papers/water/prefetch_by_calls.hpp");
    if (am::rank() == 0 && run.wants("threads")) measure_threads(line, p);
    am::barrier();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  papers::command_line line("water",
                            "Water, molecules that all act on each other: atomic and prefetch, in Split-C, in CC++, by global "
                            "pointers, by calls; threads with locks.",
                            {"atomic/splitc", "atomic/ccpp", "prefetch/splitc", "prefetch/ccpp", "atomic/pointers",
                             "atomic/calls", "prefetch/pointers", "prefetch/calls", "threads"});
  water_options how;
  bool by_message = false;
  how.add_to(line);
  line.flag("--by-message", by_message, "pointers are carried by messages, too: memory that is shared is not used");
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line, 1); code != 0) return code;
  if (by_message) papers::cut_short_cut();
  return am::run(argc, argv, [&line, &how] { return run_all(line, how); });
}
