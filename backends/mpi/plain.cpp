// SPDX-License-Identifier: Apache-2.0
// What the backend is measured against: a ring of persistent receives and eager sends, written straight down in MPI.
#include <sched.h>

#include <vector>

#include "backends/conformance/figures.hpp"
#include "backends/mpi/mpi.hpp"

namespace {

using conformance::figures;
using conformance::measured_work;

class by_hand {
 public:
  explicit by_hand(const measured_work& w)
      : w_(w), other_(1 - w.rank), requests_(w.receives), out_(w.longest), room_(under_way * w.bulk_bytes, 1) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    for (std::uint32_t i = 0; i < w.receives; ++i) {
      in_.emplace_back(w.longest);
      MPI_Recv_init(in_[i].data(), int(w.longest), MPI_BYTE, MPI_ANY_SOURCE, 0, comm_, &requests_[i]);
      MPI_Start(&requests_[i]);
    }
    MPI_Barrier(comm_);
  }
  ~by_hand() {
    MPI_Barrier(comm_);
    for (MPI_Request& r : requests_) {
      MPI_Cancel(&r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
      MPI_Request_free(&r);
    }
    MPI_Comm_free(&comm_);
  }

  void send() {
    MPI_Request request;
    MPI_Isend(out_.data(), int(w_.frame_bytes), MPI_BYTE, other_, 0, comm_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  bool look() {
    int done = 0;
    MPI_Test(&requests_[head_], &done, MPI_STATUS_IGNORE);
    if (done == 0) [[likely]]
      return false;
    MPI_Start(&requests_[head_]);
    head_ = head_ + 1 == requests_.size() ? 0 : head_ + 1;
    ++arrived_;
    return true;
  }
  void receive() {
    for (int tries = 0; arrived_ == 0 && !look(); ++tries)
      if (tries > 2000) sched_yield();
    --arrived_;
  }
  void bulk() {
    MPI_Request request[under_way] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int i = 0; i < w_.bulks + under_way; ++i) {
      MPI_Request& r = request[i % under_way];
      MPI_Wait(&r, MPI_STATUS_IGNORE);
      if (i >= w_.bulks) continue;
      char* at = room_.data() + std::size_t(i % under_way) * w_.bulk_bytes;
      if (w_.rank == 0)
        MPI_Isend(at, int(w_.bulk_bytes), MPI_BYTE, other_, 1, comm_, &r);
      else
        MPI_Irecv(at, int(w_.bulk_bytes), MPI_BYTE, other_, 1, comm_, &r);
    }
  }

 private:
  static constexpr int under_way = 4;
  const measured_work& w_;
  int other_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
  std::vector<std::vector<char>> in_;
  std::vector<char> out_;
  std::size_t head_ = 0;
  int arrived_ = 0;
  std::vector<char> room_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) void armilla_measure(const measured_work& work, figures& measured) {
  by_hand side(work);
  measured = conformance::measure(side, work);
}
