// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/method_table.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t names_in_an_error = 4;

/// What each rank provides by itself: in no list.
bool is_own(std::string_view name) noexcept { return name.starts_with("armilla."); }

std::string name_of_caller(rank_t source) { return source == no_rank ? "an attached client" : fmt::format("rank {}", source); }

}  // namespace

struct method_table::names {
  struct known {
    std::string name;
    std::string signature;
    std::uint64_t hash;
    method_runners run, refusing;
    bool provided;
  };
  std::deque<known> all;                                      // by index
  std::multimap<std::string, std::size_t, std::less<>> find;  // indices of a name: one for each signature it ever had

  /// The index under which the name is provided now, or the number of all.
  std::size_t provided(std::string_view name) const {
    for (auto [i, end] = find.equal_range(name); i != end; ++i)
      if (all[i->second].provided) return i->second;
    return all.size();
  }

  /// What a rank that asked for `wanted` should read: the provided methods with the most similar names.
  std::string near(std::string_view wanted) const {
    std::vector<const known*> list;
    for (const known& each : all)
      if (each.provided && !is_own(each.name)) list.push_back(&each);
    if (list.empty()) return "nothing is provided here";
    std::sort(list.begin(), list.end(), [&](const known* a, const known* b) {
      const std::size_t far_a = edit_distance(a->name, wanted), far_b = edit_distance(b->name, wanted);
      return far_a != far_b ? far_a < far_b : a->name < b->name;
    });
    std::string text = "provided here:";
    for (std::size_t i = 0; i < list.size() && i < names_in_an_error; ++i)
      text += fmt::format("{} '{}' {}", i == 0 ? "" : ",", list[i]->name, list[i]->signature);
    if (list.size() > names_in_an_error) text += fmt::format(" and {} more", list.size() - names_in_an_error);
    return text;
  }
};

method_table::method_table() : names_(std::make_unique<names>()) {}
method_table::~method_table() = default;

void method_table::provide(const method_description& what, const method_runners& run, const method_runners& refusing,
                           void* object) {
  names& n = *names_;
  if (const std::size_t taken = n.provided(what.name); taken != n.all.size())
    throw_usage("provide",
                fmt::format("this rank already provides '{}' {}; withdraw it first", what.name, n.all[taken].signature));
  for (auto [i, end] = n.find.equal_range(what.name); i != end; ++i) {
    names::known& before = n.all[i->second];
    if (before.hash != what.hash) continue;
    before.run = run, before.refusing = refusing, before.provided = true;
    entries_[i->second] = {run, object};
    return;
  }
  n.all.push_back({std::string(what.name), std::string(what.signature), what.hash, run, refusing, true});
  n.find.emplace(what.name, n.all.size() - 1);
  entries_.push_back({run, object});
}

bool method_table::provides_no_more(const method_description& what) noexcept {
  names& n = *names_;
  const std::size_t index = n.provided(what.name);
  if (index == n.all.size() || n.all[index].hash != what.hash) return false;
  n.all[index].provided = false;
  entries_[index] = {n.all[index].refusing, nullptr};
  return true;
}

void method_table::withdraw(const method_description& what) {
  if (!provides_no_more(what))
    throw_usage("withdraw",
                fmt::format("this rank does not provide '{}' {}; {}", what.name, what.signature, names_->near(what.name)));
}

std::uint64_t method_table::look_up(const method_description& wanted, rank_t source) const {
  const names& n = *names_;
  const std::size_t index = n.provided(wanted.name);
  if (index == n.all.size())
    throw_usage("call", fmt::format("{} called '{}' {}, which this rank does not provide; {}", name_of_caller(source),
                                    wanted.name, wanted.signature, n.near(wanted.name)));
  if (n.all[index].hash != wanted.hash)
    throw_usage("call", fmt::format("{} called '{}' as {}, but here it is {}; let both programs include the same header",
                                    name_of_caller(source), wanted.name, wanted.signature, n.all[index].signature));
  return index;
}

std::string_view method_table::name(std::uint64_t index) const noexcept { return names_->all[index].name; }

std::string method_table::list() const {
  std::string text;
  for (const auto& [name, index] : names_->find)
    if (const names::known& each = names_->all[index]; each.provided && !is_own(name))
      text += fmt::format("{}\t{}\t{}\n", name, each.signature, each.hash);
  return text;
}

void method_table::throw_withdrawn(std::uint64_t index) const {
  const names& n = *names_;
  const names::known& gone = n.all[index];
  const std::size_t now = n.provided(gone.name);
  if (now != n.all.size())
    throw_usage("call", fmt::format("'{}' {} was withdrawn, and is provided as {} now; let both programs include the same header",
                                    gone.name, gone.signature, n.all[now].signature));
  throw_usage("call", fmt::format("'{}' {} was withdrawn; {}", gone.name, gone.signature, n.near(gone.name)));
}

method_number::method_number() noexcept {
  static std::atomic<std::uint32_t> methods = 0;  // part of the registry of methods: written while images load
  value = methods.fetch_add(1, std::memory_order_relaxed);
}

void stub_cache::set(std::uint32_t method, rank_t at, std::uint32_t stub) {
  const std::size_t i = std::size_t(method) * ranks_ + std::uint32_t(at);
  if (i >= stubs_.size()) stubs_.resize((std::size_t(method) + 1) * ranks_, unknown);
  stubs_[i] = stub;
}

void stub_cache::forget(rank_t at) noexcept {
  for (std::size_t i = std::uint32_t(at); i < stubs_.size(); i += ranks_) stubs_[i] = unknown;
}

}  // namespace armilla::detail
