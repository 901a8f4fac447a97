// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/mpi_count.hpp"

#include <array>
#include <cstdint>

namespace npb {
namespace {

enum function { send, irecv, wait, allreduce, alltoall, alltoallv, functions };
constexpr const char* names[] = {"Send", "Irecv", "Wait", "Allreduce", "Alltoall", "Alltoallv"};

// A process of MPI is a rank, and its profiling interface has no place but the process.
struct tally {
  bool on = false;
  std::array<std::uint64_t, functions> calls{};
  std::uint64_t bytes = 0;

  void add(function f, std::uint64_t sent) noexcept {
    if (!on) return;
    ++calls[f];
    bytes += sent;
  }
} counted;

std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return std::uint64_t(count) * std::uint64_t(size);
}

int others(MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  return size - 1;
}

}  // namespace

void mpi_count::begin() { counted = {.on = true}; }
void mpi_count::end() { counted.on = false; }

papers::json mpi_count::each(const papers::mpi_job& job) const {
  std::array<std::uint64_t, functions + 1> sum{};
  for (std::size_t i = 0; i < functions; ++i) sum[i] = counted.calls[i];
  sum[functions] = counted.bytes;
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), int(sum.size()), MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  papers::json mean = papers::json::object();
  for (std::size_t i = 0; i < functions; ++i)
    if (sum[i] != 0) mean[names[i]] = double(sum[i]) / job.ranks();
  mean["bytes"] = double(sum[functions]) / job.ranks();
  return mean;
}

}  // namespace npb

using npb::bytes_of;
using npb::counted;
using npb::others;

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  counted.add(npb::send, bytes_of(count, type));
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  counted.add(npb::irecv, 0);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  counted.add(npb::wait, 0);
  return PMPI_Wait(request, status);
}

int MPI_Allreduce(const void* data, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  counted.add(npb::allreduce, others(comm) != 0 ? bytes_of(count, type) : 0);
  return PMPI_Allreduce(data, result, count, type, op, comm);
}

int MPI_Alltoall(const void* data, int count, MPI_Datatype type, void* result, int in, MPI_Datatype in_type, MPI_Comm comm) {
  counted.add(npb::alltoall, bytes_of(count, type) * std::uint64_t(others(comm)));
  return PMPI_Alltoall(data, count, type, result, in, in_type, comm);
}

int MPI_Alltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type, void* result, const int* in,
                  const int* in_places, MPI_Datatype in_type, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  std::int64_t sent = 0;
  for (int r = 0; r <= others(comm); ++r) sent += r == rank ? 0 : counts[r];
  counted.add(npb::alltoallv, bytes_of(sent, type));
  return PMPI_Alltoallv(data, counts, places, type, result, in, in_places, in_type, comm);
}

}  // extern "C"
