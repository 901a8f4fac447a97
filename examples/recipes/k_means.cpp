// SPDX-License-Identifier: Apache-2.0
// k-means over the points of a CSV file, which the program makes first.
#include <limits>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;

struct sums {
  double x = 0, y = 0;
  long n = 0;
};

static void make_points(const std::string& path, int k) {
  am::vector<std::string> lines(0);
  for (int i = am::rank(); i < 1000; i += am::ranks())  // around (0, 0), (10, 10), (20, 20), ...
    lines.push_back(std::to_string(i % k * 10 + i % 7 * 0.1) + "," + std::to_string(i % k * 10 - i % 5 * 0.1));
  am::fence();
  am::write_lines(path, lines);
}

static bool k_means(int k, const std::string& path) {
  make_points(path, k);
  std::vector<sums> points, centers;
  for (const auto& [x, y] : am::read_csv<double, double>(path).local()) points.push_back({x, y, 1});
  for (int c = 0; c < k; ++c) centers.push_back({c * 9.0, c * 9.0, 1});  // the same on all ranks

  for (int step = 0; step < 10; ++step) {
    std::vector<sums> total(centers.size());
    for (const sums& p : points) {
      std::size_t best = 0;
      double least = std::numeric_limits<double>::max();
      for (std::size_t c = 0; c < centers.size(); ++c) {
        const double dx = p.x - centers[c].x, dy = p.y - centers[c].y, distance = dx * dx + dy * dy;
        if (distance < least) least = distance, best = c;
      }
      total[best] = {total[best].x + p.x, total[best].y + p.y, total[best].n + 1};
    }
    total = am::all_reduce(am::each(total), [](const sums& a, const sums& b) { return sums{a.x + b.x, a.y + b.y, a.n + b.n}; });
    for (std::size_t c = 0; c < centers.size(); ++c)
      if (total[c].n > 0) centers[c] = {total[c].x / double(total[c].n), total[c].y / double(total[c].n), total[c].n};
  }

  long n = 0;
  bool right = true;
  for (int c = 0; c < k; ++c) {
    const sums& center = centers[std::size_t(c)];
    am::print_on(0, "{:4} points around ({:.2f}, {:.2f})\n", center.n, center.x, center.y);
    right = right && center.x >= c * 10 && center.x < c * 10 + 1;
    n += center.n;
  }
  right = right && n == 1000;
  am::print_on(0, "{}\n", right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "K FILE", k_means); }
