// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/object/remote_inline.hpp"

namespace armilla {

/// A reference to a processor object: an object of class `T`, or of one derived from it, on one rank.
///
///     am::remote<solver> s = am::create<solver>(3, data).get();
///     am::future<double> r = am::call<&solver::step>(s, 0.1);
///
/// A value of 8 bytes that keeps its object alive. It can be copied, stored, compared, hashed, and sent as an argument or result,
/// also inside of containers and aggregates. A closure cannot capture one: pass it as an argument. It converts to a reference to
/// a base class; virtual methods work. It belongs to its rank's thread.
///
/// **Lifetime.** When the last reference in the whole job is gone, the object is destroyed, after all calls that were made with
/// it. Two objects that refer to each other live until the job ends.
///
/// **Lost ranks.** If the job replaces lost ranks (ARMILLA_ON_LOSS=replace), an object is lost with its rank, unless its class
/// says how it is made again: `static std::unique_ptr<T> made_again(am::remote<T> self)`, of a final class. The first call that
/// comes to the replacement runs it there, and earlier references are valid again. See docs/guide/objects.md.
///
/// **Cost.** A copy increments a count; no copy and no sending makes a message. When the last copy of a rank is destroyed, the
/// rank sends one message of 16 bytes to the owner.
///
/// Paper: MRPC, section 2 (global pointers to processor objects).
template <class T>
class remote : public detail::remote_base {
 public:
  using object_type = T;
  static constexpr const char* wire_name = "armilla.remote";

  remote() noexcept = default;
  remote(std::nullptr_t) noexcept {}
  template <class D>
    requires(!std::same_as<D, T> && std::is_convertible_v<D*, T*>)
  remote(remote<D> derived) noexcept : remote_base(std::move(static_cast<remote_base&>(derived))) {}

  /// Returns the object, if it is on this rank and has not been destroyed; otherwise null. The pointer is valid until the next
  /// wait.
  T* local() const {
    return static_cast<T*>(detail::local_object(detail::remote_access::held(*this), typeid(T), &detail::find_base<T>));
  }

 private:
  friend struct detail::remote_access;
  explicit remote(remote_base base) noexcept : remote_base(std::move(base)) {}
};

/// Returns the reference as one to another class, as `static_cast` does for pointers. A call fails if the object is not of that
/// class.
template <class T, class B>
remote<T> remote_cast(remote<B> ref) noexcept {
  return detail::remote_access::seen_as<T>(std::move(ref));
}

}  // namespace armilla

template <class T>
struct std::hash<armilla::remote<T>> {
  std::size_t operator()(const armilla::remote<T>& r) const noexcept { return r.hash(); }
};
