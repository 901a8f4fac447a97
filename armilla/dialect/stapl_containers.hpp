// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "armilla/dialect/stapl_rmi.hpp"
#include "armilla/list.hpp"
#include "armilla/map.hpp"

/// STAPL's lists, sets and maps over all nodes. Their methods are of three patterns: an access asks the owner (`sync_rmi`), an
/// update is sent to it (`async_rmi`: complete after `rmi_fence`), and a group update to all nodes (`broadcast_rmi`). Any node
/// inserts and erases at any time; the owner does nothing for it. A container is on all nodes, or on those of a communicator,
/// which make it together.
///
///     stapl::pmap<std::string, int> count;
///     count.update(word, 1);                             // from any node
///     stapl::rmi_fence();
///     int n = count["armilla"];
///     std::map<std::string, int> all(count);             // a private copy, by all nodes together
///
/// Paper: STAPL, sections 2, 4 (pContainers: access, update, group update) and 5.3.
namespace armilla::stapl {
namespace detail {

[[noreturn, gnu::cold]] void throw_erased_place();

}  // namespace detail

template <class T>
class plist;

/// The result of `l[place]` of a plist: a read asks the owner, a write is sent to it. Errors: usage_error if an erased element is
/// read; writing to one does nothing.
template <class T>
class plist_reference {
 public:
  plist_reference(plist<T>& l, list_place p) noexcept : l_(l), p_(p) {}

  operator T() const {  // NOLINT(google-explicit-constructor): reading is what it is for
    std::optional<T> x = l_.elements().get(p_).get();
    if (!x) detail::throw_erased_place();
    return *std::move(x);
  }
  const plist_reference& operator=(const T& x) const {
    l_.elements().set(p_, x);
    return *this;
  }
  const plist_reference& operator=(const plist_reference& from) const { return *this = T(from); }
  const plist_reference& operator=(const plist_reference& from) { return *this = T(from); }  // NOLINT

 private:
  plist<T>& l_;
  list_place p_;
};

/// A list: node 0's elements, then node 1's. An element stays on its node; its `place` names it on all nodes.
template <class T>
class plist {
 public:
  using value_type = T;
  using place = list_place;

  explicit plist(const communicator& nodes = world()) : elements_(nodes), registration_(this, nodes) {}

  /// Appends to this node's elements; no message.
  place push_anywhere(const T& x) { return elements_.push_local(x); }
  /// Appends to all elements, on the last node: an update.
  void push_back(const T& x) { elements_.push_back(x); }
  /// Inserts before the element at `before`, on its node: an access, which returns the new place. remote_error if it was erased.
  place insert(place before, const T& x) { return elements_.insert(before, x).get(); }
  void erase(place p) { elements_.erase(p); }
  plist_reference<T> operator[](place p) { return plist_reference<T>(*this, p); }
  /// A group update: all elements go.
  void clear() { broadcast_rmi(elements_.members(), this, &plist::clear_here); }
  /// For the library: a node's part of `clear`.
  void clear_here() { elements_.clear_local(); }

  /// This node's elements, in both directions.
  auto local() { return elements_.local(); }
  /// Of all nodes, by all together.
  std::size_t size() const { return elements_.members().all_reduce(elements_.local_size(), std::plus<>{}); }
  /// A private copy, in order; by all nodes together, after a fence.
  operator std::list<T>() {  // NOLINT(google-explicit-constructor): std::list<int> all(l)
    rmi_fence(elements_.members());
    const auto mine = elements_.local();
    const std::vector<T> all = elements_.members().all_gather_v(std::vector<T>(mine.begin(), mine.end()));
    return {all.begin(), all.end()};
  }
  armilla::list<T>& elements() noexcept { return elements_; }

 private:
  armilla::list<T> elements_;
  detail::registration registration_;
};

/// A set: each key once, those of node 0 the least.
template <class Key, class Less = std::less<>>
class pset {
 public:
  using value_type = Key;

  explicit pset(const communicator& nodes = world()) : elements_(nodes), registration_(this, nodes) {}

  void insert(const Key& key) { elements_.insert(key); }
  void erase(const Key& key) { elements_.erase(key); }
  bool contains(const Key& key) const { return elements_.contains(key).get(); }
  /// A group update: all keys go.
  void clear() { broadcast_rmi(elements_.members(), this, &pset::clear_here); }
  /// For the library: a node's part of `clear`.
  void clear_here() {
    const auto mine = elements_.local();
    for (const Key& key : std::vector<Key>(mine.begin(), mine.end())) elements_.erase(key);
  }

  /// This node's keys, in order.
  auto local() const { return elements_.local(); }
  /// Of all nodes, as of the last fence.
  std::size_t size() const noexcept { return elements_.size(); }
  /// A private copy; by all nodes together, behind a fence.
  template <class L>
  operator std::set<Key, L>() const {  // NOLINT(google-explicit-constructor): std::set<int> all(s)
    rmi_fence(elements_.members());
    const auto mine = elements_.local();
    const std::vector<Key> all = elements_.members().all_gather_v(std::vector<Key>(mine.begin(), mine.end()));
    return {all.begin(), all.end()};
  }
  armilla::set<Key, Less>& elements() noexcept { return elements_; }
  const armilla::set<Key, Less>& elements() const noexcept { return elements_; }

 private:
  armilla::set<Key, Less> elements_;
  detail::registration registration_;
};

template <class Key, class Value, class Less>
class pmap;

/// The result of `m[key]` of a pmap: a read asks the owner, and gets a default-constructed value for a missing key; a write is
/// sent to it.
template <class Key, class Value, class Less>
class pmap_reference {
 public:
  pmap_reference(pmap<Key, Value, Less>& m, Key key) : m_(m), key_(std::move(key)) {}

  operator Value() const {  // NOLINT(google-explicit-constructor): reading is what it is for
    return m_.find(key_).value_or(Value());
  }
  const pmap_reference& operator=(const Value& x) const {
    m_.elements().insert_or_assign(key_, x);
    return *this;
  }
  const pmap_reference& operator=(const pmap_reference& from) const { return *this = Value(from); }
  const pmap_reference& operator=(const pmap_reference& from) { return *this = Value(from); }  // NOLINT

 private:
  pmap<Key, Value, Less>& m_;
  Key key_;
};

/// A map: each key once, with a value; the least keys are node 0's.
template <class Key, class Value, class Less = std::less<>>
class pmap {
 public:
  using value_type = std::pair<const Key, Value>;

  explicit pmap(const communicator& nodes = world()) : elements_(nodes), registration_(this, nodes) {}

  /// If the key is not there yet.
  void insert(const Key& key, const Value& x) { elements_.insert(key, x); }
  /// The value becomes op(value, x); x where the key is new.
  template <class Op = std::plus<>>
  void update(const Key& key, const Value& x, Op op = {}) {
    elements_.update(key, x, op);
  }
  void erase(const Key& key) { elements_.erase(key); }
  pmap_reference<Key, Value, Less> operator[](const Key& key) { return {*this, key}; }
  std::optional<Value> find(const Key& key) const { return elements_.find(key).get(); }
  bool contains(const Key& key) const { return elements_.contains(key).get(); }
  /// A group update: all keys go.
  void clear() { broadcast_rmi(elements_.members(), this, &pmap::clear_here); }
  /// For the library: a node's part of `clear`.
  void clear_here() {
    std::vector<Key> mine;
    for (const auto& [key, value] : elements_.local()) mine.push_back(key);
    for (const Key& key : mine) elements_.erase(key);
  }

  /// This node's keys and values, in order.
  auto local() const { return elements_.local(); }
  /// Of all nodes, as of the last fence.
  std::size_t size() const noexcept { return elements_.size(); }
  /// A private copy; by all nodes together, behind a fence.
  template <class L>
  operator std::map<Key, Value, L>() const {  // NOLINT(google-explicit-constructor): std::map<int, int> all(m)
    rmi_fence(elements_.members());
    std::vector<std::pair<Key, Value>> mine;
    for (const auto& [key, value] : elements_.local()) mine.emplace_back(key, value);
    const std::vector<std::pair<Key, Value>> all = elements_.members().all_gather_v(mine);
    return {all.begin(), all.end()};
  }
  armilla::map<Key, Value, Less>& elements() noexcept { return elements_; }
  const armilla::map<Key, Value, Less>& elements() const noexcept { return elements_; }

 private:
  armilla::map<Key, Value, Less> elements_;
  detail::registration registration_;
};

}  // namespace armilla::stapl
