// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole layer: pointers to memory of any rank, and what is done with them.
#include "armilla/atomic.hpp"
#include "armilla/counter.hpp"
#include "armilla/event.hpp"
#include "armilla/expose.hpp"
#include "armilla/global/source_counters.hpp"
#include "armilla/global_ptr.hpp"
#include "armilla/memory.hpp"
#include "armilla/open_memory.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/spread_array.hpp"
#include "armilla/spread_ptr.hpp"
#include "armilla/strided.hpp"
#include "armilla/transfer.hpp"
