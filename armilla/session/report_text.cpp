// SPDX-License-Identifier: Apache-2.0
// The report as a table: what is counted down, ranks or phases across. Rows without a count are left out.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "armilla/session/report.hpp"
#include "armilla/stats/counter_table.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t across = 8;              // columns beside each other
constexpr std::size_t longest_name = 72;       // of a method
constexpr std::size_t most_destinations = 64;  // ranks of a job whose traffic is printed pair by pair; JSON has it for all

struct column {
  std::string heading;
  const statistics* what;
  double cost = 0;                      // of a border, in seconds
  const phase_report* phase = nullptr;  // if that is what it is
};

std::string words(const char* name) {
  std::string text(name);
  for (const std::size_t at : {text.find("one_way"), text.find("two_way")})
    if (at != std::string::npos) text[at + 3] = '-';
  std::ranges::replace(text, '_', ' ');
  return text;
}

void print_heading(std::string& out, const char* title, const std::vector<column>& columns) {
  out += fmt::format("\n{:<26}", title);
  for (const column& c : columns) out += fmt::format(" {:>13}", c.heading.substr(0, 13));
  out += '\n';
}

void print_counters(std::string& out, const std::vector<column>& columns) {
  std::vector<counter_row> rows(counter_table().begin(), counter_table().end());
  std::erase_if(rows, [&](const counter_row& r) {
    return std::ranges::all_of(columns, [&](const column& c) { return c.what->*r.member == 0; });
  });
  // together what belongs together: groups in the order of the table, and so the rows of each
  const auto place = [](const counter_row& row) {
    const auto where = [](auto wanted) { return std::ranges::find_if(counter_table(), wanted) - counter_table().begin(); };
    return std::pair(where([&](const counter_row& r) { return std::strcmp(r.group, row.group) == 0; }),
                     where([&](const counter_row& r) { return r.member == row.member; }));
  };
  std::ranges::sort(rows, {}, place);
  const char* group = "";
  for (const counter_row& r : rows) {
    if (std::strcmp(group, r.group) != 0) out += fmt::format("{} ({})\n", group = r.group, name_of(r.part));
    out += fmt::format("  {:<24}", words(r.name));
    for (const column& c : columns) out += fmt::format(" {:>13}", c.what->*r.member);
    out += '\n';
  }
}

template <class Value>
void print_times(std::string& out, const char* name, const std::vector<column>& columns, Value value) {
  out += fmt::format("  {:<24}", name);
  for (const column& c : columns) out += fmt::format(" {:>13}", value(c));
  out += '\n';
}

std::string share(double part, double whole) {
  return fmt::format("{:.6f} {:>3.0f}%", part, whole > 0 ? 100 * part / whole : 0.0);
}

void print_components(std::string& out, const std::vector<column>& columns) {
  out += "components, seconds and share of the wall clock\n";
  constexpr double component_times::* members[components] = {&component_times::cpu, &component_times::net,
                                                             &component_times::thread_management,
                                                             &component_times::thread_synchronisation, &component_times::runtime};
  for (unsigned i = 0; i < components; ++i)
    print_times(out, name_of(component(i)), columns,
                [&](const column& c) { return share(c.what->time.*members[i], c.what->seconds); });
  print_times(out, "sum", columns, [](const column& c) { return share(c.what->time.sum(), c.what->seconds); });
  print_times(out, "of it measuring, about", columns,
              [](const column& c) { return share(double(c.what->borders) * c.cost, c.what->seconds); });
}

// The most that a rank had to do, by the mean.
void print_uneven(std::string& out, const std::vector<column>& columns, const char* name,
                  double (phase_report::*value)() const noexcept) {
  const auto of = [&](const column& c) { return c.phase == nullptr ? 0 : (c.phase->*value)(); };
  if (std::ranges::all_of(columns, [&](const column& c) { return of(c) == 0; })) return;
  print_times(out, name, columns, [&](const column& c) { return of(c) == 0 ? std::string("-") : fmt::format("{:.2f}", of(c)); });
}

void print_table(std::string& out, const char* title, const std::vector<column>& columns, bool timing) {
  print_heading(out, title, columns);
  print_times(out, "seconds", columns, [](const column& c) { return fmt::format("{:.6f}", c.what->seconds); });
  if (timing) print_components(out, columns);
  if (timing) print_uneven(out, columns, "cpu, most by mean", &phase_report::uneven_cpu);
  print_counters(out, columns);
  print_uneven(out, columns, "elements, most by mean", &phase_report::uneven_elements);
}

// At most `across` columns at a time; the last one, the total, in the last table.
void print_tables(std::string& out, const char* title, const std::vector<column>& columns, bool timing) {
  for (std::size_t at = 0; at < columns.size(); at += across)
    print_table(out, title,
                {columns.begin() + std::ptrdiff_t(at), columns.begin() + std::ptrdiff_t(std::min(at + across, columns.size()))},
                timing);
}

// 2^k bytes: "512", "64K".
std::string size_text(std::size_t k) {
  constexpr const char* units[] = {"", "K", "M", "G"};
  return fmt::format("{}{}", 1u << k % 10, units[k / 10]);
}

std::string sizes_text(const method_statistics& m) {
  std::string text;
  for (std::size_t k = 0; k < m.sizes.size(); ++k)
    if (m.sizes[k] != 0) text += fmt::format(" {}:{}", size_text(k), m.sizes[k]);
  return text;
}

void print_methods(std::string& out, const std::string& title, const statistics& s) {
  if (s.methods.empty()) return;
  std::vector<method_statistics> methods = s.methods;
  std::ranges::sort(methods, [](const method_statistics& a, const method_statistics& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  out +=
      fmt::format("\n{}\n{:>13} {:>13} {:>13}  {}\n", title, "messages", "bytes", "dispatches", "method, messages by size from");
  for (const method_statistics& m : methods) {
    const std::string name = m.name.size() > longest_name ? m.name.substr(0, longest_name - 3) + "..." : m.name;
    out += fmt::format("{:>13} {:>13} {:>13}  {} {}\n", m.messages, m.bytes, m.runs, name, sizes_text(m));
  }
}

std::string kilobytes(std::uint64_t bytes) { return fmt::format("{:.1f}", double(bytes) / 1024); }

std::string milliseconds(std::uint64_t ns) { return fmt::format("{:.3f}", double(ns) * 1e-6); }

using by_destination = std::vector<std::uint64_t> rank_report::*;

// A row a destination, a column a source; destinations without a value are left out.
void print_destinations(std::string& out, const char* title, const std::vector<rank_report>& ranks, by_destination values,
                        std::string (*text)(std::uint64_t)) {
  if (ranks.size() > most_destinations) return;
  for (std::size_t first = 0; first < ranks.size(); first += across) {
    const std::span<const rank_report> some = std::span(ranks).subspan(first, std::min(across, ranks.size() - first));
    out += fmt::format("\n{:<26}", title);
    for (std::size_t r = 0; r < some.size(); ++r) out += fmt::format(" {:>13}", fmt::format("from {}", first + r));
    out += '\n';
    for (std::size_t to = 0; to < ranks.size(); ++to) {
      if (std::ranges::all_of(some, [&](const rank_report& r) { return (r.*values)[to] == 0; })) continue;
      out += fmt::format("  {:<24}", fmt::format("to rank {}", to));
      for (const rank_report& from : some) out += fmt::format(" {:>13}", text((from.*values)[to]));
      out += '\n';
    }
  }
}

void print_containers(std::string& out, const std::vector<container_report>& containers) {
  if (containers.empty()) return;
  out += fmt::format("\ncontainers, of all ranks\n{:>9} {:>15} {:>13} {:>12} {:>12}  {}\n", "made", "elements", "KiB",
                     "most by mean", "operations", "container");
  for (const container_report& c : containers)
    out += fmt::format("{:>9} {:>15} {:>13} {:>12} {:>12}  {}\n", c.made, c.share.elements,
                       c.share.bytes == 0 ? "-" : kilobytes(c.share.bytes),
                       c.share.elements == 0 ? "-" : fmt::format("{:.2f}", c.most_by_mean()), c.operations,
                       text_of_object(c.name, c.type, {}, c.place));
}

double mean_cost(const job_report& job) {
  double sum = 0;
  for (const rank_report& r : job.ranks) sum += r.seconds_per_border;
  return job.ranks.empty() ? 0 : sum / double(job.ranks.size());
}

}  // namespace

std::string text_of(const job_report& job) {
  std::string text;
  std::string& out = text;
  out += fmt::format("armilla statistics: {} rank{}, {}", job.ranks.size(), job.ranks.size() == 1 ? "" : "s", job.fabric);
  if (job.timing) out += fmt::format("; {:.0f} ns a border", mean_cost(job) * 1e9);
  out += fmt::format("{}\n", job.timing ? "" : "; ARMILLA_STATS=timing tells where the time goes");
  std::vector<column> columns;
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    columns.push_back({fmt::format("rank {}", r), &job.ranks[r].whole, job.ranks[r].seconds_per_border});
  columns.push_back({"total", &job.total, mean_cost(job)});
  print_tables(out, "by rank", columns, job.timing);
  print_destinations(out, "KiB sent, by destination", job.ranks, &rank_report::sent, kilobytes);
  if (job.total.buffered_frames != 0)
    print_destinations(out, "ms buffered, longest", job.ranks, &rank_report::buffered, milliseconds);
  columns.clear();
  for (const phase_report& p : job.phases) columns.push_back({p.name, &p.what, mean_cost(job), &p});
  print_tables(out, "by phase, all ranks", columns, job.timing);
  print_containers(out, job.containers);
  print_methods(out, "methods, where their bodies ran, of all ranks", job.total);
  for (const phase_report& p : job.phases) print_methods(out, "methods in phase " + p.name, p.what);
  return text + "\n";
}

}  // namespace armilla::detail
