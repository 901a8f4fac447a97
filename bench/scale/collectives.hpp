// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace scale {

/// One collective of arrays of 64-bit words, as this rank takes part in it.
class collective_call {
 public:
  virtual ~collective_call() = default;
  virtual void run() = 0;
  /// Whether the last run gave what it should.
  virtual bool right() const = 0;
};

/// Their names; those of MPI begin with "mpi_".
std::vector<std::string> collective_names();

/// `bytes`: of each rank's array; of all_gather and all_to_all, of what one rank gives to another.
std::unique_ptr<collective_call> make_collective(const std::string& name, std::size_t bytes, int rank, int ranks);

}  // namespace scale
