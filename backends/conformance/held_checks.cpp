// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>

#include "backends/conformance/checks.hpp"

namespace conformance {
namespace {

constexpr std::size_t words = held_memory::part_bytes / sizeof(std::uint64_t);
constexpr unsigned turns = 1000;

std::uint64_t mark(rank_t owner, unsigned part, std::size_t at) {
  return std::uint64_t(owner + 1) << 40 ^ std::uint64_t(part + 1) << 32 ^ at;
}

using word_ref = std::atomic_ref<std::uint64_t>;

/// All look at all, add to one word and leave a mark in another one, while no rank is in its network.
void look_at(const joined& j, rank_t owner, unsigned part, std::byte* there) {
  auto* const word = reinterpret_cast<std::uint64_t*>(there);
  for (std::size_t at : {std::size_t{1}, words / 2, words - 1})
    if (word[at] != mark(owner, part, at))
      j.fail("word %zu of part %u of rank %d is %lu", at, part, owner, (unsigned long)word[at]);
  for (unsigned i = 0; i < turns; ++i) word_ref(word[0]).fetch_add(1);
  word_ref(word[2 + std::size_t(j.rank)]).store(std::uint64_t(j.rank) + 1);
}

}  // namespace

void check_held(const joined& j) {
  if (!j.net->holds()) {
    for (rank_t r = 0; r < j.ranks; ++r)
      if (r != j.rank && j.net->reach(r, 0) != nullptr) j.fail("memory of rank %d is reached, and none is held", r);
    return;
  }
  for (unsigned part = 0; part < held_memory::parts; ++part) {
    auto* const mine = reinterpret_cast<std::uint64_t*>(j.memory.base + part * held_memory::part_bytes);
    for (std::size_t at = 0; at < words; ++at) {
      if (mine[at] != 0) j.fail("word %zu of memory that is held is not 0", at);
      if (at == 0 || at > 1 + std::size_t(j.ranks)) mine[at] = at == 0 ? 0 : mark(j.rank, part, at);
    }
    mine[1] = mark(j.rank, part, 1);
  }
  if (!j.boot->meet()) j.fail("meet: %s", j.boot->error());
  for (rank_t r = 0; r < j.ranks; ++r)
    for (unsigned part = 0; part < held_memory::parts && r != j.rank; ++part) {
      std::byte* const there = j.net->reach(r, part);
      if (there == nullptr) j.fail("part %u of rank %d is not reached", part, r);
      look_at(j, r, part, there);
    }
  if (j.net->reach(j.rank == 0 ? j.ranks - 1 : 0, held_memory::parts) != nullptr) j.fail("a part is reached that nothing holds");
  if (!j.boot->meet()) j.fail("meet: %s", j.boot->error());
  for (unsigned part = 0; part < held_memory::parts; ++part) {
    auto* const mine = reinterpret_cast<std::uint64_t*>(j.memory.base + part * held_memory::part_bytes);
    if (mine[0] != turns * std::uint64_t(j.ranks - 1)) j.fail("others added %lu", (unsigned long)mine[0]);
    for (rank_t r = 0; r < j.ranks; ++r)
      if (mine[2 + r] != (r == j.rank ? 0 : std::uint64_t(r) + 1))
        j.fail("the mark of rank %d is %lu", r, (unsigned long)mine[2 + r]);
  }
}

}  // namespace conformance
