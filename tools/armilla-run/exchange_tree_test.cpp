// SPDX-License-Identifier: Apache-2.0
// Exchanges of ranks on many hosts, without the hosts: what is sent to each, and how many bytes go through it.
#include "exchange_tree.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/watch/heartbeat.hpp"
#include "armilla/boot/wire_up/peer_info.hpp"
#include "records.hpp"

namespace armilla::run {
namespace {

std::string joined(const std::vector<std::string>& records) {
  std::string all;
  for (const auto& one : records) all += one;
  return all;
}

/// armilla-run and the agents of a job, joined by calls in the place of connections.
class job_without_hosts {
 public:
  job_without_hosts(std::uint32_t hosts, rank_t ranks_each)
      : desk_(std::vector<rank_t>(hosts, ranks_each),
              [this](std::uint32_t to, const std::string& text) {
                bytes_of_root += text.size();
                give(to, text);
              }),
        agents_(hosts),
        bytes(hosts),
        last(hosts),
        ranks_(ranks_each) {
    for (std::uint32_t h = 0; h < hosts; ++h)
      if (has_parent(h)) adopt(h);
  }

  void adopt(std::uint32_t host) {
    agents_[parent_of(host)].add([this, host](const std::string& text) {
      bytes[parent_of(host)] += text.size();
      if (lost != parent_of(host)) give(host, text);
    });
    desk_.adopt(host);
  }
  void release(std::uint32_t host) { desk_.release(host, agents_[host].heard()); }

  /// All ranks give a record of these; `last` says which agents get all.
  exchange_desk::outcome exchange(const std::vector<std::string>& records) {
    wanted_ = joined(records);
    std::ranges::fill(last, outcome::nothing);
    auto came = exchange_desk::outcome::waits;
    for (std::uint32_t h = 0; h < agents_.size(); ++h) {
      std::string part;
      for (rank_t r = 0; r < ranks_; ++r) part += records[h * std::size_t(ranks_) + std::size_t(r)];
      const std::string packed = pack_records(part, records[0].size());
      bytes[h] += packed.size();
      bytes_of_root += packed.size();
      came = desk_.take(h, packed);
    }
    return came;
  }

  enum class outcome { nothing, all, wrong };

  std::uint64_t bytes_of_root = 0;
  std::uint32_t lost = any_host;  // it sends nothing on

 private:
  void give(std::uint32_t to, const std::string& text) {
    bytes[to] += text.size();
    if (!agents_[to].take(text)) return;
    if (text != text_ && parts_of_exchange(text_ = text) != wanted_)
      last[to] = outcome::wrong;
    else
      last[to] = outcome::all;
  }

  exchange_desk desk_;
  std::vector<exchange_relay> agents_;

 public:
  std::vector<std::uint64_t> bytes;
  std::vector<outcome> last;

 private:
  rank_t ranks_;
  std::string wanted_, text_;  // of the exchange that was given last, which has them
};

bool all_have_it(const job_without_hosts& job) {
  return std::ranges::all_of(job.last, [](auto one) { return one == job_without_hosts::outcome::all; });
}

template <class T>
std::string record_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(exchange_tree, each_agent_but_the_first_has_one_parent) {
  for (const std::uint32_t hosts : {1u, 8u, 9u, 17u, 72u, 73u, 1000u}) {
    std::uint32_t children = 0;
    for (std::uint32_t h = 0; h < hosts; ++h) {
      children += children_of(h, hosts);
      for (std::uint32_t c = 0; c < children_of(h, hosts); ++c) EXPECT_EQ(parent_of(first_child_of(h) + c), h);
    }
    EXPECT_EQ(children, hosts - std::min(hosts, tree_width));
  }
}

TEST(exchange_tree, all_get_the_parts_of_all) {
  job_without_hosts job(100, 2);
  std::vector<std::string> records;
  for (int r = 0; r < 200; ++r) records.push_back(fmt::format("rank {:4}", r));
  EXPECT_EQ(job.exchange(records), exchange_desk::outcome::complete);
  EXPECT_TRUE(all_have_it(job));
  EXPECT_EQ(job.exchange(std::vector<std::string>(200)), exchange_desk::outcome::complete) << "a meeting";
  EXPECT_TRUE(all_have_it(job));
}

TEST(exchange_tree, an_agent_that_has_lost_the_one_before_it_gets_what_it_has_missed) {
  job_without_hosts job(20, 1);
  std::vector<std::string> records;
  for (int r = 0; r < 20; ++r) records.push_back(fmt::format("rank {:4}", r));
  job.lost = 0;
  job.exchange(records);
  EXPECT_EQ(job.last[8], job_without_hosts::outcome::nothing);
  job.release(8);
  EXPECT_EQ(job.last[8], job_without_hosts::outcome::all);
  records[3] = "another  ";
  job.exchange(records);
  EXPECT_EQ(job.last[8], job_without_hosts::outcome::all);
}

TEST(exchange_tree, ranks_that_exchange_different_things_are_refused) {
  exchange_desk desk({1, 1}, [](std::uint32_t, const std::string&) {});
  EXPECT_EQ(desk.take(0, pack_records("abc", 3)), exchange_desk::outcome::waits);
  EXPECT_EQ(desk.take(1, pack_records("abcd", 4)), exchange_desk::outcome::differs);
  EXPECT_EQ(desk.take(1, "damaged"), exchange_desk::outcome::differs);
}

// What ranks exchange at the start of a job over UCX, with keys, ports and names of their own.
std::vector<std::vector<std::string>> exchanges_of_a_start(std::uint32_t hosts, std::uint32_t ranks_each) {
  std::mt19937 dice(1);
  const auto random = [&dice](void* at, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(at)[i] = static_cast<unsigned char>(dice());
  };
  std::vector<std::vector<std::string>> all(6);
  const detail::peer_info mine = detail::own_peer_info(detail::options{});
  std::string address(400, 0);  // as long as UCX's over TCP
  random(address.data(), address.size());
  for (std::uint32_t h = 0; h < hosts; ++h) {
    for (std::uint32_t r = 0; r < ranks_each; ++r) {
      detail::peer_info one = mine;
      one.place = h;
      one.pid = std::int32_t(dice() % 4'000'000);
      random(one.key, sizeof one.key);
      std::snprintf(one.host, sizeof one.host, "node%04u.cluster.example.org", h);
      random(one.server, 16);
      detail::heartbeat_listener listener{};
      if (r == 0) random(&listener, sizeof listener);
      random(address.data() + 40, 24);  // its name, port and address
      all[0].push_back(record_of(detail::greeting{}));
      all[1].push_back(record_of(one));
      all[2].push_back(record_of(std::int32_t(h * ranks_each)));
      all[3].push_back(record_of(detail::network_interface{"eth0", 0x0a000000 + h, 0xffffff}));
      all[4].push_back(record_of(listener));
      all[5].push_back(address);
    }
  }
  return all;
}

TEST(exchange_tree, ten_thousand_ranks_on_a_thousand_hosts_send_less_than_50_mb_through_any_of_them) {
  constexpr std::uint32_t hosts = 1000, ranks_each = 10;
  job_without_hosts job(hosts, rank_t(ranks_each));
  std::size_t whole = 0;
  for (const auto& records : exchanges_of_a_start(hosts, ranks_each)) {
    ASSERT_EQ(job.exchange(records), exchange_desk::outcome::complete);
    EXPECT_TRUE(all_have_it(job));
    whole += joined(records).size();
  }
  const std::uint64_t most = std::ranges::max(job.bytes);
  std::printf("%.1f MB are exchanged: %.1f MB through armilla-run, at most %.1f MB through an agent\n", double(whole) / 1e6,
              double(job.bytes_of_root) / 1e6, double(most) / 1e6);
  EXPECT_LT(job.bytes_of_root, 50'000'000u);
  EXPECT_LT(most, 50'000'000u);
  EXPECT_GT(whole, 10'000'000u);
}

}  // namespace
}  // namespace armilla::run
