// SPDX-License-Identifier: Apache-2.0
// What bench/files/times times: reads and writes files of each format, by two ranks. armilla-bench-files FOLDER makes the files
// there that are missing, by a fixed seed; small ones with a second argument. Then rank 0 reads lines from stdin, each the name
// of a row, and prints the nanoseconds that all ranks took together, and a sum over what was read.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>
#include <armilla/hdf5.hpp>
#include <armilla/json_lines.hpp>
#include <fmt/format.h>
namespace am = armilla;

namespace {

std::size_t records = 1'000'000, values = 10'000'000, steps = 2'500'000, rows = 4'000, columns = 2'500;
std::size_t vertices = 50'000, edges = 500'000, side = 100'000, entries = 1'000'000;

// splitmix64 of i: the same numbers on any number of ranks.
std::uint64_t bits(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
double fraction(std::uint64_t i) { return double(bits(i) >> 11) * 0x1p-53; }

// ---- the files ----

struct numbers {
  std::int64_t id = 0;
  double x = 0, y = 0;
};
numbers numbers_of(std::size_t i) { return {std::int64_t(i), fraction(i), std::round(fraction(i + records) * 1e6) / 1000}; }

struct sale {
  std::string town;
  std::optional<double> price;
  bool paid = false;
  std::chrono::sys_days day;
};
std::string line_of_sale(std::size_t i) {
  const std::uint64_t r = bits(i);
  const std::chrono::year_month_day day(std::chrono::sys_days(std::chrono::days(10'000 + r % 10'000)));
  const std::string price = r % 10 == 0 ? "" : fmt::format("{:.2f}", double(r % 1'000'000) / 100);
  return fmt::format("{},Town {},{},{},{:04}-{:02}-{:02},\"note {}, of this sale\"", i, r % 5000, price,
                     r % 3 == 0 ? "true" : "false", int(day.year()), unsigned(day.month()), unsigned(day.day()), r % 100);
}

am::edge edge_of(std::size_t i) {
  const std::uint64_t from = bits(i) % vertices;
  return {from, (from + 1 + bits(i + edges) % (vertices - 1)) % vertices};
}

/// Elements `make(i)` of this rank's share of n.
template <class Make>
auto share_of(std::size_t n, Make make) {
  std::vector<decltype(make(std::size_t(0)))> mine;
  const auto me = std::size_t(am::rank()), all = std::size_t(am::ranks());
  for (std::size_t i = n * me / all; i < n * (me + 1) / all; ++i) mine.push_back(make(i));
  return mine;
}

am::vector<numbers> all_numbers() {
  am::vector<numbers> x(records);
  for (std::size_t k = 0; auto& each : x.local()) each = numbers_of(x.index_of_local(k++));
  return x;
}
am::vector<double> all_values() {
  am::vector<double> x(values);
  for (std::size_t k = 0; double& each : x.local()) each = fraction(x.index_of_local(k++));
  return x;
}
/// Numbers that can be compressed.
am::vector<double> all_steps() {
  am::vector<double> x(steps);
  for (std::size_t k = 0; double& each : x.local()) each = std::floor(1000 * fraction(x.index_of_local(k++)));
  return x;
}
am::matrix<double> all_cells() {
  am::matrix<double> m({rows, columns});
  std::size_t i = m.size() * std::size_t(am::rank());
  const auto mine = m.local();
  for (std::size_t r = 0; r < mine.extent(0); ++r)
    for (double& each : mine.row(r)) each = fraction(i++);
  return m;
}
am::sparse_matrix<double> all_entries() {
  return {side, side, share_of(entries, [](std::size_t i) {
            return am::matrix_entry<double>{bits(i) % side, bits(i + entries) % side, fraction(i)};
          })};
}

void make_files(const std::string& folder) {
  const auto once = [&](const char* name, const auto& write) {
    const std::string path = folder + "/" + name;
    if (!am::broadcast(std::filesystem::exists(path))) write(path);
  };
  once("numbers.csv", [](const std::string& path) {
    const auto x = all_numbers();
    am::write_csv(path, x);
  });
  once("sales.csv",
       [](const std::string& path) { am::write_lines(path, "id,town,price,paid,day,note", share_of(records, line_of_sale)); });
  once("rows.jsonl", [](const std::string& path) {
    const auto x = all_numbers();
    am::write_json_lines(path, x);
  });
  once("values.npy", [](const std::string& path) { am::write_npy(path, all_values()); });
  once("values.npz", [](const std::string& path) {
    const auto x = all_values();
    am::write_npz(path, am::npz_array("x", x));
  });
  once("packed.npz", [](const std::string& path) {
    const auto x = all_steps();
    am::write_npz_compressed(path, am::npz_array("x", x));
  });
  once("cells.npy", [](const std::string& path) { am::write_npy(path, all_cells()); });
  once("cells.h5", [](const std::string& path) {
    const auto m = all_cells();
    try {
      am::write_hdf5(path, am::dataset("cells", m));
    } catch (const am::usage_error&) {}  // without libhdf5 there is no file, and bench/files/times leaves out its rows
  });
  once("entries.mtx", [](const std::string& path) { am::write_matrix_market(path, all_entries()); });
  once("edges.txt", [](const std::string& path) {
    am::vector<am::edge> all(0);
    all.append(share_of(edges, edge_of));
    am::fence();
    am::write_edges(path, all);
  });
  once("names.txt", [](const std::string& path) {
    am::write_lines(path, share_of(edges, [](std::size_t i) {
                      const am::edge e = edge_of(i);
                      return fmt::format("vertex{} vertex{}", e.from, e.to);
                    }));
  });
}

// ---- the rows ----

/// What is timed: between start and stop, of all ranks.
class stopwatch {
 public:
  void start() { am::barrier(), from_ = std::chrono::steady_clock::now(); }
  void stop() { am::barrier(), took_ = std::chrono::steady_clock::now() - from_; }
  auto nanoseconds() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(took_).count(); }

 private:
  std::chrono::steady_clock::time_point from_;
  std::chrono::steady_clock::duration took_{};
};

template <class Read>
auto timed(stopwatch& watch, Read read) {
  watch.start();
  auto result = read();
  watch.stop();
  return result;
}

/// All records of a file, in memory.
template <class T>
std::vector<T> records_of(const std::string& path, const am::file_options& how = {}) {
  std::vector<T> mine;
  for (const T& each : am::read_csv<T>(path, how).local()) mine.push_back(each);
  return mine;
}

double sum_of_numbers(stopwatch& watch, const std::string& path) {
  double sum = 0;
  for (const numbers& each : timed(watch, [&] { return records_of<numbers>(path); })) sum += double(each.id) + each.x + each.y;
  return sum;
}
double sum_of_sales(stopwatch& watch, const std::string& path) {
  double sum = 0;
  const am::file_options how{.columns = {"town", "price", "paid", "day"}};
  for (const sale& each : timed(watch, [&] { return records_of<sale>(path, how); }))
    sum += double(each.town.size()) + each.price.value_or(0) + double(each.paid) + double(each.day.time_since_epoch().count());
  return sum;
}
double sum_of_rows(stopwatch& watch, const std::string& path) {
  const auto all = timed(watch, [&] {
    std::vector<numbers> mine;
    for (const numbers& each : am::read_json_lines<numbers>(path).local()) mine.push_back(each);
    return mine;
  });
  double sum = 0;
  for (const numbers& each : all) sum += double(each.id) + each.x + each.y;
  return sum;
}
double sum_of(const am::vector<double>& x) {
  double sum = 0;
  for (const double each : x.local()) sum += each;
  return sum;
}
double sum_of(const am::matrix<double>& m) {
  double sum = 0;
  const auto mine = m.local();
  for (std::size_t r = 0; r < mine.extent(0); ++r)
    for (const double each : mine.row(r)) sum += each;
  return sum;
}
std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> mine;
  for (const std::string_view line : am::read_lines(path).local()) mine.emplace_back(line);
  return mine;
}
[[noreturn]] void throw_no_row(std::string_view name) {
  throw std::invalid_argument("there is no row \"" + std::string(name) + "\"");
}

void run_write(std::string_view name, const std::string& folder, stopwatch& watch) {
  const std::string out = folder + "/armilla.out" + (name.starts_with("lines") ? std::string(name.substr(5)) : "");
  const auto write = [&watch](const auto& data, const auto& how) {
    watch.start();
    how(data);
    watch.stop();
  };
  if (name == "numbers.csv")
    write(all_numbers(), [&](const auto& x) { am::write_csv(out, x); });
  else if (name.starts_with("lines."))
    write(lines_of(folder + "/numbers.csv"), [&](const auto& lines) { am::write_lines(out, lines); });
  else if (name == "values.npy")
    write(all_values(), [&](const auto& x) { am::write_npy(out, x); });
  else if (name == "values.npz")
    write(all_values(), [&](const auto& x) { am::write_npz(out, am::npz_array("x", x)); });
  else if (name == "packed.npz")
    write(all_steps(), [&](const auto& x) { am::write_npz_compressed(out, am::npz_array("x", x)); });
  else if (name == "cells.h5")
    write(all_cells(), [&](const auto& m) { am::write_hdf5(out, am::dataset("cells", m)); });
  else if (name == "entries.mtx")
    write(all_entries(), [&](const auto& m) { am::write_matrix_market(out, m); });
  else
    throw_no_row(name);
}

/// A sum of this rank's part of what was read.
double run_read(std::string_view name, const std::string& path, stopwatch& watch) {
  if (name.starts_with("numbers.csv")) return sum_of_numbers(watch, path);
  if (name.starts_with("sales.csv")) return sum_of_sales(watch, path);
  if (name == "rows.jsonl") return sum_of_rows(watch, path);
  if (name.ends_with(".npz")) return sum_of(timed(watch, [&] { return am::read_npz<am::vector<double>>(path, "x"); }));
  if (name == "values.npy") return sum_of(timed(watch, [&] { return am::read_npy<am::vector<double>>(path); }));
  if (name == "cells.npy") return sum_of(timed(watch, [&] { return am::read_npy<am::matrix<double>>(path); }));
  if (name.ends_with(".h5")) return sum_of(timed(watch, [&] { return am::read_hdf5<am::matrix<double>>(path, "cells"); }));
  if (name.ends_with(".mtx")) {
    const auto m = timed(watch, [&] { return am::read_matrix_market(path); });
    double sum = 0;
    m.for_each_entry([&](std::size_t, std::size_t, double value) { sum += value; });
    return sum;
  }
  if (name.ends_with(".txt")) {
    const auto g = timed(watch, [&] { return am::read_graph(path); });
    return am::rank() == 0 ? double(g.edges()) : 0;
  }
  throw_no_row(name);
}

double run(std::string_view name, const std::string& folder, stopwatch& watch) {
  constexpr std::string_view write = "write ";
  if (!name.starts_with(write)) return run_read(name, folder + "/" + std::string(name), watch);
  name.remove_prefix(write.size());
  run_write(name, folder, watch);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3)
    for (std::size_t* each : {&records, &values, &steps, &rows, &vertices, &edges, &side, &entries}) *each /= 100;
  return am::run(argc, argv, [&] {
    if (argc < 2) return am::print_on(0, "use: {} FOLDER\n", argv[0]), 2;
    const std::string folder = argv[1];
    make_files(folder);
    am::print_on(0, "ready\n");
    for (;;) {
      std::string name;
      if (am::rank() == 0) std::getline(std::cin, name);
      name = am::broadcast(name);
      if (name.empty()) return 0;
      stopwatch watch;
      const double sum = am::all_reduce(run(name, folder, watch), std::plus<>{});
      am::print_on(0, "{} {}\n", watch.nanoseconds(), sum);
    }
  });
}
