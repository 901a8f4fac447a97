// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/column.hpp"
#include "armilla/container/hash_table.hpp"
#include "armilla/fiber/condition_variable.hpp"
#include "armilla/wire/view.hpp"

/// What lies on one rank of a hash container, and how statements and questions of other ranks reach it.
namespace armilla::detail {

/// Which fiber has loops over a part, and what waits until they end. It knows nothing of keys.
class part_guard {
 public:
  part_guard() = default;
  part_guard(const part_guard&) = delete;

  /// Statements wait: for a loop, or behind others that have waited and may be running.
  bool closed() const noexcept { return !loops_.empty() || !waiting_.empty(); }
  bool has_waiting() const noexcept { return !waiting_.empty(); }
  /// A loop of the running fiber begins, or ends; at the end of the last, what waits runs.
  void close();
  void open() noexcept;
  /// `run` waits until no loop is left.
  void put_off(std::function<void()> run) { waiting_.push_back(std::move(run)); }
  /// A question stands behind the statements that wait.
  void await_open() {
    if (!waiting_.empty()) [[unlikely]]
      opened_.wait_unlocked([this] { return waiting_.empty(); });
  }
  /// Throws usage_error if the running fiber has a loop, for which it would wait itself.
  void refuse_inside(const char* operation) const {
    if (!loops_.empty()) [[unlikely]]
      refuse_loop(operation);
  }

 private:
  void refuse_loop(const char* operation) const;
  [[gnu::cold]] void run_waiting() noexcept;

  std::vector<const void*> loops_;  // the fibers that have them
  std::deque<std::function<void()>> waiting_;
  bool running_waiting_ = false;
  condition_variable opened_;
};

/// Statements about a key. `apply` gets what lies in the columns; `has_value`: the second column is used.
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
    const auto [slot, fresh] = table.template obtain<Hash>(std::forward<Key>(key), hash, make);
    if (!fresh) slot->second = Op{}(std::move(slot->second), make());
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
struct erase_verb {
  static constexpr bool has_value = false;
  template <class Hash, class Table, class Key>
  static void apply(Table& table, Key&& key, std::uint64_t hash) {
    table.erase(key, hash);
  }
};

/// What of a value a verb has in its column.
template <class Verb, class Value>
struct travels_of {
  using type = Value;
};
template <class Verb, class Value>
  requires requires { typename Verb::template travels<Value>; }
struct travels_of<Verb, Value> {
  using type = typename Verb::template travels<Value>;
};

template <class Key, class Value, class Hash, class Equal>
class hash_part {
 public:
  using table_type = hash_table<Key, Value, Equal>;
  using slot = typename table_type::slot;

  explicit hash_part(void* container) : owner(container) {}

  void* owner;  ///< the container of this rank
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
  template <class F, class... A>
  auto call(F f, Key key, A... arguments) {
    using R = std::decay_t<std::invoke_result_t<F&, Value&, A&...>>;
    guard.await_open();
    slot* const at = look(key);
    if constexpr (std::is_void_v<R>) {
      if (at != nullptr) f(at->second, arguments...);
      return at != nullptr;
    } else {
      return at == nullptr ? std::optional<R>() : std::optional<R>(f(at->second, arguments...));
    }
  }

  auto find(const Key& key) {
    guard.await_open();
    const slot* const at = look(key);
    if constexpr (std::is_void_v<Value>)
      return at != nullptr ? std::optional<Key>(*at) : std::nullopt;
    else
      return at != nullptr ? std::optional<Value>(at->second) : std::nullopt;
  }
  bool contains(const Key& key) {
    guard.await_open();
    return look(key) != nullptr;
  }
  std::size_t count(const Key& key) { return contains(key) ? 1 : 0; }

 private:
  slot* look(const Key& key) { return table.find(key, Hash{}(key)); }
  template <class F, class... A>
  void run_on(F& f, const Key& key, A&... arguments) {
    if (slot* const at = look(key)) f(at->second, arguments...);
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

  /// How many keys are read, and their lines asked for, before the first is used: by then it has come.
  static constexpr std::uint32_t ahead = 24;

  template <class Verb>
  void apply(std::uint32_t n, column_rest keys, column_rest values) {
    using read_key = typename column<Key>::read_as;
    std::exception_ptr first;
    if constexpr (std::is_default_constructible_v<read_key>) {
      std::array<read_key, ahead> some{};
      std::array<std::uint64_t, ahead> hashes;
      while (n != 0) {
        const std::uint32_t now = n < ahead ? n : ahead;
        for (std::uint32_t i = 0; i < now; ++i) {
          some[i] = column<Key>::take(keys);
          table.prefetch_marks(hashes[i] = Hash{}(some[i]));
        }
        for (std::uint32_t i = 0; i < now; ++i) table.prefetch_slot(hashes[i]);
        for (std::uint32_t i = 0; i < now; ++i) apply_one<Verb>(std::move(some[i]), hashes[i], values, first);
        n -= now;
      }
    } else {
      for (; n != 0; --n) {
        read_key key = column<Key>::take(keys);
        const std::uint64_t hash = Hash{}(key);
        apply_one<Verb>(std::move(key), hash, values, first);
      }
    }
    if (first) std::rethrow_exception(first);
  }
  // What a user's operation throws at one key does not keep the others back; the first comes at the fence.
  template <class Verb, class K>
  void apply_one(K&& key, std::uint64_t hash, column_rest& values, std::exception_ptr& first) {
    try {
      if constexpr (Verb::has_value)
        Verb::template apply<Hash>(table, std::forward<K>(key), hash,
                                   column<typename travels_of<Verb, Value>::type>::take(values));
      else
        Verb::template apply<Hash>(table, std::forward<K>(key), hash);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
};

}  // namespace armilla::detail
