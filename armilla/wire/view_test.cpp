// SPDX-License-Identifier: Apache-2.0
#include "armilla/view.hpp"

#include <array>
#include <numeric>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "armilla/wire/wire_testing.hpp"

namespace armilla {
namespace {

using detail::message;

static_assert(!std::is_default_constructible_v<view<int>> && !std::is_copy_constructible_v<view<int>>);
static_assert(!std::is_copy_assignable_v<view<int>> && !std::is_move_assignable_v<view<int>>);
static_assert(std::is_trivially_destructible_v<view<double>>);
static_assert(std::is_same_v<decltype(view(std::declval<const std::string&>())), view<char>>);

TEST(view, is_made_of_any_contiguous_range) {
  const int plain[] = {1, 2, 3};
  const std::vector<int> vector = {1, 2, 3};
  const std::array<int, 3> array = {1, 2, 3};
  std::vector<int> changeable = vector;
  const view<int> views[] = {plain, vector, array, std::span<int>(changeable), std::span<const int>(vector), {plain, 3}};
  for (const auto& v : views) EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 6);
}

TEST(view, is_read_where_it_arrived) {
  const std::vector<double> sent = {1.5, 2.5};
  message m = message::of('c', view(sent));
  detail::decoder in = m.reader();
  in.get<char>();
  const auto got = in.get<view<double>>();
  EXPECT_EQ(got.size(), 2u);
  EXPECT_FALSE(got.empty());
  EXPECT_EQ(got[1], 2.5);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(got.data()), m.data() + 16);
  EXPECT_EQ(got.copy(), sent);
}

TEST(view, elements_of_large_alignment_are_copied_where_they_are_not_aligned) {
  const std::vector<long double> sent = {1, 2, 3};
  std::vector<std::uint64_t> block(40);
  auto* start = reinterpret_cast<std::byte*>(block.data());
  for (const std::size_t shift : {std::size_t{0}, std::size_t{8}}) {
    detail::encode(start + shift, view(sent));
    const auto got = detail::decoder(start + shift, detail::encoded_size(view(sent))).get<view<long double>>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got.data()) % alignof(long double), 0u);
    EXPECT_EQ(got.copy(), sent);
  }
}

TEST(view, a_received_one_cannot_be_sent_on) {
  const std::string text = "text";
  message m = message::of(view(text));
  view<char> got = m.reader().get<view<char>>();
  EXPECT_THROW(message::of(got), usage_error);
  const view<char> moved = std::move(got);
  EXPECT_THROW(message::of(moved), usage_error);
  EXPECT_NO_THROW(message::of(moved.copy()));
}

TEST(view, of_nothing_is_empty) {
  message m = message::of(view<int>(nullptr, 0));
  EXPECT_TRUE(m.reader().get<view<int>>().empty());
}

}  // namespace
}  // namespace armilla
