// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Containers, views and algorithms over all ranks, and everything of armilla.hpp.
#include "armilla/algorithm/algorithm.hpp"
#include "armilla/armilla.hpp"
#include "armilla/container/container.hpp"
