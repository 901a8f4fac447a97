// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/sort/options.hpp"

#include <malloc.h>

#include <fmt/format.h>

namespace papers {

void sort_options::add_to(command_line& line) {
  line.number("--keys", keys, "keys of all ranks together, 32 bits each; one or more numbers", 0, 1'000'000'000);
}

int sort_options::check(const command_line& line) const {
  for (const std::uint64_t n : keys)  // the input, its parts, the result, and what is on its way
    if (const int code = line.refuse_memory(fmt::format("--keys {}", n), 4 * double(n) * sizeof(std::int32_t)); code != 0)
      return code;
  return 0;
}

record sort_options::describe(const char* version, std::uint64_t n, std::uint64_t marks, const char* source) {
  record r;
  r.version = version;
  r.size = {{"keys", n}};
  r.unit = "ms";
  r.checks = {{"marks", fmt::format("{:016x}", marks)}};
  r.source = source;
  return r;
}

void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

}  // namespace papers
