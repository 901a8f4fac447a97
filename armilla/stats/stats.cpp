// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats.hpp"

#include <algorithm>
#include <functional>

#include "armilla/base/core/context.hpp"
#include "armilla/stats/counter_table.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla {
namespace {

template <class Op>
void combine(component_times& a, const component_times& b, Op op) {
  for (double component_times::* each : {&component_times::cpu, &component_times::net, &component_times::thread_management,
                                         &component_times::thread_synchronisation, &component_times::runtime})
    a.*each = op(a.*each, b.*each);
}

template <class Op>
void combine(method_statistics& a, const method_statistics& b, Op op) {
  a.runs = op(a.runs, b.runs);
  a.messages = op(a.messages, b.messages);
  a.bytes = op(a.bytes, b.bytes);
  std::ranges::transform(a.sizes, b.sizes, a.sizes.begin(), op);
}

template <class Op>
void combine(statistics& a, const statistics& b, Op op) {
  for (const detail::counter_row& row : detail::counter_table()) a.*row.member = op(a.*row.member, b.*row.member);
  a.seconds = op(a.seconds, b.seconds);
  a.borders = op(a.borders, b.borders);
  combine(a.time, b.time, op);
  for (const method_statistics& m : b.methods) {
    const auto at = std::ranges::lower_bound(a.methods, m.name, {}, &method_statistics::name);
    const bool known = at != a.methods.end() && at->name == m.name;
    combine(known ? *at : *a.methods.insert(at, method_statistics{m.name}), m, op);
  }
}

}  // namespace

statistics& statistics::operator-=(const statistics& earlier) {
  combine(*this, earlier, std::minus<>{});
  std::erase_if(methods, [](const method_statistics& m) { return m.runs == 0; });
  return *this;
}

statistics& statistics::operator+=(const statistics& other) {
  combine(*this, other, std::plus<>{});
  return *this;
}

statistics stats() { return detail::snapshot(detail::here("stats")); }

namespace detail {
namespace {

component_times times_of(stopwatch& watch) {
  watch.change(watch.now_in());  // a border: all up to now is in
  const auto seconds = [&](component c) { return double(watch.spent(c)) * ns_per_tick() * 1e-9; };
  return {seconds(component::cpu), seconds(component::net), seconds(component::thread_mgmt), seconds(component::thread_sync),
          seconds(component::runtime)};
}

// Two methods can have one name: lambdas of different files. They are shown as one.
std::vector<method_statistics> methods_of(const rank_stats& s) {
  std::vector<method_statistics> found;
  for (std::uint32_t i = 0; i < s.methods->all().size(); ++i)
    if (const method_count& m = s.methods->all()[i]; m.runs != 0)
      found.push_back({s.method_name(i), m.runs, m.messages, m.bytes, m.sizes});
  std::ranges::sort(found, {}, &method_statistics::name);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].name == found[kept].name)
      combine(found[kept], found[i], std::plus<>{});
    else if (++kept != i)
      found[kept] = std::move(found[i]);
  if (!found.empty()) found.resize(kept + 1);
  return found;
}

}  // namespace

method_counts* rank_stats::count_methods(std::vector<std::uint32_t> (*message_sizes)(),
                                         const std::string& (*name)(std::uint32_t)) {
  if (!asked.any()) return nullptr;
  methods = std::make_unique<method_counts>(message_sizes());
  method_name = name;
  return methods.get();
}

statistics snapshot(context& self) {
  if (self.settle != nullptr) self.settle(self);
  rank_stats& s = stats_of(self);
  statistics result;
  static_cast<counters&>(result) = *self.count;
  result.seconds = double(now_ns() - s.began_ns) * 1e-9;
  if (s.watch) {
    result.time = times_of(*s.watch);
    // Locks were taken in code that counted as the program's own.
    const double locks = std::min(result.time.cpu, double(self.count->locks) * s.seconds_per_lock);
    result.time.cpu -= locks;
    result.time.thread_synchronisation += locks;
    result.borders = s.watch->borders();
  }
  if (s.methods) result.methods = methods_of(s);
  return result;
}

}  // namespace detail
}  // namespace armilla
