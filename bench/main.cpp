// SPDX-License-Identifier: Apache-2.0
// armilla-bench SUITE... [options]; --help says more.
//
// This process only coordinates: the rows are done by worker jobs (Armilla, MPI, hand-written), which it asks by turns,
// so that what is compared ran within milliseconds of each other.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>

#include "armilla/base/host/unfinished_file.hpp"
#include "bench/baseline/hand.hpp"
#include "bench/harness/report.hpp"
#include "bench/suites/suites.hpp"
#include "tools/arguments/arguments.hpp"

namespace bench {
namespace {

struct arguments {
  std::string json, records, svg;
  std::vector<std::string> suites, rows;
  sampling how;
  bool list = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');) parts.push_back(one);
  return parts;
}

const std::string suites =
    "Suites:\n"
    "  micro       a call, a one-way call, an access, beside the raw line, a ring by hand and MPI\n"
    "  aggregate   streams of small one-way calls and gathers, beside batches by hand and MPI\n"
    "  collective  barrier, fence and the collectives, beside MPI\n"
    "  memory      transfers, counters, strided and indexed access\n"
    "  algorithms  over arrays on all ranks, beside loops by hand\n"
    "  containers  maps, queues, sets and lists that all ranks fill and ask at once, beside the same by hand\n"
    "  em3d        the electromagnetic waves of the Split-C paper in their versions\n"
    "  graph       breadth-first search, PageRank, components and the library's graph algorithms; also: graphs\n"
    "  programs    the examples that have a twin by MPI, beside it\n"
    "  order       sorts and selections, beside two threads\n"
    "  matrix      stencils, transposes, conjugate gradients beside MPI; loops over own elements\n"
    "  prk         the Parallel Research Kernels, beside MPI\n"
    "  crowded     more ranks than cores, beside two ranks\n"
    "  fiber       spawn and join, switches, locks\n"
    "  grain       the shortest task of a task graph at which half of the peak is reached, beside MPI\n"
    "  mrpc        the table of the MRPC paper, in one program and between two\n"
    "  network     the same over MPI and UCX, beside programs written for them\n"
    "  loss        how long the others wait when a rank dies\n"
    "  growth      time over sizes, and over ranks on two cores (bench/growth draws it)\n"
    "  baseline    the hand-written rows alone\n"
    "  all         all but the last two\n\n"
    "A row's figure is the median, beside its yardstick from the same seconds: the raw cache line between the cores, or a "
    "baseline run by turns\n"
    "with it. Rows that need what is not installed are skipped, with the reason. Joins and sums by key stand beside polars and "
    "DuckDB\n"
    "where python3, or the interpreter that PYTHON_OF_TABLES names, has them. Exit code 1: a row could not be measured, or "
    "was wrong.\n\n"
    "Examples:\n"
    "  armilla-bench micro --quick\n"
    "  armilla-bench micro --rows call_empty,async_oneway --json micro.json\n"
    "  armilla-bench containers algorithms graphs\n";

armilla::tools::program description(arguments& a) {
  using armilla::tools::into;
  return {
      .name = "armilla-bench",
      .summary = "measures what messages, memory and fibers cost here, beside what is written by hand.",
      .usage = "SUITE... [options]",
      .options = {{"--rows", "A,B", "Only these rows", [&a](const std::string& text) { a.rows = split(text); }},
                  {"--list", "", "Print the rows of the suites and exit", into(a.list)},
                  {"--ranks", "N",
                   "Ranks of the job (default: 2); rows named ..4on2 and ..8on2 and idle_cpu have their own number",
                   into(a.how.ranks, 2, 64)},
                  {"--fabric", "NAME", "shm (ranks are processes) or threads (default: shm)", into(a.how.fabric)},
                  {"--quick", "", "Fewer runs", into(a.how.quick)},
                  {"--any-state", "", "Rows judged by the raw line do not wait until it is in the state in which they are judged",
                   into(a.how.any_state)},
                  {"--json", "FILE", "Write the results as JSON, too; -: to stdout", into(a.json)},
                  {"--records", "FILE", "Write them as records of armilla-report, too; -: to stdout", into(a.records)},
                  {"--svg", "FILE", "Draw them, too", into(a.svg)}},
      .more = suites};
}

arguments parse(int argc, char** argv) {
  arguments a;
  const armilla::tools::program self = description(a);
  const armilla::tools::words words = armilla::tools::parse_or_exit(self, argc, argv);
  if (words.empty()) std::exit(armilla::tools::complain(self, "a suite is missing"));
  for (const std::string& word : words) a.suites.push_back(word == "graphs" ? "graph" : word);
  return a;
}

bool asked(const arguments& a, const spec& s) {
  if (!a.rows.empty() && std::find(a.rows.begin(), a.rows.end(), s.name) == a.rows.end()) return false;
  return std::any_of(a.suites.begin(), a.suites.end(), [&](const std::string& suite) {
    return suite == s.suite || (suite == "all" && s.suite != "growth" && s.suite != "baseline");
  });
}

/// Each suite has a row that is asked for; a misspelt one is not left out in silence.
void check_suites(const arguments& a, const std::vector<spec>& specs) {
  for (const std::string& suite : a.suites)
    if (suite != "all" && std::none_of(specs.begin(), specs.end(), [&](const spec& s) { return s.suite == suite; }))
      throw std::runtime_error("no row of suite " + suite + (a.rows.empty() ? "" : " has such a name"));
}

std::vector<spec> chosen(const arguments& a) {
  std::vector<spec> specs = plan();
  std::erase_if(specs, [&](const spec& s) { return !asked(a, s); });
  check_suites(a, specs);
  if (specs.empty()) throw std::runtime_error("no row has such a name");
  return specs;
}

/// `alltoall` is the size at which the comparison comes out worst.
void add_worst_alltoall(std::vector<result>& all, std::vector<spec>& names) {
  const result* worst = nullptr;
  for (const result& r : all)
    if (r.what->row == "alltoall" && r.what->suite == "collective" && !r.usable().empty() && !r.what->baselines.empty())
      if (worst == nullptr || r.ratio(0).median > worst->ratio(0).median) worst = &r;
  if (worst == nullptr) return;
  names.push_back(*worst->what);
  names.back().name = "alltoall";
  result copy = *worst;
  copy.what = &names.back();
  all.push_back(std::move(copy));
}

/// Rows judged by the raw line are taken again while the line is in the state that counts, for a bounded time.
void wait_for_fast_state(std::vector<result>& all, const sampling& how, job_pool& jobs) {
  const std::uint64_t deadline = now_ns() + std::uint64_t(how.quick ? 15 : 120) * 1'000'000'000U;
  bool waiting = true;
  while (waiting && now_ns() < deadline) {
    waiting = false;
    for (result& r : all) {
      if (!wants_fast(r, how)) continue;
      waiting = true;
      if (line_is_fast(r, jobs)) take(r, how, jobs);
    }
    if (waiting) ::usleep(100'000);
  }
}

void write_file(const std::string& file, void (*writer)(std::ostream&, const std::vector<result>&),
                const std::vector<result>& all) {
  if (file.empty()) return;
  std::ostringstream out;
  writer(out, all);
  if (file == "-") {
    std::cout << out.str() << std::flush;
    return;
  }
  if (const std::string wrong = armilla::detail::write_whole_file(file, out.str()); !wrong.empty())
    throw std::runtime_error("cannot write " + file + ": " + wrong);
}

/// Returns whether every row could be measured and was right.
bool measure(const arguments& a, std::vector<spec>& specs) {
  job_pool jobs;
  std::vector<result> all;
  specs.reserve(specs.size() + 1);  // results point into it
  for (const spec& s : specs) all.emplace_back(&s, s.ranks ? s.ranks : a.how.ranks, a.how.fabric);
  print_head(std::cout);
  for (result& r : all) {
    jobs.keep_only(r.ranks);
    take(r, a.how, jobs);
    if (!wants_fast(r, a.how)) print_row(std::cout, r);
  }
  std::vector<result*> late;
  for (result& r : all)
    if (wants_fast(r, a.how)) late.push_back(&r);
  wait_for_fast_state(all, a.how, jobs);
  for (const result* r : late) print_row(std::cout, *r);
  add_worst_alltoall(all, specs);
  if (all.back().what->name == "alltoall") print_row(std::cout, all.back());
  print_anatomy(std::cout, all);
  print_summary(std::cout, all);
  write_file(a.json, write_json, all);
  write_file(a.records, write_records, all);
  write_file(a.svg, write_svg, all);
  return std::none_of(all.begin(), all.end(), [](const result& r) { return r.usable().empty() && !r.skipped; });
}

int coordinate(int argc, char** argv) {
  try {
    const arguments a = parse(argc, argv);
    std::vector<spec> specs = chosen(a);
    if (!a.list) return measure(a, specs) ? 0 : 1;
    for (const spec& s : specs) std::cout << s.suite << ' ' << s.name << '\n';
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "armilla-bench: " << e.what() << " (see armilla-bench --help)\n";
    return 2;
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--worker=armilla") return bench::suites::work(argc, argv);
  if (first == "--worker=programs") return bench::suites::work_of_programs(argc, argv);
  if (first == "--mortal") return bench::suites::be_mortal(argc, argv);
  if (first == "--worker=hand" && argc == 4) return bench::hand::work(argv[2], std::atoi(argv[3]));
  return bench::coordinate(argc, argv);
}
