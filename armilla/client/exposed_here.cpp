// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/exposed_here.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/visitors/exposed_record.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr int most_records = 10'000, most_tries = 1'000;

template <class T, std::size_t N>
auto first_of(const T (&from)[N], std::uint32_t n) {
  using element = std::conditional_t<std::is_signed_v<T>, std::ptrdiff_t, std::size_t>;
  return std::vector<element>(from, from + n);
}

template <std::size_t N>
std::string letters_of(const char (&from)[N]) {
  return {from, strnlen(from, N)};
}

bool fits(const exposed_record& one, std::uint64_t first, std::uint64_t bytes) noexcept {
  if (one.magic.load(std::memory_order_relaxed) != exposed_record::good_magic || one.block == 0) return false;
  if (one.dimensions == 0 || one.dimensions > exposed_record::most_dimensions) return false;
  std::uint64_t span = 1;  // elements from the first to the last
  for (std::uint32_t d = 0; d < one.dimensions; ++d) {
    if (one.extent[d] == 0) return true;
    std::uint64_t more;
    if (one.stride[d] < 1 || __builtin_mul_overflow(one.extent[d] - 1, std::uint64_t(one.stride[d]), &more) ||
        __builtin_add_overflow(span, more, &span))
      return false;
  }
  std::uint64_t length, end;
  return one.data >= first && !__builtin_mul_overflow(span, one.element_bytes, &length) &&
         !__builtin_add_overflow(one.data, length, &end) && end <= first + bytes;
}

exposed_part part_of(rank_t r, const exposed_record& one) {
  exposed_part part;
  part.rank = r;
  part.name = letters_of(one.name);
  part.type = letters_of(one.type);
  part.type_hash = one.type_hash;
  part.element_bytes = one.element_bytes;
  part.shape = first_of(one.shape, one.dimensions);
  part.extent = first_of(one.extent, one.dimensions);
  part.origin = first_of(one.origin, one.dimensions);
  part.stride = first_of(one.stride, one.dimensions);
  part.block = one.block;
  part.turn = one.turn;
  return part;
}

// False: the walk met a record that is no more, or nonsense.
bool walk_list(const job_memory& memory, rank_t r, std::vector<found_part>& found) {
  const std::uint64_t segment = memory.layout().segment(memory.job().locals.of(r)), bytes = memory.layout().segment_bytes;
  std::uint64_t at = control_of(memory.job(), r).exposed.load(std::memory_order_acquire);
  for (int n = 0; n < most_records && at >= segment && at < segment + bytes - sizeof(exposed_record); ++n) {
    exposed_record one;
    if (!memory.read(at, &one, sizeof one) || !fits(one, segment, bytes)) return false;
    found.push_back({part_of(r, one), one.data});
    at = one.next.load(std::memory_order_relaxed);
  }
  return at == 0;
}

// The rank may change its list meanwhile.
void read_list(const job_memory& memory, rank_t r, std::vector<found_part>& found) {
  const std::size_t before = found.size();
  for (int tries = 0; tries < most_tries; ++tries) {
    found.resize(before);
    if (walk_list(memory, r, found)) return;
  }
}

}  // namespace

std::uint64_t length_of(const exposed_part& part) noexcept {
  std::uint64_t span = 1;
  for (std::size_t d = 0; d < part.extent.size(); ++d) span += (part.extent[d] - 1) * std::uint64_t(part.stride[d]);
  return span * part.element_bytes;
}

std::vector<found_part> find_parts(const job_memory& memory) {
  std::vector<found_part> found;
  for (rank_t r = 0; r < memory.ranks(); ++r)
    if (memory.job().rank[r].pid.load(std::memory_order_relaxed) > 0) read_list(memory, r, found);
  std::ranges::sort(found, [](const found_part& a, const found_part& b) {
    return a.part.name != b.part.name ? a.part.name < b.part.name : a.part.rank < b.part.rank;
  });
  return found;
}

std::vector<found_part> find_part(const job_memory& memory, rank_t r, const std::string& name) {
  std::vector<found_part> found;
  if (r >= 0 && r < memory.ranks() && memory.job().rank[r].pid.load(std::memory_order_relaxed) > 0) read_list(memory, r, found);
  std::erase_if(found, [&](const found_part& one) { return one.part.name != name; });
  return found;
}

void check_place(const exposed_part& part, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t all = part.size() == 0 ? 0 : length_of(part);
  if (offset > all || bytes > all - offset)
    throw_usage("exposed", fmt::format("'{}' of rank {} has {} bytes, and none at {} to {}", part.name, part.rank, all, offset,
                                       offset + bytes));
}

void refuse_table(const exposed_part& part) {
  if (part.element_bytes == 0)
    throw_usage("exposed", fmt::format("'{}' is a {}, which ranks have in memory of their own; ask for it by exposed_map or "
                                       "exposed_set, in Python by map() or set()",
                                       part.name, part.type));
}

void map_part(const job_memory& memory, found_part& one) {
  refuse_table(one.part);
  if (one.part.size() == 0) return;
  const auto page = std::uint64_t(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = one.offset / page * page, length = one.offset + length_of(one.part) - first;
  void* const at = memory.map(first, length);
  if (at == nullptr)
    throw_limit("exposed", fmt::format("{} bytes of '{}' of rank {} cannot be mapped: {}", length, one.part.name, one.part.rank,
                                       std::generic_category().message(errno)));
  one.part.memory = std::shared_ptr<void>(at, [length](void* p) { munmap(p, length); });
  one.part.data = static_cast<std::byte*>(at) + (one.offset - first);
}

}  // namespace armilla::detail
