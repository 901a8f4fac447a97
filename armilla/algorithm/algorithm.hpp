// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole layer: what all members of a range's team do together with its elements.
#include "armilla/algorithm/batch.hpp"
#include "armilla/algorithm/by_key.hpp"
#include "armilla/algorithm/elementwise.hpp"
#include "armilla/algorithm/everything.hpp"
#include "armilla/algorithm/fold.hpp"
#include "armilla/algorithm/query.hpp"
#include "armilla/algorithm/scan.hpp"
#include "armilla/algorithm/top_k.hpp"
