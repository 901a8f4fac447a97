// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/fabric/remote_link.hpp"
#include "armilla/fabric/testing/scripted_network.hpp"

namespace armilla::detail {

inline constexpr rank_t me = 1, ranks = 4;
inline constexpr std::size_t longest = 120;  // two lines
inline constexpr std::uint64_t window = 8;   // lines
inline constexpr std::uint64_t quarter = window / 4;

/// The far link of one rank of four, over a network that does as it is told.
class remote_link_test : public testing::Test {
 protected:
  scripted_network net{sizeof(network_head) + longest};
  remote_link link{net, me, ranks, window* cache_line};

  static network_head head(rank_t source, std::uint64_t number, std::size_t bundles = 1) {
    network_head h;
    h.source = std::uint32_t(source);
    h.number = number;
    h.bytes = std::uint32_t(bundles * 8);
    return h;
  }
  /// A frame of one word, which names its source and its number.
  static std::uint64_t content(rank_t source, std::uint64_t number) { return std::uint64_t(source + 1) * 1000 + number; }
  void comes(rank_t source, std::uint64_t number) { net.comes(head(source, number), {content(source, number)}); }
  /// A word that rank `source` has taken in `lines` lines.
  void comes_credit(rank_t source, std::uint64_t lines) {
    network_head h = head(source, 0, 0);
    h.taken = lines;
    net.comes(h, {});
  }

  /// The first word of the next frame, which is released; 0: none.
  std::uint64_t take() {
    remote_frame f;
    if (!link.next(f)) return 0;
    const std::uint64_t word = first(f);
    link.release(f);
    return word;
  }
  static std::uint64_t first(const remote_frame& f) {
    std::uint64_t word;
    std::memcpy(&word, f.data, sizeof word);
    return word;
  }
  bool send(rank_t to, std::size_t bytes = 8, remote_link::kind how = remote_link::kind::counted) {
    std::byte* const room = how == remote_link::kind::counted ? link.reserve(to, bytes) : link.reserve_control(to, bytes);
    if (room == nullptr) return false;
    std::memset(room, 0x5a, bytes);
    link.publish(room, to, bytes, how);
    return true;
  }
  /// What `next` says of the frame that waits, and of its sender; that rank 3 is still heard.
  void expect_refused(const char* part, rank_t sender) {
    comes(3, heard_);
    remote_frame f;
    try {
      link.next(f);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const decode_error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_EQ(e.rank(), sender);
    }
    EXPECT_EQ(net.held(), 0U);
    EXPECT_EQ(take(), content(3, heard_++));
  }
  void TearDown() override {
    EXPECT_EQ(net.released_wrongly, 0);
    EXPECT_EQ(net.held(), 0U);
  }

 private:
  std::uint64_t heard_ = 0;
};

}  // namespace armilla::detail
