// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that master.cpp and worker.cpp have in common: names and signatures.
#include <armilla/method.hpp>

namespace area {

/// A part of the x axis, and how often it has been halved to get it.
struct piece {
  double from, to;
  int halved;
};

// A worker provides: the area under its curve over a piece. Where the curve is too rough it asks the master for both halves, and
// waits.
inline constexpr armilla::method<double(piece)> measure{"tour.worker.measure"};

// The master provides: the area of a piece, which it lets some worker measure, and waits.
inline constexpr armilla::method<double(piece)> delegate{"tour.master.delegate"};

}  // namespace area
