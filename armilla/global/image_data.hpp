// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it.
#include <optional>
#include <string>

namespace armilla::detail {

/// The program or library, as it is loaded now, among whose variables `p` points: in its data segments, but for what is constant
/// once it is relocated.
std::optional<std::string> image_whose_data_holds(const void* p);

}  // namespace armilla::detail
