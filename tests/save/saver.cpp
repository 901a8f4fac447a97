// SPDX-License-Identifier: Apache-2.0
// saver save FOLDER N | load FOLDER N | die FOLDER: saves containers of N elements; loads and compares them; saves others, and is
// killed in the middle of it. save_test.py runs one after the other.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

std::string text(std::size_t i) { return std::to_string(i) + std::string(i % 30, 't'); }

constexpr int each_has = 20;

/// Ends the job while elements are marshalled for the second time, to be written: some are by then.
struct fatal {
  static constexpr const char* wire_name = "saver.fatal";
  std::vector<int> more;
  template <class W>
  void define_type(W& t) {
    static thread_local int times = 0;  // of this rank and W: once for each element to be counted, once to be written
    t.local(more);
    if (++times == each_has + each_has / 2) std::raise(SIGKILL);
  }
};

void save(const std::string& folder, std::size_t n) {
  am::array<double> x(n);
  for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = double(x.index_of_local(k));
  x.save(folder + "/array");
  am::unordered_map<std::string, std::size_t> m;
  for (std::size_t i = std::size_t(am::rank()); i < n; i += std::size_t(am::ranks())) m.insert(text(i), i);
  m.save(folder + "/map");
  am::matrix<float> c({n / 10, 7}, am::grid(), am::halo(1));
  c.save(folder + "/matrix");
}

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "rank %d: %s differs\n", int(am::rank()), what);
  std::exit(1);
}

void load(const std::string& folder, std::size_t n) {
  am::array<double> x;
  x.load(folder + "/array");
  bool same = x.size() == n;
  for (std::size_t k = 0; k < x.local().size(); ++k) same = same && x.local()[k] == double(x.index_of_local(k));
  require(same, "array");
  am::unordered_map<std::string, std::size_t> m;
  m.load(folder + "/map");
  for (const auto& [key, value] : m.local()) same = same && key == text(value);
  require(same && m.size() == n, "map");
  am::matrix<float> c;
  c.load(folder + "/matrix");
  require(c.extent(0) == n / 10 && c.extent(1) == 7, "matrix");
  am::print_on(0, "all is there\n");
}

void die(const std::string& folder) {
  am::vector<fatal> x(each_has * std::size_t(am::ranks()));
  for (fatal& each : x.local()) each.more.resize(300'000, 1);
  x.save(folder + "/array");
}

void go(const std::string& what, const std::string& folder, std::size_t n) {
  if (what == "save") save(folder, n);
  if (what == "load") load(folder, n);
  if (what == "die") die(folder);
}

}  // namespace

int main(int argc, char** argv) { return am::run(argc, argv, "save|load|die FOLDER N", &go); }
