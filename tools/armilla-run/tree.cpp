// SPDX-License-Identifier: Apache-2.0
// What ranks exchange at the start, and the tree of agents by which it gets to all hosts.
#include "armilla/base/values/clock.hpp"
#include "root.hpp"

namespace armilla::run {

static constexpr std::uint64_t tree_grows_within_ns = 10'000 * milli;

// Each agent that others will call opens a port, which those are told then.
void root::plant_tree() {
  const auto all = std::uint32_t(hosts_.size());
  std::vector<rank_t> ranks;
  for (const host& h : hosts_) ranks.push_back(h.ranks);
  exchanges_.emplace(std::move(ranks), [this](std::uint32_t to, const std::string& text) {
    if (host& h = *std::next(hosts_.begin(), to); !h.gone) h.agent->send(channel::exchange, text);
  });
  if (all <= tree_width) return begin();
  tree_ns_ = deadline_after_ns(tree_grows_within_ns);
  for (host& h : hosts_)
    if (const std::uint32_t children = children_of(h.number, all); children != 0)
      h.agent->send(channel::tree, json{{"host", h.number}, {"children", children}}.dump());
}

void root::take_tree(host& h, const std::string& text) {
  json said = json::parse(text, nullptr, false);
  if (!said.is_object() || !exchanges_) return;
  if (said.contains("port"))
    for (host& child : hosts_)
      if (has_parent(child.number) && parent_of(child.number) == h.number) {
        said["host"] = child.number;
        child.agent->send(channel::tree, said.dump());
      }
  if (!said.contains("adopted") || !has_parent(h.number)) return;
  if (said.value("adopted", false))
    exchanges_->adopt(h.number);
  else
    exchanges_->release(h.number, said.value("heard", 0u));
  h.has_answered = true;
  const auto is_settled = [](const host& one) { return one.has_answered || !has_parent(one.number); };
  if (tree_ns_ != never && std::ranges::all_of(hosts_, is_settled)) begin();
}

// It may have had an exchange that they have not. A host that is cut off closes no connection, so they need not know.
void root::release_children(const host& lost) {
  for (const host& child : hosts_)
    if (exchanges_ && has_parent(child.number) && parent_of(child.number) == lost.number) exchanges_->release(child.number, 0);
}

void root::take_exchange(const host& h, const std::string& part) {
  const auto outcome = exchanges_ ? exchanges_->take(h.number, part) : exchange_desk::outcome::differs;
  if (outcome == exchange_desk::outcome::complete) started_ = last_meeting_;
  if (outcome == exchange_desk::outcome::differs)
    fail({1, false, false, "the ranks exchange different things; start all from one version of Armilla"});
}

}  // namespace armilla::run
