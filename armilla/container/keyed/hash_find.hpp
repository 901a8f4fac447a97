// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ranges>
#include <utility>
#include <vector>

#include "armilla/call.hpp"
#include "armilla/container/place/column.hpp"

namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_unlike_keys(std::size_t keys, std::size_t places);
/// A key is missing, the map was made without a default, and its type has none.
[[noreturn, gnu::cold]] void throw_no_default();

/// A search for many keys at once: keys of one member travel together, and its reply has what it keeps for them. Those of this
/// rank are looked up where they lie, some at a time: their cache lines come while others are asked for.
template <class Core, class Hash, std::ranges::forward_range Keys, class Into>
class bulk_find {
  using part = typename Core::part;
  using key_type = typename Core::key_type;
  using kept = typename part::kept;

 public:
  bulk_find(Core& core, const Keys& keys, Into into)
      : core_(core),
        keys_(keys),
        into_(into),
        mine_(std::size_t(core.members().rank())),
        batches_(std::size_t(core.members().size())) {}

  void run() {
    core_.release_all("find_range");
    static_cast<void>(armilla::call<&part::settled>(core_.target(mine_)).get());
    std::size_t i = 0;
    for (auto at = std::ranges::begin(keys_); at != std::ranges::end(keys_); ++at, ++i) add(at, i);
    look_here();
    for (std::size_t m = 0; m < batches_.size(); ++m) ask(m);
    while (!asked_.empty()) take();
  }

 private:
  using position = std::ranges::iterator_t<const Keys>;
  struct own {
    position at;
    std::size_t number;
    std::uint64_t hash;
  };
  struct batch {
    column_bytes keys;
    std::vector<std::size_t> numbers;  ///< of the keys, in the range
  };
  struct two_way_call {
    future<std::vector<std::uint64_t>> reply;
    std::vector<std::size_t> numbers;
  };

  void add(position at, std::size_t number) {
    auto&& given = *at;
    auto&& key = Core::looked_up(given);
    const std::uint64_t hash = Hash{}(key);
    const std::size_t member = core_.member_of(key, hash);
    if (member == mine_) {
      core_.mine().table.prefetch(hash);
      here_.push_back({at, number, hash});
      if (here_.size() == part::ahead) look_here();
    } else {
      batch& b = batches_[member];
      batch_column<key_type>::put(b.keys, Core::as_key(key));
      b.numbers.push_back(number);
      if (b.keys.size() >= core_.gathers()) [[unlikely]]
        ask(member);
    }
  }
  void look_here() {
    const auto& table = core_.mine().table;
    for (const own& k : here_) {
      const auto* const slot = table.find(Core::looked_up(*k.at), k.hash);
      if (slot != nullptr)
        into_[k.number] = part::kept_in(*slot);
      else
        into_[k.number].reset();
    }
    here_.clear();
  }

  /// Some two-way calls are under way to each member while more keys are gathered; then the oldest reply is waited for.
  void ask(std::size_t member) {
    batch& b = batches_[member];
    if (b.numbers.empty()) return;
    look_here();  // bodies run behind this, and may move what lies here
    asked_.push_back({armilla::call<&part::find_batch>(core_.target(member), std::uint32_t(b.numbers.size()), b.keys.words()),
                      std::move(b.numbers)});
    b.keys.clear();
    b.numbers.clear();
    if (asked_.size() > 4 * batches_.size()) take();
  }
  void take() {
    two_way_call q = std::move(asked_.front());
    asked_.pop_front();
    const std::vector<std::uint64_t> reply = q.reply.get();
    const std::size_t bits = (q.numbers.size() + 63) / 64;
    column_rest found(reinterpret_cast<const std::byte*>(reply.data() + bits), (reply.size() - bits) * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < q.numbers.size(); ++i)
      if ((reply[i / 64] >> i % 64 & 1) != 0)
        into_[q.numbers[i]] = kept(column<kept>::take(found));
      else
        into_[q.numbers[i]].reset();
  }

  Core& core_;
  const Keys& keys_;
  Into into_;
  std::size_t mine_;
  std::vector<batch> batches_;  // by member
  std::vector<own> here_;
  std::deque<two_way_call> asked_;
};

}  // namespace armilla::detail
