// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "backends/mpi/mpi.hpp"
#include "backends/mpi/open_requests.hpp"

namespace armilla::mpi {

/// Transfers between two ranks' own memory, by plain sends and receives on a communicator of their own, whose tag is the
/// transfer's number. MPI promises 32768 tags and has at least a million; ids of transfers under way from one rank to another
/// must differ by less than that many. Longer ones than an int counts go in pieces, which MPI keeps in order.
class bulk_transfers {
 public:
  bulk_transfers(MPI_Comm comm, int tag_most, std::size_t piece_bytes = std::size_t{1} << 30);

  /// Return a number for `done`; the code is MPI's.
  std::uintptr_t send(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes, int& code);
  std::uintptr_t receive(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes, int& code);
  bool done(std::uintptr_t number);

  bool idle() const { return open_.empty(); }
  template <class Lost>
  void poll(Lost&& lost) {
    open_.poll([&](const piece& p, int code, const MPI_Status& status) {
      --left_[p.transfer];
      if (code == MPI_SUCCESS && p.receives && !whole(p, status)) code = MPI_ERR_TRUNCATE;
      if (code != MPI_SUCCESS) lost(p.other, code);
    });
  }
  /// What would have come from that rank: MPI can take back what is not begun to be sent.
  void give_up(rank_t from) {
    open_.each([from](const piece& p, MPI_Request& request) {
      if (p.receives && p.other == from) MPI_Cancel(&request);
    });
  }
  void close() { open_.forget(); }

 private:
  struct piece {
    std::uint32_t transfer;
    rank_t other;
    bool receives;
    int bytes;
  };
  /// MPI takes a shorter message for a longer one without a word. One that was taken back is no transfer any more.
  static bool whole(const piece& p, const MPI_Status& status) {
    int came = 0, cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    return cancelled != 0 || (MPI_Get_count(&status, MPI_BYTE, &came) == MPI_SUCCESS && came == p.bytes);
  }

  std::uint32_t begin();
  template <class Start>
  std::uintptr_t in_pieces(rank_t other, bool receives, std::size_t bytes, int& code, Start&& start);
  int tag(std::uint32_t id) const { return int(id % tags_); }

  MPI_Comm comm_;
  std::uint32_t tags_;
  std::size_t piece_bytes_;
  std::vector<std::uint32_t> left_;  ///< of each transfer: pieces that are under way
  std::vector<std::uint32_t> free_;  ///< numbers that are not used now
  open_requests<piece> open_;
};

}  // namespace armilla::mpi
