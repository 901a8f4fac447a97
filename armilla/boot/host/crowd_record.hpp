// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

namespace armilla::detail {

/// How ranks that share cores wait, for all ranks of a host: in the job's first pages, all zeros at first. What is written
/// together is written by the one rank that has moved `until`; see fabric/crowding.hpp.
struct crowd_record {
  /// How a rank waits that found nothing.
  enum class mode : std::uint32_t {
    yields,     ///< it lets others of the job have the core, which cost a microsecond each
    watched,    ///< the same, and the host finds out whether those others are strangers
    suspected,  ///< the same once more, for they seemed to be
    tried,      ///< it sleeps at once, to see whether that is quicker
    sleeps      ///< it sleeps at once
  };
  std::atomic<mode> now;
  std::atomic<std::uint32_t> late;        ///< yields in this period that came back late
  std::atomic<std::uint64_t> until;       ///< (now_ns) when this period ends; while `yields`: not watched before
  std::atomic<std::uint64_t> began;       ///< of this period
  std::atomic<std::uint64_t> steps;       ///< that the host's ranks had made by then
  std::atomic<std::uint64_t> processor;   ///< ns of processor time that they had had by then
  std::atomic<std::uint64_t> queued;      ///< ns that they had waited for a core by then
  std::atomic<std::uint64_t> yield_rate;  ///< steps a second in the last period of yields
  std::atomic<std::uint64_t> sleep_rate;  ///< steps a second of the last period of sleeps; 0: none yet
  std::atomic<std::uint64_t> length;      ///< of the last period of sleeps, or of the one without: doubled while it is confirmed
};

}  // namespace armilla::detail
