// SPDX-License-Identifier: Apache-2.0
#include "explore.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/host/descriptor.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/host/exploration.hpp"

namespace armilla::run {
namespace {

using detail::escaped;
using detail::exploration;
using text_lines = std::vector<std::string>;
using seconds = std::chrono::duration<double>;

// What makes orders follow from decisions alone: accesses are messages, and nobody waits by the clock.
constexpr const char* settings_of_orders[][2] = {
    {"ARMILLA_ACCESS_BY_MESSAGE", "on"}, {"ARMILLA_AGGREGATE", "0"}, {"ARMILLA_SPIN", "0"}, {"ARMILLA_YIELD", "0"},
    {"ARMILLA_PROGRESS_MODE", "poll"},   {"ARMILLA_PIN", "none"}};

struct run_result {
  int code = 0;
  bool ended = true;
  std::string output, errors;
  text_lines outcomes, log;
  std::uint64_t decisions = 0;
  seconds took{};
};

[[noreturn]] void fail(const char* what) {
  throw cannot_start(fmt::format("armilla-run: --explore: {}: {}", what, std::strerror(errno)));
}

detail::descriptor memory_file(const char* name, unsigned flags) {
  detail::descriptor file(memfd_create(name, flags));
  if (file.get() < 0) fail("memory for a run");
  fcntl(file.get(), F_SETFL, O_APPEND);  // else ranks that print at a time write over each other's lines
  return file;
}

text_lines lines_of(std::string_view text) {
  text_lines all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    all.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string content_of(const detail::descriptor& file) {
  std::string text(std::size_t(std::max<off_t>(lseek(file.get(), 0, SEEK_END), 0)), '\0');
  const ssize_t n = pread(file.get(), text.data(), text.size(), 0);
  text.resize(std::size_t(std::max<ssize_t>(n, 0)));
  return text;
}

// "rank 2: text": ranks say theirs in any order, each rank in its own.
text_lines by_rank(text_lines outcomes) {
  const auto rank_of = [](const std::string& line) { return std::strtol(line.c_str() + std::strlen("rank "), nullptr, 10); };
  std::ranges::stable_sort(outcomes, {}, rank_of);
  return outcomes;
}

/// The command line that is run again and again.
class job_runner {
 public:
  explicit job_runner(char** arguments) : arguments_(arguments) {}

  /// As it always runs.
  run_result plain() const { return run({}, kind::plain); }
  run_result in_order(const seeded_order& order, bool with_log = false) const {
    return run(order, with_log ? kind::logged : kind::explored);
  }
  /// With this process' input and output, and without a limit of time.
  run_result shown(const seeded_order& order) const { return run(order, kind::shown); }
  /// No later run may take much longer than a first one did.
  void limit_time(seconds usual) {
    most_ = std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::max(seconds(20), 20 * usual));
  }

 private:
  enum class kind { plain, explored, logged, shown };

  run_result run(const seeded_order& order, kind what) const {
    const detail::descriptor file = memory_file("armilla-explore", 0);  // inherited
    if (ftruncate(file.get(), sizeof(exploration)) != 0) fail("memory for a run");
    exploration* const shared = detail::map_exploration(file.get());
    if (shared == nullptr) fail("memory for a run");
    shared->magic = exploration::good_magic;
    shared->seed = order.seed;
    shared->limit = std::min(order.limit, exploration::most_decisions);
    shared->explores = what != kind::plain;
    shared->wants_log = what == kind::logged;
    run_result result = start_and_await(file.get(), what);
    result.outcomes = by_rank(lines_of(shared->outcomes.all()));
    result.log = lines_of(shared->log.all());
    result.decisions = std::min(shared->decisions.load(), shared->limit);
    munmap(shared, sizeof *shared);
    return result;
  }

  run_result start_and_await(int file, kind what) const {
    const bool show = what == kind::shown;
    const detail::descriptor output = memory_file("output", MFD_CLOEXEC), errors = memory_file("errors", MFD_CLOEXEC);
    const auto began = std::chrono::steady_clock::now();
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) fail("a run cannot be started");
    if (child == 0) become(file, what, output.get(), errors.get());
    run_result result;
    result.ended = await(child, show ? std::nullopt : std::optional(began + most_), result.code);
    result.took = std::chrono::steady_clock::now() - began;
    result.output = content_of(output);
    result.errors = content_of(errors);
    return result;
  }

  [[noreturn]] void become(int file, kind what, int output, int errors) const {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setenv(detail::exploration_variable, std::to_string(file).c_str(), 1);
    if (what != kind::plain)
      for (const auto& [name, value] : settings_of_orders) setenv(name, value, 1);
    if (what != kind::shown) {
      const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
      dup2(nothing, STDIN_FILENO);
      dup2(output, STDOUT_FILENO);
      dup2(errors, STDERR_FILENO);
    }
    execv("/proc/self/exe", arguments_);
    _exit(127);
  }

  // False: it did not end in time, and was stopped.
  static bool await(pid_t child, std::optional<std::chrono::steady_clock::time_point> until, int& code) {
    int status = 0;
    bool ended = true;
    for (auto nap = std::chrono::microseconds(200); waitpid(child, &status, until ? WNOHANG : 0) == 0;) {
      if (std::chrono::steady_clock::now() > *until) {
        kill(child, ended ? SIGTERM : SIGKILL);
        ended = false;
        until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
      }
      std::this_thread::sleep_for(nap);
      nap = std::min(nap * 2, std::chrono::microseconds(5000));
    }
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
  }

  char** arguments_;
  std::chrono::steady_clock::duration most_ = std::chrono::hours(1);
};

/// What all runs must give.
class expectation {
 public:
  /// Two runs in the default order show what changes with time alone.
  expectation(run_result usual, const run_result& again) : usual_(std::move(usual)), by_outcome_(!usual_.outcomes.empty()) {
    note_changes(sorted_output(usual_), sorted_output(again));
    ignores_output_ = !by_outcome_ && comparable(usual_) != comparable(again);
  }

  bool by_outcome() const noexcept { return by_outcome_; }
  bool ignores_output() const noexcept { return !by_outcome_ && ignores_output_; }

  /// In what the run differs; empty: in nothing.
  std::string difference(const run_result& r) const {
    if (!r.ended) return "it does not end";
    if (r.code != usual_.code) return fmt::format("exit code {} instead of {}{}", r.code, usual_.code, first_words(r.errors));
    if (by_outcome_ || !r.outcomes.empty()) return difference_of("outcome", r.outcomes, usual_.outcomes);
    return ignores_output_ ? "" : difference_of("output", comparable(r), comparable(usual_));
  }

 private:
  static std::string first_words(const std::string& errors) {
    return errors.empty() ? "" : ": " + escaped(errors.substr(0, errors.find('\n')));
  }
  static std::string quoted(const text_lines& all, const text_lines& others) {
    text_lines only;
    std::ranges::set_difference(all, others, std::back_inserter(only));
    return only.empty() ? "nothing" : '"' + escaped(only.front()) + '"';
  }
  static std::string difference_of(const char* what, const text_lines& mine, const text_lines& usual) {
    if (mine == usual) return "";
    text_lines a = mine, b = usual;
    std::ranges::sort(a);
    std::ranges::sort(b);
    if (a == b) return fmt::format("{} in another order", what);
    return fmt::format("{} {} instead of {}", what, quoted(a, b), quoted(b, a));
  }

  // Ranks print in any order.
  static text_lines sorted_output(const run_result& r) {
    text_lines all = lines_of(r.output);
    std::ranges::sort(all);
    return all;
  }
  static std::string before_numbers(const std::string& line) { return line.substr(0, line.find_first_of("0123456789")); }
  void note_changes(const text_lines& a, const text_lines& b) {
    text_lines changed;
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(changed));
    for (const std::string& line : changed) changes_.insert(before_numbers(line));
  }
  text_lines comparable(const run_result& r) const {
    text_lines all = sorted_output(r);
    for (std::string& line : all)
      if (const std::string begin = before_numbers(line); changes_.contains(begin)) line = begin + "...";
    std::ranges::sort(all);
    return all;
  }

  run_result usual_;
  std::set<std::string> changes_;  // how lines begin whose numbers are times or the like
  bool by_outcome_, ignores_output_ = false;
};

/// Which decision of a run makes it differ, and what ranks do then.
class culprit {
 public:
  culprit(const job_runner& job, const expectation& usual, seeded_order order, std::uint64_t decisions)
      : job_(job), usual_(usual), order_(order) {
    std::uint64_t same = 0, other = decisions;
    while (other - same > 1) {
      const std::uint64_t middle = same + (other - same) / 2;
      (differs({order.seed, middle}) ? other : same) = middle;
    }
    order_.limit = other;
    agreeing_ = job_.in_order({order.seed, same}, true);
    differing_ = job_.in_order(order_, true);
  }

  const seeded_order& order() const noexcept { return order_; }
  bool certain() const { return usual_.difference(agreeing_).empty() && !usual_.difference(differing_).empty(); }

  std::string text() const {
    const auto [here, there] = std::ranges::mismatch(differing_.log, agreeing_.log);
    const auto shown = [](const auto& at, const text_lines& all) {
      return at == all.end() ? "no rank runs anything" : escaped(*at);
    };
    if (here == differing_.log.end() && there == agreeing_.log.end())
      return "all calls run in the usual order; only the ranks' own code runs in another order";
    return fmt::format("{}\n  instead of: {}", shown(here, differing_.log), shown(there, agreeing_.log));
  }

 private:
  bool differs(const seeded_order& order) const { return !usual_.difference(job_.in_order(order)).empty(); }

  const job_runner& job_;
  const expectation& usual_;
  seeded_order order_;
  run_result agreeing_, differing_;
};

void report(const job_runner& job, const expectation& usual, std::uint64_t seed, const run_result& found) {
  fmt::print("armilla-run: seed {}: {}\n", seed, usual.difference(found));
  std::fflush(stdout);
  const culprit first(job, usual, {seed}, found.decisions);
  if (!first.certain())
    return fmt::print("  the same seed does not always give the same run: the program depends on time or on its input\n");
  fmt::print(
      "  first call that differs: {}\n  to repeat this run: --seed {}; with the usual order after that call: --seed {}:{}\n",
      first.text(), seed, seed, first.order().limit);
}

std::string what_is_compared(const expectation& usual) {
  return usual.by_outcome() ? "exit code and outcome" : usual.ignores_output() ? "exit code" : "exit code and output";
}

}  // namespace

seeded_order seeded_order::from(const std::string& text) {
  seeded_order order;
  const char *at = text.data(), *const end = at + text.size();
  const auto read = [&](std::uint64_t& value) {
    const auto [behind, wrong] = std::from_chars(at, end, value);
    at = behind;
    return wrong == std::errc{};
  };
  bool good = read(order.seed);
  if (good && at != end && *at == ':') good = (++at, read(order.limit));
  if (!good || at != end) throw std::invalid_argument(text);
  return order;
}

bool is_explored() { return std::getenv(detail::exploration_variable) != nullptr; }

int explore(char** arguments, int runs, seeded_order first) {
  job_runner job(arguments);
  const run_result plain = job.plain();
  run_result usual = job.in_order({0, 0});
  job.limit_time(std::max(plain.took, usual.took));
  const expectation expected(std::move(usual), job.in_order({0, 0}));
  if (expected.ignores_output())
    fmt::print(stderr,
               "armilla-run: two runs in the same order print different lines, so only exit codes are compared; pass the "
               "values that must be the same to armilla::outcome\n");
  for (int i = 0; i < runs; ++i) {
    const seeded_order order{first.seed + std::uint64_t(i), first.limit};
    const run_result result = job.in_order(order);
    if (expected.difference(result).empty()) continue;
    report(job, expected, order.seed, result);
    return 1;
  }
  if (const std::string other = expected.difference(plain); !other.empty()) {
    fmt::print(
        "armilla-run: without --explore: {}\n  the runs in {} orders agree with each other; in these runs, accesses through "
        "global "
        "pointers are messages, as between hosts\n",
        other, runs + 1);
    return 1;
  }
  fmt::print("armilla-run: {} of {} runs in other orders are as usual\n", what_is_compared(expected), runs);
  return 0;
}

int repeat_order(char** arguments, const seeded_order& order) {
  const run_result result = job_runner(arguments).shown(order);
  for (const std::string& outcome : result.outcomes) fmt::print(stderr, "armilla-run: outcome of {}\n", outcome);
  return result.code;
}

}  // namespace armilla::run
