// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/mpi_network.hpp"

#include <new>
#include <stdexcept>

namespace armilla::mpi {
namespace {

void must(const char* call, int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error(text_of(call, code));
}

MPI_Comm copy_of_world() {
  MPI_Comm copy = MPI_COMM_NULL;
  must("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  must("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  return copy;
}

int tag_most(MPI_Comm comm) {
  int* most = nullptr;
  int found = 0;
  must("MPI_Comm_get_attr", MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &found));
  return found != 0 ? *most : 32767;
}

std::size_t stride_of(std::size_t frame_bytes) { return detail::align_up(frame_bytes, detail::cache_line); }

std::byte* allocate(const detail::network_settings& s) {
  const std::size_t stride = stride_of(s.frame_bytes);
  const std::size_t bytes = receive_ring::memory_bytes(s.receives, stride) + send_pool::memory_bytes(stride);
  void* memory = std::aligned_alloc(detail::cache_line, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

}  // namespace

mpi_network::mpi_network(const started& s, const detail::network_settings& settings)
    : started_(s),
      version_(library_name()),
      frame_bytes_(settings.frame_bytes),
      frames_(copy_of_world()),
      bulk_comm_(copy_of_world()),
      memory_(allocate(settings)),
      ring_(frames_, settings.receives, frame_bytes_, memory_.get()),
      pool_(frames_, frame_bytes_, memory_.get() + receive_ring::memory_bytes(settings.receives, stride_of(frame_bytes_))),
      bulk_(bulk_comm_, tag_most(bulk_comm_)) {
  must("MPI_Recv_init", ring_.open());
}

std::byte* mpi_network::acquire(rank_t to, std::size_t bytes) {
  (void)to;
  return pool_.acquire(bytes);
}

void mpi_network::submit(rank_t to, std::size_t bytes) {
  if (!lost_.empty() && is_lost(to)) [[unlikely]]
    return;
  if (const int code = pool_.submit(to, bytes); code != MPI_SUCCESS) [[unlikely]]
    lose(to, "MPI_Isend", code);
}

void mpi_network::poll_sends() {
  pool_.poll([this](rank_t to, int code) { lose(to, "MPI_Isend", code); });
}

void mpi_network::poll_bulk() {
  bulk_.poll([this](rank_t other, int code) { lose(other, "bulk", code); });
}

inline detail::network::arrival mpi_network::frame_in(std::uint32_t slot, const MPI_Status& status) const {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return {ring_.data(slot), std::size_t(bytes), status.MPI_SOURCE, slot};
}

detail::network::arrival mpi_network::poll() {
  if (!pool_.idle()) poll_sends();
  if (!bulk_.idle()) poll_bulk();
  if (ring_.any_given_back())
    if (const int code = ring_.start_given_back(); code != MPI_SUCCESS) [[unlikely]]
      lose(started_.rank, "MPI_Start", code);
  if (ring_.empty()) [[unlikely]]
    return {};
  std::uint32_t slot = 0;
  MPI_Status status;
  int code = MPI_SUCCESS;
  if (!ring_.take(slot, status, code)) [[likely]] {
    if (code != MPI_SUCCESS) [[unlikely]]
      lose(started_.rank, "MPI_Test", code);
    return {};
  }
  if (code != MPI_SUCCESS) [[unlikely]]
    return broken(status, code, slot);
  return frame_in(slot, status);
}

detail::network::arrival mpi_network::wait() {
  if (ring_.any_given_back())
    if (const int code = ring_.start_given_back(); code != MPI_SUCCESS) lose(started_.rank, "MPI_Start", code);
  if (ring_.empty()) return {};
  std::uint32_t slot = 0;
  MPI_Status status;
  const int code = ring_.wait(slot, status);
  return code == MPI_SUCCESS ? frame_in(slot, status) : broken(status, code, slot);
}

/// A receive that failed: its sender is lost, if MPI says which that is; otherwise no rank can be reached, which is said as the
/// loss of this rank itself.
detail::network::arrival mpi_network::broken(const MPI_Status& status, int code, std::uint32_t slot) {
  const bool known = status.MPI_SOURCE >= 0 && status.MPI_SOURCE < started_.ranks;
  lose(known ? status.MPI_SOURCE : started_.rank, "MPI_Recv_init", code);
  if (known) release(slot);
  return {};
}

void mpi_network::release(std::uintptr_t token) { ring_.give_back(std::uint32_t(token)); }

std::uintptr_t mpi_network::send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) {
  int code = MPI_SUCCESS;
  const std::uintptr_t number = bulk_.send(to, id, data, bytes, code);
  if (code != MPI_SUCCESS) lose(to, "MPI_Isend", code);
  return number;
}

std::uintptr_t mpi_network::receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) {
  int code = MPI_SUCCESS;
  const std::uintptr_t number = bulk_.receive(from, id, data, bytes, code);
  if (code != MPI_SUCCESS) lose(from, "MPI_Irecv", code);
  return number;
}

bool mpi_network::is_lost(rank_t rank) const {
  for (const auto& each : lost_)
    if (each->rank == rank) return true;
  return false;
}

void mpi_network::lose(rank_t rank, const char* call, int code) {
  if (!is_lost(rank)) lost_.push_back(std::make_unique<lost_rank>(lost_rank{rank, text_of(call, code)}));
}

// Its own loss, of which the layer above takes no notice, keeps everything from being sent there.
void mpi_network::give_up(rank_t rank) {
  lose(rank, "lost", MPI_ERR_OTHER);
  bulk_.give_up(rank);
}

detail::network::loss mpi_network::lost() {
  if (told_ == lost_.size()) return {};
  const lost_rank& next = *lost_[told_++];
  return {next.rank, next.why.c_str()};
}

void mpi_network::finish() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || frames_ == MPI_COMM_NULL) return;
  // What was sent last, for which no rank waits, mostly leaves within a few looks; the rest is MPI's.
  for (int looks = 0; looks < 1000 && !(pool_.idle() && bulk_.idle()); ++looks) {
    if (!pool_.idle()) poll_sends();
    if (!bulk_.idle()) poll_bulk();
  }
  if (!pool_.idle()) (void)memory_.release();  // MPI may still read it
  ring_.close();
  pool_.close();
  bulk_.close();
  MPI_Comm_free(&frames_);
  MPI_Comm_free(&bulk_comm_);
  stop(started_);
}

}  // namespace armilla::mpi
