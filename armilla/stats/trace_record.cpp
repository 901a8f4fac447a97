// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/trace_record.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "armilla/base/values/clock.hpp"

namespace armilla::detail {
namespace {

// A counter is read a little before what stands before it is done, so that a frame may seem to come before it leaves. More than
// this is the clocks of two machines: there nothing can be mended.
constexpr std::int64_t most_mended_ns = 1000;

// Where the end was not noted, the present serves, on the machine where the counter is the same.
double tick_of(const trace_head& h) {
  std::uint64_t last = h.last_ticks, ns = h.last_ns;
  if (last == 0 && h.machine == this_machine()) last = ticks(), ns = wall_ns();
  if (last <= h.first_ticks || ns < h.first_ns + 1'000'000) return ns_per_tick();
  return double(ns - h.first_ns) / double(last - h.first_ticks);
}

// When everything was, as it was noted.
void set_times(std::vector<trace_record>& parts) {
  std::uint64_t zero_ns = ~std::uint64_t{0};
  for (const trace_record& p : parts) zero_ns = std::min(zero_ns, p.head.first_ns);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (trace_record& p : parts) {
    const trace_record& clock = *std::ranges::find(parts, p.head.machine, [](const trace_record& q) { return q.head.machine; });
    const auto start = double(clock.head.first_ns - zero_ns);
    const double ns = tick_of(clock.head);
    constexpr double thirty_years = 1e18;  // what a damaged file may say is bounded
    for (const trace_event& e : p.events)
      p.at.push_back(std::llround(
          std::clamp(start + double(std::int64_t(e.at - clock.head.first_ticks)) * ns, -thirty_years, thirty_years)));
    if (!p.at.empty()) first = std::min(first, *std::ranges::min_element(p.at));
  }
  for (trace_record& p : parts)
    for (std::int64_t& at : p.at) at -= first;
}

// One look at all events: none before its predecessor, no arrival before its frame has left. True if one was moved.
bool put_in_order(trace_record& p, std::unordered_map<std::uint64_t, std::int64_t>& left) {
  bool moved = false;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < p.events.size(); ++i) {
    const trace_event& e = p.events[i];
    std::int64_t at = std::max(p.at[i], earliest);
    if ((e.kind == trace_kind::run || e.kind == trace_kind::reply) && e.number != 0)
      if (const auto sent = left.find(arrow_key(e.peer, p.head.rank, e.number));
          sent != left.end() && sent->second >= at && sent->second - at < most_mended_ns)
        at = sent->second + 1;
    if (e.kind == trace_kind::sent) left[arrow_key(p.head.rank, e.peer, e.number)] = at;
    moved |= at != p.at[i];
    p.at[i] = earliest = at;
  }
  return moved;
}

// What is moved moves what follows it, and that perhaps the arrivals of frames: a few times, not for ever.
void put_in_order(std::vector<trace_record>& parts) {
  std::unordered_map<std::uint64_t, std::int64_t> left;
  bool moved = true;
  for (int looks = 0; moved && looks < 10; ++looks) {
    moved = false;
    for (trace_record& p : parts) moved |= put_in_order(p, left);
  }
}

}  // namespace

bool read_trace_part(const std::vector<std::byte>& bytes, trace_record& p) {
  constexpr std::size_t events_at = trace_part::head_bytes + trace_part::name_room;
  if (bytes.size() < events_at) return false;
  std::memcpy(&p.head, bytes.data(), sizeof p.head);
  const trace_head& h = p.head;
  if (h.magic != trace_head::good_magic || !std::has_single_bit(h.capacity) || h.rank < 0 || h.rank >= h.ranks ||
      h.capacity > (bytes.size() - events_at) / sizeof(trace_event) || h.name_bytes > trace_part::name_room)
    return false;
  const auto* text = reinterpret_cast<const char*>(bytes.data() + trace_part::head_bytes);
  for (const char* const end = text + h.name_bytes; text < end && p.names.size() < h.names;) {
    p.names.emplace_back(text, strnlen(text, std::size_t(end - text)));
    text += p.names.back().size() + 1;
  }
  if (p.names.empty()) p.names.emplace_back("?");
  const std::uint64_t kept = std::min(h.written, h.capacity);
  p.events.resize(std::size_t(kept));
  for (std::uint64_t i = 0; i < kept; ++i) {
    const std::uint64_t at = (h.written - kept + i) & (h.capacity - 1);
    std::memcpy(&p.events[std::size_t(i)], bytes.data() + events_at + at * sizeof(trace_event), sizeof(trace_event));
  }
  return true;
}

void set_trace_times(std::vector<trace_record>& parts) {
  set_times(parts);
  put_in_order(parts);
}

}  // namespace armilla::detail
