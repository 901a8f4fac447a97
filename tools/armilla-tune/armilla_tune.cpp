// SPDX-License-Identifier: Apache-2.0
// armilla-tune: measures what a one-way call costs on this host for several sizes of the buffer in which small ones travel
// together, and stores the best one where every job finds it (see ARMILLA_TUNED).
//
//     armilla-tune
//     armilla-tune --dry-run
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "armilla/armilla.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/host/unfinished_file.hpp"
#include "armilla/base/values/clock.hpp"
#include "tools/arguments/arguments.hpp"

namespace am = armilla;

namespace {

constexpr int wrong_use = 2;
constexpr am::rank_t receiver = 1;
constexpr std::size_t largest = 32768;
constexpr double good_enough = 1.03;  // times the best

struct wishes {
  std::string out = am::detail::tuned_file();
  bool dry_run = false;
  int rounds = 15;
  int one_way_calls = 50'000;
};

struct candidate {
  std::size_t bytes = 0;
  std::vector<double> times{};  // ns of a one-way call, one for each round

  double median() const {
    std::vector<double> sorted = times;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  double best() const { return *std::ranges::min_element(times); }
};

std::uint64_t sum;  // the receiver's

/// Nanoseconds of a one-way call, from the first until a two-way call after the last is answered. Nothing if a one-way call got
/// lost.
std::optional<double> time_flood(std::size_t aggregation, long one_way_calls) {
  am::set_aggregation(aggregation);
  am::call(receiver, [] { sum = 0; }).get();
  const std::uint64_t start = am::detail::now_ns();
  for (long i = 0; i < one_way_calls; ++i) am::async(receiver, [](std::uint64_t v) { sum += v; }, std::uint64_t(i));
  const std::uint64_t arrived = am::call(receiver, [] { return sum; }).get();
  const double took = double(am::detail::now_ns() - start) / double(one_way_calls);
  if (arrived != std::uint64_t(one_way_calls) * std::uint64_t(one_way_calls - 1) / 2) return {};
  return took;
}

/// Those that the rings of this job have room for: set_aggregation takes less where they have not.
std::vector<candidate> candidates() {
  std::vector<candidate> all{{.bytes = 0}};
  for (std::size_t bytes = 256; bytes <= largest; bytes *= 2) {
    am::set_aggregation(bytes);
    if (am::aggregation() == bytes)
      all.push_back({.bytes = bytes});
    else
      fmt::print("{} bytes are too many for the rings (ARMILLA_RING); not measured\n", bytes);
  }
  return all;
}

/// Round by round, so that what disturbs for a while disturbs all; the first round only warms up.
bool measure(std::vector<candidate>& all, const wishes& w) {
  for (int round = 0; round <= w.rounds; ++round)
    for (candidate& c : all) {
      const std::optional<double> took = time_flood(c.bytes, w.one_way_calls);
      if (!took) return false;
      if (round > 0) c.times.push_back(*took);
    }
  return true;
}

/// The smallest that is good enough: small buffers leave sooner.
const candidate& choose(const std::vector<candidate>& all) {
  const double best = std::ranges::min_element(all, {}, &candidate::median)->median();
  return *std::ranges::find_if(all, [&](const candidate& c) { return c.median() <= best * good_enough; });
}

void print_table(const std::vector<candidate>& all, const candidate& chosen) {
  fmt::print("ns of a one-way call of 8 bytes, one way, rank 0 to rank {}\n", receiver);
  fmt::print("{:>10} {:>10} {:>10}\n", "aggregate", "median", "best");
  for (const candidate& c : all)
    fmt::print("{:>10} {:>10.1f} {:>10.1f}{}\n", c.bytes, c.median(), c.best(), &c == &chosen ? "  <-" : "");
}

std::string text_of(const candidate& chosen) {
  char host[HOST_NAME_MAX + 1] = "";
  ::gethostname(host, sizeof host - 1);
  std::tm now{};
  const std::time_t seconds = std::time(nullptr);
  ::localtime_r(&seconds, &now);
  return fmt::format(
      "# Measured by armilla-tune on {}, {:%Y-%m-%d %H:%M}: {:.1f} ns for a one-way call of 8 bytes.\naggregate={}\n", host, now,
      chosen.median(), chosen.bytes);
}

/// Why it is not written; empty: it is. A job that starts meanwhile reads the old file or the new one.
std::string write_file(const std::string& file, const std::string& text) {
  std::error_code ignored;  // writing says what is wrong
  if (const std::filesystem::path folder = std::filesystem::path(file).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  return am::detail::write_whole_file(file, text);
}

int store(const candidate& chosen, const wishes& w) {
  if (w.dry_run) return fmt::print("aggregate={}, not written\n", chosen.bytes), 0;
  if (const std::string wrong = write_file(w.out, text_of(chosen)); !wrong.empty()) {
    fmt::print(stderr, "armilla-tune: '{}' cannot be written: {}; name another file with --out\n", w.out, wrong);
    return 1;
  }
  fmt::print("aggregate={}, written to {}\n", chosen.bytes, w.out);
  return 0;
}

int tune(const wishes& w) {
  std::vector<candidate> all = candidates();
  if (!measure(all, w)) return fmt::print(stderr, "armilla-tune: one-way calls got lost\n"), 1;
  const candidate& chosen = choose(all);
  print_table(all, chosen);
  return store(chosen, w);
}

// The others answer in the barrier; beyond rank 1 they sleep there.
int run_rank(const wishes& w) {
  if (am::ranks() < 2) {
    fmt::print(stderr, "armilla-tune: one rank has nobody to send to; set ARMILLA_RANKS=2 or more, or leave it unset\n");
    return wrong_use;
  }
  am::barrier();
  const int code = am::rank() == 0 ? tune(w) : 0;
  am::barrier();
  return code;
}

armilla::tools::program description(wishes& w) {
  using armilla::tools::into;
  return {
      .name = "armilla-tune",
      .summary = "finds the best aggregation of small one-way calls on this host, and stores it for all jobs.",
      .usage = "[options]",
      .options = {{"--out", "FILE", fmt::format("The file to write (default: {})", w.out.empty() ? "none" : w.out), into(w.out)},
                  {"--dry-run", "", "Measure and print, write nothing", into(w.dry_run)},
                  {"--rounds", "N", fmt::format("How often each size is measured (default: {})", w.rounds),
                   into(w.rounds, 1, 1000)},
                  {"--calls", "N", fmt::format("One-way calls in each measurement (default: {})", w.one_way_calls),
                   into(w.one_way_calls, 1, 100'000'000)}},
      .more = "Jobs read the file by themselves; ARMILLA_TUNED names another one, or none.\n"};
}

}  // namespace

int main(int argc, char** argv) {
  wishes w;
  const armilla::tools::program self = description(w);
  if (const auto words = armilla::tools::parse_or_exit(self, argc, argv); !words.empty())
    return armilla::tools::complain(self, fmt::format("'{}' is too much", words[0]));
  if (w.out.empty() && !w.dry_run)
    return armilla::tools::complain(self, "neither XDG_CONFIG_HOME nor HOME says where to write; give --out FILE");
  ::setenv("ARMILLA_RANKS", "2", 0);
  return am::run(argc, argv, [w] { return run_rank(w); });
}
