// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>

#include "armilla/base/core/context_head.hpp"
#include "armilla/method.hpp"

namespace armilla::detail {

/// Stands for all methods of a signature whose names are known only when they are provided.
template <class Signature>
inline constexpr method<Signature> any_name{"?"};

/// A member function of `object`, provided as long as this lives. What has begun goes on behind its end: so the function touches
/// nothing of the object once it has waited.
template <auto F, class Signature>
class provided_method {
  static constexpr const auto& tag = any_name<Signature>;

 public:
  provided_method(std::string name, owner<F>& object) : name_(std::move(name)) {
    method_calls<tag>::template provide_as<F>(description(), &object);
  }
  provided_method(const provided_method&) = delete;
  ~provided_method() {
    if (current_head != nullptr) current_head->calls->methods.provides_no_more(description());
  }

 private:
  method_description description() const noexcept { return {name_, signature<Signature>::text, signature<Signature>::hash}; }
  std::string name_;
};

}  // namespace armilla::detail
