// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

struct options;

/// The layout that the options ask for: of the `places` numbers that a rank of the job can have `locals` are of this host. Throws
/// `usage_error` if it fits no address space. A segment size that is a default is halved until it fits.
host_layout layout_for(rank_t places, rank_t locals, const options& settings);

/// The layout of a job of one host. A segment size that is a default is also halved until the memory takes at most half of this
/// process' address space limit (ulimit -v); `note` then says so.
host_layout layout_within_limit(rank_t places, const options& settings, std::string& note);

/// Makes the memory that all ranks of a host map: one sparse anonymous file, reached by its descriptor only, so that
/// nothing stays behind however the job ends. The descriptor is closed on exec. Throws `limit_error`.
int create_host_memory(const host_layout& layout);

/// Maps the first `bytes` of it. Throws `limit_error` naming the option that makes it smaller.
std::byte* map_host_memory(int descriptor, std::uint64_t bytes);

/// Maps its bytes [first, first + bytes), to read and write, where large pages can back them: as far behind a multiple of the
/// large page as in the file. `first` is a multiple of the page. Null with `errno`.
std::byte* map_part_of_memory(int descriptor, std::uint64_t first, std::uint64_t bytes) noexcept;

/// Asks the kernel to back the segments with large pages where it may, unless ARMILLA_LARGE_PAGES=0.
void prefer_large_pages(std::byte* base, const host_layout& layout, const options& settings);

}  // namespace armilla::detail
