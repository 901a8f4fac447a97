// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "armilla/base/core/context_head.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/stats/counters.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla {

class phase;

namespace detail {

/// An algorithm runs on this rank until the end of the scope: what its functions throw, and for the report a phase `am::NAME`.
/// One that is a step of another is not reported, and errors name the other. Budget: a count and a name, unless statistics or a
/// trace are asked for.
class algorithm_call : public failure {
 public:
  explicit algorithm_call(const char* name);
  /// If it waits, other members that go through elements of another type than this range's hear of it.
  template <class V>
  algorithm_call(const char* name, const V& v) : algorithm_call(name, v.members(), mark_of<typename V::value_type>()) {}
  algorithm_call(const char* name, const team& members, const type_mark& type) : algorithm_call(name) {
    if (waits_) note_type(members, type);
  }
  ~algorithm_call();
  /// False: it leaves out the agreement in the end.
  bool waits() const noexcept { return waits_; }

 private:
  named_algorithm name_;
  std::unique_ptr<phase> shown_;  // null: it is not reported
  bool waits_ = true;
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
