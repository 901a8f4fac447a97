// SPDX-License-Identifier: Apache-2.0
#pragma once
// A map over all ranks that loses no acknowledged write when ranks die (ARMILLA_ON_LOSS=continue).
//
// The ranks stand in a ring, in which each key has a first place. The first `copies` ranks from there on that are left hold the
// key; the first of these is its primary, which is asked for all that is done with it. Ranks hear of losses at different times.
// But only those that are dead are ever told lost, so these hold at any time, whatever each has heard:
//
// - At most one living rank takes itself for the primary of a key: the others have that one before them in the ring.
// - Being asked is being told: a rank that is asked as the primary is the primary, and those before it are dead.
// - A rank that holds a key holds it to its end: holders only move on in the ring.
//
// A primary acknowledges a write when all holders have it, and lets no operation see it before. When it is new, or a holder is,
// it shares the key with all holders before anything else: the lost primary may have reached only some of them. Messages of that
// one may still come, and must not undo what its successor has shared. So there are versions: how far round the ring the primary
// is that shared it, and a count.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

namespace kv {

namespace am = armilla;

/// What one rank holds of the map, and has heard of the others.
template <class Key, class Value>
class replica {
 public:
  using content = std::optional<Value>;
  using version = std::pair<int, long>;

  explicit replica(int copies) : copies_(std::size_t(copies)), lost_(std::size_t(am::ranks())) {}
  /// Under this name the others know it.
  void join(am::object_ref<replica> name) { name_ = name; }

  am::rank_t primary(const Key& key) const { return holders(key).front(); }

  // What the primary is asked for.
  content get(const Key& key) {
    entry& mine = asked_for(key);
    const std::lock_guard alone(mine.busy);
    if (mine.shared_with != holders(key)) share(key, mine);
    return mine.held;
  }
  void put(const Key& key, const Value& value) {
    entry& mine = asked_for(key);
    const std::lock_guard alone(mine.busy);
    mine.held = value;
    share(key, mine);
  }
  content compare_exchange(const Key& key, const content& expected, const Value& value) {
    entry& mine = asked_for(key);
    const std::lock_guard alone(mine.busy);
    if (mine.shared_with != holders(key)) share(key, mine);
    const content found = mine.held;
    if (found == expected) {
      mine.held = value;
      share(key, mine);
    }
    return found;
  }

  // What it asks the other holders for.
  void keep(const Key& key, const version& number, const content& value) {
    entry& mine = entries_[key];
    if (number <= mine.number) return;  // a message of a lost primary
    mine.number = number;
    mine.held = value;
  }

  void hear(am::rank_t lost) { lost_[std::size_t(lost)] = true; }

  /// Shares the keys whose primary this rank is, where their holders are new. Behind so many losses it has done that.
  int restore() {
    const auto losses = int(std::ranges::count(lost_, true));
    std::vector<Key> mine;
    for (const auto& [key, e] : entries_)
      if (primary(key) == am::rank()) mine.push_back(key);
    am::parfor(mine, [&](const Key& key) { get(key); });
    return losses;
  }

 private:
  struct entry {
    content held;
    version number;
    std::vector<am::rank_t> shared_with;  // by this rank as the primary: it, and the other holders of that time
    am::mutex busy;                       // one operation at a time
  };

  am::rank_t in_ring(const Key& key, int place) const {
    return am::rank_t((std::hash<Key>{}(key) + std::size_t(place)) % std::size_t(am::ranks()));
  }
  std::vector<am::rank_t> holders(const Key& key) const {
    std::vector<am::rank_t> found;
    for (int place = 0; place < am::ranks() && found.size() < copies_; ++place)
      if (const am::rank_t r = in_ring(key, place); !lost_[std::size_t(r)]) found.push_back(r);
    return found;
  }
  int my_place(const Key& key) const {
    int place = 0;
    while (in_ring(key, place) != am::rank()) ++place;
    return place;
  }

  entry& asked_for(const Key& key) {
    for (int place = my_place(key); place-- > 0;) hear(in_ring(key, place));
    return entries_[key];
  }

  // Gives the value to all holders. Those that die meanwhile have others in their place.
  void share(const Key& key, entry& mine) {
    mine.number = {my_place(key), mine.number.second + 1};
    mine.shared_with.clear();
    for (auto all = holders(key); mine.shared_with != all; all = holders(key)) try {
        std::vector<am::future<void>> kept;
        for (const am::rank_t r : all)
          if (r != am::rank()) kept.push_back(am::call<&replica::keep>(on(r), key, mine.number, mine.held));
        for (auto& one : kept) one.get();
        mine.shared_with = all;
      } catch (const am::rank_lost& e) { hear(e.rank()); }
  }

  am::object_ref<replica> on(am::rank_t r) const { return name_.on(r); }

  std::size_t copies_;
  std::vector<bool> lost_;
  std::map<Key, entry> entries_;
  am::object_ref<replica> name_;
};

/// The map. All ranks make it together; each may use it, in any fiber. What a rank holds stays until the end of the job, as
/// others may ask for it when they hear of a loss.
///
/// Nothing is lost as long as fewer than `copies` ranks die until the others have restored the copies. On each of them
/// `restored(losses)` is called then: behind so many losses it has done its part.
template <class Key, class Value>
class replicated_map {
 public:
  explicit replicated_map(
      int copies, std::function<void(int losses)> restored = [](int) {})
      : parts_(std::make_shared<am::distributed<part>>(copies)) {
    mine().join(parts_->on(am::rank()));
    am::on_loss([parts = parts_, restored](am::rank_t lost) {
      (*parts)->hear(lost);
      restored((*parts)->restore());
    });
  }

  std::optional<Value> get(const Key& key) {
    for (;;) try {
        return ask<&part::get>(key);
      } catch (const am::rank_lost&) {}  // the next one has it
  }
  /// Errors: rank_lost from `put` and `compare_exchange` says that the write has happened, or will, or never does.
  void put(const Key& key, const Value& value) { ask<&part::put>(key, value); }
  /// What the key held: if that is `expected`, `value` has taken its place.
  std::optional<Value> compare_exchange(const Key& key, const std::optional<Value>& expected, const Value& value) {
    return ask<&part::compare_exchange>(key, expected, value);
  }

 private:
  using part = replica<Key, Value>;

  template <auto Operation, class... A>
  auto ask(const Key& key, const A&... arguments) {
    try {
      return am::call<Operation>(parts_->on(mine().primary(key)), key, arguments...).get();
    } catch (const am::rank_lost& e) {
      mine().hear(e.rank());
      throw;
    }
  }
  part& mine() { return **parts_; }

  std::shared_ptr<am::distributed<part>> parts_;
};

}  // namespace kv
