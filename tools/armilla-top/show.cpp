// SPDX-License-Identifier: Apache-2.0
#include "rates.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "armilla/stats/counter_table.hpp"

namespace armilla::top {
namespace {

using json = nlohmann::ordered_json;

std::uint64_t messages_of(const statistics& s) { return s.one_way_calls_sent + s.two_way_calls_sent + s.replies_sent; }
std::uint64_t bytes_of(const statistics& s) { return s.bytes_sent + s.bulk_bytes_sent; }

// Counters begin again when a rank begins to run.
double rate(std::uint64_t before, std::uint64_t after, double seconds) {
  return after > before && seconds > 0 ? double(after - before) / seconds : 0;
}

double busy(const rank_look& before, const rank_look& after, double seconds) {
  return after.cpu > before.cpu && seconds > 0 ? (after.cpu - before.cpu) / seconds : 0;
}

double most_by_mean(const std::vector<rank_rates>& ranks, double rank_rates::* value) {
  double most = 0, sum = 0, known = 0;
  for (const rank_rates& r : ranks)
    if (r.last.known) most = std::max(most, r.*value), sum += r.*value, ++known;
  return sum > 0 ? most * known / sum : 0;
}

// What no rank has is left out.
std::string text_of(const imbalance& uneven) {
  std::string text;
  const auto add = [&](const char* what, double value) {
    if (value > 0) text += fmt::format("{} {} {:.2f}", text.empty() ? "Most by mean:" : ",", what, value);
  };
  add("messages", uneven.messages);
  add("bytes", uneven.bytes);
  add("busy", uneven.busy);
  return text.empty() ? text : text + "\n";
}

double waits(const rank_rates& r) { return r.last.doing == "waiting" ? r.last.seconds : -1; }

std::string short_number(double n) {
  static constexpr const char* units[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  for (; n >= 9999.5 && unit + 1 < std::size(units); ++unit) n /= 1000;
  return fmt::format("{:.0f}{}", n, units[unit]);
}

std::string line_of(const rank_rates& r) {
  const rank_look& l = r.last;
  const std::string since = l.doing == "waiting" || l.doing == "busy" ? fmt::format("{:.1f}", l.seconds) : "";
  std::string what = l.waits_for;
  if (!l.algorithm.empty()) what += (what.empty() ? "in " : ", in ") + l.algorithm;
  if (!l.host.empty()) what += (what.empty() ? "on " : ", on ") + l.host;
  return fmt::format("{:>5} {:>8}  {:<9}{:>8}{:>9}{:>9}{:>9}{:>9}  {}\n", l.rank, l.process, l.known ? l.doing : "elsewhere",
                     since, short_number(r.messages), short_number(r.bytes), short_number(double(l.memory)),
                     short_number(double(l.segment)), what);
}

json json_of(const rank_rates& r) {
  const rank_look& l = r.last;
  json out{{"rank", l.rank},
           {"process", l.process},
           {"program", l.program},
           {"here", l.here},
           {"known", l.known},
           {"host", l.host},
           {"doing", l.doing},
           {"seconds", l.seconds},
           {"waits_for", l.waits_for},
           {"algorithm", l.algorithm},
           {"memory", l.memory},
           {"segment", l.segment},
           {"messages_a_second", r.messages},
           {"bytes_a_second", r.bytes},
           {"busy", r.busy}};
  for (const detail::counter_row& row : detail::counter_table()) out["counters"][row.name] = l.counts.*row.member;
  return out;
}

}  // namespace

std::vector<rank_rates> rates_of(const std::vector<rank_look>& before, const std::vector<rank_look>& after, double seconds) {
  std::vector<rank_rates> result;
  const rank_look nothing;  // of a rank that has joined since
  for (std::size_t r = 0; r < after.size(); ++r) {
    const rank_look& first = r < before.size() ? before[r] : nothing;
    const statistics &from = first.counts, &to = after[r].counts;
    result.push_back({.last = after[r],
                      .messages = rate(messages_of(from), messages_of(to), seconds),
                      .bytes = rate(bytes_of(from), bytes_of(to), seconds),
                      .busy = busy(first, after[r], seconds)});
  }
  return result;
}

imbalance imbalance_of(const std::vector<rank_rates>& ranks) {
  return {most_by_mean(ranks, &rank_rates::messages), most_by_mean(ranks, &rank_rates::bytes),
          most_by_mean(ranks, &rank_rates::busy)};
}

void sort_by(std::vector<rank_rates>& ranks, order by) {
  const auto falling = [&](auto&& value) {
    std::ranges::stable_sort(ranks, [&](const rank_rates& a, const rank_rates& b) { return value(a) > value(b); });
  };
  switch (by) {
    case order::rank: return;
    case order::messages: return falling([](const rank_rates& r) { return r.messages; });
    case order::bytes: return falling([](const rank_rates& r) { return r.bytes; });
    case order::waits: return falling(waits);
    case order::memory: return falling([](const rank_rates& r) { return r.last.memory; });
  }
}

const char* name_of(order by) noexcept {
  static constexpr const char* names[] = {"rank", "messages", "bytes", "waits", "memory"};
  return names[std::size_t(by)];
}

std::string table_of(const job_summary& job, const std::vector<rank_rates>& ranks, order by, std::size_t lines) {
  double messages = 0, bytes = 0;
  std::size_t waiting = 0;
  for (const rank_rates& r : ranks) messages += r.messages, bytes += r.bytes, waiting += std::size_t(r.last.doing == "waiting");
  std::string text = fmt::format("{} ({}): {} rank{}{}, {} waiting; {} messages/s, {} bytes/s; by {}\n", job.program, job.process,
                                 job.ranks, job.ranks == 1 ? "" : "s", job.threads ? " as threads" : "", waiting,
                                 short_number(messages), short_number(bytes), name_of(by));
  const std::string uneven = ranks.size() > 1 ? text_of(imbalance_of(ranks)) : "";
  text += uneven;
  text += fmt::format("{:>5} {:>8}  {:<9}{:>8}{:>9}{:>9}{:>9}{:>9}  {}\n", "RANK", "PROCESS", "DOES", "SINCE s", "MSG/s",
                      "BYTES/s", "MEMORY", "SEGMENT", "WAITS FOR");
  const std::size_t head = uneven.empty() ? 2 : 3;
  for (std::size_t i = 0; i < ranks.size() && i + head < lines; ++i) text += line_of(ranks[i]);
  return text;
}

std::string table_of(const job_summary& job, const std::vector<detail::method_rate>& methods, std::size_t lines) {
  std::string text = fmt::format("{} ({}): what comes in, by method, from samples\n{:>9}{:>9}  {}\n", job.program, job.process,
                                 "MSG/s", "BYTES/s", "METHOD");
  for (std::size_t i = 0; i < methods.size() && i + 2 < lines; ++i)
    text += fmt::format("{:>9}{:>9}  {}\n", short_number(methods[i].messages), short_number(methods[i].bytes), methods[i].name);
  return text;
}

std::string json_of(const job_summary& job, const std::vector<rank_rates>& ranks, const std::vector<detail::method_rate>& methods,
                    double seconds) {
  json out{{"process", job.process}, {"program", job.program}, {"threads", job.threads}, {"seconds", seconds}};
  const imbalance uneven = imbalance_of(ranks);
  out["most_by_mean"] = {{"messages", uneven.messages}, {"bytes", uneven.bytes}, {"busy", uneven.busy}};
  out["ranks"] = json::array();
  for (const rank_rates& r : ranks) out["ranks"].push_back(json_of(r));
  out["methods"] = json::array();
  for (const detail::method_rate& m : methods)
    out["methods"].push_back({{"name", m.name}, {"messages_a_second", m.messages}, {"bytes_a_second", m.bytes}});
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace armilla::top
