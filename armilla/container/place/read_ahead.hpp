// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "armilla/distribution.hpp"

namespace armilla::detail {

/// What one fetch has brought.
class fetched_run {
 public:
  virtual ~fetched_run() = default;
  /// The first of its elements; null if `scratch::read` does not fetch such runs.
  virtual void* data() noexcept { return nullptr; }
  /// The elements go back to where they came from.
  virtual void put_back() {}
};

/// A place in a member's part of a container, and what reads it: each view of a container goes its own way.
struct part_place {
  const void* reader;
  const armilla::placement* where;
  rank_t member;
  std::size_t place;
};

/// Reads elements of members that this rank cannot load. Elements dealt in turn have short runs: to fetch each by itself would
/// cost a round trip an element. So a reader that goes through a part, forwards or backwards and with small gaps, gets more each
/// time.
class read_ahead {
 public:
  /// Bytes that are fetched in vain rather than to wait for one more answer.
  static constexpr std::size_t most_gap = 4096;

  /// One reader's way through a part: what is here, and how much comes next.
  struct stream {
    const void* reader;
    const armilla::placement* where;
    rank_t member;
    std::size_t first = 0, n = 0;  ///< these places it has asked for, or has here
    std::unique_ptr<fetched_run> run;
    void* begin = nullptr;  ///< of the elements; null: they have been given away

    bool is_of(const part_place& p) const noexcept { return reader == p.reader && where == p.where && member == p.member; }
    bool holds(std::size_t place, std::size_t many) const noexcept {
      return begin != nullptr && place >= first && place + many <= first + n;
    }
  };

  /// The stream of this reader and part.
  stream& of(const part_place& from);
  /// Which places of the part to fetch, so that these `n` are among them: at most `most` elements, but for theirs.
  void advance(stream& s, const part_place& from, std::size_t n, std::size_t most, std::size_t bytes) const;

 private:
  std::vector<stream> streams_;
  std::size_t last_ = 0;  // used last: mostly used again, or the next one is
};

}  // namespace armilla::detail
