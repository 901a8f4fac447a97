// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks without a launcher, for tests: processes of one parent with some memory in common.
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>

#include "backends/conformance/loaded.hpp"

namespace conformance {

/// Memory of all of them.
struct common {
  std::atomic<int> met[6];
  std::byte addresses[16 * 1024];
};

inline common& common_memory() {
  void* memory = mmap(nullptr, sizeof(common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) _exit(2);
  return *new (memory) common{};
}

class together {
 public:
  using clock_type = std::chrono::steady_clock;

  together(int number, int all, common& memory) : rank_(number), members_(all), all_(memory) {}

  [[noreturn]] void fail(const char* what) const {
    std::fprintf(stderr, "rank %d: %s\n", rank_, what);
    _exit(1);
  }
  template <class Condition>
  void until(const char* what, Condition&& condition) const {
    for (const auto limit = clock_type::now() + std::chrono::seconds(10); !condition();) {
      if (clock_type::now() > limit) fail(what);
      sched_yield();
    }
  }

 protected:
  /// Opens the network, and has the addresses of all `ranks` of it when all members have come.
  void open(const char* library, const char* interfaces, rank_t ranks) {
    network_settings settings;
    settings.interfaces = interfaces;
    char why[512] = "";
    net_ = load(library).open(rank_, ranks, settings, nullptr, why, sizeof why);
    if (net_ == nullptr) fail(why);
    memory_.offer_to(*net_);
    const std::size_t bytes = net_->address_bytes();
    if (bytes * std::size_t(ranks) > sizeof all_.addresses) fail("long addresses");
    std::memcpy(all_.addresses + std::size_t(rank_) * bytes, net_->address(), bytes);
    meet(0);
    net_->set_addresses(all_.addresses);
  }
  void meet(int where) {  // while everything goes on
    ++all_.met[where];
    until("all meet", [&] {
      if (net_ != nullptr && where > 0) poll_once();
      return all_.met[where] == members_;
    });
  }
  void send(rank_t to, std::uint64_t word = 0) {
    std::byte* place = nullptr;
    until("a buffer is free", [&] {
      place = net_->acquire(to, 40);
      if (place == nullptr) poll_once();
      return place != nullptr;
    });
    std::memcpy(place, &word, sizeof word);
    net_->submit(to, 40);
  }
  bool poll_once() {
    const network::arrival a = net_->poll();
    if (a.data == nullptr) return false;
    std::memcpy(&last_, a.data, sizeof last_);
    net_->release(a.token);
    ++came_;
    return true;
  }

  int rank_;
  int members_;
  common& all_;
  network* net_ = nullptr;
  held_memory memory_;
  int came_ = 0;
  std::uint64_t last_ = 0;  ///< word of the last frame
};

}  // namespace conformance
