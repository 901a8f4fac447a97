// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/ring.hpp"

#include "armilla/base/values/types.hpp"
#include "backends/mpi/mpi_network.hpp"

namespace armilla::mpi {

receive_ring::receive_ring(MPI_Comm comm, std::uint32_t receives, std::size_t frame_bytes, std::byte* memory)
    : comm_(comm),
      frame_bytes_(frame_bytes),
      stride_(detail::align_up(frame_bytes, detail::cache_line)),
      memory_(memory),
      requests_(receives, MPI_REQUEST_NULL),
      queue_(receives),
      given_back_(receives) {}

int receive_ring::open() {
  for (std::uint32_t slot = 0; slot < size(); ++slot) {
    int code =
        MPI_Recv_init(memory_ + slot * stride_, int(frame_bytes_), MPI_BYTE, MPI_ANY_SOURCE, frame_tag, comm_, &requests_[slot]);
    if (code == MPI_SUCCESS) code = start(slot);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int receive_ring::wait(std::uint32_t& slot, MPI_Status& status) {
  int index = 0;
  const int code = MPI_Waitany(int(size()), requests_.data(), &index, &status);
  slot = std::uint32_t(index);
  // It leaves the queue; those before it move up.
  const auto before = [this](std::uint32_t at) { return at == 0 ? size() - 1 : at - 1; };
  std::uint32_t at = head_;
  while (queue_[at] != slot) at = at + 1 == size() ? 0 : at + 1;
  for (; at != head_; at = before(at)) queue_[at] = queue_[before(at)];
  head_ = head_ + 1 == size() ? 0 : head_ + 1;
  --posted_;
  return code;
}

void receive_ring::close() {
  for (; posted_ != 0; --posted_) {
    MPI_Request& request = requests_[queue_[head_]];
    head_ = head_ + 1 == size() ? 0 : head_ + 1;
    MPI_Cancel(&request);
    // A cancelled receive ends at once, unless it has met a frame of a rank that sends no more of it.
    for (int looks = 0, done = 0; looks < 1000 && done == 0; ++looks) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  for (MPI_Request& request : requests_)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

}  // namespace armilla::mpi
