// SPDX-License-Identifier: Apache-2.0
#include "armilla/dialect/splitc.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"
#include "armilla/rank.hpp"
#include "armilla/spread_array.hpp"

namespace armilla::splitc::detail {
namespace {

using armilla::detail::global_address;

/// What all_spread_malloc gave out.
per_rank<std::vector<armilla::detail::spread_storage>> spread_memory;

}  // namespace

void throw_index(std::size_t i, std::size_t extent) {
  armilla::detail::throw_usage(
      "spread_array", extent == 0
                          ? fmt::format("index {} of a dimension that has none", i)
                          : fmt::format("index {}{}; give one from 0 to {}", i,
                                        armilla::detail::looks_negative(i) ? " (is it a negative number?)" : "", extent - 1));
}

void* local_part(const global_address& at) {
  if (at.null()) return nullptr;
  if (at.rank() != rank())
    armilla::detail::throw_usage("tolocal", fmt::format("the memory lies on processor {}: only there its local part means "
                                                        "something; read it by *gp or bulk_read",
                                                        at.rank()));
  return global_ptr<void>(at).local();
}

}  // namespace armilla::splitc::detail

namespace armilla::splitc {

spread<void*> all_spread_malloc(std::size_t count, std::size_t bytes) {
  const auto processors = std::size_t(ranks());
  // Blocks in turn, each where the next element of its processor would be: aligned for anything.
  const std::uint64_t each = armilla::detail::spread_bytes(count, 1, processors, bytes);
  auto& memory = detail::spread_memory->emplace_back(each == 0 ? 1 : each, alignof(std::max_align_t));
  std::memset(global_ptr<void>(memory.begin()).local(), 0, each);
  memory.meet();
  const auto at = memory.begin();
  return spread<void*>(
      global<void*>(global_ptr<void>(armilla::detail::global_address::make(at.kind(), 0, at.offset, at.generation()))));
}

void all_spread_free(const spread<void*>& memory) {
  const auto at = global<void*>(memory).address().address();
  auto& all = *detail::spread_memory;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.begin().offset == at.offset; });
  if (found == all.end() || at.null())
    armilla::detail::throw_usage("all_spread_free",
                                 "all_spread_malloc did not return this pointer, or its memory was given back "
                                 "already; keep the pointer that it returned");
  all.erase(found);
}

namespace detail {

int start(int argc, char** argv, int (*program)(int, char**)) {
  return run(argc, argv, [=] {
    const int code = program(argc, argv);
    // What it has not given back: by all together, as long as the job is whole.
    spread_memory->clear();
    return code;
  });
}

}  // namespace detail
}  // namespace armilla::splitc
