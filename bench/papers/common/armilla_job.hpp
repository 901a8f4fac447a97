// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <string>

#include <armilla/armilla.hpp>

namespace papers {

/// The ranks of a job of Armilla. See measure.hpp.
struct armilla_job {
  int rank() const { return armilla::rank(); }
  int ranks() const { return armilla::ranks(); }
  std::string by() const { return "armilla"; }
  /// As the environment asks for it; "-by-message": nothing is loaded or stored directly.
  std::string fabric() const {
    const char *asked = std::getenv("ARMILLA_FABRIC"), *by_message = std::getenv("ARMILLA_ACCESS_BY_MESSAGE");
    const std::string name = asked == nullptr ? "shm" : asked;
    return name + (by_message == nullptr || *by_message == '0' ? "" : "-by-message");
  }
  void barrier() const { armilla::barrier(); }
  double greatest(double x) const {
    return armilla::world().reduce_all(x, [](double a, double b) { return a < b ? b : a; });
  }
};

/// From here on ranks reach each other's memory by messages although it is mapped. Before `run`: each process of the job does it.
inline void cut_short_cut() { ::setenv("ARMILLA_ACCESS_BY_MESSAGE", "1", 1); }

}  // namespace papers
