// SPDX-License-Identifier: Apache-2.0
// armilla-bench SUITE [--ranks N] [--fabric F] [--json FILE] [--records FILE] [--svg FILE] [--quick] [--any-state] [--rows A,B]
// [--list]
//
// This process only coordinates: the rows are done by worker jobs (Armilla, MPI, hand-written), which it asks by turns,
// so that what is compared ran within milliseconds of each other.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/baseline/hand.hpp"
#include "bench/harness/report.hpp"
#include "bench/suites/suites.hpp"

namespace bench {
namespace {

constexpr const char* usage =
    "usage: armilla-bench SUITE [--ranks N] [--fabric F] [--json FILE] [--records FILE] [--svg FILE] [--quick] [--any-state] "
    "[--rows A,B] "
    "[--list]\n"
    "  SUITE       micro, aggregate, collective, memory, em3d, graph, fiber, mrpc, network, loss; all of them: all; the "
    "hand-written rows alone: baseline\n"
    "  --ranks N   ranks of the job (2); rows named ..4on2 and ..8on2 and idle_cpu have their own number\n"
    "  --fabric F  shm (ranks are processes) or threads\n"
    "  --quick     fewer runs\n"
    "  --any-state rows judged by the raw line do not wait until it is in the state that counts\n"
    "  --rows A,B  only these rows\n";

struct arguments {
  std::string suite, json, records, svg;
  std::vector<std::string> rows;
  sampling how;
  bool list = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, ',');) parts.push_back(one);
  return parts;
}

arguments parse(int argc, char** argv) {
  arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::runtime_error(word + " wants a value");
      return argv[++i];
    };
    if (word == "--ranks")
      a.how.ranks = std::stoi(value());
    else if (word == "--fabric")
      a.how.fabric = value();
    else if (word == "--json")
      a.json = value();
    else if (word == "--records")
      a.records = value();
    else if (word == "--svg")
      a.svg = value();
    else if (word == "--rows")
      a.rows = split(value());
    else if (word == "--quick")
      a.how.quick = true;
    else if (word == "--any-state")
      a.how.any_state = true;
    else if (word == "--list")
      a.list = true;
    else if (!word.starts_with("-") && a.suite.empty())
      a.suite = word;
    else
      throw std::runtime_error("unknown argument " + word);
  }
  if (a.suite.empty()) throw std::runtime_error("which suite?");
  if (a.how.ranks < 2 || a.how.ranks > 64) throw std::runtime_error("--ranks wants a number from 2 to 64");
  return a;
}

bool asked(const arguments& a, const spec& s) {
  if (!a.rows.empty() && std::find(a.rows.begin(), a.rows.end(), s.name) == a.rows.end()) return false;
  return a.suite == s.suite || (a.suite == "all" && s.suite != "baseline");
}

std::vector<spec> chosen(const arguments& a) {
  std::vector<spec> specs = plan();
  std::erase_if(specs, [&](const spec& s) { return !asked(a, s); });
  if (specs.empty()) throw std::runtime_error("no row of suite " + a.suite + (a.rows.empty() ? "" : " has such a name"));
  return specs;
}

/// `alltoall` is the size at which the comparison comes out worst.
void add_worst_alltoall(std::vector<result>& all, std::vector<spec>& names) {
  const result* worst = nullptr;
  for (const result& r : all)
    if (r.what->row == "alltoall" && !r.usable().empty() && !r.what->baselines.empty())
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
  std::ofstream out(file);
  writer(out, all);
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
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
    std::cerr << "armilla-bench: " << e.what() << '\n' << usage;
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
