// SPDX-License-Identifier: Apache-2.0
#include "show.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armilla/base/values/made_text.hpp"
#include "armilla/stats/counter_table.hpp"

namespace armilla::top {
namespace {

using json = nlohmann::ordered_json;

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

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

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
  if (!r.lost.empty()) what = r.lost;
  if (!l.algorithm.empty()) what += (what.empty() ? "in " : ", in ") + l.algorithm;
  if (!l.host.empty()) what += (what.empty() ? "on " : ", on ") + l.host;
  return fmt::format("{:>5} {:>8}  {:<9}{:>8}{:>9}{:>9}{:>9}{:>9}  {}\n", l.rank, l.process, l.known ? l.doing : "elsewhere",
                     since, short_number(r.messages), short_number(r.bytes), short_number(double(l.memory)),
                     short_number(double(l.segment)), what);
}

json json_of(const rank_rates& r, bool with_counters) {
  const rank_look& l = r.last;
  json out{{"rank", l.rank},
           {"state", state_of(r)},
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
  if (!r.lost.empty()) out["lost"] = r.lost;
  if (with_counters)
    for (const detail::counter_row& row : detail::counter_table()) out["counters"][row.name] = l.counts.*row.member;
  return out;
}

json json_of(const host_rates& h) {
  return {{"host", h.name},
          {"ranks", h.ranks},
          {"waiting", h.waiting},
          {"lost", h.lost},
          {"messages_a_second", h.messages},
          {"bytes_a_second", h.bytes},
          {"memory", h.memory}};
}

json json_of(const container_sizes& c) {
  json out{{"name", c.name},   {"type", c.type},   {"place", c.place},
           {"shape", c.shape}, {"bytes", c.bytes}, {"most_by_mean", c.most_by_mean}};
  out["elements"] = json::array();
  for (const auto& [rank, n] : c.elements) out["elements"].push_back({{"rank", rank}, {"elements", n}});
  return out;
}

}  // namespace

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

std::string table_of(const snapshot& s, order by, std::size_t lines) {
  double messages = 0, bytes = 0;
  std::size_t waiting = 0;
  for (const rank_rates& r : s.ranks) messages += r.messages, bytes += r.bytes, waiting += std::size_t(r.last.doing == "waiting");
  std::string text = fmt::format("{} ({}): {} rank{}{}, {} waiting; {} messages/s, {} bytes/s; by {}\n", s.job.program,
                                 s.job.process, s.job.ranks, s.job.ranks == 1 ? "" : "s", s.job.threads ? " as threads" : "",
                                 waiting, short_number(messages), short_number(bytes), name_of(by));
  if (!s.losses.empty()) text += fmt::format("Lost: {} in all; the last: {}\n", s.losses.size(), first_line(s.losses.back()));
  if (s.ranks.size() > 1) text += text_of(s.most_by_mean);
  text += fmt::format("{:>5} {:>8}  {:<9}{:>8}{:>9}{:>9}{:>9}{:>9}  {}\n", "RANK", "PROCESS", "DOES", "SINCE s", "MSG/s",
                      "BYTES/s", "MEMORY", "SEGMENT", "WAITS FOR");
  const auto head = std::size_t(std::ranges::count(text, '\n'));
  for (std::size_t i = 0; i < s.ranks.size() && i + head < lines; ++i) text += line_of(s.ranks[i]);
  return text;
}

std::string methods_table_of(const snapshot& s, std::size_t lines) {
  std::string text = fmt::format("{} ({}): what comes in, by method, from samples\n{:>9}{:>9}  {}\n", s.job.program,
                                 s.job.process, "MSG/s", "BYTES/s", "METHOD");
  for (std::size_t i = 0; i < s.methods.size() && i + 2 < lines; ++i)
    text +=
        fmt::format("{:>9}{:>9}  {}\n", short_number(s.methods[i].messages), short_number(s.methods[i].bytes), s.methods[i].name);
  return text;
}

std::string containers_table_of(const snapshot& s, std::size_t lines) {
  std::string text = fmt::format("{} ({}): containers, and what it exposes\n{:>9}{:>9}{:>7}{:>6}  {}\n", s.job.program,
                                 s.job.process, "ELEMENTS", "BYTES", "RANKS", "M/M", "NAME");
  for (std::size_t i = 0; i < s.containers.size() && i + 2 < lines; ++i) {
    const container_sizes& c = s.containers[i];
    double all = 0;
    for (const auto& [rank, n] : c.elements) all += double(n);
    text += fmt::format(
        "{:>9}{:>9}{:>7}{:>6.2f}  {}\n", short_number(all), c.bytes == 0 ? "-" : short_number(double(c.bytes)), c.elements.size(),
        c.most_by_mean,
        c.place.empty() ? fmt::format("{} of {}", c.name, c.type) : detail::text_of_object(c.name, c.type, {}, c.place));
  }
  return text + "M/M: the most elements of a rank by the mean.\n";
}

json json_of(const snapshot& s, bool with_counters) {
  json out{{"process", s.job.process}, {"program", s.job.program}, {"threads", s.job.threads}, {"seconds", s.seconds}};
  out["alive"] = s.alive;
  out["time"] = std::chrono::duration<double>(s.at.time_since_epoch()).count();
  out["most_by_mean"] = {{"messages", s.most_by_mean.messages}, {"bytes", s.most_by_mean.bytes}, {"busy", s.most_by_mean.busy}};
  out["losses"] = s.losses;
  for (const char* list : {"ranks", "hosts", "containers", "methods"}) out[list] = json::array();
  for (const rank_rates& r : s.ranks) out["ranks"].push_back(json_of(r, with_counters));
  for (const host_rates& h : hosts_of(s.ranks)) out["hosts"].push_back(json_of(h));
  for (const container_sizes& c : s.containers) out["containers"].push_back(json_of(c));
  for (const detail::method_rate& m : s.methods)
    out["methods"].push_back({{"name", m.name}, {"messages_a_second", m.messages}, {"bytes_a_second", m.bytes}});
  return out;
}

std::string text_of(const json& value, int indent) { return value.dump(indent, ' ', false, json::error_handler_t::replace); }

}  // namespace armilla::top
