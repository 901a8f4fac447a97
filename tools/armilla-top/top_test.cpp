// SPDX-License-Identifier: Apache-2.0
// What armilla-top makes of what it reads, without a job.
#include <unistd.h>

#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "armilla/stats/trace_part.hpp"
#include "armilla/stats/trace_record.hpp"
#include "history.hpp"
#include "live_trace.hpp"
#include "named_containers.hpp"
#include "show.hpp"
#include "traffic.hpp"

namespace armilla::top {
namespace {

using sent = std::map<rank_t, std::uint64_t>;

rank_rates made(rank_t r, const char* doing, const char* host = "") {
  rank_rates one;
  one.last.rank = r;
  one.last.doing = doing;
  one.last.host = host;
  return one;
}

TEST(top, a_reply_with_nonsense_gives_what_makes_sense) {
  EXPECT_EQ(bytes_by_rank("0\t640\n3\t64\n", 4), (sent{{0, 640}, {3, 64}}));
  EXPECT_EQ(bytes_by_rank("0\t640\n4\t64\n-1\t64\nx\t1\n1\t\n2\t6x\n99999999999\t1\n\n1", 4), (sent{{0, 640}}));
  EXPECT_EQ(bytes_by_rank("", 4), sent{});
}

TEST(top, containers_in_a_reply_with_nonsense_are_those_that_make_sense) {
  const auto all =
      container_lines("ages\tmap\theat.cpp:3\t10\t80\nx\t\ty\t1\t2\n\tbag\ta.cpp:1\t7x\t1\n\tbag\x01\ta.cpp:1\t7\t0");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name + " " + all[0].type + " " + all[0].place, "ages map heat.cpp:3");
  EXPECT_EQ(all[0].elements, 10u);
  EXPECT_EQ(all[0].bytes, 80u);
  EXPECT_EQ(all[1].type, "bag?");
  EXPECT_TRUE(container_lines("").empty());
}

TEST(top, a_rank_has_one_state) {
  EXPECT_STREQ(state_of(made(0, "busy")), "computes");
  EXPECT_STREQ(state_of(made(0, "waiting")), "waits");
  EXPECT_STREQ(state_of(made(0, "finished")), "idle");
  EXPECT_STREQ(state_of(made(0, "gone")), "lost");
  rank_rates serves = made(0, "waiting"), unknown = made(0, "");
  serves.last.waits_for = "run_main: serving until its function returns";
  EXPECT_STREQ(state_of(serves), "idle");
  unknown.last.known = false;
  EXPECT_STREQ(state_of(unknown), "elsewhere");
  unknown.lost = "was killed";
  EXPECT_STREQ(state_of(unknown), "lost");
}

TEST(top, ranks_are_added_up_by_host) {
  const auto hosts = hosts_of({made(0, "busy"), made(1, "waiting"), made(2, "waiting", "b"), made(3, "gone", "b")});
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(hosts[1].name, "b");
  EXPECT_EQ(hosts[1].ranks, 2);
  EXPECT_EQ(hosts[1].waiting, 1);
  EXPECT_EQ(hosts[1].lost, 1);
}

TEST(top, the_past_is_a_minute) {
  history past;
  for (int second = 0; second < 100; ++second) {
    snapshot s;
    s.at = std::chrono::system_clock::time_point(std::chrono::seconds(second));
    s.ranks = {made(0, second < 70 ? "busy" : "waiting"), made(1, "gone")};
    past.add(s);
  }
  const auto samples = past.samples()["samples"];
  EXPECT_EQ(samples.size(), 61u);
  EXPECT_EQ(samples.back()["states"], "wl");
  const auto events = past.trace()["traceEvents"];
  EXPECT_EQ(std::count_if(events.begin(), events.end(), [](const auto& e) { return e["ph"] == "X" && e["pid"] == 1; }), 2);
}

TEST(top, a_thousand_ranks_are_less_than_a_megabyte) {
  snapshot s;
  for (rank_t r = 0; r < 1024; ++r) s.ranks.push_back(made(r, "waiting", "host"));
  EXPECT_LT(text_of(json_of(s, false)).size(), 500'000u);
}

TEST(top, what_is_no_utf8_is_replaced) { EXPECT_EQ(text_of(nlohmann::ordered_json("\xff")), "\"\xEF\xBF\xBD\""); }

/// A part as a rank writes it: event number n has the value n.
class part : public testing::Test {
 protected:
  void write(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t n = first; n < last; ++n) part_.events()[n % 16] = {n, n, 0, 0, 0, detail::trace_kind::wait};
    part_.head().written = last;
  }
  std::vector<std::uint64_t> read() const {
    detail::trace_record record;
    std::vector<std::uint64_t> values;
    if (!detail::read_trace_part(copy_of_live_part(name_), record)) return values;
    for (const detail::trace_event& e : record.events) values.push_back(e.value);
    return values;
  }
  ~part() override { unlink(name_.c_str()); }

  const std::string file_ = testing::TempDir() + "top_test." + std::to_string(getpid()),
                    name_ = detail::trace_part_name(file_, 0);
  detail::trace_part part_{file_, 16, 0, 1};
};

TEST_F(part, of_a_rank_that_writes_has_whole_events) {
  write(0, 5);
  EXPECT_EQ(read(), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  write(5, 20);  // the next event may be half written, over the oldest
  std::vector<std::uint64_t> expected(15);
  std::iota(expected.begin(), expected.end(), 5);
  EXPECT_EQ(read(), expected);
}

TEST_F(part, that_makes_no_sense_is_none) {
  part_.head().capacity = std::uint64_t(1) << 60;
  EXPECT_TRUE(copy_of_live_part(name_).empty());
  EXPECT_TRUE(copy_of_live_part("/dev/zero").empty());
  EXPECT_TRUE(copy_of_live_part(name_ + ".none").empty());
}

}  // namespace
}  // namespace armilla::top
