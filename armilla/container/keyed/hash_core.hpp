// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/core/context_head.hpp"
#include "armilla/boot/visitors/exposed_record.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/keyed/combiner.hpp"
#include "armilla/container/keyed/hash_part.hpp"
#include "armilla/container/place/order_check.hpp"
#include "armilla/distributed.hpp"
#include "armilla/hash.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/core/fence_participant.hpp"

namespace armilla::detail {

/// Where attached clients read how many elements a container has: in the records of its exposures. Written at fences.
class shown_sizes {
 public:
  void add(exposed_record& record) { records_.push_back(&record); }
  void remove(const exposed_record& record) noexcept { std::erase(records_, &record); }
  void show(std::uint64_t all, std::uint64_t here) noexcept {
    for (exposed_record* const each : records_) {
      std::atomic_ref(each->shape[0]).store(all, std::memory_order_relaxed);
      std::atomic_ref(each->extent[0]).store(here, std::memory_order_relaxed);
    }
  }

 private:
  std::vector<exposed_record*> records_;
};

}  // namespace armilla::detail

namespace armilla {
namespace detail {

/// How a hash container stages one-way calls: a row for each member, of one verb, in columns.
///
/// Verbs of this rank about one key take effect in their order. Each way keeps it: a row holds one verb at a time, and leaves
/// before another verb is put in; what has met in the combiner goes into the row before another verb about that key does, or a
/// two-way call. Rows and messages keep their order.
///
/// A send of the rank's own code may run bodies, and these may stage as well. So nothing is held across a send but values of
/// its own.
template <class Key, class Value, class Hash, class Equal, class Table = hash_table<Key, Value, Equal>, class Spread = by_hash>
class hash_core final : public fence_participant {
 public:
  using key_type = Key;
  using hash_type = Hash;
  using part = hash_part<Key, Value, Hash, Table, Spread>;
  using mapped = std::conditional_t<std::is_void_v<Value>, char, Value>;

  hash_core(const team& members, const hash_options& how, const making* label)
      : fence_participant(members),
        parts_(object_access::of_members<part>(members, static_cast<void*>(this))),
        rows_(std::size_t(members.size())),
        combiner_(places_for(how.combine)),
        gather_(how.gather),
        how_(how) {
    note_elements(members, mark_of<Key>(), false);
    if constexpr (!std::is_void_v<Value>) note_elements(members, mark_of<Value>(), false);
    for (rank_t i = 0; i < members.size(); ++i) targets_.push_back(parts_.on(members.world_rank(i)));
    mine().targets = targets_.data();
    mine().spread.start(targets_.size(), std::size_t(members.rank()));
    note_object(object_access::id(parts_),
                {&typeid(hash_core), this, false, sizeof(hash_core), &noted_extent<hash_core>, &noted_share<hash_core>}, label);
  }

  part& mine() noexcept { return *parts_; }
  const part& mine() const noexcept { return *parts_; }
  std::size_t size() const noexcept { return total_; }
  object_share local_share() const {
    const std::size_t n = mine().table.size();
    return {n, n * sizeof(typename Table::element)};
  }
  [[no_unique_address]] order_check order;
  std::optional<mapped> missing;  ///< what `get` gives for a key that is not there; empty: mapped()
  template <class K>
  std::size_t member_of(const K& key, std::uint64_t hash) const {
    return mine().spread.member_of(key, hash);
  }
  object_ref<part> own_name() const noexcept { return targets_[std::size_t(members().rank())]; }

  /// One-way call: a verb about a key, with a value if it has one.
  template <class Verb, class K, class... V>
  void state(const K& given, const V&... value) {
    order.begin();
    auto&& key = looked_up(given);
    const std::uint64_t hash = Hash{}(key);
    release(key, hash);
    stage<Verb>(member_of(key, hash), key, value...);
  }

  template <class Op, class K>
  void update(const K& given, const mapped& value) {
    order.begin();
    auto&& key = looked_up(given);
    const std::uint64_t hash = Hash{}(key);
    if (combiner_.on()) [[likely]]
      combine<Op>(key, hash, value);
    else
      stage<update_verb<Op>>(member_of(key, hash), key, value);
  }

  /// Where `key` lies; what this rank has said about it is under way there.
  template <class K>
  object_ref<part> settled(const K& key, const char* operation) {
    mine().guard.refuse_inside(operation);
    return reached(key);
  }
  template <class K>
  object_ref<part> reached(const K& given) {
    auto&& key = looked_up(given);
    const std::uint64_t hash = Hash{}(key);
    const std::size_t member = member_of(key, hash);
    release(key, hash);
    send(member);
    return targets_[member];
  }

  /// What this rank has said leaves: two-way calls to any member follow it.
  void release_all(const char* operation) {
    mine().guard.refuse_inside(operation);
    drain();
    for (std::size_t i = 0; i < rows_.size(); ++i) send(i);
  }
  const object_ref<part>& target(std::size_t member) const noexcept { return targets_[member]; }
  std::size_t gathers() const noexcept { return gather_; }
  const hash_options& options() const noexcept { return how_; }
  /// Attached clients read in `record` how many there are, until `hide_from`.
  void show_in(exposed_record& record) {
    shown_.add(record);
    shown_.show(total_, agreed_);
  }
  void hide_from(const exposed_record& record) noexcept { shown_.remove(record); }
  /// What is hashed and compared for a key that a user gives: the key that is kept, unless the two are certainly alike.
  template <class K>
  static decltype(auto) looked_up(const K& key) {
    if constexpr (stands_for_key<Key, Hash, K>)
      return (key);
    else
      return Key(key);
  }
  /// What a column of keys takes: a text as it is, all else as a key.
  template <class K>
  static decltype(auto) as_key(const K& key) {
    if constexpr (std::is_same_v<K, Key> || (std::is_same_v<Key, std::string> && text_like<K>))
      return (key);
    else
      return Key(key);
  }

  void settle() override {
    mine().guard.refuse_inside("fence");
    drain();
    for (std::size_t i = 0; i < rows_.size(); ++i) send(i);
  }
  bool holds_back() const override {
    return !combiner_.empty() || mine().guard.has_waiting() ||
           std::ranges::any_of(rows_, [](const row& r) { return r.count != 0; });
  }
  bool look() override {
    picture_ = mine().table.size();
    if constexpr (Spread::moves)
      if (mine().spread.wishes()) return true;
    return picture_ != agreed_;
  }
  void agree() override {
    if constexpr (Spread::moves) {
      const auto [all, here] = mine().spread.deal(mine(), members());
      total_ = all;
      agreed_ = here;
    } else {
      agreed_ = picture_;
      total_ = members().all_reduce(picture_, std::plus<>{});
    }
    shown_.show(total_, agreed_);
    note_share(this);
  }

 private:
  struct row {
    void (*send)(hash_core&, std::size_t member) = nullptr;  ///< also says which verb it is
    std::uint32_t count = 0;
    column_bytes keys, values;
    std::size_t bytes() const noexcept { return keys.size() + values.size(); }
  };

  template <class Verb, class K, class... V>
  void stage(std::size_t member, const K& key, const V&... value) {
    row& r = rows_[member];
    while (!takes<Verb>(member)) make_ready<Verb>(member);
    put<Verb>(r, key, value...);
    if (r.bytes() >= gather_) [[unlikely]]
      send(member);
  }
  template <class Verb>
  bool takes(std::size_t member) const noexcept {
    return rows_[member].send == &send_row<Verb>;
  }
  /// A step towards that. Bodies that run meanwhile may have undone it.
  template <class Verb>
  [[gnu::noinline]] void make_ready(std::size_t member) {
    if (rows_[member].count != 0)
      send(member);
    else
      rows_[member].send = &send_row<Verb>;
  }
  /// All of it or nothing: what cannot be encoded leaves the columns as they were.
  template <class Verb, class K, class... V>
  static void put(row& r, const K& key, const V&... value) {
    const std::size_t keys = r.keys.size(), values = r.values.size();
    try {
      batch_column<Key>::put(r.keys, as_key(key));
      (batch_column<typename travels_of<Verb, Value>::type>::put(r.values, value), ...);
    } catch (const passing&) { throw; } catch (...) {
      r.keys.shrink(keys);
      r.values.shrink(values);
      throw;
    }
    ++r.count;
  }
  void send(std::size_t member) {
    if (rows_[member].count != 0) rows_[member].send(*this, member);
  }
  /// The row's columns are taken away first: bodies that run meanwhile begin new ones.
  template <class Verb>
  static void send_row(hash_core& self, std::size_t member) {
    row out = std::exchange(self.rows_[member], std::exchange(self.spare_, row{}));
    self.rows_[member].send = out.send;
    equal_values<typename travels_of<Verb, Value>::type>::shorten(out.values, out.count);
    async(self.targets_[member], to_completion<&part::template take<Verb>>(), out.count, out.keys.words(), out.values.words());
    out.keys.clear();
    out.values.clear();
    out.count = 0;
    self.spare_ = std::move(out);
  }

  using meeting =
      std::conditional_t<!std::is_void_v<Value> && !Spread::moves && combinable<Key, Value>, combiner<Key, Value>, no_combiner>;
  static constexpr bool meets = !std::is_same_v<meeting, no_combiner>;
  static std::size_t places_for(std::size_t wish) noexcept {
    constexpr std::size_t most = std::size_t{1} << 40;  // it grows as far as keys meet
    return wish == hash_options::fitting ? meeting::fitting : wish == 0 ? 0 : std::bit_ceil(std::min(wish, most));
  }

  /// Budget of an update that meets another: the hash, the place, one comparison, the operation.
  ///
  /// What is sent on the way may run bodies that update by another operation. So all is looked at anew behind each send.
  template <class Op, class K>
  void combine(const K& key, std::uint64_t hash, const mapped& value) {
    if constexpr (meets) {
      using outcome = typename meeting::outcome;
      outcome what = outcome::alone;
      for (;;) {
        if (evict_ != &evict<update_verb<Op>>) [[unlikely]]
          meet_by<Op>();
        auto& place = combiner_.number(combiner_.number_of(hash));
        if (holds(place, key, hash)) [[likely]] {
          place.value = Op{}(std::move(place.value), value);
          combiner_.strengthen(place);
          if (combiner_.judge(outcome::met)) [[unlikely]]
            drain();
          return;
        }
        if (!place.used) {
          occupy(place, key, hash, value);
          break;
        }
        what = outcome::displaced;
        if (combiner_.resists(place)) {
          stage<update_verb<Op>>(member_of(key, hash), key, value);
          break;
        }
        evict_(*this, combiner_.number_of(hash));
      }
      if (combiner_.judge(what)) [[unlikely]]
        drain();
    }
  }
  template <class Place, class K>
  static bool holds(const Place& place, const K& key, std::uint64_t hash) {
    return place.used && place.hash == hash && Equal{}(place.key, key);
  }
  /// One operation at a time: what has met by another leaves first.
  template <class Op>
  [[gnu::noinline]] void meet_by() {
    while (!combiner_.empty()) drain();
    evict_ = &evict<update_verb<Op>>;
  }
  template <class Place, class K>
  void occupy(Place& place, const K& key, std::uint64_t hash, const mapped& value) {
    if constexpr (requires { place.key = key; })
      place.key = key;  // a text keeps its memory
    else
      place.key = Key(key);
    place.value = value;
    combiner_.fill(place, hash);
  }
  /// What has met in place `i` goes into its row, unless a body that runs meanwhile has seen to that. Then another key, or
  /// another operation, may have put something there.
  template <class Verb>
  static void evict(hash_core& self, std::size_t i) {
    if constexpr (meets) {
      const auto target = [&] { return self.member_of(self.combiner_.number(i).key, self.combiner_.number(i).hash); };
      std::size_t member = target();
      while (!self.takes<Verb>(member)) {
        self.make_ready<Verb>(member);
        if (!self.combiner_.number(i).used || self.evict_ != &evict<Verb>) return;
        member = target();
      }
      auto& from = self.combiner_.number(i);
      try {
        put<Verb>(self.rows_[member], from.key, from.value);
      } catch (const passing&) { throw; } catch (...) {
        self.combiner_.free(from);  // it could never leave, and no fence would end
        throw;
      }
      self.combiner_.free(from);
      if (self.rows_[member].bytes() >= self.gather_) [[unlikely]]
        self.send(member);
    }
  }
  /// What has met about `key` goes into its row: another verb is to follow.
  template <class K>
  void release(const K& key, std::uint64_t hash) {
    if constexpr (meets)
      while (!combiner_.empty() && holds(combiner_.number(combiner_.number_of(hash)), key, hash))
        evict_(*this, combiner_.number_of(hash));
  }
  void drain() {
    if constexpr (meets)
      for (std::size_t i = 0; i < combiner_.size() && !combiner_.empty(); ++i)
        if (combiner_.number(i).used) evict_(*this, i);
  }

  distributed<part> parts_;
  std::vector<object_ref<part>> targets_;  // by member
  std::vector<row> rows_;
  row spare_;
  meeting combiner_;
  void (*evict_)(hash_core& self, std::size_t place) = nullptr;  // of the operation by which updates have met
  std::size_t gather_;
  hash_options how_;
  std::size_t picture_ = 0, agreed_ = 0, total_ = 0;
  shown_sizes shown_;
};

}  // namespace detail
}  // namespace armilla
