// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/types.hpp"

/// Who uses a container without its header is told which one it is.
namespace armilla {
namespace detail {

/// Defined where containers are (`container/failure_agreement.hpp`).
template <class T>
struct container_headers;
template <class T>
concept without_containers = !requires { typename container_headers<T>::included; };

template <class T>
struct in_another_header {
  static_assert(dependent_false<T>,
                "armilla: containers are not in armilla.hpp: #include <armilla/algorithms.hpp>, which brings it, too");

  template <class... A>
  explicit in_another_header(const A&...) {}
};

}  // namespace detail

// The containers without default template arguments: those can be declared once only.
template <class T>
class array;
template <class T>
class vector;
template <class T>
class bag;
template <class T>
class list;
template <class T>
class queue;
template <class T>
class sparse_matrix;

template <detail::without_containers T>
class array<T> : public detail::in_another_header<T> {
  using detail::in_another_header<T>::in_another_header;
};
template <detail::without_containers T>
class vector<T> : public detail::in_another_header<T> {
  using detail::in_another_header<T>::in_another_header;
};
template <detail::without_containers T>
class bag<T> : public detail::in_another_header<T> {
  using detail::in_another_header<T>::in_another_header;
};
template <detail::without_containers T>
class list<T> : public detail::in_another_header<T> {
  using detail::in_another_header<T>::in_another_header;
};
template <detail::without_containers T>
class queue<T> : public detail::in_another_header<T> {
  using detail::in_another_header<T>::in_another_header;
};
template <detail::without_containers T>
class sparse_matrix<T> : public detail::in_another_header<T> {
  using detail::in_another_header<T>::in_another_header;
};

}  // namespace armilla
