// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "armilla/base/context.hpp"
#include "armilla/container/combiner.hpp"
#include "armilla/container/hash.hpp"
#include "armilla/container/hash_part.hpp"
#include "armilla/object/distributed.hpp"
#include "armilla/team/collectives.hpp"
#include "armilla/team/fence_guest.hpp"

namespace armilla {

/// How a hash container sends. The same on all members.
struct hash_options {
  /// Updates of this many keys meet on their rank before they travel; rounded up to a power of two, 0: none do. Memory: as many
  /// keys and values.
  std::size_t combine = 8192;
  /// Bytes of keys and values that are gathered for a rank before they are sent.
  std::size_t gather = 8192;
};

namespace detail {

/// A user's function as a body about a key of a part. `Ask`: its caller waits for what it gives.
template <class Part, class F, bool Ask>
struct visiting_body {
  object_id part;
  F f;

  bool present() const noexcept { return current->objects->table.look(part) != object_table::presence::absent; }
  void park(context& self, parked_call call) const { self.objects->table.park(self, part, std::move(call)); }

  template <class Key, class... A>
    requires std::is_invocable_v<F&, typename Part::table_type::mapped&, A&...>
  auto operator()(Key key, A... arguments) {
    auto* const here = static_cast<Part*>(current->objects->table.find(part));
    if (here == nullptr) [[unlikely]]
      throw_no_part(part, typeid(Part), "visit");
    if constexpr (Ask)
      return here->call(f, std::move(key), std::move(arguments)...);
    else
      here->visit(f, std::move(key), std::move(arguments)...);
  }
};

/// How a hash container stages statements: a row for each member, of one verb, in columns.
///
/// Verbs of this rank about one key take effect in their order. Each way keeps it: a row holds one verb at a time, and leaves
/// before another verb is put in; what has met in the combiner goes into the row before another verb about that key does, or a
/// question. Rows and messages keep their order.
///
/// A send of the rank's own code may run bodies, and these may stage as well. So nothing is held across a send but values of
/// its own.
template <class Key, class Value, class Hash, class Equal>
class hash_core final : public fence_guest {
 public:
  using part = hash_part<Key, Value, Hash, Equal>;
  using mapped = std::conditional_t<std::is_void_v<Value>, char, Value>;

  hash_core(const team& members, const hash_options& how)
      : fence_guest(members),
        parts_(members, static_cast<void*>(this)),
        rows_(std::size_t(members.size())),
        combiner_(how.combine == 0 ? 0 : std::bit_ceil(how.combine)),
        gather_(how.gather) {
    for (rank_t i = 0; i < members.size(); ++i) targets_.push_back(parts_.on(members.world_rank(i)));
  }

  part& mine() noexcept { return *parts_; }
  const part& mine() const noexcept { return *parts_; }
  std::size_t size() const noexcept { return total_; }
  std::size_t member_of(std::uint64_t hash) const noexcept { return std::size_t((hash >> 32) * targets_.size() >> 32); }
  object_ref<part> own_name() const noexcept { return targets_[std::size_t(members().rank())]; }

  /// Statement: a verb about a key, with a value if it has one.
  template <class Verb, class K, class... V>
  void state(const K& key, const V&... value) {
    const std::uint64_t hash = Hash{}(key);
    release(key, hash);
    stage<Verb>(member_of(hash), key, value...);
  }

  template <class Op, class K>
  void update(const K& key, const mapped& value) {
    const std::uint64_t hash = Hash{}(key);
    if (combiner_.on()) [[likely]]
      combine<Op>(key, hash, value);
    else
      stage<update_verb<Op>>(member_of(hash), key, value);
  }

  /// Where `key` lies; what this rank has said about it is under way there.
  template <class K>
  object_ref<part> settled(const K& key, const char* operation) {
    mine().guard.refuse_inside(operation);
    return reached(key);
  }
  template <class K>
  object_ref<part> reached(const K& key) {
    const std::uint64_t hash = Hash{}(key);
    const std::size_t member = member_of(hash);
    release(key, hash);
    send(member);
    return targets_[member];
  }

  bool settle() override {
    mine().guard.refuse_inside("fence");
    drain();
    for (std::size_t i = 0; i < rows_.size(); ++i) send(i);
    for (const row& r : rows_)
      if (r.count != 0) return false;
    return combiner_.empty() && !mine().guard.has_waiting();
  }
  bool look() override {
    picture_ = mine().table.size();
    return picture_ != agreed_;
  }
  void agree() override {
    agreed_ = picture_;
    total_ = members().all_reduce(picture_, std::plus<>{});
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
  template <class Verb, class K, class... V>
  static void put(row& r, const K& key, const V&... value) {
    column<Key>::put(r.keys, as_key(key));
    (column<typename travels_of<Verb, Value>::type>::put(r.values, value), ...);
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
    async(self.targets_[member], to_completion<&part::template take<Verb>>(), out.count, out.keys.words(), out.values.words());
    out.keys.clear();
    out.values.clear();
    out.count = 0;
    self.spare_ = std::move(out);
  }

  /// What a column takes: a text as it is, all else as a key.
  template <class K>
  static decltype(auto) as_key(const K& key) {
    if constexpr (std::is_same_v<K, Key> || (std::is_same_v<Key, std::string> && text_like<K>))
      return (key);
    else
      return Key(key);
  }

  using meeting = std::conditional_t<!std::is_void_v<Value> && combinable<Key, Value>, combiner<Key, Value>, no_combiner>;
  using place = typename meeting::place;
  static constexpr bool meets = !std::is_same_v<meeting, no_combiner>;

  /// Budget of an update that meets another: the hash, the place, one comparison, the operation.
  ///
  /// What is sent on the way may run bodies that update by another operation. So all is looked at anew behind each send.
  template <class Op, class K>
  void combine(const K& key, std::uint64_t hash, const mapped& value) {
    if constexpr (meets) {
      bool met = false;
      for (;;) {
        if (evict_ != &hash_core::evict<update_verb<Op>>) [[unlikely]]
          meet_by<Op>();
        auto& place = combiner_.at(hash);
        met = place.used && place.hash == hash && Equal{}(place.key, key);
        if (met) [[likely]] {
          place.value = Op{}(std::move(place.value), value);
          break;
        }
        if (!place.used) {
          occupy(place, key, hash, value);
          break;
        }
        (this->*evict_)(place);
      }
      if (combiner_.judge(met)) [[unlikely]]
        drain();
    }
  }
  /// One operation at a time: what has met by another leaves first.
  template <class Op>
  [[gnu::noinline]] void meet_by() {
    while (!combiner_.empty()) drain();
    evict_ = &hash_core::evict<update_verb<Op>>;
  }
  template <class K>
  void occupy(place& place, const K& key, std::uint64_t hash, const mapped& value) {
    if constexpr (requires { place.key = key; })
      place.key = key;  // a text keeps its memory
    else
      place.key = Key(key);
    place.value = value;
    combiner_.fill(place, hash);
  }
  /// What has met there goes into its row, unless a body that runs meanwhile has seen to that. Then another operation may have
  /// put something there.
  template <class Verb>
  void evict(place& from) {
    if constexpr (meets) {
      const auto is_there = [&] { return from.used && evict_ == &hash_core::evict<Verb>; };
      std::size_t member = member_of(from.hash);
      for (; is_there() && !takes<Verb>(member); member = member_of(from.hash)) make_ready<Verb>(member);
      if (!is_there()) return;
      put<Verb>(rows_[member], from.key, from.value);
      combiner_.free(from);
      if (rows_[member].bytes() >= gather_) [[unlikely]]
        send(member);
    }
  }
  /// What has met about `key` goes into its row: another verb is to follow.
  template <class K>
  void release(const K& key, std::uint64_t hash) {
    if constexpr (meets)
      if (!combiner_.empty()) [[unlikely]]
        if (auto& place = combiner_.at(hash); place.used && place.hash == hash && Equal{}(place.key, key)) (this->*evict_)(place);
  }
  void drain() {
    if constexpr (meets)
      for (std::size_t i = 0; i < combiner_.size() && !combiner_.empty(); ++i)
        if (auto& place = combiner_.number(i); place.used) (this->*evict_)(place);
  }

  distributed<part> parts_;
  std::vector<object_ref<part>> targets_;  // by member
  std::vector<row> rows_;
  row spare_;
  meeting combiner_;
  void (hash_core::*evict_)(place&) = nullptr;  // of the operation by which updates have met
  std::size_t gather_;
  std::size_t picture_ = 0, agreed_ = 0, total_ = 0;
};

}  // namespace detail
}  // namespace armilla
