// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "armilla/base/core/context_head.hpp"
#include "armilla/object/polymorphic_inline.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

namespace armilla {

/// Makes class `D` sendable as `polymorphic<B>`, under a name on which the ranks agree.
///
/// Call it on every rank, before the first value is sent or arrives. `D` is sendable, mostly by a `define_type` member. Throws
/// `usage_error` if the name, or `D`, is already registered for `B` as something else.
template <class B, class D>
  requires std::is_convertible_v<D*, B*>
void register_type(const char* name);

/// An argument or result of any class derived from `B` that `register_type` has named. It is sent as what it is.
///
///     am::register_type<shape, circle>("demo.circle");                   // on every rank
///     auto area = am::call(dest, [](const am::polymorphic<shape>& s) { return s->area(); }, am::polymorphic<shape>(circle{2}));
///
/// It owns its value; copies copy it. If the receiver does not know the name, the function does not run, and the caller gets an
/// error; in a result, the error comes when the value is used. Cost: an allocation on each side.
template <class B>
class polymorphic {
 public:
  polymorphic() noexcept = default;
  template <class D>
    requires std::is_convertible_v<std::decay_t<D>*, B*>
  polymorphic(D&& value) : value_(new std::decay_t<D>(std::forward<D>(value))) {}
  polymorphic(std::unique_ptr<B> value) noexcept : value_(std::move(value)) {}
  polymorphic(polymorphic&&) noexcept = default;
  polymorphic& operator=(polymorphic&&) noexcept = default;
  polymorphic(const polymorphic& other) : unknown_(other.unknown_) {
    if (other.value_)
      value_.reset(static_cast<B*>(detail::kind_to_send(typeid(B), typeid(*other.value_)).copy(other.value_.get())));
  }
  polymorphic& operator=(const polymorphic& other) {
    *this = polymorphic(other);
    return *this;
  }

  explicit operator bool() const noexcept { return value_ != nullptr; }
  B& operator*() const { return there(); }
  B* operator->() const { return &there(); }
  /// Returns the value; the object is empty afterwards.
  std::unique_ptr<B> release() noexcept { return std::move(value_); }

  /// For the library: it is sent as a name and the bytes of the value (see armilla/wire/define_type.hpp).
  template <class Walk>
  void define_type(Walk& t) {
    if constexpr (std::is_same_v<Walk, detail::type_reader>)
      read(t);
    else
      write(t);
  }

 private:
  template <class Walk>
  void write(Walk& t) {
    if (value_ == nullptr) {
      t.local(std::string());
      t.local(std::vector<std::byte>());
      return;
    }
    const detail::polymorphic_kind& kind = detail::kind_to_send(typeid(B), typeid(*value_));
    std::vector<std::byte> bytes(kind.size(value_.get()));
    if constexpr (std::is_same_v<Walk, detail::type_writer<detail::encoder>>)
      kind.write(bytes.data(), value_.get(), t.sink().readers());
    t.local(kind.name);
    t.local(bytes);
  }
  void read(detail::type_reader& t) {
    std::string name;
    std::vector<std::byte> bytes;
    t.local(name);
    t.local(bytes);
    value_.reset();
    unknown_ = nullptr;
    if (name.empty()) return;
    if (const detail::polymorphic_kind* kind = detail::kind_of_name(typeid(B), name))
      value_.reset(static_cast<B*>(kind->read(bytes.data(), bytes.size())));
    else
      t.complain(unknown_ = detail::unknown_kind(typeid(B), name));
  }
  B& there() const {
    if (value_ == nullptr) [[unlikely]] {
      if (unknown_ != nullptr) detail::throw_usage("polymorphic", unknown_);
      detail::throw_empty_polymorphic(typeid(B));
    }
    return *value_;
  }

  std::unique_ptr<B> value_;
  const char* unknown_ = nullptr;  ///< why there is none
};

// ---- Implementation only below ----

template <class B, class D>
  requires std::is_convertible_v<D*, B*>
void register_type(const char* name) {
  require_sendable_value<D>();
  static_assert(std::has_virtual_destructor_v<B>, "armilla: the base of polymorphic arguments needs a virtual destructor");
  static constexpr auto down = [](const void* value) -> const D& {
    return dynamic_cast<const D&>(*static_cast<const B*>(value));
  };
  detail::register_kind({&typeid(B), &typeid(D), name, [](const void* value) { return detail::encoded_size(down(value)); },
                         [](std::byte* to, const void* value, std::uint32_t readers) {
                           detail::encoder out(to);
                           out.set_readers(readers);
                           out.put(down(value));
                         },
                         [](const std::byte* from, std::size_t bytes) -> void* {
                           return static_cast<B*>(new D(detail::decoder(from, bytes).template get<D>()));
                         },
                         [](const void* value) -> void* { return static_cast<B*>(new D(down(value))); }});
}

}  // namespace armilla
