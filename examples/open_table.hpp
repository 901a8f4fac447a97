// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// A hash table with open addressing for the programs by MPI, so that they are compared as they would be written for speed.
///
/// `Hash{}(key)` are 64 good bits, of which the table takes the high ones: a rank may be chosen by the low ones. Keys and values
/// are copied as they are; `none` is a key that never comes.
template <class Key, class Value, class Hash>
class open_table {
  struct slot {
    Key key;
    Value value;
  };

 public:
  /// With room for `expected` keys. What comes from another table, in the order of that one, needs room from the begin: in a
  /// table that grows meanwhile all would stand at one end.
  explicit open_table(Key none, std::size_t expected = 0)
      : none_(none),
        bits_(unsigned(std::bit_width(1024 + expected * 4 / 3))),
        slots_(std::size_t{1} << bits_, slot{none, Value{}}) {}

  std::size_t size() const { return size_; }
  void prefetch(const Key& key) const { __builtin_prefetch(&slots_[place_of(key)]); }

  const Value* find(const Key& key) const {
    const slot& at = slots_[look_for(key)];
    return at.key == none_ ? nullptr : &at.value;
  }
  /// A key that is not there comes in with Value{}.
  Value& operator[](const Key& key) {
    std::size_t i = look_for(key);
    if (slots_[i].key == none_) {
      if ((size_ + 1) * 4 > slots_.size() * 3) grow(), i = look_for(key);
      slots_[i].key = key;
      ++size_;
    }
    return slots_[i].value;
  }
  /// f(key, value) for all.
  template <class F>
  void each(F f) const {
    for (const slot& s : slots_)
      if (s.key != none_) f(s.key, s.value);
  }

 private:
  std::size_t place_of(const Key& key) const { return std::size_t(std::uint64_t(Hash{}(key)) >> (64 - bits_)); }
  std::size_t look_for(const Key& key) const {
    std::size_t i = place_of(key);
    while (slots_[i].key != key && slots_[i].key != none_) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<slot> old(std::size_t{1} << ++bits_, slot{none_, Value{}});
    old.swap(slots_);
    for (const slot& s : old)
      if (s.key != none_) slots_[look_for(s.key)] = s;
  }

  Key none_;
  unsigned bits_;
  std::size_t size_ = 0;
  std::vector<slot> slots_;
};

/// f(key) for all keys of a row, of which some are looked for ahead in `table`.
template <class Table, class Keys, class F>
void each_ahead(const Table& table, const Keys& keys, F f) {
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + ahead < keys.size()) table.prefetch(keys[i + ahead]);
    f(keys[i]);
  }
}
