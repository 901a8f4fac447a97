// SPDX-License-Identifier: Apache-2.0
// Regions that all ranks run together under run_main. A program of its own, for the tests of ranks start with run.
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "armilla/barrier.hpp"
#include "armilla/call.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/container.hpp"
#include "armilla/fence.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/query.hpp"
#include "armilla/run.hpp"
#include "armilla/sort.hpp"
#include "armilla/spmd.hpp"

namespace am = armilla;

namespace {

std::atomic<int> failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "FAILED rank %d of %d: %s\n", int(am::rank()), int(am::ranks()), what);
}

am::per_rank<long> seen;
void add(long x) { *seen += x; }

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const am::error& e) { return e.what(); } catch (const std::domain_error& e) {
    return std::string("own: ") + e.what();
  }
  return "";
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void all_ranks_run_it_with_what_it_captured() {
  const long factor = am::ranks() + 2;
  am::spmd([factor](const std::string& text, int more) { add(factor * (am::rank() + 1) + more + long(text.size())); },
           std::string("four"), 10);
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    expect(am::call(r, [] { return std::exchange(*seen, 0); }).get() == factor * (r + 1) + 14, "each rank ran it once");
}

void it_has_code_of_its_own() {
  am::spmd([] {
    const am::rank_t n = am::ranks();
    am::async((am::rank() + 1) % n, &add, 1L);
    am::fence();
    expect(*seen == 1, "a fence awaits what others sent");
    *seen = 0;
    const am::team half = am::world().split(am::rank() % 2);
    expect(half.all_reduce(1, std::plus<>{}) == half.size(), "a collective of a part");
    am::vector<int> x(5000);
    am::for_each_index(x, [](std::size_t i, int& e) { e = int(i * 7919 % 5000); });
    am::sort(x);
    expect(am::is_sorted(x), "an algorithm");
    x.push_back(int(am::rank()));
    am::fence();
    expect(x.size() == 5000 + std::size_t(n), "a vector grows");
  });
}

void containers_of_keys_work_in_regions() {
  am::spmd([] {
    const auto n = am::ranks();
    am::map<std::string, long> m;
    am::unordered_multimap<long, long> pairs;
    am::unordered_multiset<long> keys;
    for (long i = 0; i < 600; ++i) {
      m.update(std::to_string(1000 + i), 1, std::plus<>{});
      pairs.insert(i % 10, am::rank());
      keys.insert(i % 10);
    }
    am::fence();
    expect(m.size() == 600 &&
               m.local().size() == (600 * std::size_t(am::rank() + 1) + std::size_t(n) - 1) / std::size_t(n) - m.position(),
           "keys in order are dealt evenly");
    expect(m.between("1100", "1200").size() == 100 && m.lower_bound("1599").get()->second == n, "and are asked in order");
    expect(pairs.count(3).get() == 60 * std::size_t(n) && keys.count(3).get() == 60 * std::size_t(n), "equal keys");
    am::barrier();
  });
}

void regions_follow_each_other() {
  for (long i = 0; i < 50; ++i) {
    am::spmd([i] { add(i); });
    if (i % 10 == 0) am::call(am::ranks() - 1, &add, 0L).get();
  }
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    expect(am::call(r, [] { return std::exchange(*seen, 0); }).get() == 50 * 49 / 2, "each region once on each rank");
}

void the_lowest_error_comes_to_rank_0() {
  const am::rank_t last = am::ranks() - 1;
  const std::string text = error_of([last] {
    am::spmd([last] {
      if (am::rank() == last) throw std::domain_error("no such thing");
    });
  });
  expect(says(text, "no such thing"), "the text of what was thrown");
  expect(last == 0 ? says(text, "own: ") : says(text, ("rank " + std::to_string(last)).c_str()), "and where");
  expect(error_of([] { am::spmd([] { throw std::domain_error("everywhere"); }); }) == "own: everywhere", "rank 0 is the lowest");
  am::spmd([] { am::barrier(); });
}

void what_is_refused() {
  expect(says(error_of([] { am::spmd([] { am::spmd([] {}); }); }), "may not begin another one"), "a region in a region");
  const am::rank_t last = am::ranks() - 1;
  if (last > 0)
    expect(says(error_of([last] { am::call(last, [] { am::spmd([] {}); }).get(); }),
                "only the function that run_main runs on rank 0"),
           "elsewhere");
  expect(says(error_of([] { am::call(0, [] { am::spmd([] {}); }).get(); }), "may not"), "in a body");
  am::spmd([] { am::barrier(); });
}

}  // namespace

int main(int argc, char** argv) {
  return am::run_main(argc, argv, [] {
    all_ranks_run_it_with_what_it_captured();
    it_has_code_of_its_own();
    containers_of_keys_work_in_regions();
    regions_follow_each_other();
    the_lowest_error_comes_to_rank_0();
    what_is_refused();
    int all = 0;
    for (am::rank_t r = 0; r < am::ranks(); ++r) all += am::call(r, [] { return failures.load(); }).get();
    return all == 0 ? 0 : 1;
  });
}
