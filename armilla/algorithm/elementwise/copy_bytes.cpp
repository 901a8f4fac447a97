// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "armilla/algorithm/elementwise/copy_inline.hpp"
#include "armilla/container/views/zip_view_inline.hpp"

namespace armilla::detail {
namespace {

void copy_own_places(const container_state& from, const container_state& to, std::size_t size) {
  const std::size_t n = to.where.count(to.me);
  count_elements(n);
  if (n > 0)
    std::memcpy(global_ptr<std::byte>(to.blocks.at(to.me)).local(), global_ptr<std::byte>(from.blocks.at(from.me)).local(),
                n * size);
}

void copy_runs(const container_state& from, const container_state& to, const byte_elements& elements) {
  const std::size_t size = elements.size;
  scratch fetched;
  const std::size_t all = from.where.size();
  for (std::size_t i = to.where.next_on(to.me, 0); i < all; i = to.where.next_on(to.me, i)) {
    std::size_t n = std::min({all, to.where.run_at(i).end, from.where.run_at(i).end}) - i;
    const placement::position p = from.where.locate(i);
    const global_address at = from.address_of(p, size);
    const void* source = mapped_at<std::byte>(at);
    if (source == nullptr)
      source = fetched.read_bytes(at, {&from, &from.where, p.member, p.place}, n, size, std::uint32_t(elements.alignment));
    std::memcpy(global_ptr<std::byte>(to.address(i, size)).local(), source, n * size);
    count_elements(n);
    fetched.finish();
    i += n;
  }
}

}  // namespace

void copy_bytes(const container_state& from, const container_state& to, const byte_elements& elements) {
  require_room("copy", from.where.size(), to.where.size());
  require_same_members(to.members, from.members);
  algorithm_call why("copy", to.members, elements.type);
  why.enter({&to, &to.order}, {0, 1, from.where.size()});
  why.enter({&from, &from.order}, {0, 1, from.where.size()});
  const bool alike = from.where == to.where;
  if (!alike && to.members.size() > 1) meet(to.members);  // what is read has been written
  try {
    if (alike)
      copy_own_places(from, to, elements.size);
    else
      copy_runs(from, to, elements);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  finish(to.members, "copy", why);
}

}  // namespace armilla::detail
