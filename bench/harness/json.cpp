// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <ostream>
#include <string>

#include "bench/harness/report.hpp"

namespace bench {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

std::string number(double v) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.6g", v);
  return buffer;
}

/// An object written member by member.
class object {
 public:
  object& text(const char* key, const std::string& value) { return raw(key, quoted(value)); }
  object& real(const char* key, double value) { return raw(key, number(value)); }
  object& raw(const char* key, const std::string& value) {
    body_ += (body_.empty() ? "" : ", ") + quoted(key) + ": " + value;
    return *this;
  }
  std::string str() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

template <class Range, class F>
std::string list(const Range& range, F&& each) {
  std::string out;
  for (const auto& one : range) out += (out.empty() ? "" : ", ") + each(one);
  return "[" + out + "]";
}

void add_baseline(object& o, const result& r, std::size_t b) {
  const spread ratio = r.ratio(b);
  o.text("baseline", r.what->baselines[b].row).real("baseline_median", r.baseline_values(b, r.shown()).median);
  o.real("ratio", ratio.median).real("ratio_min", ratio.min).real("ratio_max", ratio.max).real("pairs", ratio.runs);
}

std::string more_baselines(const result& r) {
  std::string out;
  for (std::size_t b = 1; b < r.what->baselines.size(); ++b) {
    object o;
    add_baseline(o, r, b);
    out += (out.empty() ? "" : ", ") + o.str();
  }
  return "[" + out + "]";
}

std::string beside(const result& r, state s) {
  object o;
  const spread v = r.values(s);
  o.real("median", v.median).real("min", v.min).real("max", v.max).real("runs", v.runs);
  o.real("yardstick_ns", r.yardsticks(s).median).real("x_yardstick", r.x_yardstick(s).median);
  return o.str();
}

std::string target(const judgement& j) {
  object o;
  o.text("against", j.against).real("limit", j.limit).real("got", j.got);
  o.raw("judged", j.counts ? "true" : "false").raw("pass", j.passed() ? "true" : "false");
  return o.str();
}

std::string parts(const anatomy& p) {
  object o;
  o.real("total", p.total).real("messages", p.messages).real("threads", p.threads).real("yields", p.yields);
  o.real("creates", p.creates).real("syncs", p.syncs).real("runtime", p.runtime).real("body", p.body);
  return o.str();
}

std::string row(const result& r) {
  const state s = r.shown(), other = s == state::fast ? state::other : state::fast;
  const spread v = r.values(s), y = r.yardsticks(s);
  object o;
  o.text("name", r.what->name).text("suite", r.what->suite).real("ranks", r.ranks).text("fabric", r.fabric);
  o.text("row", r.what->row);
  if (r.what->quick_size == 0) o.raw("size", std::to_string(r.what->size));  // else a quick run has another one
  o.text("unit", r.what->unit).real("median", v.median).real("min", v.min).real("max", v.max).real("runs", v.runs);
  o.real("yardstick_ns", y.median).real("x_yardstick", r.x_yardstick(s).median);
  o.text("state", y.median == 0 ? "none" : s == state::fast ? "fast" : "other").raw("noisy", r.noisy() ? "true" : "false");
  if (!r.what->baselines.empty()) add_baseline(o, r, 0);
  if (r.what->baselines.size() > 1) o.raw("more_baselines", more_baselines(r));
  if (r.in_state(other) > 0 && y.median > 0) o.raw("other_state", beside(r, other));
  if (const anatomy p = r.parts(); p.total > 0) o.raw("components", parts(p));
  o.raw("targets", list(judge(r), target));
  return o.str();
}

std::string failure(const result& r) {
  object o;
  o.text("name", r.what->name).text("suite", r.what->suite).real("ranks", r.ranks).text("fabric", r.fabric);
  return o.text("problem", r.problem).str();
}

}  // namespace

void write_json(std::ostream& out, const std::vector<result>& all) {
  const char* separator = "[\n  ";
  for (const result& r : all) {
    out << separator << (r.usable().empty() ? failure(r) : row(r));
    separator = ",\n  ";
  }
  out << (all.empty() ? "[]\n" : "\n]\n");
}

}  // namespace bench
