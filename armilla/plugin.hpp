// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/fabric/network.hpp"

/// What a backend's shared library gives to the program that loads it. It contains nothing of the library itself: it includes
/// these headers and base/values/types.hpp alone, so that the same file serves every program of the same version.
namespace armilla::detail {

/// Settings that backends take; the same on all ranks.
struct network_settings {
  std::size_t frame_bytes = 64 * 1024 + 256;  ///< longest frame
  std::uint32_t receives = 16;                ///< frames that can arrive while the rank does not poll
  const char* interfaces = "";                ///< transports or devices to use, in the engine's words; empty: its own choice
  /// Unless the engine's own variables say it: "lo": all ranks are on this host, so that shared memory will do, and no port
  /// beyond the loopback is opened; else the interface by which the hosts reach each other. Empty: the engine's own choice.
  const char* listens_on = "";
  bool one_thread = false;  ///< only the thread that opens it will ever use it
  std::uint32_t hosts = 1;  ///< on which the ranks are
  bool goes_on = false;     ///< the job outlives ranks; the same on all ranks
  bool new_rank = false;    ///< the others are in the job already, and expect this one
};

/// Where a function fails it returns null and writes why, with what to do, to `why` (`room` bytes, ended by a zero).
struct plugin {
  static constexpr std::uint32_t good_version = 9;  ///< of this file, network.hpp and bootstrap.hpp
  std::uint32_t version;
  const char* name;  ///< of what is under it, for people: "UCX"
  /// What is under it, before anything is started: "UCX 1.13.1". May be absent (null).
  const char* (*engine)();
  /// Whoever connects to a port of its network can write the memory of the job: the job does not start if such a port is on a
  /// public address, unless ARMILLA_TRUST_NETWORK is set.
  bool trusts_callers;
  /// Joins the launcher's job, if this process is part of one; null otherwise. May be absent (null).
  bootstrap* (*join)(char* why, std::size_t room);
  /// The network for rank `rank` of `ranks`. `from_here` is what `join` of the same plug-in gave, or null. May be absent.
  network* (*open)(rank_t rank, rank_t ranks, const network_settings& settings, bootstrap* from_here, char* why,
                   std::size_t room);
};

/// The one symbol of a backend's library: a function that returns its description.
inline constexpr const char* plugin_symbol = "armilla_plugin";
using plugin_function = const plugin* (*)();

}  // namespace armilla::detail
