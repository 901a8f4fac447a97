// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "backends/conformance/checks.hpp"
#include "backends/conformance/figures.hpp"

namespace conformance {
namespace {

/// The measured network, used as directly as its interface allows.
class user {
 public:
  user(const joined& j, const measured_work& w)
      : net_(*j.net), w_(w), other_(1 - j.rank), room_(under_way * w.bulk_bytes, std::byte{1}) {}

  void send() {
    std::byte* room = net_.acquire(other_, w_.frame_bytes);
    while (room == nullptr) {
      (void)look();
      room = net_.acquire(other_, w_.frame_bytes);
    }
    std::memcpy(room, &count_, sizeof count_);
    net_.submit(other_, w_.frame_bytes);
  }
  /// What comes while something else is awaited is not lost.
  bool look() {
    const network::arrival a = net_.poll();
    if (a.data == nullptr) [[likely]]
      return false;
    std::memcpy(&count_, a.data, sizeof count_);
    net_.release(a.token);
    ++arrived_;
    return true;
  }
  void receive() {
    for (int tries = 0; arrived_ == 0 && !look(); ++tries)
      if (tries > 2000) sched_yield();
    --arrived_;
  }
  void bulk() {
    std::uintptr_t number[under_way] = {};
    for (int i = 0; i < w_.bulks + under_way; ++i) {
      std::uintptr_t& n = number[i % under_way];
      while (n != 0 && !net_.done(n)) (void)look();
      n = 0;
      if (i >= w_.bulks) continue;
      std::byte* at = room_.data() + std::size_t(i % under_way) * w_.bulk_bytes;
      n = w_.rank == 0 ? net_.send_bulk(other_, std::uint32_t(i), at, w_.bulk_bytes)
                       : net_.receive_bulk(other_, std::uint32_t(i), at, w_.bulk_bytes);
    }
  }

 private:
  static constexpr int under_way = 4;
  network& net_;
  const measured_work& w_;
  rank_t other_;
  std::uint64_t count_ = 0;
  int arrived_ = 0;
  std::vector<std::byte> room_;
};

void keep_best(figures& best, const figures& now, bool first) {
  const auto less = [first](double& a, double b) { a = first || b < a ? b : a; };
  less(best.round_trip, now.round_trip);
  less(best.one_way, now.one_way);
  less(best.idle_poll, now.idle_poll);
  if (now.bulk > best.bulk) best.bulk = now.bulk;
}

void print(const char* what, const figures& f) {
  std::printf("%-28s %8.1f %8.1f %8.1f %8.2f\n", what, f.round_trip, f.one_way, f.idle_poll, f.bulk);
}

}  // namespace

void measure(const joined& j, const char* plain, double part) {
  if (j.ranks != 2) j.fail("--measure wants 2 ranks");
  measured_work work;
  work.rank = j.rank;
  work.round_trips = 1 + int(work.round_trips * part);
  work.frames = int(work.window) * (1 + int(work.frames * part) / int(work.window));
  work.polls = 1 + int(work.polls * part);
  work.bulks = 1 + int(work.bulks * part);
  work.receives = j.settings.receives;
  work.longest = j.settings.frame_bytes;
  const auto by_hand = plain != nullptr ? reinterpret_cast<measure_function>(symbol_of(plain, "armilla_measure")) : nullptr;
  figures network_best, plain_best;
  for (int round = 0; round < 5; ++round) {
    user side(j, work);
    keep_best(network_best, measure(side, work), round == 0);
    if (by_hand == nullptr) continue;
    figures now;
    by_hand(work, now);
    keep_best(plain_best, now, round == 0);
  }
  if (j.rank != 0) return;
  std::printf("%-28s %8s %8s %8s %8s\n", "40 B, best of 5", "rtt ns", "way ns", "idle ns", "GB/s");
  print(j.net->version(), network_best);
  if (by_hand == nullptr) return;
  print("by hand", plain_best);
  std::printf("%-28s %8.3f %8.3f %8.3f %8.3f\n", "ratio", network_best.round_trip / plain_best.round_trip,
              network_best.one_way / plain_best.one_way, network_best.idle_poll / plain_best.idle_poll,
              network_best.bulk / plain_best.bulk);
}

}  // namespace conformance
