// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <utility>

#include "armilla/fiber/sync_var.hpp"
#include "armilla/global/global_ptr.hpp"
#include "armilla/object/remote_sync.hpp"

namespace armilla::ccpp {

/// What `*p` gives for a pointer to a sync variable: reading it waits until it has been written, writing it waits until that is
/// done. Errors: usage_error at a second write, as remote_error if it lies on another rank.
template <class T>
class sync_ref {
 public:
  explicit sync_ref(const global_ptr<sync_var<T>>& at) noexcept : at_(at) {}
  sync_ref(const sync_ref&) = delete;

  operator T() const { return read_sync_var(at_).get(); }  // NOLINT(google-explicit-constructor): reading is what it is for
  template <class U>
    requires std::constructible_from<T, U&&>
  const sync_ref& operator=(U&& value) const {  // NOLINT(misc-unconventional-assign-operator): assigned through
    write_sync_var(at_, std::forward<U>(value)).get();
    return *this;
  }

 private:
  global_ptr<sync_var<T>> at_;
};

/// A pointer to a sync variable on any rank of this program; made from `to_global(&v)`. Cost of an access: a question, while it
/// is not written a stack at the owner. The variable must outlive the waits for it. Paper: MRPC, section 2 (sync variables).
template <class T>
class sync_ptr : public global_ptr<sync_var<T>> {
 public:
  sync_ptr() noexcept = default;
  sync_ptr(global_ptr<sync_var<T>> p) noexcept : global_ptr<sync_var<T>>(p) {}  // NOLINT(google-explicit-constructor)

  sync_ref<T> operator*() const { return sync_ref<T>(*this); }
};

}  // namespace armilla::ccpp
