// SPDX-License-Identifier: Apache-2.0
#include "snapshot.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/boot/watch/stall_detector.hpp"
#include "armilla/boot/watch/tell_loss.hpp"
#include "armilla/client/client_state.hpp"
#include "armilla/exposed.hpp"

namespace armilla::top {
namespace {

std::uint64_t messages_of(const statistics& s) { return s.one_way_calls_sent + s.two_way_calls_sent + s.replies_sent; }
std::uint64_t bytes_of(const statistics& s) { return s.bytes_sent + s.bulk_bytes_sent; }

// Counters begin again when a rank begins to run.
double rate(std::uint64_t before, std::uint64_t after, double seconds) {
  return after > before && seconds > 0 ? double(after - before) / seconds : 0;
}

double busy(const rank_look& before, const rank_look& after, double seconds) {
  return after.cpu > before.cpu && seconds > 0 ? (after.cpu - before.cpu) / seconds : 0;
}

double most_by_mean(const std::vector<rank_rates>& ranks, double rank_rates::* value) {
  double most = 0, sum = 0, known = 0;
  for (const rank_rates& r : ranks)
    if (r.last.known) most = std::max(most, r.*value), sum += r.*value, ++known;
  return sum > 0 ? most * known / sum : 0;
}

std::string cut(const char* text, std::size_t room) { return {text, strnlen(text, room)}; }

// Records are written while they are read: only those that are complete before and after count.
std::vector<std::string> losses_of(const detail::job_block& job) {
  std::map<std::uint32_t, std::string> found;
  const auto used = std::min(job.departures_begun.load(std::memory_order_acquire), detail::membership::most_departures);
  for (std::uint32_t i = 0; i < used; ++i) {
    const detail::departure& e = job.departures[i];
    const std::uint32_t number = e.complete.load(std::memory_order_acquire);
    if (number == 0) continue;
    std::string text = e.first == e.last ? fmt::format("rank {}", e.first) : fmt::format("ranks {} to {}", e.first, e.last);
    if (const std::string host = cut(e.host, sizeof e.host); !host.empty()) text += " on " + host;
    text += " " + cut(e.cause, sizeof e.cause);
    if (e.complete.load(std::memory_order_acquire) == number) found.emplace(number, std::move(text));
  }
  std::vector<std::string> all;
  for (auto& [number, text] : found) all.push_back(std::move(text));
  const bool place_comes = job.failure.search.load(std::memory_order_acquire) == 1;  // which takes a moment
  if (job.failure.is_primary() && !place_comes) all.push_back(detail::sentence(detail::from_record(job)));
  return all;
}

// Why a rank is lost, which the job may know of ranks of which nothing is seen, too.
std::string cause_of(const detail::job_block& job, const rank_look& r) {
  if (r.known && r.doing != "gone") return {};
  if (!job.was_taken(r.rank)) return {};
  const detail::departure* const loss = job.why_left(r.rank);
  return loss != nullptr ? cut(loss->cause, sizeof loss->cause) : std::string();
}

}  // namespace

const char* state_of(const rank_rates& r) noexcept {
  const std::string& doing = r.last.doing;
  if (doing == "gone" || !r.lost.empty()) return "lost";
  if (!r.last.known) return "elsewhere";
  if (doing == "waiting") return r.last.waits_for == detail::serving_wait ? "idle" : "waits";
  if (doing == "finished") return "idle";
  for (const char* same : {"stopped", "starting", "ending"})
    if (doing == same) return same;
  return "computes";
}

std::vector<host_rates> hosts_of(const std::vector<rank_rates>& ranks) {
  std::vector<host_rates> all;
  for (const rank_rates& r : ranks) {
    auto host = std::ranges::find(all, r.last.host, &host_rates::name);
    if (host == all.end()) host = all.insert(all.end(), host_rates{.name = r.last.host});
    const std::string_view state = state_of(r);
    ++host->ranks;
    host->waiting += state == "waits";
    host->lost += state == "lost";
    host->messages += r.messages;
    host->bytes += r.bytes;
    host->memory += r.last.segment;
  }
  return all;
}

std::vector<rank_rates> rates_of(const std::vector<rank_look>& before, const std::vector<rank_look>& after, double seconds) {
  std::vector<rank_rates> result;
  const rank_look nothing;  // of a rank that has joined since
  for (std::size_t r = 0; r < after.size(); ++r) {
    const rank_look& first = r < before.size() ? before[r] : nothing;
    const statistics &from = first.counts, &to = after[r].counts;
    result.push_back({.last = after[r],
                      .messages = rate(messages_of(from), messages_of(to), seconds),
                      .bytes = rate(bytes_of(from), bytes_of(to), seconds),
                      .busy = busy(first, after[r], seconds),
                      .lost = {}});
  }
  return result;
}

imbalance imbalance_of(const std::vector<rank_rates>& ranks) {
  return {most_by_mean(ranks, &rank_rates::messages), most_by_mean(ranks, &rank_rates::bytes),
          most_by_mean(ranks, &rank_rates::busy)};
}

void container_sizes::balance() noexcept {
  std::uint64_t most = 0, sum = 0;
  for (const auto& [rank, n] : elements) most = std::max(most, n), sum += n;
  most_by_mean = sum > 0 ? double(most) * double(elements.size()) / double(sum) : 0;
}

std::vector<container_sizes> containers_of(const client& job) {
  std::vector<container_sizes> all;  // parts come by name and rank
  for (const exposed_part& part : exposed(job)) {
    if (all.empty() || all.back().name != part.name) all.push_back({part.name, part.type, part.shape});
    all.back().elements.emplace_back(part.rank, part.size());
    all.back().bytes += part.size() * part.element_bytes;
  }
  for (container_sizes& one : all) one.balance();
  return all;
}

snapshot watcher::next() {
  const auto now = std::chrono::steady_clock::now();
  auto looks = job_.look();
  const detail::job_block& job = detail::state_of(job_).memory().job();
  snapshot s;
  s.job = job_.summary();
  s.alive = job_.alive();
  s.at = std::chrono::system_clock::now();
  s.seconds = std::chrono::duration<double>(now - at_).count();
  s.ranks = rates_of(looks_, looks, s.seconds);
  for (rank_rates& r : s.ranks) r.lost = cause_of(job, r.last);
  s.most_by_mean = imbalance_of(s.ranks);
  s.losses = losses_of(job);
  looks_ = std::move(looks);
  at_ = now;
  return s;
}

}  // namespace armilla::top
