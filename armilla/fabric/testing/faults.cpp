// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/testing/faults.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/core/check.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/frame.hpp"
#include "armilla/fabric/testing/forwarding_network.hpp"
#include "armilla/fabric/testing/reliable.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t stop_ns = 1'000'000;
constexpr std::uint64_t slow_ns = 50'000;
constexpr std::uint64_t overtaken_ns = 20'000;  // held back by up to this and some times the delay

/// splitmix64: a few lines, and the same everywhere.
class dice {
 public:
  dice(std::uint64_t seed, std::uint64_t which) noexcept : state_(seed * 0x9e3779b97f4a7c15ULL ^ which * 0xd1b54a32d192ed03ULL) {}
  std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  bool falls(double probability) noexcept { return double(next() >> 11) * 0x1p-53 < probability; }
  std::uint64_t up_to(std::uint64_t most) noexcept { return most == 0 ? 0 : next() % (most + 1); }

 private:
  std::uint64_t state_;
};

class faulty final : public forwarding_network {
 public:
  faulty(std::unique_ptr<network> net, const fault_settings& how, rank_t me, rank_t ranks, time_source clock)
      : forwarding_network(std::move(net)),
        how_(how),
        clock_(clock),
        slow_(how.slow == me),
        held_back_ns_(overtaken_ns + 4 * (how.delay_ns + how.jitter_ns)),
        own_(how.seed, std::uint64_t(me) << 40),
        peers_(std::size_t(ranks)) {
    for (rank_t r = 0; r < ranks; ++r)
      peers_[std::size_t(r)].fate = dice(how.seed, std::uint64_t(me) * std::uint64_t(ranks) + std::uint64_t(r) + 1);
  }

  /// A rank whose progress thread still looks at a network that is taken away fails here, and not once in a while.
  ~faulty() override {
    gone_.store(true, std::memory_order_relaxed);
    if (how_.linger_ns != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(how_.linger_ns));
  }

  std::byte* acquire(rank_t to, std::size_t bytes) override {
    require_there();
    return net().acquire(to, bytes);
  }
  void submit(rank_t to, std::size_t bytes) override {
    require_there();
    net().submit(to, bytes);
  }

  arrival poll() override {
    require_there();
    const std::uint64_t now = clock_();
    if (now < next_look_ || now < stopped_until_) return {};
    if (slow_) next_look_ = now + slow_ns;
    for (int i = 0; i < taken_a_look; ++i) {
      const arrival a = net().poll();
      if (a.data == nullptr) break;
      take(a, now);
      net().release(a.token);
    }
    return now < stopped_until_ ? arrival{} : hand_out(now);
  }

  void release(std::uintptr_t token) override { held_.erase(token); }

  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override {
    return late_by(0, net().send_bulk(to, id, data, bytes));
  }
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override {
    return late_by(how_.delay_ns + own_.up_to(how_.jitter_ns), net().receive_bulk(from, id, data, bytes));
  }
  bool done(std::uintptr_t transfer) override {
    require_there();
    const auto at = transfers_.find(transfer);
    if (at == transfers_.end()) return false;
    late& l = at->second;
    if (l.due == 0) {
      if (!net().done(l.number)) return false;
      l.due = clock_() + l.by;
    }
    if (clock_() < l.due) return false;
    transfers_.erase(at);
    return true;
  }

 private:
  void require_there() const { ARMILLA_REQUIRE(!gone_.load(std::memory_order_relaxed)); }

  using bytes_of_frame = std::vector<std::uint64_t>;
  struct coming {
    bytes_of_frame words;
    std::size_t bytes;
    rank_t said;  // by the network
  };
  struct peer {
    dice fate{0, 0};
    std::uint64_t last_due = 0;
    std::multimap<std::uint64_t, coming> frames;  // by the time when they arrive
  };
  struct late {
    std::uintptr_t number;  // of the network, which uses it again once it is done
    std::uint64_t by;
    std::uint64_t due;  // 0: the network is not done
  };

  std::uintptr_t late_by(std::uint64_t ns, std::uintptr_t number) {
    transfers_[++numbers_] = {number, ns, 0};
    return numbers_;
  }

  rank_t source_of(const arrival& a) const {
    if (a.source != no_rank) return a.source;
    network_head head;
    if (a.bytes < sizeof head) return 0;
    std::memcpy(&head, a.data, sizeof head);
    return head.source < peers_.size() ? rank_t(head.source) : 0;
  }

  void take(const arrival& a, std::uint64_t now) {
    peer& p = peers_[std::size_t(source_of(a))];
    dice& fate = p.fate;
    // All of a frame's dice fall, whatever the first ones say: the next frame's do not depend on them.
    const bool dropped = fate.falls(how_.drop), held_back = fate.falls(how_.reorder), swapped = fate.falls(how_.swap);
    const bool doubled = fate.falls(how_.duplicate), stopped = fate.falls(how_.stop);
    const std::uint64_t jitter = fate.up_to(how_.jitter_ns), extra = fate.up_to(held_back_ns_), again = fate.up_to(held_back_ns_);
    if (stopped) stopped_until_ = now + stop_ns;
    if (dropped) return;
    std::uint64_t due = now + how_.delay_ns + jitter + (held_back || swapped ? extra : 0);
    if (!swapped) p.last_due = due = std::max(due, p.last_due);
    coming f{bytes_of_frame((a.bytes + 7) / 8), a.bytes, a.source};
    std::memcpy(f.words.data(), a.data, a.bytes);
    if (doubled) p.frames.emplace(due + again, f);
    p.frames.emplace(due, std::move(f));
  }

  // Begins at any rank, so that none has an advantage.
  arrival hand_out(std::uint64_t now) {
    const std::size_t begin = std::size_t(own_.next() % peers_.size());
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      auto& frames = peers_[(begin + i) % peers_.size()].frames;
      if (frames.empty() || frames.begin()->first > now) continue;
      const std::uintptr_t token = ++tokens_;
      const coming& f = held_.emplace(token, std::move(frames.begin()->second)).first->second;
      frames.erase(frames.begin());
      return {reinterpret_cast<const std::byte*>(f.words.data()), f.bytes, f.said, token};
    }
    return {};
  }

  std::atomic<bool> gone_ = false;
  const fault_settings how_;
  const time_source clock_;
  const bool slow_;
  const std::uint64_t held_back_ns_;
  dice own_;
  std::vector<peer> peers_;
  std::map<std::uintptr_t, coming> held_;
  std::map<std::uintptr_t, late> transfers_;
  std::uintptr_t tokens_ = 0, numbers_ = 0;
  std::uint64_t next_look_ = 0, stopped_until_ = 0;
};

}  // namespace

std::unique_ptr<network> make_faulty(std::unique_ptr<network> net, const fault_settings& how, rank_t me, rank_t ranks,
                                     time_source clock) {
  return std::make_unique<faulty>(std::move(net), how, me, ranks, clock);
}

std::unique_ptr<network> with_faults(std::unique_ptr<network> net, const fault_settings& how, rank_t me, rank_t ranks) {
  if (!how.any()) return net;
  auto worse = make_faulty(std::move(net), how, me, ranks);
  return how.drop > 0 ? make_reliable(std::move(worse), me, ranks) : std::move(worse);
}

}  // namespace armilla::detail
