// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "armilla/base/core/context_head.hpp"
#include "armilla/call.hpp"
#include "armilla/condition_variable.hpp"
#include "armilla/container/keyed/hash_table.hpp"
#include "armilla/container/place/column.hpp"
#include "armilla/distributed.hpp"
#include "armilla/view.hpp"

/// What lies on one rank of a hash container, and how one-way calls and two-way calls of other ranks reach it.
namespace armilla::detail {

/// Which fiber has loops over a part, and what waits until they end. It knows nothing of keys.
class part_guard {
 public:
  part_guard() = default;
  part_guard(const part_guard&) = delete;

  /// One-way calls wait: for a loop, or behind others that have waited and may be running.
  bool closed() const noexcept { return held_ || !loops_.empty() || !waiting_.empty(); }
  bool has_waiting() const noexcept { return !waiting_.empty(); }
  /// A loop of the running fiber begins, or ends; at the end of the last, what waits runs. A one-way call that has begun to run,
  /// and waits for credit of what it sends, ends before another fiber's loop begins.
  void close();
  void open() noexcept;
  /// One-way calls and two-way calls wait from here to the release: what lies here is to move. Loops, and a one-way call that has
  /// begun, end before it does.
  void hold() noexcept { held_ = true; }
  void release() noexcept;
  void await_loops() {
    opened_.wait_unlocked([this] { return loops_.empty() && running_ == nullptr; });
  }
  /// `one_way_call` waits until no loop is left.
  void put_off(std::function<void()> one_way_call) { waiting_.push_back(std::move(one_way_call)); }
  /// A two-way call stands behind the one-way calls that wait.
  void await_open() {
    if (held_ || !waiting_.empty()) [[unlikely]]
      opened_.wait_unlocked([this] { return !held_ && waiting_.empty(); });
  }
  /// Throws usage_error if the running fiber has a loop, for which it would wait itself.
  void refuse_inside(const char* operation) const {
    if (!loops_.empty()) [[unlikely]]
      refuse_loop(operation);
  }

 private:
  void refuse_loop(const char* operation) const;
  void go_on() noexcept;
  [[gnu::cold]] void run_waiting() noexcept;

  std::vector<const void*> loops_;  // the fibers that have them
  std::deque<std::function<void()>> waiting_;
  const void* running_ = nullptr;  // the fiber in which what has waited runs
  bool held_ = false;
  condition_variable opened_;
};

/// An element outside of its container: the key may be moved.
template <class T>
struct loose_element {
  using type = T;
};
template <class K, class V>
struct loose_element<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};

/// One-way calls about a key. `apply` gets what lies in the columns; `has_value`: the second column is used.
struct insert_verb {
  static constexpr bool has_value = true;
  template <class Hash, class Table, class Key, class Value>
  static void apply(Table& table, Key&& key, std::uint64_t hash, Value&& value) {
    table.template obtain<Hash>(std::forward<Key>(key), hash, [&] { return typename Table::mapped(std::forward<Value>(value)); });
  }
};
struct insert_key_verb {
  static constexpr bool has_value = false;
  template <class Hash, class Table, class Key>
  static void apply(Table& table, Key&& key, std::uint64_t hash) {
    table.template obtain<Hash>(std::forward<Key>(key), hash, [] { return 0; });
  }
};
struct insert_or_assign_verb {
  static constexpr bool has_value = true;
  template <class Hash, class Table, class Key, class Value>
  static void apply(Table& table, Key&& key, std::uint64_t hash, Value&& value) {
    const auto make = [&] { return typename Table::mapped(std::forward<Value>(value)); };
    const auto [slot, fresh] = table.template obtain<Hash>(std::forward<Key>(key), hash, make);
    if (!fresh) slot->second = make();
  }
};
template <class Op>
struct update_verb {
  static constexpr bool has_value = true;
  template <class Hash, class Table, class Key, class Value>
  static void apply(Table& table, Key&& key, std::uint64_t hash, Value&& value) {
    const auto make = [&] { return typename Table::mapped(std::forward<Value>(value)); };
    table.template update<Op, Hash>(std::forward<Key>(key), hash, make);
  }
};
/// The value is a sequence, to which one element is added.
struct append_verb {
  static constexpr bool has_value = true;
  template <class Value>
  using travels = typename Value::value_type;
  template <class Hash, class Table, class Key, class Element>
  static void apply(Table& table, Key&& key, std::uint64_t hash, Element&& element) {
    const auto at = table.template obtain<Hash>(std::forward<Key>(key), hash, [] { return typename Table::mapped(); });
    at.place->second.emplace_back(std::forward<Element>(element));
  }
};
/// The same with a sequence of elements.
struct append_all_verb {
  static constexpr bool has_value = true;
  template <class Hash, class Table, class Key, class Value>
  static void apply(Table& table, Key&& key, std::uint64_t hash, Value&& elements) {
    auto& there =
        table.template obtain<Hash>(std::forward<Key>(key), hash, [] { return typename Table::mapped(); }).place->second;
    if (there.empty())
      there = std::forward<Value>(elements);
    else
      there.insert(there.end(), std::make_move_iterator(elements.begin()), std::make_move_iterator(elements.end()));
  }
};
struct erase_verb {
  static constexpr bool has_value = false;
  template <class Hash, class Table, class Key>
  static void apply(Table& table, Key&& key, std::uint64_t hash) {
    table.erase(key, hash);
  }
};

/// The part of a value that an operation `Verb` stores in its column.
template <class Verb, class Value>
struct travels_of {
  using type = Value;
};
template <class Verb, class Value>
  requires requires { typename Verb::template travels<Value>; }
struct travels_of<Verb, Value> {
  using type = typename Verb::template travels<Value>;
};

/// A visitor takes the value and the arguments; or, with one parameter more, the key before them.
template <class F, class Key, class Value, class... A>
decltype(auto) run_visitor(F& f, const Key& key, Value& value, A&... arguments) {
  if constexpr (std::is_invocable_v<F&, Value&, A&...>)
    return f(value, arguments...);
  else
    return f(key, value, arguments...);
}
template <class F, class Key, class Value, class... A>
concept visits = std::is_invocable_v<F&, Value&, A&...> || std::is_invocable_v<F&, const Key&, Value&, A&...>;

/// A user's function as a body about a key of a part. `Ask`: its caller waits for what it gives.
template <class Part, class F, bool Ask>
struct visiting_body {
  object_id part;
  F f;

  bool present() const noexcept { return current_head->objects->table.look(part) != object_table::presence::absent; }
  void park(context& self, parked_call call) const { current_head->objects->table.park(self, part, std::move(call)); }

  template <class Key, class... A>
    requires visits<F, Key, typename Part::table_type::visited, A...>
  auto operator()(Key key, A... arguments) {
    auto* const here = static_cast<Part*>(current_head->objects->table.find(part));
    if (here == nullptr) [[unlikely]]
      throw_no_part(part, typeid(Part), "visit");
    if constexpr (Ask)
      return here->call(f, std::move(key), std::move(arguments)...);
    else
      here->visit(f, std::move(key), std::move(arguments)...);
  }
};

/// When a user's function visits the value of a key that may have to be inserted.
enum class visit_when { it_was_there, always };

/// The same, of a part in which the key is inserted with a value if it is not there.
template <class Part, class F, visit_when When>
struct inserting_body {
  object_id part;
  F f;

  bool present() const noexcept { return current_head->objects->table.look(part) != object_table::presence::absent; }
  void park(context& self, parked_call call) const { current_head->objects->table.park(self, part, std::move(call)); }

  template <class Key, class... A>
    requires visits<F, Key, typename Part::table_type::visited, A...>
  void operator()(Key key, typename Part::table_type::mapped value, A... arguments) {
    auto* const here = static_cast<Part*>(current_head->objects->table.find(part));
    if (here == nullptr) [[unlikely]]
      throw_no_part(part, typeid(Part), "insert_or_visit");
    here->template insert_or_visit<When>(f, std::move(key), std::move(value), std::move(arguments)...);
  }
};

/// Which member has a key: the high bits of its hash say so.
struct by_hash {
  static constexpr bool moves = false;
  std::size_t members = 1;

  void start(std::size_t n, std::size_t) noexcept { members = n; }
  template <class K>
  std::size_t member_of(const K&, std::uint64_t hash) const noexcept {
    return std::size_t((hash >> 32) * members >> 32);
  }
  template <class K>
  static constexpr bool holds(const K&) noexcept {
    return true;
  }
};

/// `Value`: what one-way calls carry. `Table`: a hash_table, or what stands for several elements in a slot of one.
template <class Key, class Value, class Hash, class Table, class Spread = by_hash>
class hash_part {
 public:
  using table_type = Table;
  using spread_type = Spread;
  using slot = typename table_type::slot;

  using kept = typename table_type::kept;  ///< what a search gives
  static const kept& kept_in(const slot& at) noexcept { return table_type::kept_in(at); }

  explicit hash_part(void* container) : owner(container) {}

  /// How many keys are read, and their lines asked for, before the first is used: by then it has come.
  static constexpr std::uint32_t ahead = 24;

  void* owner;  ///< the container of this rank
  Spread spread;
  const object_ref<hash_part>* targets = nullptr;  ///< the parts of all members
  table_type table;
  part_guard guard;

  /// A batch of one verb, in columns.
  template <class Verb>
  void take(std::uint32_t n, const view<std::uint64_t>& keys, const view<std::uint64_t>& values) {
    if (guard.closed()) [[unlikely]]
      return put_off<Verb>(n, keys.copy(), values.copy());
    apply<Verb>(n, rest_of(keys), rest_of(values));
  }

  /// Runs `f(value, arguments...)` on the value of `key`, if it is there. `call` gives what it returned, or nothing; of a
  /// function without a result, whether the key was there.
  template <class F, class... A>
  void visit(F f, Key key, A... arguments) {
    if (guard.closed()) [[unlikely]]
      return guard.put_off([this, f, key = std::move(key), kept = std::make_tuple(std::move(arguments)...)]() mutable {
        std::apply([&](auto&... each) { run_on(f, key, each...); }, kept);
      });
    run_on(f, key, arguments...);
  }
  /// The same of a key that is inserted with `value` if it is not there.
  template <visit_when When, class F, class V, class... A>
  void insert_or_visit(F f, Key key, V value, A... arguments) {
    if (guard.closed()) [[unlikely]]
      return guard.put_off(
          [this, f, key = std::move(key), kept = std::make_tuple(std::move(value), std::move(arguments)...)]() mutable {
            std::apply([&](auto&... each) { insert_or_run<When>(f, key, each...); }, kept);
          });
    insert_or_run<When>(f, key, value, arguments...);
  }
  template <class R>
  using result_of_call =
      std::conditional_t<std::is_void_v<R>, bool, std::optional<std::conditional_t<std::is_void_v<R>, bool, R>>>;
  template <class F, class... A,
            class R = std::decay_t<decltype(run_visitor(std::declval<F&>(), std::declval<const Key&>(),
                                                        std::declval<typename table_type::visited&>(), std::declval<A&>()...))>>
  result_of_call<R> call(F f, Key key, A... arguments) {
    guard.await_open();
    if (!spread.holds(key)) [[unlikely]] {
      const auto there = elsewhere(key);
      return armilla::call(there.rank(), visiting_body<hash_part, F, true>{object_access::id(there), f}, std::move(key),
                           std::move(arguments)...)
          .get();
    }
    slot* const at = look(key);
    if constexpr (std::is_void_v<R>) {
      if (at != nullptr) run_visitor(f, key, at->second, arguments...);
      return at != nullptr;
    } else {
      return at == nullptr ? std::optional<R>() : std::optional<R>(run_visitor(f, key, at->second, arguments...));
    }
  }

  std::optional<kept> find(const Key& key) {
    guard.await_open();
    if (!spread.holds(key)) [[unlikely]]
      return armilla::call<&hash_part::find>(elsewhere(key), key).get();
    const slot* const at = look(key);
    return at != nullptr ? std::optional<kept>(kept_in(*at)) : std::nullopt;
  }
  /// Of a batch of keys: a bit for each that is there, and what is kept for those, in a column.
  std::vector<std::uint64_t> find_batch(std::uint32_t n, const view<std::uint64_t>& keys) {
    guard.await_open();
    std::vector<std::uint64_t> reply((n + 63) / 64);
    column_bytes found;
    std::uint32_t i = 0;
    each_key(
        n, rest_of(keys),
        [&](const auto& key, std::uint64_t hash) {
          if (!spread.holds(key)) [[unlikely]] {
            if (const auto there = find(Key(key))) {
              reply[i / 64] |= std::uint64_t(1) << i % 64;
              column<kept>::put(found, *there);
            }
          } else if (const slot* const at = table.find(key, hash)) {
            reply[i / 64] |= std::uint64_t(1) << i % 64;
            column<kept>::put(found, kept_in(*at));
          }
          ++i;
        },
        [] { throw; }, [] {});
    const view<std::uint64_t> words = found.words();
    reply.insert(reply.end(), words.begin(), words.end());
    return reply;
  }
  /// Copies of all that lies here.
  using loose = typename loose_element<typename table_type::element>::type;
  std::vector<loose> elements() {
    guard.await_open();
    std::vector<loose> all;
    all.reserve(table.size());
    for (auto&& each : table) all.emplace_back(each);
    return all;
  }
  /// Answers behind the one-way calls that have come before.
  bool settled() {
    guard.await_open();
    return true;
  }
  /// Whether the key was there; a missing one is made, with `value` if the table has values.
  template <class... V>
  bool test_and_insert(const Key& key, const V&... value) {
    guard.await_open();
    if (!spread.holds(key)) [[unlikely]]
      return armilla::call<&hash_part::template test_and_insert<V...>>(elsewhere(key), key, value...).get();
    return !table
                .template obtain<Hash>(key, Hash{}(key),
                                       [&] {
                                         if constexpr (sizeof...(V) == 0)
                                           return 0;
                                         else
                                           return (value, ...);
                                       })
                .fresh;
  }
  bool contains(const Key& key) {
    guard.await_open();
    if (!spread.holds(key)) [[unlikely]]
      return armilla::call<&hash_part::contains>(elsewhere(key), key).get();
    return look(key) != nullptr;
  }
  std::size_t count(const Key& key) {
    guard.await_open();
    if (!spread.holds(key)) [[unlikely]]
      return armilla::call<&hash_part::count>(elsewhere(key), key).get();
    const slot* const at = look(key);
    return at != nullptr ? table_type::count_in(*at) : 0;
  }

  /// The part that has the key. It is asked where keys have moved while a one-way call or a two-way call was under way to this
  /// one.
  template <class K>
  object_ref<hash_part> elsewhere(const K& key) const {
    return targets[spread.member_of(key, 0)];
  }

 private:
  slot* look(const Key& key) { return table.find(key, Hash{}(key)); }
  template <class F, class... A>
  void run_on(F& f, const Key& key, A&... arguments) {
    if (!spread.holds(key)) [[unlikely]] {
      const auto there = elsewhere(key);
      return async(there.rank(), to_completion(visiting_body<hash_part, F, false>{object_access::id(there), f}), key,
                   arguments...);
    }
    if (slot* const at = look(key)) table_type::visit(*at, [&](auto& value) { run_visitor(f, key, value, arguments...); });
  }
  template <visit_when When, class F, class V, class... A>
  void insert_or_run(F& f, const Key& key, V& value, A&... arguments) {
    if (!spread.holds(key)) [[unlikely]] {
      const auto there = elsewhere(key);
      return async(there.rank(), to_completion(inserting_body<hash_part, F, When>{object_access::id(there), f}), key, value,
                   arguments...);
    }
    const auto at = table.template obtain<Hash>(key, Hash{}(key), [&] { return V(std::move(value)); });
    if (!at.fresh || When == visit_when::always) run_visitor(f, key, at.place->second, arguments...);
  }

  template <class Words>
  static column_rest rest_of(const Words& words) noexcept {
    return {reinterpret_cast<const std::byte*>(words.data()), words.size() * sizeof(std::uint64_t)};
  }
  template <class Verb>
  [[gnu::cold]] void put_off(std::uint32_t n, std::vector<std::uint64_t> keys, std::vector<std::uint64_t> values) {
    guard.put_off(
        [this, n, keys = std::move(keys), values = std::move(values)] { apply<Verb>(n, rest_of(keys), rest_of(values)); });
  }

  template <class Verb>
  void apply(std::uint32_t n, column_rest keys, column_rest values) {
    std::exception_ptr first;
    const column_rest all = values;
    bool one_for_all = false;
    if constexpr (Verb::has_value) one_for_all = equal_values<typename travels_of<Verb, Value>::type>::are_short(values, n);
    each_key(
        n, keys,
        [&](auto&& key, std::uint64_t hash) {
          if (one_for_all) values = all;
          apply_one<Verb>(std::forward<decltype(key)>(key), hash, values, first);
        },
        [&] { keep_first(first); },
        [&] {
          if (!one_for_all) pass_value<Verb>(values);
        });
    if (first) std::rethrow_exception(first);
  }
  /// Calls f(key, hash) for each of a column. Where a user's code could not read one: note() in its handler, pass() in its turn.
  template <class F, class Note, class Pass>
  void each_key(std::uint32_t n, column_rest keys, F f, Note note, Pass pass) {
    using key_column = batch_column<Key>;
    using read_key = typename key_column::read_as;
    if constexpr (std::is_default_constructible_v<read_key>) {
      std::array<read_key, ahead> some{};
      std::array<std::uint64_t, ahead> hashes;
      while (n != 0) {
        const std::uint32_t now = n < ahead ? n : ahead;
        std::uint32_t unread = 0;  // a bit for each that could not be read
        for (std::uint32_t i = 0; i < now; ++i) {
          if constexpr (key_column::has_lengths) {
            const column_rest one = key_column::next(keys);
            try {
              some[i] = key_column::read(one);
            } catch (const passing&) { throw; } catch (...) {
              note();
              unread |= std::uint32_t(1) << i;
              continue;
            }
          } else {
            some[i] = key_column::take(keys);
          }
          table.prefetch(hashes[i] = Hash{}(some[i]));
        }
        for (std::uint32_t i = 0; i < now; ++i)
          if (key_column::has_lengths && (unread >> i & 1) != 0)
            pass();
          else
            f(std::move(some[i]), hashes[i]);
        n -= now;
      }
    } else if constexpr (key_column::has_lengths) {
      for (; n != 0; --n) {
        const column_rest one = key_column::next(keys);
        std::optional<read_key> key;
        try {
          key.emplace(key_column::read(one));
        } catch (const passing&) { throw; } catch (...) {
          note();
          pass();
          continue;
        }
        const std::uint64_t hash = Hash{}(*key);
        f(std::move(*key), hash);
      }
    } else {
      for (; n != 0; --n) {
        read_key key = key_column::take(keys);
        const std::uint64_t hash = Hash{}(key);
        f(std::move(key), hash);
      }
    }
  }
  template <class Verb, class K, class... V>
  [[gnu::cold]] void forward(const K& key, const V&... value) {
    column_bytes keys, values;
    batch_column<Key>::put(keys, key);
    (value_column<Verb>::put(values, value), ...);
    async(elsewhere(key), to_completion<&hash_part::template take<Verb>>(), std::uint32_t(1), keys.words(), values.words());
  }
  template <class Verb, class K, class... V>
  void apply_or_forward(K&& key, std::uint64_t hash, V&&... value) {
    if (!spread.holds(key)) [[unlikely]]
      return forward<Verb>(key, value...);
    Verb::template apply<Hash>(table, std::forward<K>(key), hash, std::forward<V>(value)...);
  }
  template <class Verb>
  using value_column = batch_column<typename travels_of<Verb, Value>::type>;
  template <class Verb>
  static void pass_value(column_rest& values) {
    if constexpr (Verb::has_value) {
      if constexpr (value_column<Verb>::has_lengths)
        value_column<Verb>::next(values);
      else
        static_cast<void>(value_column<Verb>::take(values));
    }
  }
  [[gnu::cold]] static void keep_first(std::exception_ptr& first) {
    if (!first) first = std::current_exception();
  }
  // What a user's operation throws at one key does not keep the others back, nor what their code throws that reads the value; the
  // first comes at the fence. Where the library cannot read a value, the rest of the batch cannot be read: that throws at once.
  template <class Verb, class K>
  void apply_one(K&& key, std::uint64_t hash, column_rest& values, std::exception_ptr& first) {
    if constexpr (!Verb::has_value) {
      try {
        apply_or_forward<Verb>(std::forward<K>(key), hash);
      } catch (const passing&) { throw; } catch (...) {
        keep_first(first);
      }
    } else if constexpr (value_column<Verb>::has_lengths) {
      const column_rest one = value_column<Verb>::next(values);
      try {
        apply_or_forward<Verb>(std::forward<K>(key), hash, value_column<Verb>::read(one));
      } catch (const passing&) { throw; } catch (...) {
        keep_first(first);
      }
    } else {
      auto value = value_column<Verb>::take(values);
      try {
        apply_or_forward<Verb>(std::forward<K>(key), hash, std::move(value));
      } catch (const passing&) { throw; } catch (...) {
        keep_first(first);
      }
    }
  }
};

}  // namespace armilla::detail
