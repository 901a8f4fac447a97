// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/testing/faults.hpp"

#include <algorithm>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/testing/reliable.hpp"
#include "armilla/fabric/testing/scripted_network.hpp"

namespace armilla::detail {
namespace {

using words = scripted_network::words;
using numbers = std::vector<std::uint64_t>;

constexpr rank_t me = 1, ranks = 4;
constexpr std::size_t longest = 256;

/// The time that faulty networks see. It stands still unless a test moves it: how busy the machine is decides nothing.
std::uint64_t hand = 1;
std::uint64_t time_by_hand() noexcept { return hand; }

/// A faulty network over a script.
struct worse {
  explicit worse(const std::string& text)
      : script(new scripted_network(longest)),
        net(make_faulty(std::unique_ptr<network>(script), fault_settings::from(text), me, ranks, time_by_hand)) {}

  void comes(rank_t source, std::uint64_t number) {
    network_head h;
    h.source = std::uint32_t(source);
    h.bytes = 8;
    script->comes(h, {number});
  }
  /// What arrives while the time moves on by these milliseconds, of this rank or of all.
  numbers take(int ms = 20, rank_t source = no_rank) {
    numbers all;
    for (const std::uint64_t end = hand + std::uint64_t(ms) * 1'000'000;;) {
      const network::arrival a = net->poll();
      if (a.data == nullptr && hand >= end) return all;
      if (a.data == nullptr) {
        hand += 10'000;
        continue;
      }
      EXPECT_EQ(a.bytes, sizeof(network_head) + 8);
      std::uint64_t number;
      std::memcpy(&number, a.data + sizeof(network_head), sizeof number);
      if (source == no_rank || a.source == source) all.push_back(number);
      net->release(a.token);
    }
  }
  scripted_network* script;
  std::unique_ptr<network> net;
};

numbers up_to(std::uint64_t n) {
  numbers all;
  for (std::uint64_t i = 0; i < n; ++i) all.push_back(i);
  return all;
}

TEST(faults, the_option_is_read) {
  const auto f = fault_settings::from(
      "delay=100us,jitter=1ms,reorder=0.1,swap=0.2,duplicate=0.05,drop=0.02,slow=1,stop=0.01,linger=200ms,seed=7");
  EXPECT_EQ(f.delay_ns, 100'000U);
  EXPECT_EQ(f.jitter_ns, 1'000'000U);
  EXPECT_EQ(f.reorder, 0.1);
  EXPECT_EQ(f.swap, 0.2);
  EXPECT_EQ(f.duplicate, 0.05);
  EXPECT_EQ(f.drop, 0.02);
  EXPECT_EQ(f.slow, 1);
  EXPECT_EQ(f.stop, 0.01);
  EXPECT_EQ(f.seed, 7U);
  EXPECT_TRUE(f.any());
  EXPECT_FALSE(fault_settings::from("").any());
  EXPECT_FALSE(fault_settings::from("seed=3").any());
  EXPECT_FALSE(fault_settings::from("drop=0").any());
}

TEST(faults, a_bad_word_is_named) {
  for (const std::string bad : {"dealy=1us", "delay", "delay=", "delay=soon", "drop=1", "drop=-0.1", "drop=x", "slow=-1",
                                "seed=", "stop=0.1x", "=", "swap=nan"}) {
    try {
      fault_settings::from("seed=1," + bad + ",jitter=1us");
      ADD_FAILURE() << bad;
    } catch (const usage_error& e) {
      EXPECT_NE(std::string(e.what()).find("'" + bad + "'"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("delay=100us"), std::string::npos) << e.what();
    }
  }
}

TEST(faults, without_any_the_network_stays_as_it_is) {
  auto plain = std::make_unique<scripted_network>(longest);
  const network* const before = plain.get();
  EXPECT_EQ(with_faults(std::move(plain), {}, me, ranks).get(), before);
}

TEST(faults, a_delayed_frame_comes_later_and_in_order) {
  worse w("delay=100ms,jitter=20ms");
  for (std::uint64_t i = 0; i < 50; ++i) w.comes(2, i);
  EXPECT_TRUE(w.take(1).empty());
  EXPECT_EQ(w.script->held(), 0U);
  EXPECT_EQ(w.take(130), up_to(50));
}

TEST(faults, reordering_is_between_pairs) {
  worse w("delay=10ms,reorder=0.5");  // held back by up to some 40 ms
  for (std::uint64_t i = 0; i < 50; ++i) w.comes(2, i), w.comes(3, 100 + i);
  const numbers all = w.take(100);
  ASSERT_EQ(all.size(), 100U);
  numbers from_2;
  std::size_t overtaken = 0;
  for (const std::uint64_t n : all)
    if (n < 100)
      from_2.push_back(n);
    else
      overtaken += from_2.size() < n - 100;
  EXPECT_EQ(from_2, up_to(50));
  EXPECT_GT(overtaken, 0U);
}

TEST(faults, swapped_frames_lose_their_order_and_none_is_lost) {
  worse w("swap=0.5");
  for (std::uint64_t i = 0; i < 100; ++i) w.comes(2, i);
  numbers all = w.take();
  EXPECT_NE(all, up_to(100));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, up_to(100));
}

TEST(faults, doubled_frames_come_twice) {
  worse w("duplicate=0.5");
  for (std::uint64_t i = 0; i < 100; ++i) w.comes(2, i);
  numbers all = w.take();
  EXPECT_GT(all.size(), 120U);
  EXPECT_LT(all.size(), 180U);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(all, up_to(100));
}

TEST(faults, the_seed_decides_which_frames_are_lost) {
  const auto survivors = [](const std::string& seed, rank_t beside) {
    worse w("drop=0.3,seed=" + seed);
    for (std::uint64_t i = 0; i < 200; ++i) {
      w.comes(2, i);
      if (beside != no_rank && i % 3 == 0) w.comes(beside, 1000 + i);
    }
    return w.take(5, 2);
  };
  const numbers some = survivors("7", no_rank);
  EXPECT_GT(some.size(), 100U);
  EXPECT_LT(some.size(), 180U);
  EXPECT_EQ(survivors("7", 3), some) << "what other ranks send changes nothing";
  EXPECT_NE(survivors("8", no_rank), some);
}

TEST(faults, a_slow_rank_looks_rarely) {
  worse w("slow=1");
  for (std::uint64_t i = 0; i < 10; ++i) w.comes(2, i);
  const std::uint64_t begin = hand;
  numbers all;
  while (all.size() < 10) {
    const numbers more = w.take(1);
    all.insert(all.end(), more.begin(), more.end());
  }
  EXPECT_EQ(all, up_to(10));
  EXPECT_GT(hand - begin, 9 * 50'000U);
}

TEST(faults, a_stopped_rank_goes_on) {
  worse w("stop=0.5");
  for (std::uint64_t i = 0; i < 10; ++i) w.comes(2, i);
  EXPECT_EQ(w.net->poll().data, nullptr);
  EXPECT_EQ(w.take(), up_to(10));
}

TEST(faults, bulk_is_done_later) {
  worse w("delay=50ms");
  std::byte there[8];
  const std::uintptr_t in = w.net->receive_bulk(2, 0, there, sizeof there), out = w.net->send_bulk(2, 0, there, sizeof there);
  EXPECT_FALSE(w.net->done(in));
  w.script->over = {1, 2};
  EXPECT_TRUE(w.net->done(out));
  EXPECT_FALSE(w.net->done(in));
  EXPECT_FALSE(w.script->over.contains(1)) << "the network was asked";
  hand += 49'999'999;
  EXPECT_FALSE(w.net->done(in));
  hand += 1;
  EXPECT_TRUE(w.net->done(in));
  EXPECT_FALSE(w.net->done(in));
}

// ---- reliable ----

/// What goes through a wire between two ranks of this process; it loses a third of the frames, doubles some and swaps some.
struct wire {
  std::deque<scripted_network::frame> frames[2];
};
class wire_end final : public scripted_network {
 public:
  wire_end(wire& w, std::mutex& m, rank_t self, bool loses)
      : scripted_network(longest), wire_(w), mutex_(m), self_(self), loses_(loses) {}
  void submit(rank_t to, std::size_t bytes) override {
    scripted_network::submit(to, bytes);
    const std::lock_guard lock(mutex_);
    const unsigned fate = loses_ ? unsigned(random_() % 60) : 59;
    if (fate < 20) return;
    for (int i = 0; i < (fate < 30 ? 2 : 1); ++i) wire_.frames[to].push_back(sent.back());
    if (fate < 35 && wire_.frames[to].size() > 1) std::swap(wire_.frames[to].front(), wire_.frames[to].back());
  }
  arrival poll() override {
    {
      const std::lock_guard lock(mutex_);
      auto& mine = wire_.frames[self_];
      if (!mine.empty()) {
        comes(1 - self_, mine.front().content.data(), mine.front().bytes);
        mine.pop_front();
      }
    }
    return scripted_network::poll();
  }

 private:
  wire& wire_;
  std::mutex& mutex_;
  const rank_t self_;
  const bool loses_;
  std::mt19937 random_{unsigned(self_) + 1};
};

struct two_ends {
  explicit two_ends(bool loses = true)
      : left(make_reliable(std::make_unique<wire_end>(between, mutex, 0, loses), 0, 2)),
        right(make_reliable(std::make_unique<wire_end>(between, mutex, 1, loses), 1, 2)) {}
  ~two_ends() {
    left->finish();
    right->finish();
  }
  static bool send(network& from, rank_t to, std::uint64_t number) {
    std::byte* const room = from.acquire(to, 8);
    if (room == nullptr) return false;
    std::memcpy(room, &number, sizeof number);
    from.submit(to, 8);
    return true;
  }
  static bool take(network& at, std::uint64_t& number) {
    const network::arrival a = at.poll();
    if (a.data == nullptr) return false;
    EXPECT_EQ(a.bytes, 8U);
    std::memcpy(&number, a.data, sizeof number);
    at.release(a.token);
    return true;
  }
  wire between;
  std::mutex mutex;
  std::unique_ptr<network> left, right;
};

TEST(reliable, everything_comes_once_and_in_order) {
  two_ends t;
  EXPECT_EQ(t.left->most(), longest - 32);
  const std::uint64_t all = 500, end = now_ns() + 20'000'000'000;
  std::uint64_t sent = 0, came = 0, back = 0, n;
  while ((came < all || back < all) && now_ns() < end) {
    if (sent < all && t.send(*t.left, 1, sent)) t.send(*t.right, 0, sent), ++sent;
    if (t.take(*t.right, n)) { EXPECT_EQ(n, came++); }
    if (t.take(*t.left, n)) { EXPECT_EQ(n, back++); }
  }
  EXPECT_EQ(came, all);
  EXPECT_EQ(back, all);
}

TEST(reliable, a_sender_that_looks_no_more_is_still_heard) {
  two_ends t;
  for (std::uint64_t i = 0; i < 30; ++i) ASSERT_TRUE(t.send(*t.left, 1, i));
  std::uint64_t came = 0, n;
  for (const std::uint64_t end = now_ns() + 20'000'000'000; came < 30 && now_ns() < end;)
    if (t.take(*t.right, n)) { EXPECT_EQ(n, came++); }
  EXPECT_EQ(came, 30U);
}

TEST(reliable, keeps_no_more_than_it_may) {
  auto* const script = new scripted_network(longest);
  const auto net = make_reliable(std::unique_ptr<network>(script), 0, 2);
  std::uint64_t sent = 0;
  while (sent < 100'000 && two_ends::send(*net, 1, sent)) ++sent;
  EXPECT_EQ(sent, 1024U);
  net->finish();
}

// Copies that come quicker than a slow rank takes them would keep what comes behind them away for ever.
TEST(reliable, what_is_not_acknowledged_is_sent_again_ever_more_rarely) {
  auto* const script = new scripted_network(longest);
  const auto net = make_reliable(std::unique_ptr<network>(script), 0, 2);
  ASSERT_TRUE(two_ends::send(*net, 1, 7));
  for (const std::uint64_t end = now_ns() + 120'000'000; now_ns() < end;) net->poll();
  net->finish();
  EXPECT_LE(script->sent.size(), 7U);  // each 3 ms it would be 40
}

TEST(reliable, what_is_damaged_counts_as_lost) {
  auto* const script = new scripted_network(longest);
  words good(5);
  const std::uint32_t head[] = {0x52454c31, 0, 1, 0};
  std::memcpy(good.data(), head, sizeof head);
  words strange = good, stranger = good, far = good;
  strange[0] = 1;
  stranger[1] = 7;
  far[2] = ~std::uint64_t{0};
  script->comes(1, good.data(), 31);
  for (const words* const w : {&strange, &stranger, &far}) script->comes(1, w->data(), 40);
  script->comes(1, good.data(), 40);
  const auto net = make_reliable(std::unique_ptr<network>(script), 0, 2);
  int came = 0;
  for (int i = 0; i < 50; ++i)
    if (const network::arrival a = net->poll(); a.data != nullptr) net->release(a.token), ++came;
  EXPECT_EQ(came, 1);
  net->finish();
}

class one_thread final : public scripted_network {
 public:
  one_thread() : scripted_network(longest) {}
  bool any_thread() const noexcept override { return false; }
};

TEST(reliable, needs_a_network_that_any_thread_may_use) {
  EXPECT_THROW(with_faults(std::make_unique<one_thread>(), fault_settings::from("drop=0.1"), 0, 2), usage_error);
}

}  // namespace
}  // namespace armilla::detail
