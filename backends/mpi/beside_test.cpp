// SPDX-License-Identifier: Apache-2.0
/// armilla-mpi-<name>-test PLUGIN.so: a program that is an MPI program itself, and loads the plug-in beside. Ranks: 2.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "backends/conformance/loaded.hpp"
#include "backends/mpi/bulk.hpp"

namespace {

using conformance::joined;
using conformance::network;

/// Sends one frame each way, while an MPI message for a receive of any source and tag is under way too.
void frames_beside_messages(const joined& j) {
  const int other = 1 - j.rank;
  int mine = 100 + j.rank;
  int theirs = 0;
  MPI_Request request;
  MPI_Isend(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
  std::byte* room = j.net->acquire(other, 16);
  if (room == nullptr) j.fail("no room for the first frame");
  std::memset(room, 7 + j.rank, 16);
  j.net->submit(other, 16);
  MPI_Recv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (theirs != 100 + other) j.fail("MPI's message says %d: a frame was taken for it", theirs);
  network::arrival a;
  while (a.data == nullptr) a = j.net->poll();
  if (a.bytes != 16 || a.source != other || a.data[15] != std::byte(7 + other)) j.fail("the frame is wrong");
  j.net->release(a.token);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// A rank that does not exist stands for one that is gone: each is told once, with MPI's words, and frames to it vanish.
void loss_is_told(const joined& j) {
  for (int i = 0; i < 100; ++i) {
    if (j.net->acquire(99, 8) == nullptr) j.fail("frames to a lost rank keep their buffers");
    j.net->submit(99, 8);
  }
  const network::loss loss = j.net->lost();
  if (loss.rank != 99) j.fail("the lost rank is %d", loss.rank);
  if (std::strstr(loss.why, "rank") == nullptr) j.fail("a loss without a reason: %s", loss.why);
  if (j.net->lost().rank != armilla::detail::no_rank) j.fail("rank 99 is lost twice");
}

/// What is longer than a piece goes in several.
void bulk_in_pieces(const joined& j) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  armilla::mpi::bulk_transfers bulk(comm, 32767, 1000);
  for (std::size_t bytes : {0, 999, 1000, 1001, 2000, 100001}) {
    std::vector<unsigned char> out(bytes), in(bytes);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(i * 37 >> 3);
    int code = MPI_SUCCESS;
    const auto taken = bulk.receive(1 - j.rank, 32768 + 5, reinterpret_cast<std::byte*>(in.data()), bytes, code);
    const auto given = bulk.send(1 - j.rank, 32768 + 5, reinterpret_cast<const std::byte*>(out.data()), bytes, code);
    for (bool is_taken = false, is_given = false; !is_taken || !is_given;) {
      if (!bulk.idle()) bulk.poll([&](int, int failed) { code = failed; });
      is_taken = is_taken || bulk.done(taken);
      is_given = is_given || bulk.done(given);
    }
    if (code != MPI_SUCCESS || in != out) j.fail("%zu bytes in pieces: wrong, code %d", bytes, code);
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  joined j;
  j.open(argv[1], nullptr);
  if (std::strstr(j.net->how_any_thread(), "MPI_THREAD_MULTIPLE") == nullptr) j.fail("it does not say how threads are allowed");
  if (j.net->any_thread() != (provided >= MPI_THREAD_MULTIPLE)) j.fail("a progress thread would break what MPI was begun with");
  frames_beside_messages(j);
  loss_is_told(j);
  bulk_in_pieces(j);
  j.close();

  // MPI lives on, and ends by its owner; then no rank joins any more.
  int sum = 0;
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  char why[256] = "";
  if (sum != 2 || conformance::load(argv[1]).join(why, sizeof why) != nullptr || std::strstr(why, "MPI_Finalize") == nullptr) {
    std::fprintf(stderr, "after the end: sum %d, '%s'\n", sum, why);
    return 1;
  }
  return 0;
}
