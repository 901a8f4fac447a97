// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/object/remote_inline.hpp"

namespace armilla {

/// A reference to a processor object: an object of class T, or of one derived from it, on one rank.
///
///     am::remote<solver> s = am::create<solver>(3, data).get();
///     am::future<double> r = am::call<&solver::step>(s, 0.1);
///
/// A value of 8 bytes that keeps its object alive: copy, store, compare, hash it, send it as an argument or a result, also
/// inside containers and aggregates. When the last reference in the whole job is gone, the object is destroyed, behind all
/// calls that were made with it. A reference to a class converts to one to its bases; virtual methods work.
///
/// Cost: a copy counts up by one; no copy and no sending makes a message. The last copy of a rank that goes sends one
/// statement of 16 bytes to the owner. A reference belongs to its rank's thread. A closure cannot capture one: pass it as an
/// argument. Two objects that refer to each other keep each other alive until the job ends.
///
/// Where the job replaces ranks that it loses (ARMILLA_ON_LOSS=replace) an object is lost with its rank, unless its class says
/// how it is made again: `static std::unique_ptr<T> made_again(am::remote<T> self)`, of a final class. The first call that comes
/// to the lost one's successor runs it there, and the references of before are good again. See docs/guide/objects.md.
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

  /// The object itself, if it lives on this rank; else null, also when it has been destroyed. It is safe until the next wait.
  T* local() const {
    return static_cast<T*>(detail::local_object(detail::remote_access::held(*this), typeid(T), &detail::find_base<T>));
  }

 private:
  friend struct detail::remote_access;
  explicit remote(remote_base base) noexcept : remote_base(std::move(base)) {}
};

/// The reference as one to another class, as `static_cast` does for pointers; a call to an object that is none is an error.
template <class T, class B>
remote<T> remote_cast(remote<B> ref) noexcept {
  return detail::remote_access::seen_as<T>(std::move(ref));
}

}  // namespace armilla

template <class T>
struct std::hash<armilla::remote<T>> {
  std::size_t operator()(const armilla::remote<T>& r) const noexcept { return r.hash(); }
};
