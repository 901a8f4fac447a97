// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "backends/mpi/mpi.hpp"
#include "backends/mpi/open_requests.hpp"

namespace armilla::mpi {

/// Buffers of frames that are sent, in two sizes: many for the usual short frame, a few of the longest. MPI takes most frames
/// while MPI_Isend runs, and their buffers are free at once; the others wait in a list.
class send_pool {
 public:
  static constexpr std::size_t short_bytes = 512;
  static constexpr std::uint32_t short_count = 64;
  static constexpr std::uint32_t long_count = 8;

  send_pool(MPI_Comm comm, std::size_t frame_bytes, std::byte* memory);
  static std::size_t memory_bytes(std::size_t stride) { return short_count * short_bytes + long_count * stride; }

  /// Null: all buffers of that size are under way.
  std::byte* acquire(std::size_t bytes) {
    free_list& from = bytes <= short_bytes ? short_ : long_;
    if (from.count == 0) return nullptr;
    chosen_ = &from;
    return from.buffer[from.count - 1];
  }
  /// Sends what was acquired. The code is MPI's; if it is none of success, the frame is gone.
  int submit(rank_t to, std::size_t bytes);

  bool idle() const { return open_.empty(); }
  /// Looks which of the sends are over; `lost(rank, code)` for those that failed.
  template <class Lost>
  void poll(Lost&& lost) {
    open_.poll([&](const sending& s, int code, const MPI_Status&) {
      s.home->buffer[s.home->count++] = s.buffer;
      if (code != MPI_SUCCESS) lost(s.to, code);
    });
  }
  /// Leaves what is under way to MPI.
  void close() { open_.forget(); }

 private:
  struct free_list {
    std::vector<std::byte*> buffer;
    std::uint32_t count = 0;
  };
  struct sending {
    free_list* home;
    std::byte* buffer;
    rank_t to;
  };

  MPI_Comm comm_;
  free_list short_;
  free_list long_;
  free_list* chosen_ = nullptr;  ///< whose last free buffer was given out by `acquire`
  open_requests<sending> open_;
};

}  // namespace armilla::mpi
