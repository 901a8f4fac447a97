// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that the two programs of calls_first.cpp and calls_second.cpp share: names and signatures.
#include <string>
#include <vector>

#include <armilla/global_ptr.hpp>
#include <armilla/method.hpp>

// Each program declares its structures for itself, under names and in namespaces of its own.
#ifdef SECOND_PROGRAM
namespace second {
struct spot {
  double east, north;
};
struct route {
  int id;
  std::string label;
  std::vector<spot> spots;
};
struct layout_a {
  long large;
  int small;
};
}  // namespace second
using api_route = second::route;
using api_layout = second::layout_a;
#else
namespace first {
struct point {
  double x, y;
};
struct path {
  int number;
  std::string name;
  std::vector<point> points;
};
struct layout_b {
  int small;
  long large;
};
}  // namespace first
using api_route = first::path;
using api_layout = first::layout_b;
#endif

namespace api {
inline constexpr armilla::method<double(double)> half{"calls.half"};
inline constexpr armilla::method<api_route(const api_route&)> reverse{"calls.reverse"};
inline constexpr armilla::method<std::vector<double>(const std::vector<double>&)> echo{"calls.echo"};
inline constexpr armilla::method<double(armilla::view<double>)> sum{"calls.sum"};
inline constexpr armilla::method<void(int)> note{"calls.note"};
inline constexpr armilla::method<long()> noted{"calls.noted"};
inline constexpr armilla::method<int(int)> fails{"calls.fails"};
inline constexpr armilla::method<int(int)> relay{"calls.relay"};
inline constexpr armilla::method<long(const api_layout&)> layout{"calls.layout"};
inline constexpr armilla::method<void(armilla::global_ptr<api_layout>, long)> enlarge{"calls.enlarge"};
inline constexpr armilla::method<void(armilla::global_ptr<long>, long)> assign{"calls.assign"};
inline constexpr armilla::method<void(int)> flood{"calls.flood"};
inline constexpr armilla::method<int()> absent{"calls.absent"};
#ifdef SECOND_PROGRAM
inline constexpr armilla::method<int(float)> differs{"calls.differs"};
#else
inline constexpr armilla::method<int(double)> differs{"calls.differs"};
#endif
}  // namespace api
