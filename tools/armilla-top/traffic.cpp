// SPDX-License-Identifier: Apache-2.0
#include "traffic.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "armilla/client/client_call_inline.hpp"
#include "armilla/error.hpp"

namespace armilla::top {
namespace {

constexpr std::size_t most_rows = 32;

/// Which row and column each rank belongs to.
struct grouping {
  const char* by;
  std::vector<std::string> names;
  std::vector<std::size_t> of;
};

grouping by_hosts(const std::vector<rank_look>& ranks) {
  grouping all{"host", {}, {}};
  for (const rank_look& r : ranks) {
    const std::string name = r.host.empty() ? (r.known ? "this host" : "elsewhere") : r.host;
    const auto at = std::ranges::find(all.names, name);
    all.of.push_back(std::size_t(at - all.names.begin()));
    if (at == all.names.end()) all.names.push_back(name);
  }
  return all;
}

grouping by_ranks(std::size_t ranks) {
  const std::size_t each = (ranks + most_rows - 1) / most_rows;
  grouping all{"rank", {}, {}};
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r % each == 0)
      all.names.push_back(each == 1 ? fmt::format("{}", r) : fmt::format("{}-{}", r, std::min(r + each, ranks) - 1));
    all.of.push_back(r / each);
  }
  return all;
}

}  // namespace

std::map<rank_t, std::uint64_t> bytes_by_rank(std::string_view reply, rank_t ranks) {
  std::map<rank_t, std::uint64_t> all;
  const char *at = reply.data(), *const end = at + reply.size();
  while (at != end) {
    const char* const line_end = std::find(at, end, '\n');
    rank_t to = -1;
    std::uint64_t bytes = 0;
    const auto [tab, wrong] = std::from_chars(at, line_end, to);
    if (wrong == std::errc() && tab != line_end && *tab == '\t' && to >= 0 && to < ranks)
      if (const auto number = std::from_chars(tab + 1, line_end, bytes); number.ec == std::errc() && number.ptr == line_end)
        all[to] = bytes;
    at = line_end == end ? end : line_end + 1;
  }
  return all;
}

traffic::traffic(client job) : job_(std::move(job)) { next(); }

traffic::~traffic() {
  for (const sender& one : senders_)
    if (one.call != nullptr) one.line->drop(*one.call);
}

void traffic::receive(sender& one) {
  if (one.call == nullptr) return;
  if (!one.line->good()) return void(one.call = nullptr);
  if (!one.line->ready(*one.call)) return;
  const auto answer = std::exchange(one.call, nullptr);
  if (answer->outcome != detail::client_outcome::answered) return;
  auto bytes = bytes_by_rank({reinterpret_cast<const char*>(answer->bytes.data()), answer->bytes.size()}, job_.ranks());
  const auto now = clock::now();
  const double seconds = std::chrono::duration<double>(now - one.at).count();
  one.rates.clear();
  if (one.heard)
    for (const auto& [to, n] : bytes)
      if (const std::uint64_t before = one.bytes[to]; n > before) one.rates[to] = double(n - before) / seconds;
  one.bytes = std::move(bytes);
  one.at = now;
  one.heard = true;
}

void traffic::ask(rank_t r, sender& one) try {
  if (one.call != nullptr) return;
  one.line = detail::line_of(job_.on(r));
  one.call = one.line->ask({detail::client_request::traffic, "traffic", "", 0, {}}, detail::waits_for_slot_ns);
} catch (const error&) {  // it has ended, or has too many attached clients
}

nlohmann::ordered_json traffic::next() {
  const std::vector<rank_look> ranks = job_.look();
  senders_.resize(std::max(senders_.size(), ranks.size()));
  grouping groups = by_hosts(ranks);
  if (groups.names.size() < 2) groups = by_ranks(ranks.size());
  const std::size_t n = groups.names.size();
  std::vector<std::vector<double>> bytes(n, std::vector<double>(n)), rates = bytes;
  std::size_t unheard = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    sender& one = senders_[r];
    receive(one);
    unheard += !one.heard;
    for (const auto& [to, sum] : one.bytes)
      if (std::size_t(to) < groups.of.size()) bytes[groups.of[r]][groups.of[std::size_t(to)]] += double(sum);
    for (const auto& [to, rate] : one.rates)
      if (std::size_t(to) < groups.of.size()) rates[groups.of[r]][groups.of[std::size_t(to)]] += rate;
    if (ranks[r].known) ask(rank_t(r), one);
  }
  return {{"by", groups.by}, {"names", groups.names}, {"unheard", unheard}, {"bytes", bytes}, {"bytes_a_second", rates}};
}

}  // namespace armilla::top
