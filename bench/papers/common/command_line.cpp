// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/common/command_line.hpp"

#include <cstdio>
#include <utility>

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
  try {
    parse(argc, argv);
  } catch (const CLI::ParseError& e) { return exit(e) == 0 ? 0 : 2; }
  return std::nullopt;
}

int command_line::refuse(const std::string& what) const {
  std::fprintf(stderr, "%s: %s\n", program_.c_str(), what.c_str());
  return 2;
}

}  // namespace papers
