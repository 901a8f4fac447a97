// SPDX-License-Identifier: Apache-2.0
// A task farm that outlives its workers: ARMILLA_ON_LOSS=continue, and kill any rank but rank 0. The tasks of a lost rank are
// given to others; each result counts once. Tasks are the rows of a picture of the Mandelbrot set.
#include <complex>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;

/// How many points of a row do not escape.
static long inside(int rows, int steps, int row) {
  long n = 0;
  for (int column = 0; column < rows; ++column) {
    const std::complex<double> c(-2 + 2.5 * column / rows, -1.25 + 2.5 * row / rows);
    std::complex<double> z;
    int left = steps;
    for (; left > 0 && std::norm(z) < 4; --left)
      z = {z.real() * z.real() - z.imag() * z.imag() + c.real(), 2 * z.real() * z.imag() + c.imag()};
    n += left == 0;
  }
  return n;
}

/// On rank 0: what is to be done, what each rank has been given, and what is done.
struct farm {
  std::deque<int> todo;
  std::vector<std::set<int>> given;
  std::vector<bool> gone, done;
  int left = 0, given_twice = 0;
  long points = 0;
  am::condition_variable changed;

  void fill(int rows) {
    for (int row = 0; row < rows; ++row) todo.push_back(row);
    given.resize(std::size_t(am::ranks()));
    gone.resize(std::size_t(am::ranks()));
    done.resize(std::size_t(rows));
    left = rows;
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
    points += result;
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

static bool count_points(int rows, int steps) {
  if (am::rank() == 0) {
    tasks.fill(rows);
    am::on_lost([](am::rank_t lost) { tasks.lose(lost); });
  }
  meet();
  for (; am::rank() != 0;) {
    const std::optional<int> row = am::call(0, [](am::rank_t who) { return tasks.next(who); }, am::rank()).get();
    if (!row) break;
    am::async(
        0, [](am::rank_t who, int task, long n) { tasks.finish(who, task, n); }, am::rank(), *row, inside(rows, steps, *row));
  }
  meet();
  if (am::rank() != 0) return true;
  while (!tasks.todo.empty()) {  // no worker is left
    const int row = *tasks.next(0);
    tasks.finish(0, row, inside(rows, steps, row));
  }
  long right = 0;
  for (int row = 0; row < rows; ++row) right += inside(rows, steps, row);
  const bool good = tasks.left == 0 && tasks.points == right;
  am::print_on(0, "{} points, {}, {} of {} ranks are left, {} tasks were given twice\n", tasks.points, good ? "right" : "WRONG",
               am::living().size(), am::ranks(), tasks.given_twice);
  return good;
}

int main(int argc, char** argv) { return am::run(argc, argv, "ROWS STEPS", count_points); }
