// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole layer: containers whose elements lie on many ranks, and views over them.
#include "armilla/container/array.hpp"
#include "armilla/container/distribution.hpp"
#include "armilla/container/files.hpp"
#include "armilla/container/range.hpp"
#include "armilla/container/unordered_map.hpp"
#include "armilla/container/vector.hpp"
#include "armilla/container/views.hpp"
