// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "armilla/container/distribution.hpp"

namespace armilla::detail {

/// What one fetch has brought.
class fetched_run {
 public:
  virtual ~fetched_run() = default;
  /// The elements go back to where they came from.
  virtual void put_back() {}
};

/// A place in a member's part of a container.
struct part_place {
  const armilla::placement* where;
  rank_t member;
  std::size_t place;
};

/// Reads elements of members that this rank cannot load. Elements dealt in turn have short runs: to fetch each by itself would cost
/// a round trip an element. So a reader that goes through a part, forwards or backwards and with small gaps, gets more each time.
class read_ahead {
 public:
  /// Bytes that are fetched in vain rather than to wait for one more answer.
  static constexpr std::size_t most_gap = 4096;

  /// One reader's way through a part: what is here, and how much comes next.
  struct stream {
    const armilla::placement* where;
    rank_t member;
    std::size_t first = 0, n = 0;  ///< these places it has asked for, or has here
    std::unique_ptr<fetched_run> run;
    void* begin = nullptr;  ///< of the elements; null: they have been given away

    bool holds(std::size_t place, std::size_t many) const noexcept {
      return begin != nullptr && place >= first && place + many <= first + n;
    }
  };

  /// The stream that holds these `n` elements, else the one that comes to them next, else a new one.
  stream& at(const part_place& from, std::size_t n, std::size_t bytes);
  /// Which places of the part to fetch, so that these are among them: at most `most` elements, but for theirs.
  void advance(stream& s, const part_place& from, std::size_t n, std::size_t most) const;

 private:
  std::vector<stream> streams_;
  std::size_t last_ = 0;  // used last: the streams are mostly used in turn
};

}  // namespace armilla::detail
