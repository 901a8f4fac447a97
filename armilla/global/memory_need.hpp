// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include "armilla/base/host/memory_left.hpp"
#include "armilla/global/address.hpp"
#include "armilla/team.hpp"

/// Whether hosts have the memory that members of a team are about to touch, before they touch it: a host that has not ends
/// processes. Requests below 64 MiB are not looked at.
namespace armilla::detail {

/// What a member is about to touch, and what is left on its host.
struct memory_need {
  std::uint64_t bytes = 0, left = no_bound;
  bool large() const noexcept { return bytes != 0; }
};

/// Of new private memory.
memory_need need_of(std::uint64_t bytes);
/// Of a block in this rank's segment, as far as its pages are new.
memory_need need_of_block(global_address block, std::uint64_t bytes);

/// `all` is by member. limit_error, the same on all members, if a host has not what its ranks need together.
void require_memory(const team& t, const char* operation, std::span<const memory_need> all);
/// Collective: the same, of what each member needs.
void require_memory(const team& t, const char* operation, memory_need mine);
/// Collective: the same of private memory. `most` is what the member with the greatest part needs, and the same on all: below 64
/// MiB nothing happens. Cost: a gathering.
void require_memory(const team& t, const char* operation, std::uint64_t mine, std::uint64_t most);
/// For a rank alone, which touches the memory page by page: limit_error, and nothing is left of it, as soon as the host has no
/// more. `begin` and `bytes` are multiples of a page.
void touch_memory(const char* operation, void* begin, std::uint64_t bytes);
/// limit_error: of `bytes` this rank has yet to get `more`.
[[noreturn, gnu::cold]] void throw_no_memory(const char* operation, std::uint64_t bytes, std::uint64_t more);

}  // namespace armilla::detail
