// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/named_algorithm.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "armilla/base/context.hpp"
#include "armilla/base/error.hpp"
#include "armilla/boot/control_block.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t words = control_block::algorithm_words;

void post_name(const context& self, const char* name) noexcept {
  std::uint64_t text[words] = {};
  std::memcpy(text, name, std::min(std::strlen(name), sizeof text - 1));
  auto& posted = self.host->control(self.rank).algorithm;
  for (std::size_t k = 0; k < words; ++k) posted[k].store(text[k], std::memory_order_relaxed);
}

}  // namespace

named_algorithm::named_algorithm(context& self, const char* name) noexcept {
  const char*& here = self.fibers->running().algorithm;
  if (here != nullptr) return;
  here = name;
  named_ = &self;
  post_name(self, name);
}

named_algorithm::~named_algorithm() {
  if (named_ == nullptr) return;
  named_->fibers->running().algorithm = nullptr;
  named_->host->control(named_->rank).algorithm[0].store(0, std::memory_order_relaxed);
}

const char* algorithm_here(const char* otherwise) noexcept {
  const char* const name = current->fibers->running().algorithm;
  return name != nullptr ? name : otherwise;
}

void throw_no_ranks(const char* otherwise) {
  throw_usage(
      algorithm_here(otherwise),
      "it has no ranks: it was moved from, or made without any; use the one that it was moved to, or make it with a size");
}

std::string algorithm_of(const context& self, rank_t r) {
  if (self.host->far[std::size_t(r)]) return {};
  char text[words * sizeof(std::uint64_t)] = {};
  for (std::size_t k = 0; k < words; ++k) {
    const std::uint64_t word = self.host->control(r).algorithm[k].load(std::memory_order_relaxed);
    std::memcpy(text + k * sizeof word, &word, sizeof word);
  }
  text[sizeof text - 1] = 0;
  return text;
}

}  // namespace armilla::detail
