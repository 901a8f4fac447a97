// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/algorithm_call.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/container/place/in_functions.hpp"
#include "armilla/error.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {
namespace {

per_rank<bool> end_is_left_out;                      // of the next algorithm
per_rank<std::vector<const void*>> calls_functions;  // fibers
per_rank<const char*> innermost;                     // the algorithm that began last

const void* running_fiber() { return &current->fibers->running(); }

}  // namespace

without_end::without_end() { *end_is_left_out = true; }
without_end::without_end(const algorithm_call& all) { *end_is_left_out = !all.waits(); }
without_end::~without_end() { *end_is_left_out = false; }

in_functions::in_functions() { calls_functions->push_back(running_fiber()); }
in_functions::~in_functions() {
  std::vector<const void*>& all = *calls_functions;
  all.erase(std::prev(std::find(all.rbegin(), all.rend(), running_fiber()).base()));
}

void refuse_in_functions() {
  if (const auto& all = *calls_functions; std::find(all.begin(), all.end(), running_fiber()) != all.end()) [[unlikely]]
    throw_usage(*innermost,
                fmt::format("members meet inside of a function that an algorithm calls ({}), and not all of them come "
                            "there; call it before",
                            algorithm_here("one of this rank")));
}

void enter_container(const viewed_container& c, const element_map& at) {
  operate_on(c.which);
  if (c.order != nullptr) c.order->require_fenced(at, algorithm_here(""));
}

algorithm_call::algorithm_call(const char* name) : name_(here(name), name), watched_(stats_of(*current).watched()) {
  waits_ = !std::exchange(*end_is_left_out, false);
  *innermost = name;
  if (!name_.outermost()) return;
  if (stats_of(*current).watched()) [[unlikely]]
    shown_ = std::make_unique<shown_operation>(name);
  ++current->count->algorithms;  // in the phase
}

algorithm_call::~algorithm_call() = default;

}  // namespace armilla::detail
