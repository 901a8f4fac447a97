// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/plugin.hpp"

namespace conformance {

using armilla::rank_t;
using armilla::detail::bootstrap;
using armilla::detail::network;
using armilla::detail::network_settings;
using armilla::detail::plugin;

/// A backend's library, which stays loaded. Ends the process with a sentence if it cannot be used.
const plugin& load(const char* path);
/// A function of a library.
void* symbol_of(const char* path, const char* name);

/// Pages that a network may replace by its own.
struct held_memory {
  static constexpr unsigned parts = 2;
  static constexpr std::size_t part_bytes = std::size_t{1} << 20;
  std::byte* base = nullptr;
  /// Before the addresses are exchanged.
  void offer_to(network& net);
};

/// What a program starts with: the job as its launcher's plug-in sees it, and the network.
struct joined {
  bootstrap* boot = nullptr;
  network* net = nullptr;
  rank_t rank = 0;
  rank_t ranks = 1;
  network_settings settings;
  held_memory memory;

  /// Opens `path`; the ranks are brought together by `together`, by the plug-in `boot_path`, or by the network's own.
  void open(const char* path, const char* boot_path, bootstrap* together = nullptr);
  void close();
  /// Says what went wrong and ends the job.
  [[noreturn]] void fail(const char* format, ...) const __attribute__((format(printf, 2, 3)));
};

}  // namespace conformance
