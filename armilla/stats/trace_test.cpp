// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "armilla/error.hpp"
#include "armilla/stats/trace_merge.hpp"

namespace armilla::detail {
namespace {

const std::string& method(std::uint32_t n) {
  static const std::string names[] = {"none", "call f()", "reply long"};
  return names[n];
}

struct traces : testing::Test {
  std::string file = testing::TempDir() + "armilla_trace_" + std::to_string(getpid()) + ".json";
  ~traces() override {
    std::remove(file.c_str());
    for (rank_t r = 0; r < 4; ++r) std::remove(trace_part_name(file, r).c_str());
  }
  nlohmann::json merged() {
    std::ifstream in(file);
    return nlohmann::json::parse(in);
  }
  static int count(const nlohmann::json& all, const char* kind) {
    int n = 0;
    for (const auto& e : all["traceEvents"]) n += e["ph"] == kind;
    return n;
  }
};

// Rank 0 asks, rank 1 answers.
void exchange(trace& a, trace& b) {
  for (trace* t : {&a, &b}) t->name_methods(3, method, 2);
  a.begin(trace_kind::wait, "call");
  a.sent(1, 1, 1, 24);
  b.taken(0);
  b.begin_run(0, 1, 16);
  b.sent(0, 0, 2, 24);
  b.end_run(1);
  a.taken(1);
  a.begin_run(1, 2, 16);
  a.end_run(2);
  a.end();
}

TEST_F(traces, arrows_lead_there_and_back) {
  trace a(file, 1024, 0, 2), b(file, 1024, 1, 2);
  exchange(a, b);
  const trace_summary sum = merge_traces(file, {a.part().copy(), b.part().copy()}, 2);
  EXPECT_EQ(sum.ranks, 2);
  EXPECT_EQ(sum.dropped, 0u);
  const nlohmann::json all = merged();
  EXPECT_EQ(count(all, "s"), 2);
  EXPECT_EQ(count(all, "f"), 2);
  EXPECT_EQ(count(all, "B"), count(all, "E"));
  std::map<std::string, double> left;
  for (const auto& e : all["traceEvents"]) {
    if (e["ph"] == "s") left[e["id"]] = e["ts"];
    if (e["ph"] != "f") continue;
    ASSERT_TRUE(left.contains(e["id"]) || e["pid"] == 1);
  }
}

TEST_F(traces, no_frame_arrives_before_it_left) {  // although the counter may be read so
  trace a(file, 1024, 0, 2), b(file, 1024, 1, 2);
  exchange(a, b);
  const std::uint64_t left = a.part().events()[1].at;
  b.part().events()[0].at = left - 20;
  b.part().events()[1].at = left - 10;
  merge_traces(file, {a.part().copy(), b.part().copy()}, 2);
  std::map<std::string, double> sent;
  const nlohmann::json all = merged();
  for (const auto& e : all["traceEvents"])
    if (e["ph"] == "s") sent[e["id"]] = e["ts"];
  ASSERT_EQ(sent.size(), 2u);
  double last = 0;
  for (const auto& e : all["traceEvents"]) {
    if (e["ph"] == "f") { EXPECT_GT(e["ts"], sent[e["id"]]); }
    if (e["ph"] == "M" || e["pid"] != 2) continue;
    EXPECT_GE(e["ts"], last);  // what follows an arrival that was moved is not before it
    last = e["ts"];
  }
}

TEST_F(traces, the_oldest_are_dropped_and_counted) {
  trace a(file, 1024, 0, 1);
  for (int i = 0; i < 1500; ++i) {
    a.begin(trace_kind::wait, "wait");
    a.end();
  }
  const trace_summary sum = merge_traces(file, {a.part().copy()}, 1);
  EXPECT_EQ(sum.events, 1024u);
  EXPECT_EQ(sum.dropped, 3000u - 1024u);
  EXPECT_EQ(merged()["otherData"]["dropped"]["0"], 3000 - 1024);
}

TEST_F(traces, an_arrow_whose_other_end_was_dropped_is_not_there) {
  trace a(file, 1024, 0, 2), b(file, 1024, 1, 2);
  exchange(a, b);
  for (int i = 0; i < 1024; ++i) b.end();
  merge_traces(file, {a.part().copy(), b.part().copy()}, 2);
  const nlohmann::json all = merged();
  EXPECT_EQ(count(all, "s") + count(all, "f"), 0);
  EXPECT_EQ(count(all, "B"), count(all, "E"));
}

TEST_F(traces, what_is_open_at_the_end_is_closed_there) {
  trace a(file, 1024, 0, 1);
  a.phase(trace_kind::begin_phase, "fill");
  a.begin(trace_kind::collective, "fence");
  merge_traces(file, {a.part().copy()}, 1);
  EXPECT_EQ(count(merged(), "B"), 2);
  EXPECT_EQ(count(merged(), "E"), 2);
}

TEST_F(traces, fibers_have_tracks_of_their_own) {
  trace a(file, 1024, 0, 1);
  int main = 0, other = 0;
  a.set_main(&main);
  a.begin(trace_kind::wait, "join");
  a.change_fiber(&main, &other, false);
  a.begin(trace_kind::fiber, "fiber");
  a.end();
  a.change_fiber(&other, &main, false);
  a.end();
  merge_traces(file, {a.part().copy()}, 1);
  std::map<std::string, std::int64_t> track;
  const nlohmann::json all = merged();
  for (const auto& e : all["traceEvents"])
    if (e["ph"] == "B") track[e["name"]] = e["tid"];
  EXPECT_NE(track.at("join"), track.at("fiber"));
  EXPECT_EQ(count(all, "X"), 3);  // what runs
}

TEST_F(traces, parts_of_ranks_that_were_killed_are_found) {
  {
    trace a(file, 1024, 0, 3), b(file, 1024, 1, 3);
    exchange(a, b);
  }
  { std::ofstream(trace_part_name(file, 2)) << "no part"; }
  testing::internal::CaptureStderr();
  merge_trace_files(file, 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("1 ranks left none"), std::string::npos);
  EXPECT_EQ(count(merged(), "s"), 2);
  EXPECT_NE(access(trace_part_name(file, 0).c_str(), F_OK), 0);
}

TEST_F(traces, of_several_who_find_the_parts_one_merges) {
  for (int round = 0; round < 20; ++round) {
    {
      trace a(file, 1024, 0, 2), b(file, 1024, 1, 2);
      exchange(a, b);
    }
    testing::internal::CaptureStderr();
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i) all.emplace_back([this] { merge_trace_files(file, 2); });
    for (std::thread& one : all) one.join();
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    EXPECT_EQ(count(merged(), "s"), 2);
    EXPECT_NE(access((file + ".lock").c_str(), F_OK), 0);
  }
}

TEST_F(traces, what_cannot_be_written_leaves_nothing) {
  trace a(file, 1024, 0, 1);
  const std::string nowhere = "/no/such/folder/x.json";
  EXPECT_THROW(merge_traces(nowhere, {a.part().copy()}, 1), usage_error);
  EXPECT_TRUE(merge_trace_files(nowhere, 1));  // there are no parts
}

TEST_F(traces, damaged_parts_do_no_harm) {
  trace a(file, 1024, 0, 2), b(file, 1024, 1, 2);
  exchange(a, b);
  const std::vector<std::byte> good = a.part().copy();
  for (std::size_t i = 0; i < sizeof(trace_head); ++i)
    for (const int bits : {0x01, 0x80, 0xff}) {
      std::vector<std::byte> bad = good;
      bad[i] ^= std::byte(bits);
      EXPECT_NO_THROW(merge_traces(file, {bad, b.part().copy()}, 2));
      EXPECT_NO_THROW(static_cast<void>(merged()));
    }
  std::vector<std::byte> events = good;
  std::memset(events.data() + trace_part::head_bytes + trace_part::name_room, 0xee, 1024 * sizeof(trace_event));
  EXPECT_NO_THROW(merge_traces(file, {events}, 2));
  EXPECT_NO_THROW(static_cast<void>(merged()));
}

TEST_F(traces, a_place_that_cannot_be_is_an_error) {
  EXPECT_THROW(trace("/no such folder/x.json", 1024, 0, 1), usage_error);
  EXPECT_THROW(merge_traces("/no such folder/x.json", {}, 1), usage_error);
}

}  // namespace
}  // namespace armilla::detail
