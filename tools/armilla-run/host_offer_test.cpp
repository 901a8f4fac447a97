// SPDX-License-Identifier: Apache-2.0
#include "host_offer.hpp"

#include <gtest/gtest.h>

namespace armilla::run {
namespace {

TEST(meeting_place, is_a_host_and_a_port) {
  const auto place = place_of("node-1.site:29400");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->host, "node-1.site");
  EXPECT_EQ(place->port, 29400);
  for (const char* const bad :
       {"", "h1", "h1:", ":29400", "h1:0", "h1:65536", "h1:x", "h1:1 ", "h 1:1", "[::1]:1", "::1:1", "http://h1:1"})
    EXPECT_FALSE(place_of(bad)) << bad;
}

host_offer good_offer() { return {"1", "h2", "/home", 2, {{"/bin/a", {"a", "b c"}, {"X=1"}, 3}, {"/bin/b", {"b"}, {}, 1}}}; }

TEST(host_offer, arrives_as_it_was) {
  const auto said = host_offer::read(good_offer().text());
  ASSERT_TRUE(said);
  EXPECT_EQ(said->text(), good_offer().text());
  EXPECT_EQ(said->programs[0].arguments[1], "b c");
  EXPECT_EQ(said->programs[0].ranks, 3);
}

TEST(host_offer, that_cannot_be_is_none) {
  for (const char* const bad : {"", "1", "[]", "{}", "{\"version\":1}", "\xff"}) EXPECT_FALSE(host_offer::read(bad)) << bad;
  const auto refused = [](const auto& change) {
    host_offer offer = good_offer();
    change(offer);
    return !host_offer::read(offer.text());
  };
  EXPECT_TRUE(refused([](host_offer& o) { o.host = ""; }));
  EXPECT_TRUE(refused([](host_offer& o) { o.host = "a b"; }));
  EXPECT_TRUE(refused([](host_offer& o) { o.host = std::string(1000, 'a'); }));
  EXPECT_TRUE(refused([](host_offer& o) { o.programs.clear(); }));
  EXPECT_TRUE(refused([](host_offer& o) { o.programs[0].ranks = 0; }));
  EXPECT_TRUE(refused([](host_offer& o) { o.programs[0].ranks = 1'000'000; }));
  EXPECT_TRUE(refused([](host_offer& o) { o.programs[0].ranks = o.programs[1].ranks = 1024; }));
  EXPECT_TRUE(refused([](host_offer& o) { o.programs[0].arguments.clear(); }));
}

}  // namespace
}  // namespace armilla::run
