// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/common/record.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace papers {
namespace {

/// `nodes 200, degree 20`
std::string words(const json& object) {
  std::string text;
  for (const auto& [name, value] : object.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

}  // namespace

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  const auto middle = v.begin() + std::ptrdiff_t(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return v.size() % 2 == 1 ? *middle : (*middle + *std::max_element(v.begin(), middle)) / 2;
}

std::string json_line(const record& r) {
  json line = {{"program", r.program}, {"version", r.version}, {"by", r.by},
               {"ranks", r.ranks},     {"fabric", r.fabric},   {"size", r.size},
               {"unit", r.unit},       {"samples", r.samples}, {"verified", r.verified}};
  if (!r.checks.empty()) line["checks"] = r.checks;
  if (!r.source.empty()) line["source"] = r.source;
  if (!r.components.empty()) line["components"] = r.components;
  if (!r.counts.empty()) line["counts"] = r.counts;
  return line.dump();
}

std::string table_head() {
  return fmt::format("{:<28}{:<10}{:>5} {:<15}{:<9}{:>11}{:>11}{:>11}  {}", "version", "by", "ranks", "fabric", "unit", "median",
                     "min", "max", "size and values");
}

std::string table_line(const record& r) {
  const auto [min, max] = std::minmax_element(r.samples.begin(), r.samples.end());
  const bool none = r.samples.empty();
  return fmt::format("{:<28}{:<10}{:>5} {:<15}{:<9}{:>11.5g}{:>11.5g}{:>11.5g}  {}{}{}{}", r.version, r.by, r.ranks, r.fabric,
                     r.unit, median(r.samples), none ? 0.0 : *min, none ? 0.0 : *max, words(r.size), r.checks.empty() ? "" : ": ",
                     words(r.checks), r.verified ? "" : "  WRONG");
}

}  // namespace papers
