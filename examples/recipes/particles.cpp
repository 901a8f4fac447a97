// SPDX-License-Identifier: Apache-2.0
// Particles that move between ranks: each rank owns a slab of [0, 1), and has the particles that are in it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <armilla/armilla.hpp>

namespace am = armilla;

struct particle {
  double position, speed;
  long id;
};

static am::rank_t owner_of(const particle& p) { return std::min(am::rank_t(p.position * am::ranks()), am::ranks() - 1); }

/// Sends each particle to the rank that owns its position.
static void migrate(std::vector<particle>& mine) {
  std::vector<std::vector<particle>> to(static_cast<std::size_t>(am::ranks()));
  std::erase_if(mine, [&](const particle& p) {
    if (owner_of(p) == am::rank()) return false;
    to[std::size_t(owner_of(p))].push_back(p);
    return true;
  });
  for (const std::vector<particle>& arrived : am::all_to_all_v(to)) mine.insert(mine.end(), arrived.begin(), arrived.end());
}

static bool simulate(long count, int steps) {
  std::vector<particle> mine;
  for (long i = am::rank(); i < count; i += am::ranks())
    mine.push_back({double(i) / double(count), 0.001 * double(i % 100 - 50), i});
  migrate(mine);
  for (int step = 0; step < steps; ++step) {
    for (particle& p : mine) p.position = p.position + p.speed - std::floor(p.position + p.speed);  // the ends meet
    migrate(mine);
  }
  bool in_slab = true;
  long ids = 0;
  for (const particle& p : mine) in_slab = in_slab && owner_of(p) == am::rank(), ids += p.id;
  in_slab = am::all_reduce(in_slab, std::logical_and<>{});
  ids = am::all_reduce(ids, std::plus<>{});
  const bool right = in_slab && ids == count * (count - 1) / 2;
  am::print_on(0, "{} particles after {} steps: {}\n", count, steps, right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "PARTICLES STEPS", simulate); }
