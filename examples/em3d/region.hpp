// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/em3d/part.hpp"

namespace em3d {

namespace am = armilla;

/// One rank's part of the graph with its values, those of a field in one piece of the rank's segment.
///
/// It is the part of a distributed object, so that other ranks can call its methods. All ranks make theirs together.
class region : public part {
 public:
  explicit region(const shape& s);
  ~region();
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  /// Back to the values of the beginning.
  void reset();
  /// Whether the own values are those of `all`, to the last bit.
  bool agrees(const values& all) const;

  // ---- what other ranks call ----

  /// The value at a place, as other ranks ask for it.
  double value(field f, int place) const { return values_[f][place]; }
  /// A value that was sent alone; the last of a sender's is followed by `all_set`.
  void set(field f, int place, double value) { values_[f][place] = value; }
  void all_set(field f) { ++taken[f]; }
  /// Takes in values that were sent in bulk, to lie from `place` on.
  void take(field f, int place, const am::view<double>& sent);

  // ---- what the versions work with ----

  std::span<double> own(field f) noexcept { return {values_[f], std::size_t(count())}; }
  /// Own values and ghosts.
  double* all(field f) noexcept { return values_[f]; }
  double* ghost_values(field f) noexcept { return values_[f] + count(); }
  /// The ghosts of one rank's nodes, and of those behind them.
  double* ghosts_of(field f, am::rank_t rank) noexcept;
  am::global_ptr<double> at(field f, am::rank_t rank, int place) const { return parts_[f][std::size_t(rank)] + place; }
  am::global_ptr<double> at_owner(field f, int node) const { return at(f, owner(node), place_at_owner(node)); }

  /// How many ranks have sent all their values of a field, less what has been waited for.
  long taken[2] = {};

 private:
  double* values_[2];
  std::vector<am::global_ptr<double>> parts_[2];  ///< the values of a field on each rank
};

/// Where the values of a field arrive that one rank sends one by one: in the order of the ghosts, so that none needs to say where
/// it belongs. Calls of one rank to another run in their order.
class inlet {
 public:
  inlet(region& mine, field f, am::rank_t from) : first_(mine.ghosts_of(f, from)), next_(first_), taken_(&mine.taken[f]) {}
  void put(double value) { *next_++ = value; }
  void all_put() {
    next_ = first_;
    ++*taken_;
  }

 private:
  double *first_, *next_;
  long* taken_;
};

}  // namespace em3d
