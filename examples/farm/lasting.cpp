// SPDX-License-Identifier: Apache-2.0
// A task farm that outlives its workers: ARMILLA_ON_LOSS=continue or replace, and kill any rank but rank 0. The tasks of a lost
// rank are given to others; each result counts once. With ARMILLA_MAX_RANKS workers may join it while it runs (armilla-run
// --join). Tasks are blocks of numbers.
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;

struct task {
  int block, length;
};

/// How many steps the numbers of a block take to come to 1, by halving and 3n + 1.
static long steps_in(const task& t) {
  long steps = 0;
  for (long first = long(t.block) * t.length + 1, n = first; n < first + t.length; ++n)
    for (long k = n; k != 1; ++steps) k = k % 2 == 0 ? k / 2 : 3 * k + 1;
  return steps;
}

/// On rank 0: what is to be done, what each rank has been given, and what is done.
struct farm {
  struct worker {
    std::set<int> given;
    bool gone = false;
    int losses = 0;  // of those that have had this rank
  };
  std::deque<int> todo;
  std::map<am::rank_t, worker> workers;  // a reference stays good
  std::vector<bool> done;
  int length = 0, left = 0, given_twice = 0;
  long steps = 0;
  am::condition_variable changed;

  void fill(int blocks, int numbers) {
    for (int block = 0; block < blocks; ++block) todo.push_back(block);
    done.resize(std::size_t(blocks));
    left = blocks;
    length = numbers;
  }

  /// A worker has joined, or taken the place of one that was lost.
  void welcome(am::rank_t who) { workers[who].gone = false; }

  /// A task for rank `who`; none: all are done, or that worker is lost.
  std::optional<task> next(am::rank_t who) {
    worker& asks = workers[who];
    const auto is_lost = [&asks, before = asks.losses] { return asks.gone || asks.losses != before; };
    changed.wait_unlocked([&] { return !todo.empty() || left == 0 || is_lost(); });
    if (todo.empty() || is_lost()) return std::nullopt;
    const int block = todo.front();
    todo.pop_front();
    asks.given.insert(block);
    return task{block, length};
  }

  void finish(am::rank_t who, int block, long result) {
    workers[who].given.erase(block);
    if (done[std::size_t(block)]) return;  // a result counts once
    done[std::size_t(block)] = true;
    steps += result;
    if (--left == 0) changed.notify_all();
  }

  void lose(am::rank_t who) {
    worker& lost = workers[who];
    lost.gone = true;
    ++lost.losses;
    given_twice += int(lost.given.size());
    for (const int block : lost.given) todo.push_front(block);
    lost.given.clear();
    changed.notify_all();
  }
};
static farm tasks;

/// Until all is done.
static void work() {
  while (const auto mine = am::call(0, [](am::rank_t who) { return tasks.next(who); }, am::rank()).get())
    am::async(
        0, [](am::rank_t who, int block, long n) { tasks.finish(who, block, n); }, am::rank(), mine->block, steps_in(*mine));
}

static void work_instead() {
  am::async(0, [](am::rank_t who) { tasks.welcome(who); }, am::rank());
  work();
}

static void meet() {
  try {
    am::fence();
  } catch (const am::rank_lost&) {}  // those that are left have met
}

static bool count_steps(int blocks, int length) {
  if (am::rank() == 0) {
    tasks.fill(blocks, length);
    am::on_loss([](am::rank_t lost) { tasks.lose(lost); });
  }
  meet();
  if (am::rank() != 0) work();
  meet();
  if (am::rank() != 0) return true;
  while (const auto mine = tasks.next(0)) {  // no worker of the start is left
    tasks.finish(0, mine->block, steps_in(*mine));
    am::poll();  // others may join
  }
  long right = 0;
  for (int block = 0; block < blocks; ++block) right += steps_in({block, length});
  const bool good = tasks.left == 0 && tasks.steps == right;
  am::print_on(0, "{} steps, {}, {} of {} ranks are left, {} tasks were given twice\n", tasks.steps, good ? "right" : "WRONG",
               am::living().size(), am::ranks(), tasks.given_twice);
  return good;
}

int main(int argc, char** argv) {
  am::on_join(work_instead);
  return am::run(argc, argv, "BLOCKS LENGTH", count_steps);
}
