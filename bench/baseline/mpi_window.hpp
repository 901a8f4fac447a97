// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mpi.h>

#include <cstddef>

namespace bench::mpi {

/// Memory that every rank can get from and put to, open to all for as long as it lives. Collective.
template <class T>
class window {
 public:
  explicit window(std::size_t count) {
    MPI_Win_allocate(MPI_Aint(count * sizeof(T)), sizeof(T), MPI_INFO_NULL, MPI_COMM_WORLD, &data_, &handle_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_);
  }
  ~window() {
    MPI_Win_unlock_all(handle_);
    MPI_Win_free(&handle_);
  }
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  T* data() const { return data_; }
  MPI_Win handle() const { return handle_; }

 private:
  T* data_ = nullptr;
  MPI_Win handle_ = MPI_WIN_NULL;
};

}  // namespace bench::mpi
