// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace armilla::detail {

/// Identity of the running executable, and of the library where that is a shared one: of each the linker's build id if it has
/// one, else device, number, size and time of its file.
[[gnu::visibility("default")]] std::uint64_t build_id() noexcept;

}  // namespace armilla::detail
