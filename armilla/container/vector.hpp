// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/container/array.hpp"

namespace armilla {

/// An array that grows. See array.
template <class T>
class vector : public array<T> {
 public:
  using array<T>::array;
  vector() = default;
  vector(vector&&) noexcept = default;
  vector& operator=(vector&&) noexcept = default;

  vector like() const { return vector(detail::make_container<T>(this->members(), this->placement())); }
  vector clone() const {
    vector copy = like();
    detail::copy_elements(this->state_, copy.state_, sizeof(T));
    detail::meet(this->members());
    return copy;
  }

 private:
  explicit vector(detail::container_state s) noexcept : array<T>(std::move(s)) {}
};

template <class T>
void swap(vector<T>& a, vector<T>& b) noexcept {
  swap(static_cast<array<T>&>(a), static_cast<array<T>&>(b));
}

}  // namespace armilla
