// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "backends/mpi/mpi.hpp"

namespace armilla::mpi {

/// Requests under way, side by side as MPI_Testsome wants them, each with what is to be remembered of it.
template <class Note>
class open_requests {
 public:
  explicit open_requests(std::size_t expected) {
    requests_.reserve(expected);
    notes_.reserve(expected);
    make_room(expected);
  }

  bool empty() const { return requests_.empty(); }
  void add(MPI_Request request, const Note& note) {
    requests_.push_back(request);
    notes_.push_back(note);
    if (requests_.size() > which_.size()) make_room(2 * requests_.size());
  }

  /// `over(note, code, status)` for each request that has come to its end. Not to be called on nothing: that would cost for
  /// nothing.
  template <class Over>
  void poll(Over&& over) {
    int count = 0;
    const int code = MPI_Testsome(int(requests_.size()), requests_.data(), &count, which_.data(), statuses_.data());
    if (count == 0 || count == MPI_UNDEFINED) return;
    for (int i = 0; i < count; ++i) {
      // The standard fills in MPI_ERROR only if the call says so.
      const int mine = code == MPI_ERR_IN_STATUS ? statuses_[std::size_t(i)].MPI_ERROR : code;
      over(notes_[std::size_t(which_[std::size_t(i)])], mine, statuses_[std::size_t(i)]);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      notes_[kept++] = notes_[i];
    }
    requests_.resize(kept);
    notes_.resize(kept);
  }

  template <class Look>
  void each(Look&& look) {
    for (std::size_t i = 0; i < requests_.size(); ++i) look(notes_[i], requests_[i]);
  }

  /// MPI may end them, or not.
  void forget() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
    requests_.clear();
    notes_.clear();
  }

 private:
  void make_room(std::size_t n) {
    which_.resize(n);
    statuses_.resize(n);
  }

  std::vector<MPI_Request> requests_;
  std::vector<Note> notes_;
  std::vector<int> which_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace armilla::mpi
