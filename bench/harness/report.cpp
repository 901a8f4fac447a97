// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/report.hpp"

#include <cstdarg>
#include <cstdio>
#include <ostream>

namespace bench {
namespace {

const std::string most_by_least = "most by least";

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[400];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

std::string verdict(const judgement& j) {
  const char* word = !j.counts ? "(other state)" : j.passed() ? "pass" : "MISS";
  return text("  <= %-6.4g %s", j.limit, word);
}

std::string verdict(const std::vector<judgement>& all, const std::string& against) {
  for (const judgement& j : all)
    if (j.against == against) return verdict(j);
  return {};
}

std::string number(double v) { return text(v < 10 ? "%.3f" : v < 1000 ? "%.1f" : "%.0f", v); }

void print_line(std::ostream& out, const result& r, state s) {
  const spread v = r.values(s), y = r.yardsticks(s), x = r.x_yardstick(s);
  out << text("%10s %-9s [%s .. %s] x%d", number(v.median).c_str(), r.what->unit.c_str(), number(v.min).c_str(),
              number(v.max).c_str(), v.runs);
  if (y.median > 0 && r.what->unit != "%") out << text("  = %.3f x raw line (%.0f ns)", x.median, y.median);
}

void print_baseline(std::ostream& out, const result& r, std::size_t b, const std::vector<judgement>& judged) {
  const std::string& name = r.what->baselines[b].row;
  const spread ratio = r.ratio(b);
  out << text("%20s%10s %-9s %s: ratio %.3f [%.3f .. %.3f]", "", number(r.baseline_values(b, r.shown()).median).c_str(),
              r.what->unit.c_str(), name.c_str(), ratio.median, ratio.min, ratio.max)
      << verdict(judged, name);
  if (r.what->baselines[b].limit_more > 0) out << text("  %+.1f", r.difference(b).median) << verdict(judged, name + ", more");
  out << '\n';
}

}  // namespace

std::vector<judgement> judge(const result& r) {
  std::vector<judgement> all;
  const int meant_for = r.what->ranks != 0 ? r.what->ranks : 2;
  if (r.usable().empty() || r.ranks != meant_for) return all;
  const state s = r.shown();
  if (r.what->limit_x > 0) all.push_back({"raw line", r.x_yardstick(s).median, r.what->limit_x, s == state::fast});
  if (r.what->limit_value > 0) all.push_back({r.what->unit, r.values(s).median, r.what->limit_value, true});
  if (const spread v = r.values(s); r.what->limit_spread > 0 && v.min > 0)
    all.push_back({most_by_least, v.max / v.min, r.what->limit_spread, true});
  for (std::size_t b = 0; b < r.what->baselines.size(); ++b) {
    const baseline& one = r.what->baselines[b];
    if (one.limit > 0) all.push_back({one.row, r.ratio(b).median, one.limit, true});
    if (one.limit_more > 0) all.push_back({one.row + ", more", r.difference(b).median, one.limit_more, true});
  }
  return all;
}

void print_head(std::ostream& out) {
  out << "row              ranks     median unit      [min .. max] x runs; ratio to the raw line; what is to be reached\n";
}

void print_row(std::ostream& out, const result& r) {
  out << text("%-18s%2d", r.what->name.c_str(), r.ranks);
  if (r.usable().empty()) {
    out << "  -- " << (r.problem.empty() ? "no sample" : r.problem) << '\n' << std::flush;
    return;
  }
  const std::vector<judgement> judged = judge(r);
  const state s = r.shown(), beside = s == state::fast ? state::other : state::fast;
  print_line(out, r, s);
  out << verdict(judged, "raw line") << verdict(judged, r.what->unit) << verdict(judged, most_by_least)
      << (r.noisy() ? "  NOISY" : "") << '\n';
  for (std::size_t b = 0; b < r.what->baselines.size(); ++b) print_baseline(out, r, b, judged);
  if (r.in_state(beside) > 0 && r.yardsticks(beside).median > 0) {
    out << text("%20s", "");
    print_line(out, r, beside);
    out << "  beside: other state\n";
  }
  if (!r.problem.empty()) out << "                    then: " << r.problem << '\n';
  out << std::flush;
}

void print_anatomy(std::ostream& out, const std::vector<result>& all) {
  bool first = true;
  for (const result& r : all) {
    const anatomy p = r.parts();
    if (p.total == 0) continue;
    if (first)
      out << "\nWhat the time goes into (both ranks; the time with the borders that are measured; ns), beside the paper's (us):\n"
             "row                      total messages threads yields creates syncs runtime  body |"
             " CC++: total AM threads (yields creates syncs) runtime; Split-C: total AM runtime\n";
    first = false;
    const paper_row& q = r.what->paper;
    const std::string creates = p.creates > 0 ? text("%.2f", p.creates) : "-";  // not counted
    out << text("%-22s %7.0f  %7.0f %7.0f %6.2f %7s %5.2f %7.0f %5.0f", r.what->name.c_str(), p.total, p.messages, p.threads,
                p.yields, creates.c_str(), p.syncs, p.runtime, p.body);
    if (q.total > 0)
      out << text(" | %5.1f %5.1f %4.0f (%.0f %.0f %.0f) %4.1f", q.total, q.messages, q.threads, q.yields, q.creates, q.syncs,
                  q.runtime);
    if (q.split_total > 0) out << text("; %5.1f %4.1f %4.1f", q.split_total, q.split_messages, q.split_runtime);
    out << '\n';
  }
}

void print_summary(std::ostream& out, const std::vector<result>& all) {
  int passed = 0, missed = 0, open = 0, failed = 0;
  for (const result& r : all) {
    failed += r.usable().empty() && !r.skipped;
    for (const judgement& j : judge(r)) ++(!j.counts ? open : j.passed() ? passed : missed);
  }
  out << text("targets: %d reached, %d missed, %d not judged (line in its other state); %d rows without a sample\n", passed,
              missed, open, failed);
}

}  // namespace bench
