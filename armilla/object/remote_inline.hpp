// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/object/object_state.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

// What the templates of remote.hpp are made of.
namespace armilla {

template <class T>
class remote;

namespace detail {

struct remote_access;

/// The class of a counted reference without the class that it refers to.
class remote_base {
 public:
  remote_base() noexcept = default;
  remote_base(const remote_base& other) noexcept : held_(other.held_) {
    if (held_ != nullptr) ++held_->copies;
  }
  remote_base(remote_base&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  remote_base& operator=(remote_base other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~remote_base() { reset(); }

  /// The rank on which the object lives; -1 for a null reference.
  rank_t rank() const noexcept { return held_ != nullptr ? held_->rank : -1; }
  explicit operator bool() const noexcept { return held_ != nullptr; }

  /// Lets go: a null reference from now on.
  void reset() noexcept {
    if (reference* const r = std::exchange(held_, nullptr); r != nullptr && --r->copies == 0) drop_last(r);
  }

  /// Two references are equal when they refer to the same object, whatever way they came.
  friend bool operator==(const remote_base& a, const remote_base& b) noexcept { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const remote_base& a, const remote_base& b) noexcept {
    if (const auto by_rank = a.rank() <=> b.rank(); by_rank != 0) return by_rank;
    return a.name() <=> b.name();
  }
  std::size_t hash() const noexcept {
    const object_name n = name();
    return (std::size_t(n.slot) << 32 | n.generation) * 0x9e3779b97f4a7c15u + std::size_t(rank());
  }

  /// How it travels (see armilla/wire/define_type.hpp): a part of its weight goes along.
  template <class Walk>
  void define_type(Walk& t) {
    if constexpr (std::is_same_v<Walk, type_reader>) {
      wire_reference wire;
      t.local(wire);
      *this = remote_base(adopt(wire));
    } else if constexpr (std::is_same_v<Walk, type_writer<encoder>>) {
      t.local(split(held_, t.sink().readers()));
    } else {
      prepare_to_send(held_);
      t.local(wire_reference{});
    }
  }

 private:
  friend struct remote_access;
  explicit remote_base(reference* held) noexcept : held_(held) {}
  object_name name() const noexcept { return held_ != nullptr ? held_->name : object_name{}; }

  reference* held_ = nullptr;
};

struct remote_access {
  template <class T>
  static remote<T> make(reference* held) {
    return remote<T>(remote_base(held));
  }
  template <class T>
  static remote<T> seen_as(remote_base base) {
    return remote<T>(std::move(base));
  }
  static const reference* held(const remote_base& r) noexcept { return r.held_; }
};

template <class T>
void remake(object_name name) {
  static_assert(std::is_final_v<T>, "armilla: a class whose objects are made again (made_again) must be final");
  current_head->objects->remade.make(*current, name, kind_of_object<T>, [](context& self, object_name old) -> void* {
    return T::made_again(remote_access::make<T>(reference_to_remade(self, old))).release();
  });
}

/// While a body runs in it, an object is not destroyed. Throws when it is gone.
class object_use {
 public:
  object_use(object_name name, const char* operation) : slot_(current_head->objects->slots.find(name)) {
    if (slot_ == nullptr) [[unlikely]]
      throw_no_object(name, operation);
    ++slot_->uses;
  }
  object_use(const object_use&) = delete;
  ~object_use() { current_head->objects->slots.end_use(*slot_); }

  template <class T>
  T& as() {
    return *static_cast<T*>(current_head->objects->slots.seen_as(*slot_, typeid(T), &find_base<T>));
  }
  mutex& atomic() noexcept { return slot_->atomic; }
  const object_slot& slot() const noexcept { return *slot_; }

 private:
  object_slot* slot_;
};

/// That of class T, made again where it was lost.
template <class T>
object_use use_object(object_name name, const char* operation) {
  if constexpr (remakeable<T>)
    if (current_head->objects->slots.find(name) == nullptr) [[unlikely]]
      remake<T>(name);
  return {name, operation};
}

[[noreturn, gnu::cold]] void throw_null_reference(const char* operation);
void* local_object(const reference* r, const std::type_info& type, base_finder finder);

}  // namespace detail
}  // namespace armilla
