// SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace armilla::top {
namespace {

using json = nlohmann::ordered_json;

constexpr double minute = 60;
constexpr std::size_t most_samples = 1200;

// The first letter of each state is another one, but for those below.
char letter_of(const rank_rates& r) noexcept {
  const std::string_view state = state_of(r);
  if (state == "stopped") return 'p';
  if (state == "starting") return 's';
  return state.front();
}

const char* name_of(char letter) noexcept {
  switch (letter) {
    case 'c': return "computes";
    case 'w': return "waits";
    case 'i': return "idle";
    case 'l': return "lost";
    case 'p': return "stopped";
    case 's': return "starting";
    default: return "elsewhere or ending";
  }
}

json slice(const char* name, std::size_t rank, double begin, double end, double zero) {
  return {{"ph", "X"},
          {"name", name},
          {"cat", "sampled"},
          {"pid", rank + 1},
          {"tid", rank + 1},
          {"ts", (begin - zero) * 1e6},
          {"dur", (end - begin) * 1e6}};
}

}  // namespace

void history::add(const snapshot& s) {
  sample one{std::chrono::duration<double>(s.at.time_since_epoch()).count(), "", 0, 0, 0};
  for (const rank_rates& r : s.ranks) {
    one.states += letter_of(r);
    one.messages += r.messages;
    one.bytes += r.bytes;
    one.memory += r.last.segment;
  }
  samples_.push_back(std::move(one));
  while (samples_.size() > most_samples || samples_.back().time - samples_.front().time > minute) samples_.pop_front();
}

json history::samples() const {
  json out{{"samples", json::array()}};
  for (const sample& s : samples_)
    out["samples"].push_back(
        {{"time", s.time}, {"states", s.states}, {"messages", s.messages}, {"bytes", s.bytes}, {"memory", s.memory}});
  return out;
}

json history::trace() const {
  json out{{"displayTimeUnit", "ms"}, {"otherData", {{"armilla_sampled", 1}}}, {"traceEvents", json::array()}};
  if (samples_.empty()) return out;
  json& events = out["traceEvents"];
  const double zero = samples_.front().time;
  for (std::size_t r = 0; r < samples_.back().states.size(); ++r) {
    events.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", r + 1}, {"args", {{"name", fmt::format("rank {}", r)}}}});
    char state = 0;
    double since = zero;
    const auto end_slice = [&](double at) {
      if (state != 0 && at > since) events.push_back(slice(name_of(state), r, since, at, zero));
    };
    for (const sample& s : samples_) {
      const char now = r < s.states.size() ? s.states[r] : char(0);
      if (now == state) continue;
      end_slice(s.time);
      state = now;
      since = s.time;
    }
    end_slice(samples_.back().time);
  }
  for (const sample& s : samples_)
    for (const auto& [name, value] : {std::pair{"messages a second", s.messages}, std::pair{"bytes a second", s.bytes},
                                      std::pair{"bytes of segments", double(s.memory)}})
      events.push_back({{"ph", "C"}, {"name", name}, {"pid", 0}, {"ts", (s.time - zero) * 1e6}, {"args", {{"job", value}}}});
  return out;
}

}  // namespace armilla::top
