// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/am/endpoint/inbox.hpp"
#include "armilla/stats/method_counts.hpp"

namespace armilla::detail {

/// What some bundles bring, by method, for attached clients that watch the rank. A rank that nothing watches counts nothing:
/// frames are observed, which takes some nanoseconds more for each, only until the sample has its bundles.
class method_sample {
 public:
  /// Bundles of a sample: some tens of microseconds of the rank's time, however often it is asked.
  static constexpr std::uint64_t most = 1000;

  /// Methods whose messages hold an index: the sample counts by that, and has its names.
  struct named_methods {
    std::vector<method_counts::indexed> handlers;
    std::string (*name)(const context& self, handler_id h, std::size_t index);
    std::size_t (*size)(const context& self);  ///< indices that there are
  };
  method_sample(inbox& in, named_methods named);
  ~method_sample();
  method_sample(const method_sample&) = delete;

  /// What has come in since the last call, or in the first bundles behind it: how many bundles, and for each method a line: name,
  /// tab, messages, tab, bytes. Begins the next sample. Not inside a body.
  std::string restart();

 private:
  struct sum {
    std::uint64_t messages, bytes;
  };
  std::string lines() const;
  void add_indexed(std::string& text, const method_counts::indexed& all) const;
  void begin();

  inbox& in_;
  const named_methods named_;
  method_counts own_;
  method_counts& counts_;  // the rank's statistics, if it keeps them anyway
  std::vector<sum> before_;
  std::uint64_t from_ = 0;
};

}  // namespace armilla::detail
