// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/guard_words.hpp"

#include <algorithm>
#include <cstring>

namespace armilla::detail {
namespace {

struct tail {
  std::uint64_t sign, bytes;
};
static_assert(sizeof(tail) == guarded_blocks::room);

constexpr std::uint64_t most_pattern = 64;
constexpr std::byte filling{0xa5};
constexpr std::size_t most_looks = 4096;

std::uint64_t sign_of(std::uint64_t offset) noexcept { return offset * 0x9e3779b97f4a7c15ULL ^ 0x6172'6d69'6c6c'6121ULL; }

std::byte* tail_of(std::byte* base, heap::extent block) noexcept { return base + block.offset + block.bytes - sizeof(tail); }

std::uint64_t pattern_bytes(heap::extent block, std::uint64_t bytes) noexcept {
  return std::min(most_pattern, block.bytes - sizeof(tail) - bytes);
}

bool is_intact(std::byte* base, heap::extent block, std::uint64_t bytes) noexcept {
  if (guarded_bytes(base, block) != bytes) return false;
  const std::byte* const end = base + block.offset + bytes;
  return std::all_of(end, end + pattern_bytes(block, bytes), [](std::byte b) { return b == filling; });
}

}  // namespace

std::optional<std::uint64_t> guarded_bytes(std::byte* base, heap::extent block) noexcept {
  if (block.offset == heap::none || block.bytes < sizeof(tail)) return {};
  tail found;
  std::memcpy(&found, tail_of(base, block), sizeof found);
  if (found.sign != sign_of(block.offset) || found.bytes > block.bytes - sizeof(tail)) return {};
  return found.bytes;
}

void remove_guard(std::byte* base, heap::extent block) noexcept {
  if (guarded_bytes(base, block)) std::memset(tail_of(base, block), 0, sizeof(tail));
}

void guarded_blocks::add(const heap& from, std::byte* base, heap::block made, std::uint64_t bytes) {
  const heap::extent block = from.extent_of(made.offset);
  std::memset(base + made.offset + bytes, int(filling), pattern_bytes(block, bytes));
  const tail mine{sign_of(block.offset), bytes};
  std::memcpy(tail_of(base, block), &mine, sizeof mine);
  blocks_[made.offset] = {bytes, made.generation};
}

bool guarded_blocks::remove(const heap& from, std::byte* base, std::uint64_t offset) {
  const auto at = blocks_.find(offset);
  if (at == blocks_.end()) return true;
  const block known = at->second;
  if (from.generation_at(offset) != known.generation) return true;  // it is freed already, which its heap reports
  blocks_.erase(at);
  const heap::extent block = from.extent_of(offset);
  const bool good = is_intact(base, block, known.bytes);
  remove_guard(base, block);
  return good;
}

std::optional<guarded_blocks::broken> guarded_blocks::look(const heap& from, std::byte* base) {
  auto at = blocks_.lower_bound(next_);
  for (std::size_t left = std::min(blocks_.size(), most_looks); left != 0 && !blocks_.empty(); --left) {
    if (at == blocks_.end()) at = blocks_.begin();
    const auto [offset, known] = *at;
    const bool gone = from.generation_at(offset) != known.generation;
    if (!gone && !is_intact(base, from.extent_of(offset), known.bytes)) return broken{offset, known.bytes};
    at = gone ? blocks_.erase(at) : std::next(at);
  }
  next_ = at == blocks_.end() ? 0 : at->first;
  return {};
}

}  // namespace armilla::detail
