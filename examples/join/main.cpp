// SPDX-License-Identifier: Apache-2.0
// Joins two files of comma-separated values, which it makes first: orders with the number of a customer, and customers. The same
// program by MPI stands beside, in by_mpi.cpp.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;

namespace {

/// Writes both files. Order i is of customer 7 * i modulo twice their number, so that half of them are unknown.
void make_files(const std::string& path, std::size_t orders, std::size_t customers) {
  std::vector<std::string> lines;
  const am::array<char> all(orders), some(customers);
  for (std::size_t k = 0; k < all.local().size(); ++k) {
    const std::size_t i = all.index_of_local(k);
    lines.push_back(std::to_string(i * 7 % (2 * customers)) + ',' + std::to_string(i % 100));
  }
  am::write_lines(path + ".orders", lines);
  lines.clear();
  for (std::size_t k = 0; k < some.local().size(); ++k)
    lines.push_back(std::to_string(some.index_of_local(k)) + ",name " + std::to_string(some.index_of_local(k)));
  am::write_lines(path + ".customers", lines);
}

bool join_files(std::size_t orders, const std::string& path) {
  const std::size_t customers = orders / 10 + 1;
  make_files(path, orders, customers);
  const auto start = am::clock::now();
  std::uint64_t rows = 0, sum = 0;
  for (const auto& [customer, amount, name] : am::join(am::read_csv<std::uint64_t, std::uint64_t>(path + ".orders"),
                                                       am::read_csv<std::uint64_t, std::string>(path + ".customers")))
    ++rows, sum += amount;
  rows = am::all_reduce(rows, std::plus<>{});
  sum = am::all_reduce(sum, std::plus<>{});
  const double time = am::seconds_since(start);
  std::uint64_t known = 0, wanted = 0;
  for (std::size_t i = 0; i < orders; ++i)
    if (i * 7 % (2 * customers) < customers) ++known, wanted += i % 100;
  const bool right = rows == known && sum == wanted;
  am::print_on(0, "{} of {} orders joined, {} in all, {:.3f} s: {}\n", rows, orders, sum, time, right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main(int argc, char** argv) { return am::run(argc, argv, "ORDERS FILE", join_files); }
