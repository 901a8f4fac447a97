// SPDX-License-Identifier: Apache-2.0
// The report as JSON. Its names are an interface: docs/guide/statistics.md lists them.
#include <nlohmann/json.hpp>

#include "armilla/session/report.hpp"
#include "armilla/stats/counter_table.hpp"

namespace armilla::detail {
namespace {

using json = nlohmann::ordered_json;

json json_of(const component_times& t) {
  const double seconds[components] = {t.cpu, t.net, t.thread_management, t.thread_synchronisation, t.runtime};
  json out;
  for (unsigned c = 0; c < components; ++c) out[short_name_of(component(c))] = seconds[c];
  return out;
}

// By the least size of each place that is not empty.
json json_of(const std::array<std::uint64_t, 32>& sizes) {
  json out = json::object();
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] != 0) out[std::to_string(std::uint64_t{1} << k)] = sizes[k];
  return out;
}

json json_of(const statistics& s, bool timing) {
  json out{{"seconds", s.seconds}};
  for (const counter_row& row : counter_table()) out["counters"][row.name] = s.*row.member;
  if (timing) {
    out["components"] = json_of(s.time);
    out["borders"] = s.borders;
  }
  out["methods"] = json::array();
  for (const method_statistics& m : s.methods)
    out["methods"].push_back(
        {{"name", m.name}, {"runs", m.runs}, {"messages", m.messages}, {"bytes", m.bytes}, {"sizes", json_of(m.sizes)}});
  return out;
}

json json_of(const phase_statistics& p, bool timing) {
  json out{{"name", p.name}, {"times", p.times}};
  out.update(json_of(p.what, timing));
  return out;
}
json json_of(const phase_report& p, bool timing) {
  json out = json_of(static_cast<const phase_statistics&>(p), timing);
  out["uneven"]["elements"] = p.uneven_elements();
  if (timing) out["uneven"]["cpu"] = p.uneven_cpu();
  return out;
}

json json_of(const object_row& c) {
  return {{"name", c.name},
          {"type", c.type},
          {"place", c.place},
          {"made", c.made},
          {"operations", c.operations},
          {"elements", c.share.elements},
          {"bytes", c.share.bytes}};
}

template <class Phase>
json json_of(const std::vector<Phase>& phases, bool timing) {
  json out = json::array();
  for (const Phase& p : phases) out.push_back(json_of(p, timing));
  return out;
}

}  // namespace

std::string json_of(const job_report& job) {
  json out{{"armilla_statistics", 1}, {"ranks", job.ranks.size()}, {"fabric", job.fabric}, {"timing", job.timing}};
  out["total"] = json_of(job.total, job.timing);
  out["phases"] = json_of(job.phases, job.timing);
  out["containers"] = json::array();
  for (const container_report& c : job.containers) {
    json each = json_of(static_cast<const object_row&>(c));
    each["most_by_mean"] = c.most_by_mean();
    out["containers"].push_back(std::move(each));
  }
  out["by_rank"] = json::array();
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const rank_report& rank = job.ranks[r];
    json each{{"rank", r}, {"program", rank.program}};
    each.update(json_of(rank.whole, job.timing));
    each["sent_to"] = rank.sent;
    each["longest_buffered_ns"] = rank.buffered;
    if (job.timing) each["seconds_per_border"] = rank.seconds_per_border;
    each["phases"] = json_of(rank.phases, job.timing);
    each["containers"] = json::array();
    for (const object_row& c : rank.containers) each["containers"].push_back(json_of(c));
    out["by_rank"].push_back(std::move(each));
  }
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace armilla::detail
