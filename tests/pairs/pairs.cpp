// SPDX-License-Identifier: Apache-2.0
// Features of the library, each with a result that is known: pairs SEED HOW FEATURE..., driven by pairs_test.py, which draws
// them. HOW: world, halves (each half of the ranks by itself), fibers (each feature in a fiber of its own, on a team of its own),
// death (rank 1 dies between two rounds, where ranks go on), attached client (rounds until attached clients have left a file
// `seen`), join (two ranks join after the first round), or several of them, joined by commas.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

/// What all members of a team know: the same draws on each.
struct task {
  const am::team& team;
  std::uint32_t seed;
  int number;  // of the feature in this job, so that names differ

  std::mt19937_64 draws(am::rank_t member) const { return std::mt19937_64(seed * 1000003ull + std::uint64_t(member)); }
};

void expect(bool good, const char* what) {
  if (!good) throw std::logic_error(std::string("wrong: ") + what);
}

struct tally {
  std::map<std::pair<int, std::uint32_t>, long> sums;
};
am::per_rank<tally*> tallies;

// One-way calls, and two-way calls that their bodies ask in turn: the fence waits for both.
void one_way_calls(const task& t) {
  const am::rank_t n = t.team.size();
  for (am::rank_t i = 0; i < n; ++i)
    am::async(
        t.team.world_rank(i),
        [](int number, std::uint32_t seed, am::rank_t back) {
          const long told = am::call(back, [](long x) { return x + 1; }, 1L).get();
          (*tallies)->sums[{number, seed}] += told;
        },
        t.number, t.seed, t.team.world_rank(t.team.rank()));
  t.team.fence();
  expect((*tallies)->sums[{t.number, t.seed}] == 2L * n, "what one-way calls have added");
}

void two_way_calls(const task& t) {
  std::vector<am::future<std::string>> asked;
  for (am::rank_t i = 0; i < 3 * t.team.size(); ++i)
    asked.push_back(am::call(
        t.team.world_rank(i % t.team.size()), [](const std::string& s, am::rank_t k) { return s + std::to_string(k); },
        std::string(std::size_t(i) * 40, 'x'), i));
  for (am::rank_t i = 0; i < 3 * t.team.size(); ++i)
    expect(asked[std::size_t(i)].get() == std::string(std::size_t(i) * 40, 'x') + std::to_string(i), "an answer");
}

void collectives(const task& t) {
  const long n = t.team.size(), me = t.team.rank();
  expect(t.team.all_reduce(me, std::plus<>{}) == n * (n - 1) / 2, "a sum");
  expect(t.team.broadcast(std::string("of ") + std::to_string(me), am::rank_t(n - 1)) == "of " + std::to_string(n - 1),
         "a broadcast");
  const std::vector<long> all = t.team.all_gather(me * me);
  for (long i = 0; i < n; ++i) expect(all[std::size_t(i)] == i * i, "what is gathered");
  t.team.barrier();
}

void map(const task& t) {
  am::unordered_map<std::string, long> m(t.team);
  std::map<std::string, long> model;
  for (am::rank_t i = 0; i < t.team.size(); ++i) {
    std::mt19937_64 random = t.draws(i);
    for (int k = 0; k < 200; ++k) {
      const std::string key = "key " + std::to_string(random() % 50);
      const long value = long(random() % 100);
      model[key] += value;
      if (i == t.team.rank()) m.update(key, value, std::plus<>{});
    }
  }
  t.team.fence();
  expect(m.size() == model.size(), "the size of a map");
  for (const auto& [key, value] : model) expect(m.find(key).get() == value, "a value of a map");
  t.team.barrier();
}

void vector(const task& t) {
  std::mt19937_64 random = t.draws(0);
  std::vector<long> all(300 + random() % 300);
  for (long& e : all) e = long(random() % 1000);
  am::vector<long> v(all.size(), am::on(t.team, random() % 2 == 0 ? am::blocks() : am::cyclic(3)));
  for (std::size_t k = 0; k < v.local().size(); ++k) v.local()[k] = all[v.index_of_local(k)];
  t.team.barrier();
  am::sort(v);
  std::ranges::sort(all);
  expect(am::everything(v) == all, "a sorted vector");
  expect(am::reduce(v, 0L, std::plus<>{}) == std::accumulate(all.begin(), all.end(), 0L), "the sum of a vector");
  all.erase(std::unique(all.begin(), all.end()), all.end());
  expect(am::unique(v) == all.size(), "how many differ");
  t.team.barrier();
}

void queue(const task& t) {
  am::work_queue<std::uint64_t> open(t.team);
  if (t.team.rank() == 0) open.push(12);
  long done = 0;
  open.process([&](std::uint64_t depth) {
    ++done;
    for (std::uint64_t c = 0; depth > 0 && c < depth % 3 + 1; ++c) open.push(depth - 1);
  });
  long expected = 1, level = 1;
  for (std::uint64_t depth = 12; depth > 0; --depth) level *= long(depth % 3 + 1), expected += level;
  expect(t.team.all_reduce(done, std::plus<>{}) == expected, "the items of a queue");
}

std::string path_of(const task& t, const char* kind) {
  return std::string("pairs.") + kind + "." + std::to_string(t.number) + "." + std::to_string(t.seed) + "." +
         std::to_string(t.team.world_rank(0)) + "." + std::to_string(t.team.size());
}

void files(const task& t) {
  const std::string path = path_of(t, "lines");
  am::vector<std::string> lines(40, am::on(t.team, am::blocks()));
  for (std::size_t k = 0; k < lines.local().size(); ++k) lines.local()[k] = "line " + std::to_string(lines.index_of_local(k));
  am::write_lines(path, lines);
  std::vector<std::string> read;
  for (std::string_view line : am::read_lines(path, {.members = t.team}).local()) read.emplace_back(line);
  expect(t.team.all_reduce(long(read.size()), std::plus<>{}) == 40, "the lines of a file");
  t.team.barrier();
  if (t.team.rank() == 0) std::remove(path.c_str());
}

void saves(const task& t) {
  const std::string path = path_of(t, "saved");
  am::unordered_map<long, std::string> m(t.team), back(t.team);
  for (long k = t.team.rank(); k < 60; k += t.team.size()) m.insert(k, std::to_string(k * k));
  t.team.fence();
  m.save(path);
  back.load(path);
  for (long k = 0; k < 60; ++k) expect(back.find(k).get() == std::to_string(k * k), "what is loaded");
  t.team.barrier();
  if (t.team.rank() == 0) std::remove(path.c_str());
}

struct account {
  long sum = 0;
  long add(long x) { return sum += x; }
};

void objects(const task& t) {
  const am::rank_t next = t.team.world_rank((t.team.rank() + 1) % t.team.size());
  am::remote<account> a = am::create<account>(next).get();
  for (long k = 1; k <= 10; ++k) am::call<&account::add>(a, k).get();
  expect(am::call<&account::add>(a, 0L).get() == 55, "what an object holds");
  t.team.barrier();
}

void memory(const task& t) {
  const am::global_ptr<long> mine = am::allocate<long>(std::size_t(t.team.size()));
  const std::vector<am::global_ptr<long>> all = t.team.all_gather(mine);
  for (const auto& p : all) am::put(p + t.team.rank(), long(t.team.rank()) + 100);
  am::sync_memory();
  t.team.barrier();
  for (am::rank_t i = 0; i < t.team.size(); ++i) {
    expect(mine.local()[i] == i + 100, "what others have put");
    expect(*(all[std::size_t(i)] + t.team.rank()) == t.team.rank() + 100, "what is got");
  }
  t.team.barrier();
  am::deallocate(mine);
}

void kept(const task& t) {
  am::vector<long> v(100, am::on(t.team, am::blocks()));
  if (t.team.size() > 1) v.keep(1);
  for (std::size_t k = 0; k < v.local().size(); ++k) v.local()[k] = long(v.index_of_local(k));
  if (t.team.size() > 1) v.checkpoint(t.seed);
  am::sort(v, std::greater<>{});
  for (std::size_t k = 0; k < v.local().size(); ++k) expect(v.local()[k] == 99 - long(v.index_of_local(k)), "a kept vector");
  t.team.barrier();
}

/// What attached clients call: as tests/attach.
constexpr am::method<double(double)> half{"serve.half"};

using feature = void (*)(const task&);
const std::map<std::string_view, feature> features = {{"one_way_calls", one_way_calls},
                                                      {"two_way_calls", two_way_calls},
                                                      {"collectives", collectives},
                                                      {"map", map},
                                                      {"vector", vector},
                                                      {"queue", queue},
                                                      {"files", files},
                                                      {"saves", saves},
                                                      {"objects", objects},
                                                      {"memory", memory},
                                                      {"kept", kept}};

/// Each feature, one after the other or each in a fiber of its own.
void play(const am::team& t, bool in_fibers, std::uint32_t seed, const std::vector<std::string>& chosen) {
  if (!in_fibers) {
    for (std::size_t i = 0; i < chosen.size(); ++i) features.at(chosen[i])({t, seed, int(i)});
    return;
  }
  std::vector<am::team> teams;
  for (std::size_t i = 0; i < chosen.size(); ++i) teams.push_back(t.dup());
  std::vector<am::fiber<void>> fibers;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    fibers.push_back(am::spawn([&, i] { features.at(chosen[i])({teams[i], seed, int(i)}); }));
  for (am::fiber<void>& f : fibers) f.join();
}

/// A job as its arguments describe it.
struct job {
  std::uint32_t seed = 0;
  std::string how;
  std::vector<std::string> chosen;

  job(int argc, char** argv) : how("," + std::string(argv[2]) + ","), chosen(argv + 3, argv + argc) {
    seed = std::uint32_t(std::stoul(argv[1]));
  }
  bool has(const char* word) const { return how.find(std::string(",") + word + ",") != how.npos; }
  void play_on(const am::team& t, std::uint32_t round) const {
    play(has("halves") ? t.split(t.rank() % 2) : t, has("fibers"), seed + round, chosen);
  }
};

void say(const char* what) {
  std::printf("%s\n", what);
  std::fflush(stdout);
}

void lose_one(const job& j) {
  am::barrier();
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  try {
    am::barrier();
    throw std::logic_error("the barrier is over though a rank is lost");
  } catch (const am::rank_lost&) {}
  const am::team left = am::world().survivors();
  j.play_on(left, 1);
  if (left.rank() == 0) say("right");
}

void play_until_seen(const job& j) {
  if (am::rank() == 0) say("ready");
  for (std::uint32_t round = 1; !am::broadcast(std::filesystem::exists("seen")); ++round) {
    j.play_on(am::world(), round);
    am::fence();  // what is left of containers keeps teams of halves until then
  }
}

constexpr am::rank_t joiners = 2;

/// The first ranks and those that join, alike.
void play_with_joiners(const job& j, am::team t, am::rank_t all) {
  while (t.size() < all) t = t.grow();
  j.play_on(t, 1);
  t.barrier();
  if (t.rank() == 0) say("right");
}

void play_first(const job& j) {
  am::provide<half>([](double x) { return x / 2; });
  am::barrier();
  j.play_on(am::world(), 0);
  if (j.has("death")) return lose_one(j);
  if (j.has("client")) play_until_seen(j);
  if (j.has("join")) {
    if (am::rank() == 0) say("ready");
    return play_with_joiners(j, am::world(), am::ranks() + joiners);
  }
  am::barrier();
  if (am::rank() == 0) say("right");
}

}  // namespace

int main(int argc, char** argv) {
  const job j(argc, argv);
  am::on_join([&j] {
    tally mine;
    *tallies = &mine;
    play_with_joiners(j, am::await_team(), am::ranks() + joiners);
  });
  return am::run(argc, argv, [&j] {
    tally mine;
    *tallies = &mine;
    play_first(j);
  });
}
