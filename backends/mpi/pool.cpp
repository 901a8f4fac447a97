// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/pool.hpp"

#include "backends/mpi/mpi_network.hpp"

namespace armilla::mpi {

send_pool::send_pool(MPI_Comm comm, std::size_t frame_bytes, std::byte* memory) : comm_(comm), open_(short_count + long_count) {
  const auto fill = [&](free_list& list, std::uint32_t count, std::size_t stride) {
    for (list.count = 0; list.count < count; ++list.count, memory += stride) list.buffer.push_back(memory);
  };
  fill(short_, short_count, short_bytes);
  fill(long_, long_count, detail::align_up(frame_bytes, detail::cache_line));
}

int send_pool::submit(rank_t to, std::size_t bytes) {
  std::byte* buffer = chosen_->buffer[chosen_->count - 1];
  MPI_Request request;
  int code = MPI_Isend(buffer, int(bytes), MPI_BYTE, to, frame_tag, comm_, &request);
  if (code != MPI_SUCCESS) [[unlikely]]
    return code;
  int done = 0;
  code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  if (done == 0) {
    --chosen_->count;
    open_.add(request, {chosen_, buffer, to});
  }
  return code;
}

}  // namespace armilla::mpi
