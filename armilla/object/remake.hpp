// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>

#include "armilla/base/values/owned.hpp"
#include "armilla/object/slots.hpp"

/// Processor objects that a lost rank had, and that its successor makes again when they are called (ARMILLA_ON_LOSS=replace).
///
/// The successor knows nothing of them; but a call tells the name, which has a generation of an earlier life, and the class. So
/// nothing is noted ahead of time, and which class it was must be certain: it is final. References of before hold weight of an
/// owner that is gone, so such an object is never destroyed for want of references.
namespace armilla {

template <class T>
class remote;

namespace detail {

struct context;
struct reference;

/// The class says how: `static std::unique_ptr<T> made_again(am::remote<T> self)`.
template <class T>
concept remakeable = requires(remote<T> self) {
  { T::made_again(self) } -> std::same_as<std::unique_ptr<T>>;
};

class remade_objects {
 public:
  using maker = void* (*)(context& self, object_name name);

  remade_objects();
  ~remade_objects();
  remade_objects(const remade_objects&) = delete;

  /// The object of that name, or null: it has not been made again, or has been destroyed.
  object_slot* find(object_name name) const noexcept;
  /// Whether the name is one of a lost rank that had this place, and its object can be made.
  bool awaits(object_name name) const noexcept;
  /// Makes it. Another fiber that calls it meanwhile waits for the end. Nothing if it cannot be made, or `make` gives null.
  void make(context& self, object_name name, const object_kind& kind, maker make);
  /// From now on it is not made.
  void refuse(object_name name);
  /// The object in `slot` is destroyed.
  void forget(const object_slot& slot) noexcept;

 private:
  struct map;
  owned<map> entries_;
};

/// A reference to the object of an earlier life, on its rank.
reference* reference_to_remade(context& self, object_name name);

/// Makes the T of that name again, if it was lost with another rank that had this place.
template <class T>
[[gnu::cold, gnu::noinline]] void remake(object_name name);

}  // namespace detail
}  // namespace armilla
