// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/bulk.hpp"

#include <algorithm>

namespace armilla::mpi {

bulk_transfers::bulk_transfers(MPI_Comm comm, int tag_most, std::size_t piece_bytes)
    : comm_(comm), tags_(std::uint32_t(tag_most) + 1), piece_bytes_(piece_bytes), open_(16) {}

std::uint32_t bulk_transfers::begin() {
  if (free_.empty()) {
    left_.push_back(0);
    free_.reserve(left_.size());
    return std::uint32_t(left_.size() - 1);
  }
  const std::uint32_t transfer = free_.back();
  free_.pop_back();
  return transfer;
}

template <class Start>
std::uintptr_t bulk_transfers::in_pieces(rank_t other, bool receives, std::size_t bytes, int& code, Start&& start) {
  const std::uint32_t transfer = begin();
  std::size_t at = 0;
  do {  // nothing, too, is sent: the other side waits for it
    const std::size_t now = std::min(bytes - at, piece_bytes_);
    MPI_Request request;
    code = start(at, int(now), &request);
    if (code != MPI_SUCCESS) break;
    open_.add(request, {transfer, other, receives, int(now)});
    ++left_[transfer];
    at += now;
  } while (at < bytes);
  return std::uintptr_t{transfer} + 1;
}

std::uintptr_t bulk_transfers::send(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes, int& code) {
  return in_pieces(to, false, bytes, code, [&](std::size_t at, int now, MPI_Request* request) {
    return MPI_Isend(data + at, now, MPI_BYTE, to, tag(id), comm_, request);
  });
}

std::uintptr_t bulk_transfers::receive(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes, int& code) {
  return in_pieces(from, true, bytes, code, [&](std::size_t at, int now, MPI_Request* request) {
    return MPI_Irecv(data + at, now, MPI_BYTE, from, tag(id), comm_, request);
  });
}

bool bulk_transfers::done(std::uintptr_t number) {
  const auto transfer = std::uint32_t(number - 1);
  if (left_[transfer] != 0) return false;
  free_.push_back(transfer);
  return true;
}

}  // namespace armilla::mpi
