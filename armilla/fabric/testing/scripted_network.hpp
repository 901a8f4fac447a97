// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests: a network without a rank at the other end. What comes is written down before, what is sent is kept.
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "armilla/fabric/frame.hpp"
#include "armilla/fabric/network.hpp"

namespace armilla::detail {

class scripted_network : public network {
 public:
  using words = std::vector<std::uint64_t>;
  struct frame {
    rank_t peer;
    words content;
    std::size_t bytes;

    network_head head() const {
      network_head h;
      std::memcpy(static_cast<void*>(&h), content.data(), sizeof h);
      return h;
    }
  };

  explicit scripted_network(std::size_t most) : most_(most), room_(most / 8) {}

  // ---- the script ----

  bool full = false;              ///< no buffer is free
  bool arms = false;              ///< one can sleep until something comes
  int waits_at = -1;              ///< its descriptor
  bool says_source = true;        ///< else arrivals come from no_rank
  std::vector<frame> sent;        ///< in order, to any rank
  std::set<std::uintptr_t> over;  ///< transfers that are done
  std::size_t held() const { return held_.size(); }
  std::size_t waiting() const { return coming_.size(); }

  /// What rank `source` sends next: these bytes.
  void comes(rank_t source, const void* data, std::size_t bytes) {
    frame f{source, words((bytes + 15) / 8), bytes};
    std::memcpy(f.content.data(), data, bytes);
    coming_.push_back(std::move(f));
  }
  /// The same: this head, and behind it `bundles`.
  void comes(const network_head& head, const words& bundles) {
    words all(sizeof head / 8);
    std::memcpy(all.data(), &head, sizeof head);
    all.insert(all.end(), bundles.begin(), bundles.end());
    comes(rank_t(head.source), all.data(), all.size() * 8);
  }

  // ---- network ----

  const char* name() const noexcept override { return "scripted"; }
  const char* version() const noexcept override { return "for tests"; }
  std::size_t most() const noexcept override { return most_; }
  std::size_t held_at_most() const noexcept override { return 4; }
  std::byte* acquire(rank_t, std::size_t) override { return full ? nullptr : reinterpret_cast<std::byte*>(room_.data()); }
  void submit(rank_t to, std::size_t bytes) override {
    sent.push_back({to, words(room_.begin(), room_.begin() + std::ptrdiff_t((bytes + 7) / 8)), bytes});
  }
  int descriptor() const noexcept override { return waits_at; }
  bool arm() override { return arms && coming_.empty(); }
  arrival poll() override {
    if (coming_.empty()) return {};
    const std::uintptr_t token = ++tokens_;
    frame& f = held_.emplace(token, std::move(coming_.front())).first->second;
    coming_.pop_front();
    return {reinterpret_cast<const std::byte*>(f.content.data()), f.bytes, says_source ? f.peer : no_rank, token};
  }
  /// The bytes are gone: a sanitizer sees what reads them later.
  void release(std::uintptr_t token) override {
    if (held_.erase(token) != 1) ++released_wrongly;
  }
  int released_wrongly = 0;
  std::uintptr_t send_bulk(rank_t, std::uint32_t, const std::byte*, std::size_t) override { return ++transfers_; }
  std::uintptr_t receive_bulk(rank_t, std::uint32_t, std::byte*, std::size_t) override { return ++transfers_; }
  bool done(std::uintptr_t transfer) override { return over.erase(transfer) != 0; }
  void finish() override {}

 private:
  std::size_t most_;
  words room_;
  std::deque<frame> coming_;
  std::map<std::uintptr_t, frame> held_;
  std::uintptr_t tokens_ = 0, transfers_ = 0;
};

}  // namespace armilla::detail
