// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace armilla::detail {

struct context;

/// What a fiber waits at, and how a report describes that. It is made where the wait begins, where the object's type is known.
class wait_object {
 public:
  constexpr wait_object() noexcept = default;
  /// An object of which a report tells no more than the address.
  explicit constexpr wait_object(const void* object) noexcept : object_(object) {}
  /// `Explain(self, operation, object)` describes the wait: "mutex::lock of 0x7f..., held by fiber 3". It runs on the rank's own
  /// thread while the fiber waits, so the object is alive.
  template <auto Explain, class T>
  static constexpr wait_object of(const T& object) noexcept {
    wait_object made(&object);
    made.explain_ = [](const context& self, const char* operation, const void* at) {
      return Explain(self, operation, *static_cast<const T*>(at));
    };
    return made;
  }

  /// Empty for an object without an explainer.
  std::string explain(const context& self, const char* operation) const {
    return explain_ != nullptr ? explain_(self, operation, object_) : std::string();
  }
  const void* address() const noexcept { return object_; }

 private:
  const void* object_ = nullptr;
  std::string (*explain_)(const context& self, const char* operation, const void* object) = nullptr;
};

}  // namespace armilla::detail
