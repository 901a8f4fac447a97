// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <string>

#include "bench/papers/common/command_line.hpp"
#include "bench/papers/common/record.hpp"

namespace fences {

/// What the programs are told, by Armilla and by hand alike.
struct options {
  long times = 0;

  void add_to(papers::command_line& line) {
    line.number("--times", times, "meetings in a sample; 0: 20,000, or 500 where ranks outnumber cores", 0, 10'000'000);
  }
  long times_of(int ranks) const { return times != 0 ? times : ranks > sysconf(_SC_NPROCESSORS_ONLN) ? 500 : 20'000; }
};

/// `size` holds the pattern; baselines have none.
inline papers::record describe(const char* version, const char* source, const std::string& pattern = "") {
  papers::record r;
  r.version = version;
  r.unit = "ns";
  r.source = source;
  if (!pattern.empty()) r.size = {{"pattern", pattern}};
  return r;
}

}  // namespace fences
