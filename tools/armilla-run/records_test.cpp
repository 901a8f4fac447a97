// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace armilla::run {
namespace {

constexpr std::size_t most = 1 << 20;

void expect_same_again(std::string_view records, std::size_t bytes) {
  const auto again = unpack_records(pack_records(records, bytes), most);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, records);
}

TEST(records, are_the_same_again) {
  expect_same_again("", 0);
  expect_same_again("", 7);
  expect_same_again(std::string(40, 0), 40);
  expect_same_again("abcdefabcdxfaXcdXfXbcdXf", 6);
  std::mt19937 dice(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t bytes = 1 + dice() % 300;
    std::string all;
    for (std::size_t i = 0, count = dice() % 20; i < count; ++i) {
      std::string one = i == 0 ? std::string(bytes, 'x') : all.substr(all.size() - bytes);
      for (std::size_t changes = dice() % 12; changes != 0; --changes) one[dice() % bytes] = char(dice());
      all += one;
    }
    expect_same_again(all, bytes);
  }
}

TEST(records, that_are_alike_take_few_bytes) { EXPECT_LT(pack_records(std::string(1000 * 800, 'x'), 800).size(), 6000u); }

TEST(records, that_differ_everywhere_take_hardly_more) {
  std::mt19937 dice(7);
  std::string all(1000 * 100, 0);
  for (char& c : all) c = char(dice());
  EXPECT_LT(pack_records(all, 100).size(), all.size() * 21 / 20);
}

TEST(records, that_are_damaged_or_too_long_are_none) {
  std::string all;
  for (int i = 0; i < 20; ++i) all += "the same " + std::to_string(100 + i * 31 % 17);
  const std::string packed = pack_records(all, 12);
  EXPECT_FALSE(unpack_records(packed, all.size() - 1));
  for (std::size_t cut = 0; cut < packed.size(); ++cut) EXPECT_FALSE(unpack_records(packed.substr(0, cut), most));
  EXPECT_FALSE(unpack_records(packed + "x", most));
  std::mt19937 dice(7);
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = packed;
    for (int i = 0; i < 3; ++i) damaged[dice() % damaged.size()] = char(dice());
    EXPECT_LE(unpack_records(damaged, most).value_or("").size(), most);
  }
}

}  // namespace
}  // namespace armilla::run
