// SPDX-License-Identifier: Apache-2.0
#include "backends/conformance/checks.hpp"

#include <algorithm>
#include <cstring>

namespace conformance {

void check_bootstrap(const joined& j) {
  if (j.boot->name() == nullptr || j.boot->name()[0] == '\0') j.fail("the bootstrap has no name");
  for (std::size_t words : {std::size_t{1}, std::size_t{3}, std::size_t{5000}}) {
    std::vector<std::uint64_t> mine(words), all(words * std::size_t(j.ranks));
    for (std::size_t i = 0; i < words; ++i) mine[i] = std::uint64_t(j.rank) * 100000 + i;
    if (!j.boot->exchange(mine.data(), all.data(), words * 8)) j.fail("exchange: %s", j.boot->error());
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != i / words * 100000 + i % words)
        j.fail("exchange of %zu words: word %zu is %lu", words, i, (unsigned long)all[i]);
  }
  for (int i = 0; i < 20; ++i)
    if (!j.boot->meet()) j.fail("meet: %s", j.boot->error());
}

void check_quiet(const joined& j) {
  network& n = *j.net;
  if (n.name() == nullptr || n.version() == nullptr || n.version()[0] == '\0') j.fail("the network has no name");
  if (n.most() != j.settings.frame_bytes) j.fail("frames of %zu bytes, not of %zu", n.most(), j.settings.frame_bytes);
  if (n.held_at_most() < 1 || n.held_at_most() >= j.settings.receives) j.fail("%zu frames may be held", n.held_at_most());
  if (n.lost().rank != armilla::detail::no_rank) j.fail("a rank is lost before anything was sent");
}

namespace {

void all_to_all(const joined& j, traffic& t, std::uint32_t frames, std::size_t hold) {
  for (;;) {
    bool over = true;
    for (rank_t r = 0; r < j.ranks; ++r) {
      if (r == j.rank) continue;
      for (int burst = 0; burst < 8 && t.sent(r) < frames && t.send(r); ++burst) {}
      over = over && t.sent(r) == frames && t.received(r) == frames;
    }
    if (over) break;
    t.poll(hold);
  }
  t.end();
}

/// Every length up to 600, then the edges of what engines do differently, then the longest.
std::size_t any_size(std::uint32_t number, std::size_t most) {
  if (number < 600) return 8 + number;
  const std::size_t wild = 8 + (number * 2654435761u >> 7) % (most - 7);
  switch (number % 4) {
    case 0: return most - number % 16;
    case 1: return wild;
    case 2: return std::min(most, std::size_t{1} << (3 + number % 13));
    default: return 8 + number % 4200;
  }
}

}  // namespace

void check_frames(const joined& j, traffic& t) {
  t.begin("short frames", [](std::uint32_t number, std::size_t) { return std::size_t{8} + number % 5 * 8; });
  all_to_all(j, t, 20000 / std::uint32_t(j.ranks), 0);
  t.begin("all sizes", any_size);
  all_to_all(j, t, 600 + 800 / std::uint32_t(j.ranks), 0);
  for (std::size_t hold : {std::size_t{1}, j.net->held_at_most() / 2, j.net->held_at_most()}) {
    t.begin("held frames", any_size);
    all_to_all(j, t, 600 + 400 / std::uint32_t(j.ranks), hold);
  }
  // All against one, which is slow.
  t.begin("everybody to rank 0",
          [](std::uint32_t number, std::size_t most) { return number % 3 == 0 ? most : 40 + number % 900; });
  const std::uint32_t frames = 600;
  if (j.rank == 0) {
    for (rank_t r = 1; r < j.ranks; ++r)
      while (t.received(r) < frames) t.poll();
  } else {
    while (t.sent(0) < frames)
      if (!t.send(0)) t.poll();
  }
  t.end();
}

}  // namespace conformance
