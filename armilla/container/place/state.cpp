// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/state.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/extents.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {

void require_few_elements(const armilla::placement& where, std::size_t bytes) {
  for (rank_t m = 0; m < where.members(); ++m)
    if (bounded_product(where.count(m), bytes) > most_segment_bytes)
      throw_limit(algorithm_here("container"),
                  fmt::format("{} elements of {} bytes are more than any segment holds{}; ask for fewer", where.size(), bytes,
                              looks_negative(where.size()) ? " (is the size a negative number?)" : ""));
}

void container_state::grow(const void* more, std::size_t added, std::size_t bytes, std::size_t alignment) {
  grow(added, bytes, alignment, [&](std::byte* to) { std::memcpy(to, more, added * bytes); });
}

void container_state::grow(std::size_t added, std::size_t bytes, std::size_t alignment,
                           const std::function<void(std::byte*)>& write) {
  const std::size_t before = count(), after = before + added;
  global_address larger;
  bool has_room = true;
  std::size_t room = capacity;
  if (after > capacity) {
    room = after + after / 2;
    larger = block_storage::allocate_or_null(room * bytes, alignment);
    has_room = !larger.null();
  }
  std::byte* const old = global_ptr<std::byte>(blocks.at(me)).local();
  const auto fill = [&] {
    std::byte* const to = larger.null() ? old : global_ptr<std::byte>(larger).local();
    const std::size_t first = to == old ? before : 0;
    before_filling(to + first * bytes, (after - first) * bytes);
    if (to != old && before != 0) std::memcpy(to, old, before * bytes);
    if (added != 0) write(to + before * bytes);
  };
  const memory_need need = need_of_block(larger, room * bytes);
  if (has_room && !need.large()) try {
      fill();
    } catch (...) {  // a member that is read is lost
      if (!larger.null()) deallocate_bytes(larger, "container");
      throw;
    }
  where = armilla::placement(blocks.exchange(larger, after, has_room, need));
  if (blocks.some_large()) {
    if (need.large()) fill();
    meet(members);
  }
  capacity = room;
}

void container_state::keep(std::size_t mine) { where = armilla::placement(blocks.exchange({}, mine, true)); }

std::uint64_t mark_of_container(const armilla::placement& where, std::size_t bytes) noexcept {
  std::uint64_t hash = where.size() * 0x9e3779b97f4a7c15ULL + bytes;
  for (rank_t m = 0; m < where.members(); ++m) hash = (hash ^ where.count(m)) * 0x9e3779b97f4a7c15ULL;
  return hash ^ std::uint64_t(where.linear());
}

std::vector<std::string> parts_of_container(const void* placement) {
  const auto& where = *static_cast<const armilla::placement*>(placement);
  std::vector<std::size_t> counts;
  for (rank_t m = 0; m < std::min<rank_t>(where.members(), 8); ++m) counts.push_back(where.count(m));
  return {fmt::format("{} elements", with_commas(where.size())),
          fmt::format("{}{} elements by member", fmt::join(counts, ", "), where.members() > 8 ? ", ..." : "")};
}

void throw_element(const void* inside, std::size_t i, std::size_t size) {
  const std::string valid = size == 0 ? "it has no elements" : "give an index from 0 to " + with_commas(size - 1);
  const std::string index = looks_negative(i) ? fmt::format("{} (is the index a negative number?)", i) : with_commas(i);
  throw_usage_of(inside, "container", fmt::format("index {} is out of range; {}", index, valid));
}

void throw_moved_from() {
  throw_usage("container", "this one has been moved from, and has no elements and no ranks; use the one that it was moved to");
}

void throw_part_ended(object_id part) {
  throw_if_part_lost(part, "container");
  throw_usage_of(part, "container",
                 "an element is asked for whose container has ended on its rank; let all ranks end it behind a barrier");
}

void require_same_container(const team& t, failure& why, const container_kind& mine) {
  struct marks {
    std::uint64_t least, most;
  };
  const marks all = agree(t, "container", why, marks{mine.mark, mine.mark}, [](const marks& a, const marks& b) {
    return marks{a.least < b.least ? a.least : b.least, a.most < b.most ? b.most : a.most};
  });
  if (all.least != all.most) throw_other_containers(t, mine);
}

void throw_not_mapped(rank_t owner) {
  throw_usage("segment::local", fmt::format("rank {} cannot load and store the elements of rank {}; ask mapped() first, or copy "
                                            "them",
                                            current->rank, owner));
}

}  // namespace armilla::detail
