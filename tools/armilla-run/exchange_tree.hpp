// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "calls.hpp"
#include "channel.hpp"

/// How what the ranks of many hosts tell of themselves gets to all of them.
///
/// Each agent packs the parts of its ranks (records.hpp) and sends them to armilla-run, which puts those of all together and
/// sends them to the first few agents. Each of these sends them on to a few others, and so forth. An agent that has no way to the
/// one before it in the tree, or loses it, gets them from armilla-run.
namespace armilla::run {

using armilla::rank_t;

inline constexpr std::uint32_t tree_width = 8;  ///< agents to which one of them, or armilla-run, sends an exchange
constexpr bool has_parent(std::uint32_t host) noexcept { return host >= tree_width; }
constexpr std::uint32_t parent_of(std::uint32_t host) noexcept { return host / tree_width - 1; }
constexpr std::uint32_t first_child_of(std::uint32_t host) noexcept { return (host + 1) * tree_width; }
constexpr std::uint32_t children_of(std::uint32_t host, std::uint32_t hosts) noexcept {
  return std::min(std::max(hosts, first_child_of(host)) - first_child_of(host), tree_width);
}

/// The side of armilla-run.
class exchange_desk {
 public:
  using sender = std::function<void(std::uint32_t host, const std::string& text)>;
  /// `ranks`: of each host.
  exchange_desk(std::vector<rank_t> ranks, sender send);

  enum class outcome { waits, complete, differs };
  /// The packed parts of the ranks of a host. `differs`: the ranks do not exchange the same.
  outcome take(std::uint32_t host, std::string_view part);
  /// Another agent sends this one what is exchanged from now on.
  void adopt(std::uint32_t host) { direct_[host] = false; }
  /// That is over; it has heard the exchanges up to this number.
  void release(std::uint32_t host, std::uint32_t heard);

 private:
  std::vector<rank_t> ranks_;
  std::vector<std::optional<std::string>> parts_;  // of the exchange that is under way, by host
  std::size_t missing_;
  std::vector<bool> direct_;
  sender send_;
  std::string last_;  // exchange that is complete, with its number
  std::uint32_t number_ = 0;
};

/// What an agent does with an exchange: it takes each one once, and sends it on.
class exchange_relay {
 public:
  using sender = std::function<void(const std::string& text)>;
  void add(sender child) { children_.push_back(std::move(child)); }
  std::size_t children() const noexcept { return children_.size(); }
  std::uint32_t heard() const noexcept { return heard_; }
  /// False: it has been taken before.
  bool take(const std::string& text);

 private:
  std::vector<sender> children_;
  std::uint32_t heard_ = 0;
};

/// The parts of all ranks in an exchange; nothing if it is damaged.
std::optional<std::string> parts_of_exchange(std::string_view text);

/// An agent's place in the tree.
class exchange_branch {
 public:
  exchange_branch(channel& root, const job_key& key) : root_(root), port_(key), key_(key) {}

  /// What armilla-run says of the tree: how many agents will call here, or which one to call.
  void take(const std::string& text);
  void watch(std::vector<pollfd>& list) const;
  std::uint64_t until_ns() const { return port_.until_ns(); }
  /// Takes in what has come, without waiting.
  void look(const std::function<void(const std::string&)>& hand_out);
  /// An exchange, from whichever side.
  void hear(const std::string& text, const std::function<void(const std::string&)>& hand_out);

 private:
  void expect(std::uint32_t children);
  void call(const std::vector<std::string>& addresses, int port);
  void tell_adopted(bool is);

  channel& root_;
  call_port port_;
  const job_key key_;
  std::uint32_t host_ = any_host, expected_ = 0;
  exchange_relay relay_;
  std::unique_ptr<channel> parent_;
};

}  // namespace armilla::run
