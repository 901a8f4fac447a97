// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/tables.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

// Where bench/python/tables.py lies; set by the build.
#ifndef ARMILLA_BENCH_TABLES
#define ARMILLA_BENCH_TABLES "bench/python/tables.py"
#endif

namespace bench {
namespace {

std::string interpreter() {
  const char* const named = std::getenv("PYTHON_OF_TABLES");
  return std::string("'") + (named == nullptr ? "python3" : named) + "' ";
}

}  // namespace

double tables_ns(const std::string& row, long size, long iterations) {
  const std::string command = interpreter() + "'" ARMILLA_BENCH_TABLES "' " + row + " " + std::to_string(size) + " " +
                              std::to_string(iterations) + " 2>&1";
  std::FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("cannot start Python for row " + row);
  std::string text;
  std::array<char, 4096> some{};
  while (const std::size_t n = std::fread(some.data(), 1, some.size(), output)) text.append(some.data(), n);
  if (::pclose(output) != 0) throw std::runtime_error("row " + row + " failed: " + text);
  char* end = nullptr;
  const double ns = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) throw std::runtime_error("row " + row + " printed no time: " + text);
  return ns;
}

std::string no_module(const std::string& name) {
  static std::map<std::string, bool> looked_for;
  const auto [at, fresh] = looked_for.emplace(name, false);
  if (fresh) {
    const std::string look =
        "-c 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, (\"numpy\", \"" + name + "\"))))'";
    at->second = std::system((interpreter() + look + " 2>/dev/null").c_str()) == 0;
  }
  return at->second ? "" : "no " + name;
}

}  // namespace bench
