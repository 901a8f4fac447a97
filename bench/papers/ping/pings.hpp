// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/record.hpp"

/// What is sent, how it is counted, and what the programs are told: the same for all versions.
namespace pings {

/// Four words, as long as a request of the paper (128 of them are 4 KiB).
using word = std::uint64_t;
struct ping {
  word words[4];
};
constexpr ping numbered(std::uint64_t i) { return {{i, i + 1, i + 2, i + 3}}; }

/// What a receiver has taken. Every byte of every ping counts.
struct tally {
  std::uint64_t count = 0, sum = 0;
  void take(const ping& p) {
    ++count;
    sum += p.words[0] + p.words[1] + p.words[2] + p.words[3];
  }
  friend bool operator==(const tally&, const tally&) = default;
};

/// One measurement: `rounds` times `pings` pings to the other rank, then a pong back.
struct game {
  std::uint64_t pings, rounds;

  tally expected() const {
    tally t;
    for (std::uint64_t i = 0; i < pings; ++i) t.take(numbered(i));
    return {t.count * rounds, t.sum * rounds};
  }
  double ns_per_ping(double seconds) const { return seconds * 1e9 / double(pings * rounds); }
};

struct options {
  std::vector<std::uint64_t> pings{1, 10, 100, 1000, 10000};
  std::vector<std::uint64_t> together;
  std::uint64_t rounds = 0;

  explicit options(std::vector<std::uint64_t> packings) : together(std::move(packings)) {}

  void add_to(papers::command_line& line) {
    line.number("--pings", pings, "pings before a pong, one or more numbers", 1, 10'000'000);
    line.number("--aggregation", together, "pings in a message, one or more numbers", 1, 512);
    line.number("--rounds", rounds, "pongs in a sample; 0: those of 50,000 pings, five at least", 0, 10'000'000);
  }
  game of(std::uint64_t k) const { return {k, rounds != 0 ? rounds : std::max<std::uint64_t>(5, 50'000 / k)}; }

  static papers::record describe(const char* version, const game& g, const char* source) {
    papers::record r;
    r.version = version;
    r.size = {{"pings", g.pings}};
    r.unit = "ns/ping";
    r.checks = {{"sum", g.expected().sum / g.rounds}};
    r.source = source;
    return r;
  }
  static papers::record describe(const char* version, const game& g, std::uint64_t together, const char* source) {
    papers::record r = describe(version, g, source);
    r.size["aggregation"] = together;
    return r;
  }
};

}  // namespace pings
