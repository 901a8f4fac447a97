// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/sampler.hpp"

#include <algorithm>
#include <exception>

#include "bench/harness/arena.hpp"
#include "bench/harness/strangers.hpp"

namespace bench {
namespace {

constexpr double fast_from = 85, fast_to = 125;  // ns: the state in which ratios to the line are judged
constexpr double round_tolerance = 0.25;         // between the workers of one round

template <class F>
spread over(const std::vector<round>& rounds, state s, F&& figure) {
  std::vector<double> values;
  for (const round& r : rounds)
    if (s == state::any || state_of(r.own.yardstick()) == s) values.push_back(figure(r));
  return spread_of(std::move(values));
}

int wanted(const spec& what, const sampling& how) { return how.quick ? std::min(what.runs, 10) : what.runs; }

round take_round(const spec& what, const sampling& how, int ranks, job_pool& jobs) {
  const long size = how.quick && what.quick_size ? what.quick_size : what.size;
  round r;
  r.own = jobs.run({what.worker, ranks, how.fabric}, what.row, size, what.iterations);
  for (const baseline& b : what.baselines) {
    r.others.push_back(
        jobs.run({b.worker, b.ranks ? b.ranks : ranks, how.fabric}, b.row, size, b.iterations ? b.iterations : what.iterations));
  }
  return r;
}

}  // namespace

bool round::steady() const {
  double least = 0, most = 0;
  bool each = true;
  const auto look_at = [&](const sample& s) {
    each = each && s.steady();
    const double line = s.yardstick();
    if (line == 0) return;  // it has none
    least = least == 0 ? line : std::min(least, line);
    most = std::max(most, line);
  };
  look_at(own);
  for (const sample& s : others) look_at(s);
  return each && most <= least * (1 + round_tolerance);
}

state state_of(double yardstick_ns) { return yardstick_ns >= fast_from && yardstick_ns <= fast_to ? state::fast : state::other; }

spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double middle = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  return {middle, values.front(), values.back(), int(n)};
}

int result::in_state(state s) const {
  return int(std::count_if(usable().begin(), usable().end(), [&](const round& r) { return state_of(r.own.yardstick()) == s; }));
}

state result::shown() const {
  const int fast = in_state(state::fast), other = in_state(state::other);
  return fast >= 5 || fast >= other ? state::fast : state::other;
}

spread result::values(state s) const {
  return over(usable(), s, [](const round& r) { return r.own.value; });
}

spread result::yardsticks(state s) const {
  return over(usable(), s, [](const round& r) { return r.own.yardstick(); });
}

spread result::x_yardstick(state s) const {
  return over(usable(), s, [](const round& r) { return r.own.yardstick() > 0 ? r.own.value / r.own.yardstick() : 0.0; });
}

spread result::ratio(std::size_t baseline) const {
  return over(usable(), state::any, [&](const round& r) { return r.own.value / r.others[baseline].value; });
}

spread result::difference(std::size_t baseline) const {
  return over(usable(), state::any, [&](const round& r) { return r.own.value - r.others[baseline].value; });
}

anatomy result::parts() const {
  anatomy sum;
  int n = 0;
  for (const round& r : usable())
    for (const sample& s : r.others)
      if (s.parts.total > 0 && (shown() == state_of(s.yardstick()))) sum += s.parts, ++n;
  return n == 0 ? sum : sum / n;
}

spread result::baseline_values(std::size_t baseline, state s) const {
  return over(usable(), s, [&](const round& r) { return r.others[baseline].value; });
}

void take(result& into, const sampling& how, job_pool& jobs) {
  const int runs = wanted(*into.what, how);
  const std::uint64_t deadline = now_ns() + std::uint64_t(how.quick ? 6 : 25) * 1'000'000'000U;
  if (const std::string lack = missing(into.what->worker); !lack.empty()) {
    into.problem = "skipped: " + lack + " here";
    into.skipped = true;
    return;
  }
  const std::size_t goal = into.rounds.size() + std::size_t(runs);
  try {
    const strangers others(into.what->strangers, into.what->beside);
    for (int tries = 0; tries < 4 * runs && into.rounds.size() < goal && (tries < 3 || now_ns() < deadline); ++tries) {
      round r = take_round(*into.what, how, into.ranks, jobs);
      (r.steady() ? into.rounds : into.unsteady).push_back(std::move(r));
    }
  } catch (const job::no_such_row&) { into.problem = "not built"; } catch (const job::not_here& e) {
    into.problem = std::string("skipped: ") + e.why + " here";
    into.skipped = true;
  } catch (const std::exception& e) { into.problem = e.what(); }
}

bool line_is_fast(const result& r, job_pool& jobs) {
  const sample s = jobs.run({worker_kind::hand, std::max(r.ranks, 2), r.fabric}, "hand_line", 0, 1);
  return s.steady() && state_of(s.yardstick()) == state::fast;
}

bool wants_fast(const result& r, const sampling& how) {
  return !how.any_state && r.problem.empty() && r.what->limit_x > 0 &&
         r.in_state(state::fast) < std::min(10, wanted(*r.what, how));
}

}  // namespace bench
