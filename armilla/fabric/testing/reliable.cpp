// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/testing/reliable.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/core/helper_thread.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/testing/forwarding_network.hpp"

namespace armilla::detail {
namespace {

// For an acknowledgement. Twice as long each time that none comes: a rank that is slow would else be sent more copies than it
// takes.
constexpr std::uint64_t first_patience_ns = 3'000'000;
constexpr std::uint64_t longest_patience_ns = 400'000'000;
constexpr std::size_t kept_at_most = 1024;  // frames to a rank that are not acknowledged
constexpr std::size_t again_at_once = 16;   // of them sent again together

/// In front of each frame; the source stands where `network_head` has it.
struct reliable_head {
  static constexpr std::uint32_t good_mark = 0x52454c31;
  std::uint32_t mark = good_mark;
  std::uint32_t acknowledges = 0;  ///< 1: this is all there is
  std::uint32_t source = 0;
  std::uint32_t unused = 0;
  std::uint64_t number = 0;  ///< of this frame
  std::uint64_t got = 0;     ///< frames of the receiver with smaller numbers have all come
};
static_assert(sizeof(reliable_head) == 32);

class reliable final : public forwarding_network {
 public:
  reliable(std::unique_ptr<network> net, rank_t me, rank_t ranks)
      : forwarding_network(std::move(net)), me_(me), peers_(std::size_t(ranks)), room_(forwarding_network::most() / 8 + 1) {
    helper_ = start_helper_thread("reliable", [this] { help(); });
  }
  ~reliable() override { stop(); }

  std::size_t most() const noexcept override { return forwarding_network::most() - sizeof(reliable_head); }

  std::byte* acquire(rank_t to, std::size_t) override {
    const std::lock_guard lock(mutex_);
    if (peers_[std::size_t(to)].unacknowledged.size() >= kept_at_most) return nullptr;
    return reinterpret_cast<std::byte*>(room_.data()) + sizeof(reliable_head);
  }
  void submit(rank_t to, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    peer& p = peers_[std::size_t(to)];
    const reliable_head head{reliable_head::good_mark, 0, std::uint32_t(me_), 0, p.next_out++, 0};
    std::memcpy(room_.data(), &head, sizeof head);
    const std::size_t all = sizeof head + bytes;
    p.unacknowledged.push_back({words(room_.begin(), room_.begin() + std::ptrdiff_t((all + 7) / 8)), all});
    try_send(to, p.unacknowledged.back(), now_ns());
  }

  arrival poll() override {
    const std::lock_guard lock(mutex_);
    looked_.store(true, std::memory_order_relaxed);
    look();
    if (ready_.empty()) return {};
    const std::uintptr_t token = ++tokens_;
    const coming& f = held_.emplace(token, std::move(ready_.front())).first->second;
    ready_.pop_front();
    return {f.data(), f.bytes - sizeof(reliable_head), f.source, token};
  }
  void release(std::uintptr_t token) override { held_.erase(token); }

  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    return forwarding_network::send_bulk(to, id, data, bytes);
  }
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    return forwarding_network::receive_bulk(from, id, data, bytes);
  }
  bool done(std::uintptr_t transfer) override {
    const std::lock_guard lock(mutex_);
    return forwarding_network::done(transfer);
  }
  loss lost() override {
    const std::lock_guard lock(mutex_);
    return forwarding_network::lost();
  }
  void give_up(rank_t r) override {
    const std::lock_guard lock(mutex_);
    forwarding_network::give_up(r);
  }
  void finish() override {
    stop();
    forwarding_network::finish();
  }

 private:
  using words = std::vector<std::uint64_t>;
  struct going {
    words content;
    std::size_t bytes;
    std::uint64_t sent_ns = 0;  // 0: not yet
  };
  struct coming {
    words content;
    std::size_t bytes;
    rank_t source;
    const std::byte* data() const { return reinterpret_cast<const std::byte*>(content.data()) + sizeof(reliable_head); }
  };
  struct peer {
    std::uint64_t next_out = 0;
    std::deque<going> unacknowledged;
    std::uint64_t next_in = 0;
    std::map<std::uint64_t, coming> early;
    bool owed = false;  // an acknowledgement
    std::uint64_t patience_ns = first_patience_ns;
  };

  // Everything below with the mutex held.

  bool try_send(rank_t to, going& f, std::uint64_t now) {
    std::byte* const place = net().acquire(to, f.bytes);
    if (place == nullptr) return false;
    reinterpret_cast<reliable_head*>(f.content.data())->got = peers_[std::size_t(to)].next_in;
    std::memcpy(place, f.content.data(), f.bytes);
    net().submit(to, f.bytes);
    f.sent_ns = now;
    return true;
  }

  bool try_acknowledge(rank_t to) {
    std::byte* const place = net().acquire(to, sizeof(reliable_head));
    if (place == nullptr) return false;
    const reliable_head head{reliable_head::good_mark, 1, std::uint32_t(me_), 0, 0, peers_[std::size_t(to)].next_in};
    std::memcpy(place, &head, sizeof head);
    net().submit(to, sizeof head);
    return true;
  }

  void look() {
    for (int i = 0; i < taken_a_look; ++i) {
      const arrival a = net().poll();
      if (a.data == nullptr) break;
      take(a);
      net().release(a.token);
    }
    const std::uint64_t now = now_ns();
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      peer& p = peers_[r];
      if (p.owed && try_acknowledge(rank_t(r))) p.owed = false;
      if (!p.unacknowledged.empty() && now - p.unacknowledged.front().sent_ns > p.patience_ns) send_again(rank_t(r), now);
    }
  }

  void send_again(rank_t to, std::uint64_t now) {
    peer& p = peers_[std::size_t(to)];
    if (p.unacknowledged.front().sent_ns != 0) p.patience_ns = std::min(2 * p.patience_ns, longest_patience_ns);
    std::size_t count = 0;
    for (going& f : p.unacknowledged)
      if (++count > again_at_once || !try_send(to, f, now)) return;
  }

  void take(const arrival& a) {
    reliable_head head;
    if (a.bytes < sizeof head) return;
    std::memcpy(&head, a.data, sizeof head);
    if (head.mark != reliable_head::good_mark || head.source >= peers_.size() || rank_t(head.source) == me_ ||
        (a.source != no_rank && rank_t(head.source) != a.source))
      return;
    peer& p = peers_[head.source];
    forget_acknowledged(p, head.got);
    if (head.acknowledges != 0) return;
    p.owed = true;
    if (head.number < p.next_in || head.number - p.next_in > kept_at_most) return;
    coming f{words((a.bytes + 7) / 8), a.bytes, rank_t(head.source)};
    std::memcpy(f.content.data(), a.data, a.bytes);
    p.early.emplace(head.number, std::move(f));
    for (auto first = p.early.begin(); first != p.early.end() && first->first == p.next_in; first = p.early.erase(first)) {
      ready_.push_back(std::move(first->second));
      ++p.next_in;
    }
  }

  static void forget_acknowledged(peer& p, std::uint64_t got) {
    if (got > p.next_out) return;
    for (; !p.unacknowledged.empty() && p.next_out - p.unacknowledged.size() < got; p.unacknowledged.pop_front())
      p.patience_ns = first_patience_ns;
  }

  void help() {
    while (!stopping_.load(std::memory_order_relaxed)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (looked_.exchange(false, std::memory_order_relaxed)) continue;
      const std::lock_guard lock(mutex_);
      look();
    }
  }
  void stop() {
    stopping_.store(true, std::memory_order_relaxed);
    if (helper_.joinable()) helper_.join();
  }

  const rank_t me_;
  std::mutex mutex_;
  std::vector<peer> peers_;
  words room_;  // only the rank's own thread, as all that it acquires and holds
  std::map<std::uintptr_t, coming> held_;
  std::uintptr_t tokens_ = 0;
  std::deque<coming> ready_;
  std::atomic<bool> looked_ = false, stopping_ = false;
  std::thread helper_;
};

}  // namespace

std::unique_ptr<network> make_reliable(std::unique_ptr<network> net, rank_t me, rank_t ranks) {
  if (!net->any_thread())
    throw_usage("start", fmt::format("frames that are lost are sent again by a thread, and {} takes calls of one thread only; "
                                     "leave drop out of ARMILLA_FAULTS",
                                     net->version()));
  return std::make_unique<reliable>(std::move(net), me, ranks);
}

}  // namespace armilla::detail
