// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/call.hpp"
#include "armilla/container/keyed/hash_core.hpp"
#include "armilla/container/keyed/hash_find.hpp"
#include "armilla/container/keyed/hash_range.hpp"
#include "armilla/container/keyed/image_of_keys.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/container/place/update_op.hpp"
#include "armilla/handle.hpp"
#include "armilla/rpc/callable.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {

/// Of a sequence; of anything else a type that no argument has.
template <class Value>
struct sequence_element {
  struct type;
};
template <class Value>
  requires requires(Value& v) { v.emplace_back(); }
struct sequence_element<Value> {
  using type = typename Value::value_type;
};

/// A user's function as a body that runs it on what is kept for a key.
template <class Part, bool Ask, class F>
auto visiting(const object_ref<Part>& there, const F& f, const char* operation) {
  return visiting_body<Part, typename callable_of<F>::type, Ask>{object_access::id(there),
                                                                 callable_of<F>::portable(f, operation)};
}

/// What a container's verbs work on; a container that has been moved from has none, and says so.
template <class Core>
class core_pointer {
 public:
  explicit core_pointer(Core* core) noexcept : core_(core) {}
  explicit operator bool() const noexcept { return core_ != nullptr; }
  Core* operator->() const {
    if (core_ == nullptr) [[unlikely]]
      throw_moved_from();
    return core_;
  }
  Core& operator*() const { return *operator->(); }
  Core* release() noexcept { return std::exchange(core_, nullptr); }

 private:
  Core* core_;
};

/// The verbs, of a container and of its handle.
template <class Key, class Value, class Hash, class Equal, class Table = hash_table<Key, Value, Equal>, class Spread = by_hash>
class hash_verbs {
 protected:
  using core = hash_core<Key, Value, Hash, Equal, Table, Spread>;
  using part = typename core::part;

 public:
  using key_type = Key;
  using value_type = typename Table::element;
  using part_type = part;

  /// One-way call: removes the key, if it is there.
  template <class K = Key>
  void erase(const K& key) {
    core_->template state<erase_verb>(key);
  }
  /// Two-way call: a copy of what is kept for the key (of a set: the key), or nothing.
  template <class K = Key>
  [[nodiscard]] auto find(const K& key) const {
    return armilla::call<&part::find>(core_->settled(key, "find"), Key(key));
  }
  /// Many two-way calls at once: into[i] is what is kept for keys[i], or nothing. Complete when it returns; other ranks' bodies
  /// run meanwhile. Each rank for itself, no collective. Keys of one rank travel together (hash_options::gather), and some
  /// messages are under way to each: 40 to 70 ns a key, where `find` takes a message each way. usage_error for another number of
  /// places.
  template <std::ranges::forward_range R>
  void find_range(const R& keys, std::span<std::optional<typename part::kept>> into) const {
    if (const auto n = std::size_t(std::ranges::distance(keys)); n != into.size()) detail::throw_unlike_keys(n, into.size());
    bulk_find<core, Hash, R, decltype(into)>(*core_, keys, into).run();
  }
  /// The same as a vector.
  template <std::ranges::forward_range R>
  [[nodiscard]] std::vector<std::optional<typename part::kept>> find_range(const R& keys) const {
    std::vector<std::optional<typename part::kept>> all(std::size_t(std::ranges::distance(keys)));
    find_range(keys, all);
    return all;
  }
  /// Two-way call: whether the key is there.
  template <class K = Key>
  [[nodiscard]] future<bool> contains(const K& key) const {
    return armilla::call<&part::contains>(core_->settled(key, "contains"), Key(key));
  }
  /// Two-way call: how many there are of the key.
  template <class K = Key>
  [[nodiscard]] future<std::size_t> count(const K& key) const {
    return armilla::call<&part::count>(core_->settled(key, "count"), Key(key));
  }

  /// How many elements all members had at the last fence, of the container's team or of all ranks. No message.
  std::size_t size() const noexcept { return core_ ? core_->size() : 0; }
  bool empty() const noexcept { return size() == 0; }
  const team& members() const { return core_->members(); }
  /// The rank, of the job, on which the key lies if it is there.
  template <class K = Key>
  rank_t rank_of(const K& given) const {
    auto&& key = core::looked_up(given);
    return members().world_rank(rank_t(core_->member_of(key, Hash{}(key))));
  }

  /// What lies on this rank, for a loop. Values may be changed. While the loop lives, one-way calls that come wait; so this rank
  /// must not wait for the container meanwhile: a two-way call or a fence of the same fiber is a usage_error.
  hash_loop<part> local() const { return hash_loop<part>(core_->mine()); }

  using hasher = Hash;
  /// For algorithms: this rank's table, into which they put keys that belong here while nobody else has heard of the container. A
  /// fence must follow.
  auto& table_here() { return core_->mine().table; }
  /// For algorithms: the elements of all members, as far as they are fenced, each on the rank that has it.
  auto range() const { return hash_range<core, false>(*core_); }

 protected:
  explicit hash_verbs(core* c) noexcept : core_(c) {}
  core_pointer<core> core_;
};

template <class Key, class Value, class Hash, class Equal, class Table = hash_table<Key, Value, Equal>, class Spread = by_hash>
class map_verbs : public hash_verbs<Key, Value, Hash, Equal, Table, Spread> {
  using base = hash_verbs<Key, Value, Hash, Equal, Table, Spread>;
  using typename base::part;

 protected:
  using base::core_;

 public:
  using mapped_type = Value;
  static constexpr saved_kind saved_as = Spread::moves ? saved_kind::map : saved_kind::unordered_map;

  /// One-way call: the key with the value, unless it is there.
  template <class K = Key>
  void insert(const K& key, const Value& value) {
    core_->template state<insert_verb>(key, value);
  }
  /// Two-way call: whether the key was there; a missing one has the value from then on. Of all ranks that ask for one key, one
  /// gets false: a search by many ranks goes on from each state once.
  template <class K = Key>
  [[nodiscard]] future<bool> test_and_insert(const K& key, const Value& value) {
    return armilla::call<&part::template test_and_insert<Value>>(core_->settled(key, "test_and_insert"), Key(key), value);
  }
  /// One-way call: the key has the value from then on.
  template <class K = Key>
  void insert_or_assign(const K& key, const Value& value) {
    core_->template state<insert_or_assign_verb>(key, value);
  }
  /// One-way call: the key with Value(arguments...), unless it is there. The value is made here.
  template <class K = Key, class... A>
  void try_emplace(const K& key, A&&... arguments) {
    core_->template state<insert_verb>(key, Value(std::forward<A>(arguments)...));
  }
  /// One-way call: the key's value becomes op(it, value); a missing key gets `value`. `op`: associative and commutative, of a
  /// type without captures. Updates by one op meet on their rank before they travel (hash_options).
  template <class K = Key, class Op>
  void update(const K& key, const Value& value, Op) {
    if constexpr (check_update<Op, Value>()) core_->template update<Op>(key, value);
  }
  /// One-way call: of a map to sequences (std::vector): adds the element to the key's sequence, which begins empty.
  template <class K = Key>
  void append(const K& key, const typename detail::sequence_element<Value>::type& element) {
    core_->template state<append_verb>(key, element);
  }
  /// For algorithms: the same of many elements.
  template <class K = Key>
  void append_all(const K& key, const Value& elements) {
    core_->template state<append_all_verb>(key, elements);
  }
  /// One-way call: runs `f(value, arguments...)` on the key's rank, if the key is there. `f` and the arguments travel as those of
  /// `async`; it may change the value and send anything, but not wait.
  template <class K = Key, class F, class... A>
  void visit(const K& key, F&& f, A&&... arguments) {
    core_->order.begin();
    const object_ref<part> there = core_->reached(key);
    async(there.rank(), to_completion(visiting<part, false>(there, f, "visit")), Key(key), std::forward<A>(arguments)...);
  }
  /// One-way call: the key with the value if it is not there; else runs `f(value of the key, arguments...)`, as `visit`.
  template <class K = Key, class F, class... A>
  void insert_or_visit(const K& key, const Value& value, F&& f, A&&... arguments) {
    insert_and_run<visit_when::it_was_there>("insert_or_visit", key, value, f, std::forward<A>(arguments)...);
  }
  /// One-way call: the key with the value if it is not there; then runs `f` on its value in any case.
  template <class K = Key, class F, class... A>
  void insert_and_visit(const K& key, const Value& value, F&& f, A&&... arguments) {
    insert_and_run<visit_when::always>("insert_and_visit", key, value, f, std::forward<A>(arguments)...);
  }
  /// Two-way call: the same, and what `f` returns: a future<optional<...>>, empty where the key is not there; future<bool> if it
  /// returns nothing. `f` must not wait.
  template <class K = Key, class F, class... A>
  [[nodiscard]] auto call(const K& key, F&& f, A&&... arguments) {
    const object_ref<part> there = core_->settled(key, "call");
    return armilla::call(there.rank(), visiting<part, true>(there, f, "call"), Key(key), std::forward<A>(arguments)...);
  }

  /// Two-way call: a copy of the value of the key, or the map's default where the key is not there.
  template <class K = Key>
  [[nodiscard]] future<Value> get(const K& key) const {
    std::optional<Value> otherwise = core_->missing;
    if (!otherwise) {
      if constexpr (std::is_default_constructible_v<Value>)
        otherwise.emplace();
      else
        throw_no_default();
    }
    return base::find(key).then(
        [otherwise = std::move(*otherwise)](std::optional<Value> found) { return found ? std::move(*found) : otherwise; });
  }

  /// This rank's value of the key, or null if it does not lie here. Good until the next call of the library.
  template <class K = Key>
  Value* find_local(const K& given) const {
    auto&& key = base::core::looked_up(given);
    auto* const at = core_->mine().table.find(key, Hash{}(key));
    return at == nullptr ? nullptr : &at->second;
  }

  /// `insert` of each pair of a range.
  template <std::ranges::input_range R>
  void insert_range(R&& pairs) {
    for (const auto& [key, value] : pairs) insert(key, value);
  }
  /// `update` by each pair of a range.
  template <std::ranges::input_range R, class Op>
  void update_range(R&& pairs, Op op) {
    for (const auto& [key, value] : pairs) update(key, value, op);
  }

 protected:
  using base::base;

 private:
  template <visit_when When, class K, class F, class... A>
  void insert_and_run(const char* operation, const K& key, const Value& value, const F& f, A&&... arguments) {
    core_->order.begin();
    const object_ref<part> there = core_->reached(key);
    const auto body = inserting_body<part, typename callable_of<F>::type, When>{object_access::id(there),
                                                                                callable_of<F>::portable(f, operation)};
    async(there.rank(), to_completion(body), Key(key), value, std::forward<A>(arguments)...);
  }
};

template <class Key, class Hash, class Equal, class Table = hash_table<Key, void, Equal>, class Spread = by_hash>
class set_verbs : public hash_verbs<Key, void, Hash, Equal, Table, Spread> {
  using base = hash_verbs<Key, void, Hash, Equal, Table, Spread>;
  using typename base::part;

 protected:
  using base::core_;

 public:
  static constexpr saved_kind saved_as = Spread::moves ? saved_kind::set : saved_kind::unordered_set;

  /// One-way call: the key, unless it is there.
  template <class K = Key>
  void insert(const K& key) {
    core_->template state<insert_key_verb>(key);
  }
  /// Two-way call: whether the key was there; from then on it is. Of all ranks that ask for one key, one gets false: a search by
  /// many ranks goes on from each state once.
  template <class K = Key>
  [[nodiscard]] future<bool> test_and_insert(const K& key) {
    return armilla::call<&part::template test_and_insert<>>(core_->settled(key, "test_and_insert"), Key(key));
  }
  template <std::ranges::input_range R>
  void insert_range(R&& keys) {
    for (const auto& key : keys) insert(key);
  }

 protected:
  using base::base;
};

/// A container: the verbs, and the part of this rank. `Verbs`: map_verbs or set_verbs.
template <class Verbs>
class hash_container : public Verbs {
  using core = typename Verbs::core;
  using part = typename core::part;

 public:
  /// Names the container on all members: a small value to copy, keep and send. `h->update(...)` on any of them.
  class handle_type {
   public:
    handle_type() = default;
    struct verbs : Verbs {
      explicit verbs(core* c) noexcept : Verbs(c) {}
      verbs* operator->() noexcept { return this; }
    };
    verbs operator->() const {
      part* const here = name_.local();
      if (here == nullptr) throw_no_container(object_access::id(name_));
      return verbs(static_cast<core*>(here->owner));
    }

   private:
    friend hash_container;
    explicit handle_type(object_ref<part> name) : name_(name) {}
    object_ref<part> name_;
  };

  /// The same of the rank's own code. Called functions, which a handle serves, are ordered by nothing of it.
  auto local() const {
    this->core_->order.require_no_barrier("local");
    return Verbs::local();
  }
  std::size_t size() const noexcept(!checked) {
    if (this->core_) this->core_->order.require_fenced("size");
    return Verbs::size();
  }
  bool empty() const noexcept(!checked) { return size() == 0; }

  /// `label`: null if the library makes it for itself.
  explicit hash_container(const team& members, const hash_options& how = {}, const making* label = nullptr)
      : hash_container(std::make_unique<core>(members, how, label)) {}
  hash_container(hash_container&& other) noexcept
      : Verbs(other.core_.release()), held_(std::move(other.held_)), kept_(std::move(other.kept_)) {}
  hash_container& operator=(hash_container&& other) noexcept {
    std::swap(held_, other.held_);
    std::swap(this->core_, other.core_);
    std::swap(kept_, other.kept_);
    return *this;
  }
  ~hash_container() {
    if (held_ != nullptr) retire(std::move(held_));
  }
  handle_type handle() const { return handle_type(this->core_->own_name()); }

  /// Writes all elements into a file; it takes the place of one that is there when it is whole, and not before. Collective, and a
  /// fence of the team: all that was said before is saved; one-way calls of bodies wait meanwhile. Errors: usage_error on all
  /// members, and the old file stays. Cost: each member writes what lies on it, marshalled twice: to know its size, and in pieces
  /// of a MiB.
  void save(const std::string& path) const { images::save(*this, path); }
  /// Its elements are those of a file from then on, which a container of this kind, of the same keys and values, has saved on any
  /// number of ranks. Collective, and a fence of the team; handles stay good. Each member reads a share. Errors: usage_error on
  /// all members for a file that is damaged or of another kind or element; the elements are as before then.
  void load(const std::string& path) { images::load(*this, this->members(), path); }

  /// Removes all elements. Collective, and two fences of the team.
  void clear() {
    const named_algorithm name("clear");
    const team t = this->members();
    t.fence();
    part& mine = this->core_->mine();
    mine.guard.await_loops();
    mine.table = typename part::table_type();
    t.fence();
  }

  /// The elements of each rank are kept in the memory of the `copies` next ranks of the team from now on: `checkpoint` copies
  /// them, `recover` takes them, as of an array (docs/guide/death.md). By all members alike. Errors: usage_error for less than
  /// one. Cost: none yet.
  void keep(int copies) { images::keep(*this, copies); }
  /// Copies all elements to where `keep` said: all or nothing. `mark`, the same on all members, says which checkpoint it was when
  /// it is recovered. Collective, and a fence of the team: all that was said before is kept; one-way calls of bodies wait
  /// meanwhile. Errors: limit_error on all members if there is no room; the checkpoint before stays. Cost: each rank's elements
  /// are marshalled, and copied for each of `copies`.
  void checkpoint(std::uint64_t mark = 0) { images::checkpoint(*this, mark); }

 protected:
  template <class Container>
  recovered<Container, rank_t> recover_as(const team& t) {
    auto back = images::recover<Container>(*this, t);
    static_cast<hash_container&>(back.container).core_->missing = this->core_->missing;
    return back;
  }
  static hash_options options_of(const team&, const image_numbers& numbers) {
    return {.combine = std::size_t(numbers[0]), .gather = std::size_t(numbers[1])};
  }

 private:
  friend rebalancer;
  friend images;
  friend struct exposer;
  // From here on bodies that name it by its handle find it on all members.
  explicit hash_container(std::unique_ptr<core> made) : Verbs(made.get()), held_(std::move(made)) { meet(held_->members()); }

  static saved_type image_type() { return saved_keys<typename core::key_type, kept_for_key<part>>(Verbs::saved_as); }
  image_numbers numbers_of_image() const {
    const core& here = *this->core_;
    return {here.options().combine, here.options().gather, numbers_of_spread(here.mine().spread)};
  }
  /// One-way calls of bodies wait.
  hash_loop<part> hold_image() const { return hash_loop<part>(this->core_->mine()); }
  void put_image(piece_writer& to) const { put_slots(*this->core_, to); }
  void take_image(image_reader& from) {
    core& here = *this->core_;
    if constexpr (part::spread_type::moves) {
      take_in_order(here, from);
    } else {
      hash_container fresh(here.members());
      take_keys(here, fresh, *fresh.core_, from);
    }
  }

  std::unique_ptr<core> held_;
  keeping<hash_container> kept_;
};

}  // namespace armilla::detail
