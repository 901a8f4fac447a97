// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/common/command_line.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "examples/real_range.hpp"

namespace papers {

namespace {

template <class T>
CLI::Validator between(T least, T most) {
  return CLI::Range(least, most);
}
CLI::Validator between(double least, double most) { return examples::real_range(least, most); }

}  // namespace

command_line::command_line(std::string program, const std::string& description, std::vector<std::string> versions)
    : app_(std::make_unique<CLI::App>(description)), program_(std::move(program)) {
  number("--samples", samples_, "samples of each version, after one that does not count", 1, 100'000);
  app_->add_option("--version", chosen_, "only these versions; default: all")->check(CLI::IsMember(std::move(versions)));
  flag("--json", json_, "one JSON object a line instead of a table");
  flag("--cold", cold_, "without the sample that does not count");
  app_->get_formatter()->column_width(28);
}

command_line::~command_line() = default;

template <class Place>
void command_line::number(const std::string& name, Place& place, const std::string& help, limit_of<Place> least,
                          limit_of<Place> most) {
  app_->add_option(name, place, help)->check(between(least, most))->capture_default_str();
}
template void command_line::number(const std::string&, int&, const std::string&, int, int);
template void command_line::number(const std::string&, long&, const std::string&, long, long);
template void command_line::number(const std::string&, std::uint64_t&, const std::string&, std::uint64_t, std::uint64_t);
template void command_line::number(const std::string&, double&, const std::string&, double, double);
template void command_line::number(const std::string&, std::vector<int>&, const std::string&, int, int);
template void command_line::number(const std::string&, std::vector<std::uint64_t>&, const std::string&, std::uint64_t,
                                   std::uint64_t);

template <class Place>
void command_line::choice(const std::string& name, Place& place, const std::string& help, std::vector<std::string> words) {
  app_->add_option(name, place, help)->check(CLI::IsMember(std::move(words)))->capture_default_str();
}
template void command_line::choice(const std::string&, std::string&, const std::string&, std::vector<std::string>);
template void command_line::choice(const std::string&, std::vector<std::string>&, const std::string&, std::vector<std::string>);

void command_line::flag(const std::string& name, bool& place, const std::string& help) { app_->add_flag(name, place, help); }

std::optional<int> command_line::read(int argc, char** argv) {
  const std::string_view called = argv[0];
  file_ = called.substr(called.rfind('/') + 1);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app_->exit(e);  // --help
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
