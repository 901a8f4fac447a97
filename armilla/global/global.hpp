// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole layer: pointers to memory of any rank, and what is done with them.
#include "armilla/global/atomic.hpp"
#include "armilla/global/counter.hpp"
#include "armilla/global/event.hpp"
#include "armilla/global/expose.hpp"
#include "armilla/global/global_ptr.hpp"
#include "armilla/global/memory.hpp"
#include "armilla/global/opened.hpp"
#include "armilla/global/per_rank.hpp"
#include "armilla/global/source_counters.hpp"
#include "armilla/global/spread.hpp"
#include "armilla/global/spread_array.hpp"
#include "armilla/global/strided.hpp"
#include "armilla/global/transfer.hpp"
