// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "armilla/container/keyed/hash_table.hpp"

/// An ordered table of one rank: a B-tree whose elements lie in leaves, which are linked in order.
///
/// It has the functions of a hash_table, so that what lies on a rank can be the one or the other; hashes are not looked at.
/// Nodes are split on the way down, so that each step leaves a whole tree behind: what a user's copy throws changes nothing. A
/// leaf goes when its last element does; half empty ones are not joined. Keys that come in order leave full leaves behind.
///
/// Neither references nor iterators live on beyond a change.
namespace armilla::detail {

/// Elements of a node, side by side. `Slots`: how one of them moves.
template <class Slots, bool AsBytes>
struct node_slots {
  using type = typename Slots::type;
  static void move(type* to, type* from, std::size_t n) noexcept {
    if constexpr (AsBytes)
      std::memmove(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(type));
    else if (to < from)
      for (std::size_t k = 0; k < n; ++k) Slots::relocate(to + k, from[k]);
    else
      for (std::size_t k = n; k-- > 0;) Slots::relocate(to + k, from[k]);
  }
};

/// How many of the first `n` stand before: those for which `before` holds, which come first. No branch depends on a key.
template <class Before>
std::size_t slots_before(std::size_t n, Before before) {
  std::size_t first = 0;
  while (n > 0) {
    const std::size_t half = (n + 1) / 2;
    first += before(first + half - 1) ? half : 0;
    n -= half;
  }
  return first;
}

template <class Key, class Value, class Less>
class ordered_table {
  using slots = table_slot<Key, Value>;
  static constexpr bool key_as_bytes = std::is_trivially_copyable_v<Key>;
  static constexpr bool as_bytes = key_as_bytes && (std::is_void_v<Value> || std::is_trivially_copyable_v<Value>);

 public:
  using mapped = Value;
  using slot = typename slots::type;
  using visible = std::conditional_t<std::is_void_v<Value>, const slot, slot>;
  using element = slot;
  using kept = std::conditional_t<std::is_void_v<Value>, Key, Value>;
  using visited = std::conditional_t<std::is_void_v<Value>, const Key, Value>;

  static const Key& key_of(const slot& at) noexcept { return slots::key(at); }
  static bool before(const Key& a, const Key& b) { return Less{}(a, b); }
  static const kept& kept_in(const slot& at) noexcept {
    if constexpr (std::is_void_v<Value>)
      return at;
    else
      return at.second;
  }
  template <class F>
  static void visit(slot& at, F f) {
    f(at.second);
  }
  static std::size_t count_in(const slot&) noexcept { return 1; }

  ordered_table() = default;
  ordered_table(ordered_table&& other) noexcept { swap(other); }
  ordered_table& operator=(ordered_table&& other) noexcept {
    ordered_table(std::move(other)).swap(*this);
    return *this;
  }
  ordered_table(const ordered_table&) = delete;
  ~ordered_table() {
    if (root_ != nullptr) destroy(root_, height_);
  }

  std::size_t size() const noexcept { return size_; }
  using slot_value = Value;
  const ordered_table& by_key() const noexcept { return *this; }
  bool empty() const noexcept { return size_ == 0; }
  void prefetch(std::uint64_t) const noexcept {}

  template <class Q>
  slot* find(const Q& key, std::uint64_t = 0) const {
    if (root_ == nullptr) return nullptr;
    const place at = locate(key);
    return holds(at, key) ? at.in->slots() + at.i : nullptr;
  }

  struct obtained {
    slot* place;
    bool fresh;
  };
  /// The slot of `key`; a missing one is made from Key(key) and make().
  template <class Hash, class Q, class Make>
  obtained obtain(Q&& key, std::uint64_t, Make&& make) {
    if (root_ == nullptr) root_ = new leaf;
    place at = locate(key);
    if (holds(at, key)) return {at.in->slots() + at.i, false};
    fresh_slot made(Key(std::forward<Q>(key)), make);
    if (at.in->count == leaf_slots) at = make_room(slots::key(*made.get()));
    slot* const gap = at.in->slots() + at.i;
    leaf_row::move(gap + 1, gap, at.in->count - at.i);
    made.move_to(gap);
    ++at.in->count;
    ++size_;
    ++rebuilds_;
    return {gap, true};
  }
  template <class Op, class Hash, class Q, class Make>
  void update(Q&& key, std::uint64_t hash, Make&& make) {
    const obtained at = obtain<Hash>(std::forward<Q>(key), hash, make);
    if (!at.fresh) at.place->second = Op{}(std::move(at.place->second), make());
  }

  template <class Q>
  bool erase(const Q& key, std::uint64_t = 0) {
    if (root_ == nullptr) return false;
    const place at = locate(key);
    if (!holds(at, key)) return false;
    const bool last = at.in->count == 1 && height_ != 0;
    if (last) detach(key);
    slot* const there = at.in->slots() + at.i;
    there->~slot();
    leaf_row::move(there, there + 1, at.in->count - at.i - 1);
    --at.in->count;
    --size_;
    ++rebuilds_;
    if (last) delete at.in;
    return true;
  }

 private:
  struct leaf;

 public:
  /// In the order of keys.
  class iterator {
   public:
    using value_type = slot;
    using reference = visible&;
    using pointer = visible*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    iterator() = default;
    reference operator*() const noexcept { return in_->slots()[i_]; }
    pointer operator->() const noexcept { return &**this; }
    iterator& operator++() noexcept {
      ++i_;
      skip();
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    friend ordered_table;
    iterator(leaf* in, std::size_t i) noexcept : in_(in), i_(i) { skip(); }
    void skip() noexcept {
      if (in_ == nullptr || i_ < in_->count) return;
      in_ = in_->count == 0 ? nullptr : in_->next;  // the only leaf may be empty
      i_ = 0;
    }
    leaf* in_ = nullptr;
    std::size_t i_ = 0;
  };
  iterator begin() const noexcept { return empty() ? end() : iterator(first_leaf(), 0); }
  iterator end() const noexcept { return {nullptr, 0}; }
  /// The first element that is not less than `key`, or that is greater.
  template <class Q>
  iterator lower(const Q& key) const {
    if (empty()) return end();
    const place at = locate(key);
    return {at.in, at.i};
  }
  template <class Q>
  iterator upper(const Q& key) const {
    iterator at = lower(key);
    if (at != end() && !Less{}(key, slots::key(*at))) ++at;
    return at;
  }
  /// Element number `i` in order; leaf by leaf.
  iterator nth(std::size_t i) const noexcept {
    leaf* in = empty() ? nullptr : first_leaf();
    for (; in != nullptr && i >= in->count; in = in->next) i -= in->count;
    return in == nullptr ? end() : iterator(in, i);
  }

  /// Grows where a place of `page` may be another one: with each change of the keys.
  std::uint64_t rebuilds() const noexcept { return rebuilds_; }
  /// Calls f for up to `most` elements from place `at` on, and gives the next place; 0: there are no more.
  template <class F>
  std::size_t page(std::size_t at, std::size_t most, F&& f) const {
    std::size_t next = at;
    for (iterator each = nth(at); each != end() && next - at < most; ++each, ++next) f(*each);
    return next < size_ ? next : 0;
  }

  void swap(ordered_table& other) noexcept {
    rebuilds_ = other.rebuilds_ = (rebuilds_ < other.rebuilds_ ? other.rebuilds_ : rebuilds_) + 1;
    std::swap(root_, other.root_);
    std::swap(height_, other.height_);
    std::swap(size_, other.size_);
  }

 private:
  static constexpr std::size_t line = 64, fetched = 768;  // bytes of a cache line, and of a node that are asked for together
  static constexpr std::size_t leaf_bytes = fetched - 3 * sizeof(void*);
  static constexpr std::size_t leaf_slots = leaf_bytes / sizeof(slot) < 8    ? 8
                                            : leaf_bytes / sizeof(slot) > 64 ? 64
                                                                             : leaf_bytes / sizeof(slot);
  static constexpr std::size_t inner_width = 512 / sizeof(Key) < 16 ? 16 : 512 / sizeof(Key) > 64 ? 64 : 512 / sizeof(Key);
  using leaf_row = node_slots<slots, as_bytes>;
  using key_row = node_slots<table_slot<Key, void>, key_as_bytes>;

  struct node {
    std::size_t count = 0;  ///< of elements, or of children
  };
  struct alignas(line) leaf : node {
    leaf *next = nullptr, *before = nullptr;
    alignas(slot) std::byte raw[leaf_slots * sizeof(slot)];
    leaf() {}  // leaves the elements as they are
    slot* slots() noexcept { return reinterpret_cast<slot*>(raw); }
  };
  /// Border k is the least key that child k + 1 may have.
  struct alignas(line) inner : node {
    node* child[inner_width];
    alignas(Key) std::byte raw[(inner_width - 1) * sizeof(Key)];
    inner() {}
    Key* borders() noexcept { return reinterpret_cast<Key*>(raw); }
  };
  struct place {
    leaf* in;
    std::size_t i;
  };

  /// A slot that is not in the tree yet.
  class fresh_slot {
   public:
    template <class Make>
    fresh_slot(Key&& key, Make&& make) {
      slots::construct(raw_, std::move(key), make);
    }
    fresh_slot(const fresh_slot&) = delete;
    ~fresh_slot() {
      if (here_) get()->~slot();
    }
    slot* get() noexcept { return reinterpret_cast<slot*>(raw_); }
    void move_to(slot* to) noexcept {
      slots::relocate(to, *get());
      here_ = false;
    }

   private:
    alignas(slot) std::byte raw_[sizeof(slot)];
    bool here_ = true;
  };

  template <class Q>
  static std::size_t child_of(inner* in, const Q& key) {
    return slots_before(in->count - 1, [&](std::size_t k) { return !Less{}(key, in->borders()[k]); });
  }
  template <class Q>
  static std::size_t place_in(leaf* in, const Q& key) {
    return slots_before(in->count, [&](std::size_t k) { return bool(Less{}(slots::key(in->slots()[k]), key)); });
  }
  /// A search would wait for one line after the other. So all those of a leaf are asked for together, and the first of a wider
  /// inner node.
  static void fetch(const node* at) noexcept {
    for (std::size_t b = 0; b < fetched; b += line) __builtin_prefetch(reinterpret_cast<const std::byte*>(at) + b);
  }
  template <class Q>
  place locate(const Q& key) const {
    node* at = root_;
    for (std::size_t h = height_; h != 0; --h) {
      at = static_cast<inner*>(at)->child[child_of(static_cast<inner*>(at), key)];
      fetch(at);
    }
    leaf* const in = static_cast<leaf*>(at);
    return {in, place_in(in, key)};
  }
  template <class Q>
  static bool holds(const place& at, const Q& key) {
    return at.i < at.in->count && !Less{}(key, slots::key(at.in->slots()[at.i]));
  }
  leaf* first_leaf() const noexcept {
    node* at = root_;
    for (std::size_t h = height_; h != 0; --h) at = static_cast<inner*>(at)->child[0];
    return static_cast<leaf*>(at);
  }

  /// Where `key` goes, in a leaf with room: full nodes on the way are split.
  place make_room(const Key& key) {
    if (root_->count == (height_ == 0 ? leaf_slots : inner_width)) {
      inner* const above = new inner;
      above->child[0] = root_;
      above->count = 1;
      root_ = above;
      ++height_;
    }
    node* at = root_;
    for (std::size_t h = height_; h != 0; --h) {
      inner* const in = static_cast<inner*>(at);
      std::size_t i = child_of(in, key);
      if (in->child[i]->count == (h == 1 ? leaf_slots : inner_width)) {
        if (h == 1)
          split_leaf(in, i, key);
        else
          split_inner(in, i, key);
        i = child_of(in, key);
      }
      at = in->child[i];
    }
    leaf* const in = static_cast<leaf*>(at);
    return {in, place_in(in, key)};
  }
  void split_leaf(inner* above, std::size_t i, const Key& key) {
    leaf* const left = static_cast<leaf*>(above->child[i]);
    const bool grows_at_end = left->next == nullptr && Less{}(slots::key(left->slots()[leaf_slots - 1]), key);
    const std::size_t at = grows_at_end ? leaf_slots - 1 : leaf_slots / 2;
    Key border(slots::key(left->slots()[at]));
    leaf* const right = new leaf;
    leaf_row::move(right->slots(), left->slots() + at, leaf_slots - at);
    right->count = leaf_slots - at;
    left->count = at;
    right->next = left->next;
    right->before = left;
    if (left->next != nullptr) left->next->before = right;
    left->next = right;
    insert_child(above, i, std::move(border), right);
  }
  void split_inner(inner* above, std::size_t i, const Key& key) {
    inner* const left = static_cast<inner*>(above->child[i]);
    const bool grows_at_end = i + 1 == above->count && !Less{}(key, left->borders()[inner_width - 2]);
    const std::size_t at = grows_at_end ? inner_width - 1 : inner_width / 2;
    inner* const right = new inner;
    right->count = inner_width - at;
    std::memcpy(right->child, left->child + at, right->count * sizeof(node*));
    key_row::move(right->borders(), left->borders() + at, right->count - 1);
    left->count = at;
    Key& middle = left->borders()[at - 1];
    insert_child(above, i, std::move(middle), right);
    middle.~Key();
  }
  /// Behind child i.
  static void insert_child(inner* in, std::size_t i, Key&& border, node* child) {
    std::memmove(in->child + i + 2, in->child + i + 1, (in->count - i - 1) * sizeof(node*));
    key_row::move(in->borders() + i + 1, in->borders() + i, in->count - i - 1);
    in->child[i + 1] = child;
    ::new (static_cast<void*>(in->borders() + i)) Key(std::move(border));
    ++in->count;
  }

  /// The leaf of `key`, which is to go, leaves the tree and the list.
  template <class Q>
  void detach(const Q& key) {
    detach_below(static_cast<inner*>(root_), height_, key);
    while (height_ != 0 && root_->count == 1) {
      inner* const above = static_cast<inner*>(root_);
      root_ = above->child[0];
      --height_;
      delete above;
    }
  }
  template <class Q>
  void detach_below(inner* in, std::size_t h, const Q& key) {
    const std::size_t i = child_of(in, key);
    if (h == 1) {
      leaf* const gone = static_cast<leaf*>(in->child[i]);
      if (gone->before != nullptr) gone->before->next = gone->next;
      if (gone->next != nullptr) gone->next->before = gone->before;
    } else {
      inner* const below = static_cast<inner*>(in->child[i]);
      detach_below(below, h - 1, key);
      if (below->count != 0) return;
      delete below;
    }
    remove_child(in, i);
  }
  static void remove_child(inner* in, std::size_t i) {
    if (in->count > 1) {
      const std::size_t b = i == 0 ? 0 : i - 1;
      in->borders()[b].~Key();
      key_row::move(in->borders() + b, in->borders() + b + 1, in->count - 2 - b);
    }
    std::memmove(in->child + i, in->child + i + 1, (in->count - i - 1) * sizeof(node*));
    --in->count;
  }

  static void destroy(node* at, std::size_t h) noexcept {
    if (h == 0) {
      leaf* const in = static_cast<leaf*>(at);
      if constexpr (!std::is_trivially_destructible_v<slot>)
        for (std::size_t k = 0; k < in->count; ++k) in->slots()[k].~slot();
      delete in;
    } else {
      inner* const in = static_cast<inner*>(at);
      for (std::size_t k = 0; k < in->count; ++k) destroy(in->child[k], h - 1);
      for (std::size_t k = 0; k + 1 < in->count; ++k) in->borders()[k].~Key();
      delete in;
    }
  }

  node* root_ = nullptr;
  std::size_t height_ = 0;  // of nodes above the leaves
  std::size_t size_ = 0;
  std::uint64_t rebuilds_ = 0;
};

}  // namespace armilla::detail
