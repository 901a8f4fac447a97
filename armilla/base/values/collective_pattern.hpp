// SPDX-License-Identifier: Apache-2.0
#pragma once
namespace armilla::detail {

/// How the members of a team meet (ARMILLA_BARRIER, ARMILLA_FENCE).
enum class pattern { automatic, flat, tree, hypercube, dissemination };

/// How values and arrays move in collectives between hosts (ARMILLA_COLLECTIVES).
enum class exchange_pattern { automatic, flat, pairs };

}  // namespace armilla::detail
