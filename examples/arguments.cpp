// SPDX-License-Identifier: Apache-2.0
#include "examples/arguments.hpp"

#include <concepts>
#include <cstdint>
#include <vector>

#include <CLI/CLI.hpp>

#include "examples/real_range.hpp"

namespace examples {

struct arguments::parser : CLI::App {
  using CLI::App::App;
  std::vector<const std::string*> files;
};

arguments::arguments(const std::string& about) : parser_(std::make_unique<parser>(about)) {
  parser_->callback([this] {  // after all options are known to exist: a misspelt one would look like a missing file
    for (const std::string* file : parser_->files)
      if (const std::string problem = file->empty() ? "" : CLI::ExistingFile(*file); !problem.empty())
        throw CLI::ValidationError(problem);
  });
}

arguments::~arguments() = default;

template <class Value>
void arguments::take(const std::string& name, Value& value, const std::string& help) {
  parser_->add_option(name, value, help)->capture_default_str();
}

namespace {

CLI::Validator between(double lowest, double highest) { return real_range(lowest, highest); }

template <std::integral Bound>
CLI::Validator between(Bound lowest, Bound highest) {
  return CLI::Range(lowest, highest);
}

}  // namespace

template <class Value, class Bound>
void arguments::take(const std::string& name, Value& value, const std::string& help, Bound lowest, Bound highest) {
  parser_->add_option(name, value, help)->check(between(lowest, highest))->capture_default_str();
}

void arguments::take_file(const std::string& name, std::string& file, const std::string& help) {
  parser_->add_option(name, file, help);
  parser_->files.push_back(&file);
}

void arguments::take_flag(const std::string& name, bool& flag, const std::string& help) { parser_->add_flag(name, flag, help); }

std::optional<int> arguments::read(int argc, char** argv) {
  try {
    parser_->parse(argc, argv);
  } catch (const CLI::ParseError& e) { return parser_->exit(e); }
  return std::nullopt;
}

// Of all types that the examples take.
using text = const std::string&;
template void arguments::take(text, std::uint64_t&, text);
template void arguments::take(text, std::optional<std::uint32_t>&, text);
template void arguments::take(text, int&, text, int, int);
template void arguments::take(text, std::uint64_t&, text, int, int);
template void arguments::take(text, std::vector<int>&, text, int, int);
template void arguments::take(text, long&, text, long, long);
template void arguments::take(text, double&, text, double, double);

}  // namespace examples
