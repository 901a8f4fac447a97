// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/mpi/mpi.hpp"

namespace armilla::mpi {

/// Receives that wait for a frame from any rank: persistent requests, each with a buffer of its own.
///
/// MPI matches what comes with the receives in the order in which these were started. So the started ones form a queue, and a
/// look at its first one is a look at the next frame. One that is held is in no queue; released, it is started and goes to the
/// end, in whatever order that happens. Frames thus appear in the order of matching, which keeps the order of each sender; a
/// long frame that is still on its way lets those behind it wait.
class receive_ring {
 public:
  receive_ring(MPI_Comm comm, std::uint32_t receives, std::size_t frame_bytes, std::byte* memory);
  /// Posts all receives. The code is MPI's.
  int open();
  /// MPI knows nothing of it any more.
  void close();

  static std::size_t memory_bytes(std::uint32_t receives, std::size_t stride) { return receives * stride; }
  std::uint32_t size() const { return std::uint32_t(requests_.size()); }
  const std::byte* data(std::uint32_t slot) const { return memory_ + slot * stride_; }

  /// It is not held any more. MPI learns of it at the next look: what answers the frame leaves first.
  void give_back(std::uint32_t slot) { given_back_[given_back_count_++] = slot; }
  bool any_given_back() const { return given_back_count_ != 0; }
  /// Starts those again. The code is MPI's, for the first that failed.
  int start_given_back() {
    int worst = MPI_SUCCESS;
    for (std::uint32_t i = 0; i < given_back_count_; ++i)
      if (const int code = start(given_back_[i]); code != MPI_SUCCESS && worst == MPI_SUCCESS) worst = code;
    given_back_count_ = 0;
    return worst;
  }

  /// Whether a frame has come; `slot` and `status` then say which. Lets MPI make progress. Budget: one MPI_Test.
  bool take(std::uint32_t& slot, MPI_Status& status, int& code) {
    int done = 0;
    slot = queue_[head_];
    code = MPI_Test(&requests_[slot], &done, &status);
    if (done == 0) [[likely]]
      return false;
    head_ = head_ + 1 == size() ? 0 : head_ + 1;
    --posted_;
    return true;
  }
  bool empty() const { return posted_ == 0; }

  /// Waits until a frame has come in any of them, the first or not: one may so overtake those that its sender began before. At
  /// least one is posted. The code is MPI's.
  int wait(std::uint32_t& slot, MPI_Status& status);

 private:
  /// Budget: one MPI_Start.
  int start(std::uint32_t slot) {
    queue_[tail_] = slot;
    tail_ = tail_ + 1 == size() ? 0 : tail_ + 1;
    ++posted_;
    return MPI_Start(&requests_[slot]);
  }

  MPI_Comm comm_;
  std::size_t frame_bytes_;
  std::size_t stride_;
  std::byte* memory_;
  std::vector<MPI_Request> requests_;
  std::vector<std::uint32_t> queue_;       ///< slots that are posted, in this order, from head_ to before tail_
  std::vector<std::uint32_t> given_back_;  ///< slots to be started again
  std::uint32_t given_back_count_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t posted_ = 0;
};

}  // namespace armilla::mpi
