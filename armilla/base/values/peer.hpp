// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace armilla {

/// Kinds of peers, for settings that depend on the way to them: this rank itself, other ranks of its host, ranks that a network
/// reaches.
enum class peer { self, host, network };

}  // namespace armilla
