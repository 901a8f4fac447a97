// SPDX-License-Identifier: Apache-2.0
// A task farm that outlives its workers: ARMILLA_ON_LOSS=continue, and kill any rank but rank 0. The tasks of a lost rank are
// given to others; each result counts once. Tasks are blocks of numbers.
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;

/// How many steps the numbers of a block take to come to 1, by halving and 3n + 1.
static long steps_in(int block, int length) {
  long steps = 0;
  for (long first = long(block) * length + 1, n = first; n < first + length; ++n)
    for (long k = n; k != 1; ++steps) k = k % 2 == 0 ? k / 2 : 3 * k + 1;
  return steps;
}

/// On rank 0: what is to be done, what each rank has been given, and what is done.
struct farm {
  std::deque<int> todo;
  std::vector<std::set<int>> given;
  std::vector<bool> gone, done;
  int left = 0, given_twice = 0;
  long steps = 0;
  am::condition_variable changed;

  void fill(int blocks) {
    for (int block = 0; block < blocks; ++block) todo.push_back(block);
    given.resize(std::size_t(am::ranks()));
    gone.resize(std::size_t(am::ranks()));
    done.resize(std::size_t(blocks));
    left = blocks;
  }

  /// A task for rank `who`; none: all are done.
  std::optional<int> next(am::rank_t who) {
    changed.wait_unlocked([&] { return !todo.empty() || left == 0 || gone[std::size_t(who)]; });
    if (todo.empty() || gone[std::size_t(who)]) return std::nullopt;
    const int task = todo.front();
    todo.pop_front();
    given[std::size_t(who)].insert(task);
    return task;
  }

  void finish(am::rank_t who, int task, long result) {
    given[std::size_t(who)].erase(task);
    if (done[std::size_t(task)]) return;  // it was lost behind this, and another rank has done it again
    done[std::size_t(task)] = true;
    steps += result;
    if (--left == 0) changed.notify_all();
  }

  void lose(am::rank_t who) {
    gone[std::size_t(who)] = true;
    given_twice += int(given[std::size_t(who)].size());
    for (const int task : given[std::size_t(who)]) todo.push_front(task);
    given[std::size_t(who)].clear();
    changed.notify_all();
  }
};
static farm tasks;

static void meet() {
  try {
    am::fence();
  } catch (const am::rank_lost&) {}  // those that are left have met
}

static bool count_steps(int blocks, int length) {
  if (am::rank() == 0) {
    tasks.fill(blocks);
    am::on_lost([](am::rank_t lost) { tasks.lose(lost); });
  }
  meet();
  for (; am::rank() != 0;) {
    const std::optional<int> block = am::call(0, [](am::rank_t who) { return tasks.next(who); }, am::rank()).get();
    if (!block) break;
    am::async(
        0, [](am::rank_t who, int task, long n) { tasks.finish(who, task, n); }, am::rank(), *block, steps_in(*block, length));
  }
  meet();
  if (am::rank() != 0) return true;
  while (!tasks.todo.empty()) {  // no worker is left
    const int block = *tasks.next(0);
    tasks.finish(0, block, steps_in(block, length));
  }
  long right = 0;
  for (int block = 0; block < blocks; ++block) right += steps_in(block, length);
  const bool good = tasks.left == 0 && tasks.steps == right;
  am::print_on(0, "{} steps, {}, {} of {} ranks are left, {} tasks were given twice\n", tasks.steps, good ? "right" : "WRONG",
               am::living().size(), am::ranks(), tasks.given_twice);
  return good;
}

int main(int argc, char** argv) { return am::run(argc, argv, "BLOCKS LENGTH", count_steps); }
