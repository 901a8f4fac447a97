// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/values/limits.hpp"
#include "armilla/container/keyed/hash_table.hpp"

/// Hash tables in which a key may lie more than once. A slot stands for all elements of its key, so that a key that comes often
/// makes no probe longer.
namespace armilla::detail {

/// What both have: a number of elements beside that of keys, and an iterator that gives each element of a slot.
/// `Self::count_in(slot)` and `Self::number(slot, i)` say what a slot stands for.
template <class Self, class Key, class Value, class Equal>
class table_of_many : public hash_table<Key, Value, Equal> {
 protected:
  using base = hash_table<Key, Value, Equal>;

 public:
  using typename base::slot;

  /// Of elements.
  std::size_t size() const noexcept { return elements_; }

  template <class Q>
  bool erase(const Q& key, std::uint64_t hash) {
    slot* const there = base::find(key, hash);
    if (there == nullptr) return false;
    elements_ -= Self::count_in(*there);
    base::erase(there);
    return true;
  }

  class iterator {
   public:
    using value_type = typename Self::element;
    using reference = decltype(Self::number(std::declval<slot&>(), 0));
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;
    explicit iterator(typename base::iterator at) noexcept : at_(at) {}
    reference operator*() const noexcept { return Self::number(*at_, i_); }
    iterator& operator++() noexcept {
      if (++i_ == Self::count_in(*at_)) {
        ++at_;
        i_ = 0;
      }
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_ && a.i_ == b.i_; }

   private:
    typename base::iterator at_;
    std::size_t i_ = 0;  // of the elements of the slot
  };
  iterator begin() const noexcept { return iterator(base::begin()); }
  iterator end() const noexcept { return iterator(base::end()); }

 protected:
  void added(std::size_t n) noexcept { elements_ += n; }
  /// `n` of the elements of a slot have gone.
  void taken(slot* from, std::size_t n) noexcept {
    elements_ -= n;
    if (Self::count_in(*from) == 0) base::erase(from);
  }

 private:
  std::size_t elements_ = 0;
};

/// Keys and values: those of one key lie in a vector.
template <class Key, class Value, class Equal>
class multimap_table : public table_of_many<multimap_table<Key, Value, Equal>, Key, std::vector<Value>, Equal> {
  using base = table_of_many<multimap_table, Key, std::vector<Value>, Equal>;

 public:
  using typename base::slot;
  using element = std::pair<const Key, Value>;
  using visited = Value;
  static std::size_t count_in(const slot& at) noexcept { return at.second.size(); }
  static std::pair<const Key&, Value&> number(slot& at, std::size_t i) noexcept { return {at.first, at.second[i]}; }

  template <class F>
  static void visit(slot& at, F f) {
    for (Value& each : at.second) f(each);
  }
  template <class Hash, class Q, class V>
  void add(Q&& key, std::uint64_t hash, V&& value) {
    const auto [place, fresh] = base::template obtain<Hash>(std::forward<Q>(key), hash, [&] {
      std::vector<Value> one;
      one.emplace_back(std::forward<V>(value));
      return one;
    });
    if (!fresh) place->second.emplace_back(std::forward<V>(value));
    base::added(1);
  }
  template <class Q, class V>
  void take(const Q& key, std::uint64_t hash, const V& value) {
    if (slot* const there = base::find(key, hash)) base::taken(there, std::erase(there->second, value));
  }
};

[[noreturn, gnu::cold]] void throw_negative_times(const char* operation, std::uint64_t times);
[[noreturn, gnu::cold]] void throw_too_often();

/// How often a key is there. What would be a negative number is refused, so that none wraps round.
struct add_times {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    if (looks_negative(a + b)) [[unlikely]]
      throw_too_often();
    return a + b;
  }
};

/// Keys alone: of equal ones the first is kept, and how many there are.
template <class Key, class Equal>
class multiset_table : public table_of_many<multiset_table<Key, Equal>, Key, std::uint64_t, Equal> {
  using base = table_of_many<multiset_table, Key, std::uint64_t, Equal>;

 public:
  using typename base::slot;
  using element = Key;
  using kept = Key;
  static const Key& kept_in(const slot& at) noexcept { return at.first; }
  static std::size_t count_in(const slot& at) noexcept { return std::size_t(at.second); }
  static const Key& number(slot& at, std::size_t) noexcept { return at.first; }

  template <class Op, class Hash, class Q, class Make>
  void update(Q&& key, std::uint64_t hash, Make&& make) {
    const std::uint64_t times = make();
    Op{}(std::uint64_t(base::size()), times);  // those of all keys here
    base::template update<Op, Hash>(std::forward<Q>(key), hash, make);
    base::added(std::size_t(times));
  }
  template <class Q>
  void take(const Q& key, std::uint64_t hash, std::uint64_t times) {
    slot* const there = base::find(key, hash);
    if (there == nullptr) return;
    const std::uint64_t gone = times < there->second ? times : there->second;
    there->second -= gone;
    base::taken(there, std::size_t(gone));
  }
};

struct add_verb {
  static constexpr bool has_value = true;
  template <class Hash, class Table, class Key, class Value>
  static void apply(Table& table, Key&& key, std::uint64_t hash, Value&& value) {
    table.template add<Hash>(std::forward<Key>(key), hash, std::forward<Value>(value));
  }
};
struct take_verb {
  static constexpr bool has_value = true;
  template <class Hash, class Table, class Key, class Value>
  static void apply(Table& table, Key&& key, std::uint64_t hash, const Value& value) {
    table.take(key, hash, value);
  }
};

}  // namespace armilla::detail
