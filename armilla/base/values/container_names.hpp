// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>  // std::less and std::equal_to: <functional> is expensive to compile

#include "armilla/base/values/types.hpp"

/// The names of the containers, with their default template arguments, for headers that do not define them. A program that uses
/// one without its header is told which one to include.
namespace armilla {

struct hash;

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
template <class T, class Compare = std::less<>>
class priority_queue;
template <class T>
class remote_channel;
template <class T>
class work_queue;
template <class T, std::size_t N = 2>
class matrix;
template <class T>
class sparse_matrix;
template <class V = void, class E = void>
class graph;
template <class Key, class Value, class Less = std::less<>>
class map;
template <class Key, class Less = std::less<>>
class set;
template <class Key, class Value, class Hash = hash, class Equal = std::equal_to<>>
class unordered_map;
template <class Key, class Hash = hash, class Equal = std::equal_to<>>
class unordered_set;
template <class Key, class Hash = hash, class Equal = std::equal_to<>>
class counting_set;
template <class Key, class Value, class Hash = hash, class Equal = std::equal_to<>>
class unordered_multimap;
template <class Key, class Hash = hash, class Equal = std::equal_to<>>
class unordered_multiset;

// No templates: the compiler shows these lines for a program that has not included their header. They name the remedy.
class bitmap;        // armilla: #include <armilla/algorithms.hpp>, which brings armilla/bitmap.hpp
class disjoint_set;  // armilla: #include <armilla/algorithms.hpp>, which brings armilla/disjoint_set.hpp

namespace detail {

/// Defined where containers are (`container/place/failure_agreement.hpp`).
template <class T>
struct container_headers;
template <class T>
concept without_containers = !requires { typename container_headers<T>::included; };

template <class T>
struct in_another_header {
  static_assert(dependent_false<T>,
                "armilla: containers are not in armilla.hpp: #include <armilla/algorithms.hpp>, which brings it, too");

  template <class... A>
  in_another_header(const A&...) {}  // NOLINT(google-explicit-constructor): for arguments in braces, too
};

}  // namespace detail

// What each of them is until then. `others` are the parameters behind the first one, with and without their kinds.
#define ARMILLA_IN_ANOTHER_HEADER(name, kinds, others)                      \
  template <detail::without_containers T ARMILLA_LIST kinds>                \
  class name<T ARMILLA_LIST others> : public detail::in_another_header<T> { \
    using detail::in_another_header<T>::in_another_header;                  \
  };
#define ARMILLA_LIST(...) __VA_ARGS__
ARMILLA_IN_ANOTHER_HEADER(array, (), ())
ARMILLA_IN_ANOTHER_HEADER(vector, (), ())
ARMILLA_IN_ANOTHER_HEADER(bag, (), ())
ARMILLA_IN_ANOTHER_HEADER(list, (), ())
ARMILLA_IN_ANOTHER_HEADER(queue, (), ())
ARMILLA_IN_ANOTHER_HEADER(priority_queue, (, class Compare), (, Compare))
ARMILLA_IN_ANOTHER_HEADER(work_queue, (), ())
ARMILLA_IN_ANOTHER_HEADER(matrix, (, std::size_t N), (, N))
ARMILLA_IN_ANOTHER_HEADER(sparse_matrix, (), ())
ARMILLA_IN_ANOTHER_HEADER(graph, (, class E), (, E))
ARMILLA_IN_ANOTHER_HEADER(map, (, class Value, class Less), (, Value, Less))
ARMILLA_IN_ANOTHER_HEADER(set, (, class Less), (, Less))
ARMILLA_IN_ANOTHER_HEADER(unordered_map, (, class Value, class Hash, class Equal), (, Value, Hash, Equal))
ARMILLA_IN_ANOTHER_HEADER(unordered_set, (, class Hash, class Equal), (, Hash, Equal))
ARMILLA_IN_ANOTHER_HEADER(counting_set, (, class Hash, class Equal), (, Hash, Equal))
ARMILLA_IN_ANOTHER_HEADER(unordered_multimap, (, class Value, class Hash, class Equal), (, Value, Hash, Equal))
ARMILLA_IN_ANOTHER_HEADER(unordered_multiset, (, class Hash, class Equal), (, Hash, Equal))
#undef ARMILLA_LIST
#undef ARMILLA_IN_ANOTHER_HEADER

}  // namespace armilla
