// SPDX-License-Identifier: Apache-2.0
#include "armilla/client/method_rates.hpp"

#include <algorithm>
#include <utility>

#include "armilla/base/values/clock.hpp"
#include "armilla/client/client_call_inline.hpp"
#include "armilla/client/client_line.hpp"
#include "armilla/client/reply_text.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t most_methods = 10'000;  // of a rank

}  // namespace

void sampled_bundles::add(std::string_view reply) {
  std::uint64_t more = 0;
  if (!read_number(next_field(reply, '\n'), more)) return;
  bundles += more;
  while (!reply.empty()) {
    std::string_view line = next_field(reply, '\n');
    const std::string_view name = next_field(line, '\t'), messages = next_field(line, '\t');
    sum one;
    if (name.empty() || !read_number(messages, one.messages) || !read_number(line, one.bytes)) continue;
    if (methods.size() == most_methods) return;
    sum& all = methods[printable(name)];
    all.messages += one.messages;
    all.bytes += one.bytes;
  }
}

struct method_rates::watched {
  std::shared_ptr<client_line> line;
  std::shared_ptr<client_answer> two_way_call;  // under way; null: none
  bool begun = false;                           // the first reply tells of the time before this attached client asked
  sampled_bundles sample;
  std::uint64_t received = 0;  // bundles, when the rates were told last
  bool known = true;           // then; where agents are stopped, each two-way call to them would be waited for
};

method_rates::method_rates(client job) : job_(std::move(job)), since_ns_(now_ns()) {
  for (const rank_look& each : job_.look()) {
    watched& rank = ranks_.emplace_back();
    rank.received = each.counts.bundles_received;
    rank.known = each.known;
  }
  ask();
}

method_rates::~method_rates() {
  for (const watched& rank : ranks_)
    if (rank.two_way_call != nullptr) rank.line->drop(*rank.two_way_call);
}

// True: there is no two-way call under way.
bool method_rates::take_reply(watched& rank) {
  if (rank.two_way_call == nullptr) return true;
  if (!rank.line->good()) return rank.two_way_call = nullptr, true;
  if (!rank.line->ready(*rank.two_way_call)) return false;
  const auto& bytes = rank.two_way_call->bytes;
  if (rank.begun && rank.two_way_call->outcome == client_outcome::answered)
    rank.sample.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  rank.begun = true;
  rank.two_way_call = nullptr;
  return true;
}

void method_rates::ask() {
  ranks_.resize(std::max<std::size_t>(ranks_.size(), std::size_t(job_.ranks())));
  for (rank_t r = 0; r < rank_t(ranks_.size()); ++r) try {
      watched& rank = ranks_[std::size_t(r)];
      if (!take_reply(rank) || !rank.known) continue;
      rank.line = line_of(job_.on(r));
      rank.two_way_call = rank.line->ask({client_request::sample, "sample", "", 0, {}}, waits_for_slot_ns);
    } catch (const error&) {  // it has ended, or has too many attached clients
    }
}

std::vector<method_rate> method_rates::rates() {
  const std::uint64_t now = now_ns();
  const double seconds = double(std::max<std::uint64_t>(now - since_ns_, 1)) * 1e-9;
  since_ns_ = now;
  const std::vector<rank_look> looks = job_.look();
  std::map<std::string, method_rate> all;
  for (std::size_t r = 0; r < ranks_.size() && r < looks.size(); ++r) {
    watched& rank = ranks_[r];
    take_reply(rank);
    rank.known = looks[r].known;
    const std::uint64_t before = std::exchange(rank.received, looks[r].counts.bundles_received);
    const sampled_bundles sample = std::exchange(rank.sample, {});
    if (sample.bundles == 0 || rank.received < before) continue;
    const double each = double(rank.received - before) / double(sample.bundles) / seconds;
    for (const auto& [name, sum] : sample.methods) {
      method_rate& one = all[name];
      one.messages += each * double(sum.messages);
      one.bytes += each * double(sum.bytes);
    }
  }
  std::vector<method_rate> result;
  for (auto& [name, one] : all) result.push_back({name, one.messages, one.bytes});
  std::ranges::stable_sort(result, [](const method_rate& a, const method_rate& b) { return a.messages > b.messages; });
  return result;
}

}  // namespace armilla::detail
