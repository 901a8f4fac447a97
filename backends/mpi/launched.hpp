// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "armilla/boot/host/bootstrap.hpp"
#include "backends/mpi/start.hpp"

namespace armilla::mpi {

/// The job of an MPI launcher. Its meetings are MPI's collectives on a communicator of our own, so that they never meet the
/// user's; while it waits it yields, for there may be more ranks than processors.
class launched_job final : public detail::bootstrap {
 public:
  /// `error()` is not empty if that failed. All ranks.
  explicit launched_job(const started& s);

  const char* name() const noexcept override { return name_.c_str(); }
  rank_t rank() const noexcept override { return started_.rank; }
  rank_t ranks() const noexcept override { return started_.ranks; }
  bool exchange(const void* mine, void* all, std::size_t bytes) override;
  bool meet() override;
  const char* error() const noexcept override { return error_.c_str(); }
  /// Whether it began MPI.
  bool ours() const noexcept { return started_.ours; }
  [[noreturn]] void abort(int code) override;
  int lifeline() noexcept override;
  void finish() override;

 private:
  bool finished(const char* call, int code, MPI_Request& request);

  started started_;
  MPI_Comm all_ = MPI_COMM_NULL;
  std::string name_;
  std::string error_;
};

}  // namespace armilla::mpi
