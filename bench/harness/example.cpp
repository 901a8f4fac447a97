// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/example.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <stdexcept>
#include <system_error>

#include "bench/harness/arena.hpp"
#include "bench/harness/hosts.hpp"
#include "bench/kernels/containers.hpp"
#include "bench/kernels/edges.hpp"

namespace bench {
namespace {

/// Files of the session.
class input_folder {
 public:
  ~input_folder() {
    std::error_code ignored;
    for (const auto& [name, path] : made_) std::filesystem::remove(path, ignored);
    for (const char* const left : {"sorted", "sorted.sorted", "joined.orders", "joined.customers"})
      std::filesystem::remove(path_of(left), ignored);
  }
  std::string path_of(const std::string& name) const { return folder_.name() + "/" + name; }
  /// Written by `write` when it is asked for first.
  std::string file(const std::string& name, void (*write)(std::ostream&, long), long size) {
    const std::string path = path_of(name + std::to_string(size));
    if (const bool fresh = made_.emplace(name + std::to_string(size), path).second; fresh) {
      std::ofstream out(path);
      write(out, size);
      if (!out.flush()) throw std::runtime_error("cannot write " + path);
    }
    return path;
  }

 private:
  temporary_folder folder_;
  std::map<std::string, std::string> made_;
};

/// `size` bytes of words, the more frequent the shorter.
void write_words(std::ostream& out, long size) {
  std::string line;
  for (std::size_t i = 0; size > 0; ++i) {
    std::uint64_t word = std::uint64_t(std::exp(double(random_bits(i) >> 11) * 0x1p-53 * std::log(100'000.0)));
    line.clear();
    for (word += 26; word > 0; word /= 26) line += char('a' + word % 26);
    line += i % 12 == 11 ? '\n' : ' ';
    out << line;
    size -= long(line.size());
  }
}

/// The equation of Poisson on a square of `side` points: the lower half, as symmetric matrices are stored.
void write_poisson(std::ostream& out, long side) {
  const long n = side * side;
  out << "%%MatrixMarket matrix coordinate real symmetric\n" << n << ' ' << n << ' ' << n + 2 * side * (side - 1) << '\n';
  for (long v = 1; v <= n; ++v) {
    out << v << ' ' << v << " 4\n";
    if (v % side != 0) out << v + 1 << ' ' << v << " -1\n";
    if (v + side <= n) out << v + side << ' ' << v << " -1\n";
  }
}

/// A Kronecker graph.
void write_edges(std::ostream& out, long vertices) {
  for (const bench_edge& e : edges_of_graph(vertices, 0, 1)) out << e.from << ' ' << e.to << '\n';
}

/// The example that `row` is, or is a twin of.
std::string example_of(const std::string& row) { return row.substr(0, std::min(row.find("_mpi"), row.find("_threads"))); }

std::string arguments_of(const std::string& row, long size) {
  static input_folder input;
  const std::string n = std::to_string(size);
  if (row == "word_count") return input.file("words", &write_words, size);
  if (row == "cg") return input.file("poisson", &write_poisson, size) + " 100000";
  if (row == "page_rank") return input.file("edges", &write_edges, size);
  if (row == "farm") return n + " 2000";
  if (row == "jacobi") return n + " 10000000";
  if (row == "histogram") return "1000000 " + n;
  if (row == "sort_file") return n + " " + input.path_of("sorted");
  if (row == "join") return n + " " + input.path_of("joined");
  return n;  // life, kmers
}

/// What a program prints with its result; some tell the rate at which they have read their input.
double milliseconds_in(const std::string& text, const std::string& row, long size) {
  std::smatch found;
  if (std::regex_search(text, found, std::regex("([0-9.]+) s[,:)]"))) return std::stod(found[1]) * 1e3;
  if (std::regex_search(text, found, std::regex("([0-9.]+) MB/s"))) return double(size) / std::stod(found[1]) / 1e3;
  throw std::runtime_error("the example " + row + " has told no time: " + text);
}

}  // namespace

double example_ms(const job_options& options, const std::string& row, long size) {
  const std::string ranks = std::to_string(options.ranks);
  const std::string launcher = options.kind == worker_kind::example_mpi
                                   ? example_launcher(options.ranks)
                                   : "ARMILLA_RANKS=" + ranks + " ARMILLA_FABRIC=" + options.fabric + " ";
  const std::string command = launcher + example_program(row) + " " + arguments_of(example_of(row), size) + " 2>&1";
  std::FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("cannot start the example " + row);
  std::string text;
  std::array<char, 4096> some{};
  while (const std::size_t n = std::fread(some.data(), 1, some.size(), output)) text.append(some.data(), n);
  if (::pclose(output) != 0) throw std::runtime_error("the example " + row + " failed: " + text);
  return milliseconds_in(text, row, size);
}

}  // namespace bench
