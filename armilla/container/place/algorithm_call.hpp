// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "armilla/base/core/context_head.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/container/place/order_check.hpp"
#include "armilla/container/place/overlap.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/stats/counters.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla {
namespace detail {

/// Calls f(container, map) for each container that `r`, a view or a container, goes through.
template <class R, class F>
void each_container_of([[maybe_unused]] const R& r, [[maybe_unused]] F f) {
  if constexpr (requires { r.state().order; })
    f(viewed_container{&r.state(), &r.state().order}, element_map{0, 1, r.state().where.size()});
  else if constexpr (requires { r.range(); })
    each_container(r.range(), {0, 1, 0}, f);
  else if constexpr (requires { r.extent(); })
    each_container(r, {0, 1, r.extent()}, f);
}

/// The running algorithm is about to go through these elements of a container: statistics and traces name it. usage_error in the
/// checked library if this rank's own calls change one of the elements, and no fence has completed them.
void enter_container(const viewed_container& c, const element_map& at);

/// An algorithm runs on this rank until the end of the scope: what its functions throw, and for the report a phase `am::NAME`.
/// One that is a step of another is not reported, and errors name the other. Budget: a count and a name, unless statistics or a
/// trace are asked for.
class algorithm_call : public failure {
 public:
  explicit algorithm_call(const char* name);
  /// If it waits, other members that go through elements of another type than this range's hear of it. `more`: other ranges that
  /// are read. Errors: those of `enter_container`.
  template <class V, class... More>
  algorithm_call(const char* name, const V& v, const More&... more)
      : algorithm_call(name, v.members(), mark_of<typename V::value_type>()) {
    enter_range(v);
    (enter_range(more), ...);
  }
  algorithm_call(const char* name, const team& members, const type_mark& type) : algorithm_call(name) {
    if (waits_) note_type(members, type);
  }
  ~algorithm_call();
  /// False: it leaves out the agreement in the end.
  bool waits() const noexcept { return waits_; }
  void enter(const viewed_container& c, const element_map& at) const {
    if (checked || watched_) [[unlikely]]
      enter_container(c, at);
  }
  template <class R>
  void enter_range(const R& r) const {
    if (checked || watched_) [[unlikely]]
      each_container_of(r, enter_container);
  }
  /// It goes through a container that is no range.
  void about(const void* inside) const {
    if (watched_) [[unlikely]]
      operate_on(inside);
  }

 private:
  named_algorithm name_;
  std::unique_ptr<shown_operation> shown_;  // null: it is not reported
  bool waits_ = true, watched_;
};

/// While it lives the running fiber is in functions of a user's that an algorithm calls: another algorithm in them, in which not
/// all members meet, is a usage_error. Budget: a few nanoseconds, once a walk.
class in_functions {
 public:
  in_functions();
  ~in_functions();
  in_functions(const in_functions&) = delete;
};

/// While it lives the next algorithm of this rank leaves out the agreement in the end.
class without_end {
 public:
  without_end();
  /// Before the last step of an algorithm: if that leaves it out.
  explicit without_end(const algorithm_call& all);
  ~without_end();
  without_end(const without_end&) = delete;
};

/// An algorithm goes through `n` elements on this rank.
inline void count_elements(std::size_t n) noexcept { current_head->count->elements += n; }
/// An algorithm copies `n` elements from another member's part, or to one.
inline void count_moved(std::size_t n) noexcept { current_head->count->elements_moved += n; }

}  // namespace detail
}  // namespace armilla
