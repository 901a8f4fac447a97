// SPDX-License-Identifier: Apache-2.0
// A team that loses members and takes in those that come in their places, or join it: grower SEED MILLISECONDS [MOST]. Its
// members count steps together, by collectives, one-way calls and fences of the team and of halves of it. New ranks are told the
// count. Something else kills ranks meanwhile.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <armilla/armilla.hpp>

#include "deaths.hpp"

namespace am = armilla;
using deaths::require;

namespace {

std::int64_t end_ms = 0;
am::rank_t most_members = 0;  // 0: as many as at the start

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What members have noted here, by team and step.
std::map<std::pair<std::uint64_t, std::int64_t>, int> notes;

void note(std::uint64_t team, std::int64_t step) { ++notes[{team, step}]; }

/// All members have it alike: how many steps the job has done, and what these left.
struct state {
  std::int64_t step = 0;
  std::uint64_t value = 1;
};

std::uint64_t mixed(std::uint64_t value, std::int64_t step) { return value * 6364136223846793005u + std::uint64_t(step); }

/// What a job that lost none would have.
std::uint64_t value_at(std::int64_t step) {
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < step; ++i) value = mixed(value, i);
  return value;
}

template <class T>
T most(const T& a, const T& b) {
  return a < b ? b : a;
}

void do_step(const am::team& t, state& s) {
  const auto members = int(t.size());
  for (am::rank_t i = 0; i < t.size(); ++i) am::async(t.world_rank(i), note, t.id(), s.step);
  t.fence();
  require(notes[{t.id(), s.step}] == members, "notes in step " + std::to_string(s.step));
  require(t.all_reduce(1, [](int a, int b) { return a + b; }) == members, "a sum of ones");
  if (s.step % 7 == 0) {
    const am::team half = t.split(t.rank() % 2);
    require(half.all_reduce(int(half.rank()), most<int>) == int(half.size()) - 1, "a split");
  }
  s.value = mixed(s.value, s.step);
  ++s.step;
}

/// The state of the member that has done most; members differ by the step in which they heard of a loss.
void agree(const am::team& t, state& s) {
  const std::int64_t step = t.all_reduce(s.step, most<std::int64_t>);
  const std::int64_t holder = t.all_reduce(s.step == step ? std::int64_t(t.rank()) : std::int64_t{-1}, most<std::int64_t>);
  s = t.broadcast(s, am::rank_t(holder));
}

/// Until the time is over. `fresh`: the members of `t` have not agreed yet.
void go_on(am::team t, bool fresh) {
  state s;
  bool whole = true;
  int grown = 0;
  for (bool over = false; !over;) try {
      if (!whole || (!fresh && t.size() < std::max(am::ranks(), most_members) && s.step % 5 == 0)) {
        t = t.grow();
        whole = fresh = true;
        ++grown;
      }
      if (fresh) agree(t, s);
      fresh = false;
      do_step(t, s);
      over = t.all_reduce(now_ms() < end_ms ? 0 : 1, most<int>) != 0;
    } catch (const am::rank_lost&) { whole = false; }
  require(s.value == value_at(s.step), "what came out");
  std::printf("%s %d done: %ld steps, grown %d times\n", am::joined() ? "new_rank" : "rank", int(am::rank()), long(s.step),
              grown);
  std::fflush(stdout);
}

void come_later() {
  const am::team t = am::await_team();
  if (t) go_on(t, true);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 98;
  end_ms = std::atoll(argv[2]);
  if (argc > 3) most_members = am::rank_t(std::atoi(argv[3]));
  am::on_join(come_later);
  return am::run(argc, argv, [] { go_on(am::world(), false); });
}
