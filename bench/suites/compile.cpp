// SPDX-License-Identifier: Apache-2.0
#include "bench/suites/compile.hpp"

#include <cstdio>
#include <stdexcept>

#include "bench/harness/arena.hpp"

// The compiler of this build and the flags that find the headers; set by the build.
#ifndef ARMILLA_BENCH_COMPILER
#define ARMILLA_BENCH_COMPILER "c++"
#endif
#ifndef ARMILLA_BENCH_INCLUDES
#define ARMILLA_BENCH_INCLUDES ""
#endif

namespace bench {
namespace {

constexpr const char* with_armilla =
    "#include <armilla/armilla.hpp>\n"
    "int main(int argc, char** argv) {\n"
    "  return armilla::run(argc, argv, [] { armilla::call(0, [](double x) { return x * x; }, 3.0).get(); });\n"
    "}\n";

constexpr const char* with_standard =
    "#include <vector>\n#include <string>\n#include <functional>\n#include <future>\n"
    "int main() { return 0; }\n";

constexpr const char* sort_with_armilla =
    "#include <armilla/algorithms.hpp>\n"
    "int main(int argc, char** argv) {\n"
    "  return armilla::run(argc, argv, [] { armilla::vector<double> x(1000); armilla::sort(x); });\n"
    "}\n";

constexpr const char* sort_with_standard =
    "#include <algorithm>\n#include <execution>\n#include <ranges>\n#include <vector>\n"
    "int main() { std::vector<double> x(1000); std::sort(std::execution::par, x.begin(), x.end()); return 0; }\n";

const char* program_of(const std::string& row) {
  if (row == "compile_armilla") return with_armilla;
  if (row == "compile_sort") return sort_with_armilla;
  return row == "compile_std_sort" ? sort_with_standard : with_standard;
}

}  // namespace

double compile_seconds(const std::string& row) {
  const char* text = program_of(row);
  const std::uint64_t start = now_ns();
  std::FILE* compiler =
      ::popen("'" ARMILLA_BENCH_COMPILER "' -std=c++20 -O2 '" ARMILLA_BENCH_INCLUDES "' -x c++ -c -o /dev/null -", "w");
  if (compiler == nullptr) throw std::runtime_error("cannot start " ARMILLA_BENCH_COMPILER);
  std::fputs(text, compiler);
  if (::pclose(compiler) != 0) throw std::runtime_error("the program of row " + row + " does not compile");
  return double(now_ns() - start) * 1e-9;
}

}  // namespace bench
