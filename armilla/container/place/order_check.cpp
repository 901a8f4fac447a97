// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/order_check.hpp"

#if ARMILLA_CHECKED

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/stats/counters.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t most_elements = 1 << 16;
constexpr const char* unless = "(if something else completes them: ARMILLA_CHECKED=0)";

// Called functions run between any two lines of the rank's own code, which is what is ordered by barriers and fences.
bool looks() noexcept { return current != nullptr && current->body_depth == 0 && current->settings->checked; }

[[noreturn]] void throw_under_way(const order_check* of, std::size_t element, const char* operation) {
  throw_usage(
      operation,
      about(of) + fmt::format("this rank's one-way call that changes element {} may be still under way; call fence() between "
                              "the two, or read it by get() {}",
                              element, unless));
}

[[noreturn]] void throw_on_its_way(const order_check* of, const char* operation) {
  throw_usage(operation,
              about(of) + fmt::format("one-way calls of this rank to the container may be still under way; call fence() "
                                      "between the two {}",
                                      unless));
}

}  // namespace

struct order_check::calls {
  std::uint64_t fences = ~std::uint64_t{0}, barriers = 0;  // of this rank, at the first of them
  bool anywhere = false;                                   // there are some about elements that have no number
  bool staged = false;                                     // elements were appended
  std::unordered_set<std::size_t> elements;
  std::unordered_map<std::size_t, std::size_t> own;  // elements by their place on this rank

  bool under_way() const noexcept { return fences == current->count->fences; }
};

void order_check::remember() const {
  if (calls_ == nullptr) calls_ = std::make_shared<calls>();
}

// What is known of the time since the last fence.
order_check::calls& order_check::now() const {
  remember();
  if (!calls_->under_way()) *calls_ = {current->count->fences, current->count->barriers, false, false, {}, {}};
  return *calls_;
}

void order_check::begin() const {
  if (looks()) now().anywhere = true;
}

void order_check::stage() const {
  if (looks()) now().staged = true;
}

void order_check::begin(std::size_t element, bool own, std::size_t place) const {
  if (!looks()) return;
  now();
  if (calls_->elements.size() == most_elements) return;
  calls_->elements.insert(element);
  if (own) calls_->own.emplace(place, element);
}

void order_check::settle(std::size_t element) const {
  if (!looks() || calls_ == nullptr || calls_->elements.erase(element) == 0) return;
  std::erase_if(calls_->own, [element](const auto& each) { return each.second == element; });
}

void order_check::require_no_barrier(const char* operation) const {
  if (calls_ == nullptr || !looks() || !calls_->under_way() || current->count->barriers == calls_->barriers) return;
  throw_usage(operation, about(this) + fmt::format("this rank has {} the container and met the others at a barrier, which does "
                                                   "not complete such calls; call fence() instead of barrier() {}",
                                                   calls_->staged ? "appended elements to" : "sent one-way calls to", unless));
}

void order_check::require_complete(std::size_t element, const char* operation) const {
  if (calls_ == nullptr || !looks() || !calls_->under_way() || !calls_->elements.contains(element)) return;
  throw_under_way(this, element, operation);
}

void order_check::require_fenced(const element_map& those, const char* operation) const {
  if (calls_ == nullptr || !looks() || !calls_->under_way()) return;
  require_fenced(operation);
  const auto found = std::ranges::find_if(calls_->elements, [&](std::size_t element) { return those.holds(element); });
  if (found != calls_->elements.end()) throw_under_way(this, *found, operation);
}

void order_check::require_fenced(const char* operation) const {
  if (calls_ == nullptr || !looks() || !calls_->under_way()) return;
  if (calls_->staged)
    throw_usage(operation,
                about(this) + fmt::format("this rank has appended elements, which the next fence adds to the container; call "
                                          "fence() between the two {}",
                                          unless));
  if (calls_->anywhere) throw_on_its_way(this, operation);
}

void order_check::require_at_rest(const char* operation) const {
  if (calls_ == nullptr || !looks() || !calls_->under_way()) return;
  if (calls_->anywhere || !calls_->elements.empty()) throw_on_its_way(this, operation);
}

void order_check::require_complete_here(std::size_t place) const {
  if (calls_ == nullptr || !looks() || !calls_->under_way()) return;
  if (const auto found = calls_->own.find(place); found != calls_->own.end()) throw_under_way(this, found->second, "local");
}

void order_check::require_all_complete_here() const {
  if (calls_ == nullptr || !looks() || !calls_->under_way() || calls_->own.empty()) return;
  throw_under_way(this, std::ranges::min(std::views::values(calls_->own)), "local");
}

}  // namespace armilla::detail

#endif
