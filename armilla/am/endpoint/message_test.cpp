// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "armilla/base/core/options.hpp"
#include "armilla/fabric/host_map.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

// What handlers of a rank note; a rank may be a thread.
thread_local long noted = 0;
thread_local long calls_in = 0;
thread_local std::string text;

void note(am::sender, long n) { noted = n, ++calls_in; }
void add_one(am::sender from, long n) { am::reply<note>(from, n + 1); }
void three(am::sender from, char a, double b, int c) {
  noted = long(a) + long(b) + c + from.rank();
  ++calls_in;
}
void nothing(am::sender) { ++calls_in; }
void words(am::sender, int repeat, std::span<const std::byte> bytes) {
  text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  noted = repeat;
  ++calls_in;
}
void in_order(am::sender from, long n) {
  thread_local std::vector<long> last(64, -1);
  if (n == 0) last[std::size_t(from.rank())] = -1;
  if (n == last[std::size_t(from.rank())] + 1) ++noted;
  last[std::size_t(from.rank())] = n;
  ++calls_in;
}

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

void reset() {
  noted = calls_in = 0;
  text.clear();
  am::barrier();
}

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); }

}  // namespace

RANK_TEST(a_request_is_answered_by_a_reply) {
  reset();
  am::request<add_one>(next(), 41L);
  while (calls_in == 0) am::wait_for_message();
  EXPECT_EQ(noted, 42);
}

RANK_TEST(arguments_of_any_size_arrive) {
  reset();
  am::request<three>(next(), 'a', 2.0, 3);
  am::fence();
  EXPECT_EQ(noted, 97 + 2 + 3 + (am::rank() + am::ranks() - 1) % am::ranks());
}

RANK_TEST(a_run_without_arguments_counts_each) {
  reset();
  for (int i = 0; i < 1000; ++i) am::request<nothing>(next());
  am::fence();
  EXPECT_EQ(calls_in, 1000);
}

RANK_TEST(payloads_of_all_sizes_arrive) {
  for (std::size_t size : {0u, 1u, 7u, 8u, 48u, 57u, 1000u, 16000u, 16384u, 20000u, 100000u, 3000000u}) {
    reset();
    std::string sent(size, 'x');
    for (std::size_t i = 0; i < size; ++i) sent[i] = char('a' + i % 26);
    am::request<words>(next(), bytes_of(sent), 5);
    am::fence();
    EXPECT_EQ(noted, 5);
    EXPECT(text == sent);
  }
}

RANK_TEST(messages_of_a_pair_keep_their_order) {
  for (std::size_t aggregate : {0u, 64u, 4096u}) {
    reset();
    am::set_aggregation(aggregate);
    for (long i = 0; i < 20000; ++i)
      for (am::rank_t r = 0; r < am::ranks(); ++r) am::request<in_order>(r, i);
    am::fence();
    EXPECT_EQ(calls_in, 20000L * am::ranks());
    EXPECT_EQ(noted, 20000L * am::ranks());
  }
  am::set_aggregation(4096);
}

namespace {
constexpr int flood_depth = 6;
void flood(am::sender, int depth) {
  ++calls_in;
  if (depth == 0) return;
  for (int i = 0; i < 4; ++i) am::request<flood>((am::rank() + i) % am::ranks(), depth - 1);
}
}  // namespace

// Bodies that send more than any ring holds: what has no credit waits at its sender.
RANK_TEST(ranks_that_flood_each_other_in_a_cycle_come_to_an_end) {
  reset();
  const int seeds = 400;
  for (int i = 0; i < seeds; ++i) am::request<flood>(next(), flood_depth);
  am::fence();
  long tree = 0, level = 1;
  for (int d = 0; d <= flood_depth; ++d, level *= 4) tree += level;
  EXPECT_EQ(am::all_reduce(calls_in, [](long a, long b) { return a + b; }), tree * seeds * am::ranks());
}

RANK_TEST(many_long_messages_to_a_busy_rank_arrive) {
  reset();
  const std::string sent(15000, 'y');
  for (int i = 0; i < 200; ++i) am::request<words>(0, bytes_of(sent), i);
  am::fence();
  if (am::rank() == 0) EXPECT_EQ(calls_in, 200L * am::ranks());
}

RANK_TEST(a_rank_out_of_range_is_named) {
  EXPECT_THROWS(am::usage_error, am::request<nothing>(am::ranks()));
  EXPECT_THROWS(am::usage_error, am::request<nothing>(-1));
  try {
    am::request<nothing>(77777);
  } catch (const am::usage_error& e) {
    EXPECT(std::strstr(e.what(), "77777") != nullptr);
    EXPECT(std::strstr(e.what(), "request") != nullptr);
  }
}

RANK_TEST(a_ring_of_a_rank_that_is_not_there_is_refused) {
  using am::detail::ring_directory;
  ring_directory& rings = am::detail::current->host->control(am::rank()).rings;
  constexpr unsigned none = am::detail::most_local_ranks - 1;
  rings.enter(ring_directory::bodies, am::detail::local_rank{none});
  EXPECT_THROWS_SAYING(am::decode_error, "an entry among the rings to this rank from rank 1023", am::poll());
  rings.writers[ring_directory::bodies][none / 64].fetch_and(~(std::uint64_t(1) << (none % 64)));
  am::poll();
  am::barrier();
}

RANK_TEST(every_nth_one_way_call_polls) {
  reset();
  am::set_poll_every(4);
  am::request<add_one>(next(), 1L);
  am::flush();
  for (long i = 0; i < 100000000 && calls_in == 0; ++i) am::request<nothing>(am::rank());
  am::set_poll_every(0);
  EXPECT(calls_in > 0);
  am::fence();
}
