// SPDX-License-Identifier: Apache-2.0
// Sorts a file of 64-bit numbers, which it makes first, into another one, and reads that to check it. The same program by MPI
// stands beside, in by_mpi.cpp.
#include <cstdint>
#include <functional>
#include <string>

#include <armilla/algorithms.hpp>

namespace am = armilla;

namespace {

std::uint64_t number_at(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15ULL;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return i ^ (i >> 27);
}

am::vector<std::uint64_t> read(const std::string& path) {
  am::vector<std::uint64_t> numbers(0);
  numbers.append(am::read_binary<std::uint64_t>(path).local());
  am::fence();
  return numbers;
}

bool sort_file(std::size_t megabytes, const std::string& path) {
  am::show_progress();
  const auto numbers = am::views::iota(std::size_t{0}, megabytes * 125'000) | am::views::transform(number_at);
  am::vector<std::uint64_t> x(numbers.size());
  am::copy(numbers, x);
  am::write_binary(path, x.local());
  const auto start = am::clock::now();
  x = read(path);
  am::sort(x);
  am::write_binary(path + ".sorted", x.local());
  const double time = am::seconds_since(start);
  x = read(path + ".sorted");
  const bool right = am::is_sorted(x) && am::reduce(x) == am::reduce(numbers);
  am::print_on(0, "{} numbers in {:.3f} s, {:.1f} MB/s: {}\n", x.size(), time, double(megabytes) / time,
               right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main(int argc, char** argv) { return am::run(argc, argv, "MEGABYTES FILE", sort_file); }
