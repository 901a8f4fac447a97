// SPDX-License-Identifier: Apache-2.0
// Containers, fences and algorithms all at once: fibers update a map, add to a vector and use up the heap, while their rank runs
// a work queue, sorts, meets its team and saves. Each rank knows what all say, so that it knows what must be there in the end.
// Runs with each ARMILLA_PROGRESS_MODE, and over networks that stall.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/container/container.hpp"
#include "armilla/spawn.hpp"
#include "armilla/unordered_map.hpp"
#include "armilla/work_queue.hpp"
#include "tests/compute_for.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using number = std::uint64_t;
constexpr number keys = 300;
constexpr std::size_t cells = 257;

/// What a rank says in a round: the same draws on all ranks.
std::mt19937_64 draws(int round, am::rank_t of, int topic) {
  return std::mt19937_64(number(round) * 1000 + number(of) * 10 + number(topic));
}

/// Calls f(key, value) for each update of a rank in a round.
template <class F>
void each_update(int round, am::rank_t of, F f) {
  std::mt19937_64 random = draws(round, of, 1);
  for (int i = 0; i < 600; ++i) {
    const number key = random() % keys;
    f("key " + std::to_string(key), random() % 100);
  }
}
/// Calls f(indices) for each list of cells to which a rank adds one.
template <class F>
void each_list(int round, am::rank_t of, F f) {
  std::mt19937_64 random = draws(round, of, 2);
  for (int i = 0; i < 12; ++i) {
    std::vector<std::size_t> list(random() % 60);
    for (std::size_t& at : list) at = random() % cells;
    f(list);
  }
}

/// Blocks that come and go; other ranks free some.
void use_up_the_heap(int round) {
  std::mt19937_64 random = draws(round, am::rank(), 3);
  std::vector<am::global_ptr<char>> mine;
  for (int i = 0; i < 60; ++i) {
    try {
      mine.push_back(am::allocate<char>(1 + random() % 200'000));
    } catch (const am::limit_error&) {}
    if (mine.size() > 12) {
      std::swap(mine[random() % mine.size()], mine.back());
      if (random() % 2 == 0)
        am::deallocate(mine.back());
      else
        am::async(am::rank_t(random() % number(am::ranks())), [](am::global_ptr<char> p) { am::deallocate(p); }, mine.back());
      mine.pop_back();
    }
    if (i % 4 == 0) am::yield();
  }
  for (const auto& each : mine) am::deallocate(each);
}

struct item {
  unsigned depth = 0, name = 0;
};
/// How many items a tree has.
long items_of(item i) {
  long all = 1;
  for (unsigned c = 0; i.depth > 0 && c < i.name % 4; ++c) all += items_of({i.depth - 1, i.name * 5 + c + 1});
  return all;
}

/// Words of a team, in a vector that is dealt anew: sorted, made unique, and saved.
void sort_and_save(int round, const am::team& t, const std::string& path) {
  std::mt19937_64 random = draws(round, t.world_rank(0), 4);
  std::vector<number> all(500 + random() % 500);
  for (number& e : all) e = random() % 400;
  am::vector<number> y(all.size(), am::on(t, am::cyclic(3)));
  for (std::size_t k = 0; k < y.local().size(); ++k) y.local()[k] = all[y.index_of_local(k)];
  t.barrier();
  am::sort(y);
  std::ranges::sort(all);
  y.redistribute(am::on(t, am::blocks()));
  all.erase(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(am::unique(y), all.size());
  y.save(path);
  am::vector<number> back(0, am::on(t));
  back.load(path);
  EXPECT(am::everything(back) == all);
  t.barrier();
}

/// The containers of the storm, and what must be in them.
class storm {
 public:
  explicit storm(const am::team& t)
      : team_(t), m_({.combine = 32, .gather = 512}), x_(cells, am::cyclic(2)), queue_(t), sums_(cells, 0) {
    path_ =
        "/tmp/armilla_mixture_test." + std::to_string(am::broadcast(long(::getpid()))) + "." + std::to_string(t.world_rank(0));
  }
  ~storm() {
    if (team_.rank() == 0) std::remove(path_.c_str());
  }
  storm(const storm&) = delete;

  void run(int round) {
    std::array<am::fiber<void>, 3> fibers = {am::spawn([&] { update(round); }), am::spawn([&] { add(round); }),
                                             am::spawn([round] { use_up_the_heap(round); })};
    if (round % 2 == 0) team_.fence();
    work(round);
    if (round % 3 == 0) am::fence();
    sort_and_save(round, team_, path_);
    for (auto& f : fibers) f.join();
    am::fence();
    expect(round);
  }

 private:
  void update(int round) {
    int n = 0;
    each_update(round, am::rank(), [&](const std::string& key, number value) {
      m_.update(key, value, std::plus<>{});
      if (++n % 50 == 0) EXPECT(m_.find(key).get().has_value());
    });
  }
  void add(int round) {
    each_list(round, am::rank(), [&](const std::vector<std::size_t>& list) {
      am::scatter_add(x_, list, 1);
      if (!list.empty()) EXPECT(x_.get(list.front()).get() > 0 || round == 0);
      am::yield();
    });
  }
  void work(int round) {
    long expected = 0, done = 0;
    for (unsigned i = 0; i < 60; ++i) {  // all on one member, from which the others get theirs
      const item root{6, unsigned(round) * 7 + i};
      expected += items_of(root);
      if (team_.rank() == round % team_.size()) queue_.push(root);
    }
    queue_.process([&](item i) {
      ++done;
      for (unsigned c = 0; i.depth > 0 && c < i.name % 4; ++c) queue_.push({i.depth - 1, i.name * 5 + c + 1});
      if (i.name % 8 == 0) am::yield();
    });
    EXPECT_EQ(team_.all_reduce(done, std::plus<>{}), expected);
  }
  void expect(int round) {
    for (am::rank_t r = 0; r < am::ranks(); ++r) {
      each_update(round, r, [&](const std::string& key, number value) { counts_[key] += value; });
      each_list(round, r, [&](const std::vector<std::size_t>& list) {
        for (const std::size_t at : list) ++sums_[at];
      });
    }
    EXPECT_EQ(m_.size(), counts_.size());
    for (const auto& [key, value] : m_.local()) EXPECT_EQ(value, counts_[std::string(key)]);
    EXPECT(am::everything(x_) == sums_);
    am::barrier();
  }

  am::team team_;
  am::unordered_map<std::string, number> m_;
  am::vector<long> x_;
  am::work_queue<item> queue_;
  std::map<std::string, number> counts_;
  std::vector<long> sums_;
  std::string path_;
};

thread_local am::unordered_map<long, long>*first_map = nullptr, *second_map = nullptr;

}  // namespace

// What a map holds back is in no count of frames. The fiber of the body runs in whatever look of the fence it is woken in,
// perhaps the last before the count.
RANK_TEST(a_fence_waits_for_what_a_body_that_has_waited_puts_into_a_map) {
  am::unordered_map<long, long> m;
  first_map = &m;
  for (long i = 0; i < (am::ranks() <= 2 ? 600 : 120); ++i) {
    am::barrier();
    if (am::rank() == 0)
      am::async(
          am::ranks() - 1,
          [](long key, long turns) {
            for (long t = 0; t < turns; ++t) am::yield();
            first_map->insert(key, key);
          },
          i, i % 60);
    am::fence();
    EXPECT_EQ(long(m.size()), i + 1);
  }
}

// The second map sends when the first has sent, and a send that polls lets a body run that brings the first map more.
RANK_TEST(a_fence_waits_for_what_comes_to_a_map_while_another_one_sends) {
  if (am::ranks() < 2) return;
  am::unordered_map<long, long> first, second;
  first_map = &first, second_map = &second;
  am::set_poll_every(1);
  long key = 0;
  const auto next = [&] {
    do ++key;
    while (second.rank_of(key) != 0);
    return key;
  };
  for (long i = 0; i < 120; ++i) {
    const long a = next(), b = next();
    am::barrier();
    if (am::rank() == 0) {
      am::async(1, [](long k) { second_map->insert(k, k); }, a);
      for (long n = 0; n < i % 6; ++n) am::async(1, [](long) {}, n);
      am::async(1, [](long k) { first_map->insert(k, k); }, i);
      am::flush();
      compute_for(std::chrono::microseconds(3000));
    } else if (am::rank() == 1) {
      second.insert(b, b);
      compute_for(std::chrono::microseconds(1000));
    }
    am::fence();
    EXPECT_EQ(long(first.size()), i + 1);
    EXPECT_EQ(long(second.size()), 2 * i + 2);
  }
  am::set_poll_every(0);
}

// The frame of the safe body is late for 5 ms. The fiber's, sent behind its rank's look, is early: rank 1 waits for it before it
// looks. In a sum of all frames one would make up for the other.
RANK_TEST(a_late_frame_and_an_early_one_of_a_pair_do_not_make_up_for_each_other) {
  if (!am::detail::here("test").messages->out.has_progress_threads() || am::ranks() < 2) return;
  static std::atomic<int> ended;
  static thread_local int came;
  ended = 0;
  for (int i = 1; i <= 20; ++i) {
    came = 0;
    am::fence();
    am::barrier();
    if (am::rank() == 0) {
      am::async(1, am::safe([] {
                  std::this_thread::sleep_for(std::chrono::milliseconds(5));
                  ++ended;
                }));
      am::flush();
      auto other = am::spawn([] {
        am::sleep_for(std::chrono::milliseconds(1));
        am::async(1, [] { ++came; });
        am::flush();
      });
      am::fence();
      other.join();
    } else if (am::rank() == 1) {
      while (came == 0) am::poll();
      am::fence();
      EXPECT_EQ(ended.load(), i);
    } else {
      am::fence();
    }
  }
}

RANK_TEST(containers_hold_what_they_must_in_a_storm_of_all_ranks) {
  storm s(am::world());
  for (int round = 0; round < 8; ++round) s.run(round);
}

RANK_TEST(containers_hold_what_they_must_while_parts_of_the_ranks_work_for_themselves) {
  storm s(am::world().split(am::rank() % 2));
  for (int round = 0; round < 8; ++round) s.run(round);
}
