// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/common/command_line.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace papers {

command_line::command_line(std::string program, const std::string& description, std::vector<std::string> versions)
    : CLI::App(description), program_(std::move(program)) {
  add_option("--samples", samples_, "samples of each version, after one that does not count")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  add_option("--version", chosen_, "only these versions; default: all")->check(CLI::IsMember(std::move(versions)));
  add_flag("--json", json_, "one JSON object a line instead of a table");
  add_flag("--cold", cold_, "without the sample that does not count");
  get_formatter()->column_width(28);
}

std::optional<int> command_line::read(int argc, char** argv) {
  const std::string_view called = argv[0];
  file_ = called.substr(called.rfind('/') + 1);
  try {
    parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return exit(e);  // --help
    return refuse(std::string(e.what()) + " (--help tells all)");
  }
  return std::nullopt;
}

int command_line::refuse(const std::string& what) const {
  std::fprintf(stderr, "%s: %s\n", file_.c_str(), what.c_str());
  return 2;
}

int command_line::refuse_ranks(int ranks, int least) const {
  return refuse(std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + " given, at least " + std::to_string(least) +
                " needed; set ARMILLA_RANKS, or start it by armilla-run, mpirun or srun");
}

int command_line::refuse_memory(const std::string& arguments, double bytes) const {
  const double memory = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
  if (bytes <= memory / 2) return 0;
  return refuse(fmt::format("{}: takes about {:.0f} GB of memory, more than half of this host's {:.0f}; give less", arguments,
                            bytes * 1e-9, memory * 1e-9));
}

}  // namespace papers
