// SPDX-License-Identifier: Apache-2.0
#include "backends/ucx/ucx_network.hpp"

namespace armilla::detail {

// Memory of UCX's own that ranks of one host map: a place is what needs nothing of its owner. UCX's operations by a key need the
// owner's attention wherever they are messages, and no capability that it tells says so.

bool ucx_network::hold(std::byte* base, std::size_t bytes) {
  if (sysv_ == nullptr || parts_held_ == ucx_address_head::most_parts || !sysv_->replace(base, bytes)) return false;
  ucx_held_part part{reinterpret_cast<std::uintptr_t>(base), static_cast<std::uint32_t>(address_used_), 0};
  // Without room for its key the memory is the rank's alone.
  if (address_used_ + sysv_->key_bytes() <= room_for_address && sysv_->pack(address_.data() + address_used_)) {
    part.bytes = static_cast<std::uint32_t>(sysv_->key_bytes());
    address_used_ += sysv_->key_bytes();
  }
  ucx_address_head head = head_of(address_.data());
  head.part[parts_held_++] = part;
  std::memcpy(address_.data(), &head, sizeof head);
  return true;
}

std::byte* ucx_network::reach(rank_t r, unsigned part) {
  const std::byte* const address = address_of(r);
  const ucx_address_head head = head_of(address);
  if (sysv_ == nullptr || !near(head) || part >= ucx_address_head::most_parts || head.part[part].bytes != sysv_->key_bytes())
    return nullptr;
  return sysv_->map(address + head.part[part].begin, head.part[part].base);
}

}  // namespace armilla::detail
