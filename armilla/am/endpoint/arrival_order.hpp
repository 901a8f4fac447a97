// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "armilla/am/endpoint/explorer.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// From which rank each frame comes, one behind the other: written (ARMILLA_RECORD), imposed (ARMILLA_REPLAY) or explored
/// (armilla-run --explore), for debugging.
///
/// What shares a frame depends on time. So in such a job no two messages share one: the aggregation is 0, whatever the program
/// sets. And a look takes one frame at most, so that the fibers which it wakes go on before the next is taken.
class arrival_order {
 public:
  /// Whether a job with these options has one.
  static bool is_wanted(const options& settings);
  /// Opens what the options name, for this rank. Throws usage_error that names the file and what is wrong with it.
  arrival_order(const options& settings, rank_t rank, rank_t ranks);
  ~arrival_order();
  arrival_order(const arrival_order&) = delete;

  /// Of a rank whose orders are explored; else null.
  explorer* explores() const noexcept { return explorer_.get(); }

  /// A frame of `source` is in front of its ring: true if it is its turn, and then it is taken. `look`: how many there were.
  bool take(rank_t source, std::uint64_t look);
  bool next_may_be(rank_t source) const noexcept { return at_ == script_.size() || script_[at_] == source; }
  /// Everything so far reaches the file.
  void flush() noexcept;
  /// The record is complete. Throws usage_error if not all of it could be written.
  void finish();

  /// What the replay waits for: "arrival 17 of 'x.0' ..."; empty when nothing is imposed.
  std::string explain() const;

 private:
  void open_record(const std::string& name);
  void write(const std::string& line) noexcept;
  void read_script(const std::string& name);

  rank_t rank_, ranks_;
  std::unique_ptr<explorer> explorer_;
  std::FILE* record_ = nullptr;
  std::string recorded_;  // name of the file
  int error_ = 0;         // of the first write that failed
  std::string replayed_;  // name of the file
  std::vector<rank_t> script_;
  std::size_t at_ = 0;
  std::uint64_t last_look_ = 0;  // that took something
};

/// The order of this rank's arrivals; null if none was asked for, and of a progress thread.
arrival_order* order_of(const context& self) noexcept;

}  // namespace armilla::detail
