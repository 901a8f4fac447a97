// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// A hash table of one rank: open addressing in groups of 16 slots, of which one comparison of vectors finds the candidates.
///
/// A slot's mark is a byte: seven bits of its key's hash, or `empty`, or `erased`. A probe goes from group to group, in steps
/// that grow by one, until a group has an empty slot. So a slot of a full group may not become empty again: it is `erased`,
/// until the table is made anew. Seven of eight slots are used at most. In its group a key takes the slot that its hash prefers,
/// or the next vacant one: so a search can ask for the slot's cache line before it has seen the marks.
///
/// Nothing here waits or sends. Neither references nor iterators live on beyond an insertion.
namespace armilla::detail {

/// Sixteen marks.
class mark_group {
 public:
  static constexpr std::size_t width = 16;
  static constexpr std::uint8_t empty = 0x80, erased = 0xfe;

  explicit mark_group(const std::uint8_t* at) noexcept { load(at); }

  /// One bit a slot.
  std::uint32_t equal(std::uint8_t mark) const noexcept;
  /// Of slots that hold nothing.
  std::uint32_t vacant() const noexcept;
  std::uint32_t full() const noexcept { return ~vacant() & 0xffff; }

 private:
  void load(const std::uint8_t* at) noexcept;
#ifdef __SSE2__
  __m128i marks_;
#else
  std::uint8_t marks_[width];
#endif
};

#ifdef __SSE2__
inline void mark_group::load(const std::uint8_t* at) noexcept { marks_ = _mm_load_si128(reinterpret_cast<const __m128i*>(at)); }
inline std::uint32_t mark_group::equal(std::uint8_t mark) const noexcept {
  return std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(marks_, _mm_set1_epi8(char(mark)))));
}
inline std::uint32_t mark_group::vacant() const noexcept { return std::uint32_t(_mm_movemask_epi8(marks_)); }
#else
inline void mark_group::load(const std::uint8_t* at) noexcept { std::memcpy(marks_, at, width); }
inline std::uint32_t mark_group::equal(std::uint8_t mark) const noexcept {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < width; ++i) bits |= std::uint32_t(marks_[i] == mark) << i;
  return bits;
}
inline std::uint32_t mark_group::vacant() const noexcept {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < width; ++i) bits |= std::uint32_t(marks_[i] >> 7) << i;
  return bits;
}
#endif

/// Memory of tables; large ones lie in large pages where the system has them. Throws std::bad_alloc.
void* allocate_table(std::size_t bytes);
void deallocate_table(void* memory, std::size_t bytes) noexcept;

/// Marks of a table without slots: every probe ends here.
inline constexpr std::uint8_t no_marks alignas(16)[mark_group::width] = {128, 128, 128, 128, 128, 128, 128, 128,
                                                                         128, 128, 128, 128, 128, 128, 128, 128};

/// What a table of keys and values keeps in a slot, and what it gives to users: the standard's pair.
template <class Key, class Value>
struct table_slot {
  using type = std::pair<const Key, Value>;
  static const Key& key(const type& slot) noexcept { return slot.first; }
  template <class K, class Make>
  static void construct(void* at, K&& key, Make&& make) {
    ::new (at) type(std::forward<K>(key), make());
  }
  /// The key is const for users only; here its slot ends.
  static void relocate(void* to, type& from) noexcept {
    ::new (to) type(std::piecewise_construct, std::forward_as_tuple(std::move(const_cast<Key&>(from.first))),
                    std::forward_as_tuple(std::move(from.second)));
    from.~type();
  }
};
/// Of keys alone.
template <class Key>
struct table_slot<Key, void> {
  using type = Key;
  static const Key& key(const type& slot) noexcept { return slot; }
  template <class K, class Make>
  static void construct(void* at, K&& key, Make&&) {
    ::new (at) Key(std::forward<K>(key));
  }
  static void relocate(void* to, type& from) noexcept {
    ::new (to) Key(std::move(from));
    from.~Key();
  }
};

/// `Key`, and `Value` or void. Each call gets the key's hash: its low bits are used, the high ones say on which rank it lies.
template <class Key, class Value, class Equal>
class hash_table {
  using slots = table_slot<Key, Value>;

 public:
  using mapped = Value;
  using slot = typename slots::type;
  using visible = std::conditional_t<std::is_void_v<Value>, const slot, slot>;  ///< a key may not be changed
  using element = slot;                                                         ///< what users have
  using kept = std::conditional_t<std::is_void_v<Value>, Key, Value>;           ///< what a search gives
  using visited = std::conditional_t<std::is_void_v<Value>, const Key, Value>;  ///< what a function is called with
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

  hash_table() = default;
  hash_table(hash_table&& other) noexcept { swap(other); }
  hash_table& operator=(hash_table&& other) noexcept {
    hash_table(std::move(other)).swap(*this);
    return *this;
  }
  hash_table(const hash_table&) = delete;
  ~hash_table() {
    destroy_slots();
    release();
  }

  std::size_t size() const noexcept { return size_; }
  using slot_value = Value;  ///< of all elements of a key
  /// For a loop over slots: each has all elements of its key.
  const hash_table& by_key() const noexcept { return *this; }
  /// How often slots have moved to other places.
  std::uint64_t rebuilds() const noexcept { return rebuilds_; }
  std::size_t capacity() const noexcept { return slots_ == nullptr ? 0 : (mask_ + 1) * mark_group::width; }

  /// Asks for the cache lines that a search for `hash` reads: of the marks, and of the slot that is most likely the key's.
  void prefetch(std::uint64_t hash) const noexcept {
    const std::size_t at = first_group(hash) * mark_group::width;
    __builtin_prefetch(marks_ + at);
    // As a number: an empty table has no slots to point among.
    const auto slot_at = reinterpret_cast<std::uintptr_t>(slots_) + (at + preferred(hash)) * sizeof(slot);
    __builtin_prefetch(reinterpret_cast<const void*>(slot_at));
  }

  /// The slot of `key`, or null. `Q`: whatever Equal compares with a Key.
  template <class Q>
  slot* find(const Q& key, std::uint64_t hash) const {
    const std::uint8_t mark = mark_of(hash);
    for (probe at(*this, hash);; at.next()) {
      const mark_group marks(marks_ + at.begin());
      for (std::uint32_t hits = marks.equal(mark); hits != 0; hits &= hits - 1) {
        slot& candidate = slots_[at.begin() + std::size_t(std::countr_zero(hits))];
        if (Equal{}(slots::key(candidate), key)) [[likely]]
          return &candidate;
      }
      if (marks.equal(mark_group::empty) != 0) [[likely]]
        return nullptr;
    }
  }

  struct obtained {
    slot* place;
    bool fresh;
  };
  /// The slot of `key`; a missing one is made from Key(key) and make().
  template <class Hash, class Q, class Make>
  obtained obtain(Q&& key, std::uint64_t hash, Make&& make) {
    if (slot* const there = find(key, hash)) return {there, false};
    const std::size_t at = vacancy<Hash>(hash);
    slots::construct(slots_ + at, Key(std::forward<Q>(key)), make);
    fill(at, hash);
    return {slots_ + at, true};
  }

  /// The value of `key` becomes Op(it, make()); a missing one is make().
  template <class Op, class Hash, class Q, class Make>
  void update(Q&& key, std::uint64_t hash, Make&& make) {
    const obtained at = obtain<Hash>(std::forward<Q>(key), hash, make);
    if (!at.fresh) at.place->second = Op{}(std::move(at.place->second), make());
  }

  /// How many elements a slot stands for.
  static std::size_t count_in(const slot&) noexcept { return 1; }

  /// False: it is not there.
  template <class Q>
  bool erase(const Q& key, std::uint64_t hash) {
    slot* const there = find(key, hash);
    if (there == nullptr) return false;
    erase(there);
    return true;
  }
  void erase(slot* there) noexcept {
    const std::size_t at = std::size_t(there - slots_);
    there->~slot();
    const bool last = mark_group(marks_ + at / mark_group::width * mark_group::width).equal(mark_group::empty) != 0;
    marks_[at] = last ? mark_group::empty : mark_group::erased;
    if (last) ++room_;
    --size_;
  }

  void clear() noexcept {
    destroy_slots();
    if (slots_ != nullptr) std::memset(marks_, mark_group::empty, capacity());
    size_ = 0;
    room_ = usable(capacity());
  }
  /// How many groups of slots, a power of two, a table with room for `n` keys has; `hash >> group_shift` chooses one by its low
  /// bits.
  static std::size_t groups_for(std::size_t n) noexcept { return capacity_for(n) / mark_group::width; }
  static constexpr unsigned group_shift = 7;
  /// Room for `n` keys without another growth.
  template <class Hash>
  void reserve(std::size_t n) {
    if (n > size_ + room_) rebuild<Hash>(capacity_for(n));
  }

  /// All slots, in the order of their places. A slot that is erased meanwhile is no trouble; an insertion is.
  class iterator {
   public:
    using value_type = slot;
    using reference = visible&;
    using pointer = visible*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    iterator() = default;
    reference operator*() const noexcept { return table_->slots_[at_ + std::size_t(std::countr_zero(left_))]; }
    pointer operator->() const noexcept { return &**this; }
    iterator& operator++() noexcept {
      left_ &= left_ - 1;
      skip();
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_ && a.left_ == b.left_; }

   private:
    friend hash_table;
    iterator(const hash_table* table, std::size_t at) noexcept : table_(table), at_(at) {
      if (at_ < table->capacity()) left_ = mark_group(table->marks_ + at_).full();
      skip();
    }
    void skip() noexcept {
      while (left_ == 0 && at_ < table_->capacity())
        if ((at_ += mark_group::width) < table_->capacity()) left_ = mark_group(table_->marks_ + at_).full();
    }
    const hash_table* table_ = nullptr;
    std::size_t at_ = 0;
    std::uint32_t left_ = 0;
  };
  iterator begin() const noexcept { return {this, 0}; }
  iterator end() const noexcept { return {this, capacity()}; }

  /// Calls f(slot) for the slots of whole groups, from group number `from` on, until at least `most` have come. Gives the number
  /// to go on with, 0 behind the last. What is there through all pages comes once, as long as `rebuilds` stays the same.
  template <class F>
  std::size_t page(std::size_t from, std::size_t most, F f) const {
    const std::size_t groups = capacity() / mark_group::width;
    for (std::size_t g = from, seen = 0; g < groups; ++g) {
      if (seen >= most) return g;
      for (std::uint32_t left = mark_group(marks_ + g * mark_group::width).full(); left != 0; left &= left - 1, ++seen)
        f(std::as_const(slots_[g * mark_group::width + std::size_t(std::countr_zero(left))]));
    }
    return 0;
  }

  void swap(hash_table& other) noexcept {
    rebuilds_ = other.rebuilds_ = (rebuilds_ < other.rebuilds_ ? other.rebuilds_ : rebuilds_) + 1;
    std::swap(slots_, other.slots_);
    std::swap(marks_, other.marks_);
    std::swap(mask_, other.mask_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

 private:
  static std::uint8_t mark_of(std::uint64_t hash) noexcept { return hash & 0x7f; }
  /// Of a group, by bits of the mark: so keys beside each other have different ones.
  static unsigned preferred(std::uint64_t hash) noexcept { return hash % mark_group::width; }
  /// The first of these slots of a group from slot `from` on, and round.
  static std::size_t next_of(std::uint32_t slots, unsigned from) noexcept {
    const auto behind = std::uint16_t(slots >> from | slots << (mark_group::width - from));
    return (from + unsigned(std::countr_zero(behind))) % mark_group::width;
  }
  std::size_t first_group(std::uint64_t hash) const noexcept { return std::size_t(hash >> group_shift) & mask_; }
  static std::size_t usable(std::size_t capacity) noexcept { return capacity / 8 * 7; }
  static std::size_t capacity_for(std::size_t n) noexcept {
    return std::bit_ceil(n + n / 7 + 1 < mark_group::width ? mark_group::width : n + n / 7 + 1);
  }

  /// The groups that a key may lie in, each once before any of them comes again.
  class probe {
   public:
    probe(const hash_table& t, std::uint64_t hash) noexcept : mask_(t.mask_), group_(t.first_group(hash)) {}
    std::size_t begin() const noexcept { return group_ * mark_group::width; }
    void next() noexcept { group_ = (group_ + ++step_) & mask_; }

   private:
    std::size_t mask_, group_, step_ = 0;
  };

  std::size_t first_vacant(std::uint64_t hash) const noexcept {
    for (probe at(*this, hash);; at.next())
      if (const std::uint32_t vacant = mark_group(marks_ + at.begin()).vacant(); vacant != 0)
        return at.begin() + next_of(vacant, preferred(hash));
  }
  /// Where a new key goes; makes room.
  template <class Hash>
  std::size_t vacancy(std::uint64_t hash) {
    if (slots_ != nullptr) {
      const std::size_t at = first_vacant(hash);
      if (room_ != 0 || marks_[at] == mark_group::erased) [[likely]]
        return at;
    }
    grow<Hash>();
    return first_vacant(hash);
  }
  void fill(std::size_t at, std::uint64_t hash) noexcept {
    if (marks_[at] == mark_group::empty) --room_;
    marks_[at] = mark_of(hash);
    ++size_;
  }

  /// Twice as large, or, where most slots are erased ones, anew in the same size.
  template <class Hash>
  [[gnu::noinline]] void grow() {
    const std::size_t now = capacity();
    rebuild<Hash>(size_ < now / 16 * 7 ? now : now == 0 ? mark_group::width : now * 2);
  }
  template <class Hash>
  [[gnu::noinline]] void rebuild(std::size_t capacity) {
    hash_table larger(capacity);
    each_slot([&](slot& from) {
      const std::uint64_t hash = Hash{}(slots::key(from));
      const std::size_t at = larger.first_vacant(hash);
      slots::relocate(larger.slots_ + at, from);
      larger.fill(at, hash);
    });
    release();
    slots_ = nullptr;
    swap(larger);
  }

  static constexpr std::size_t align = alignof(slot) > 16 ? alignof(slot) : 16;
  static_assert(align <= 64, "armilla: keys and values of hash containers are aligned to 64 bytes at most");
  static std::size_t slot_bytes(std::size_t capacity) noexcept { return (capacity * sizeof(slot) + 15) / 16 * 16; }

  explicit hash_table(std::size_t capacity) {
    std::byte* const memory = static_cast<std::byte*>(allocate_table(slot_bytes(capacity) + capacity));
    slots_ = reinterpret_cast<slot*>(memory);
    marks_ = reinterpret_cast<std::uint8_t*>(memory + slot_bytes(capacity));
    std::memset(marks_, mark_group::empty, capacity);
    mask_ = capacity / mark_group::width - 1;
    room_ = usable(capacity);
  }
  template <class F>
  void each_slot(F f) noexcept {
    const std::size_t all = capacity();
    for (std::size_t g = 0; g < all; g += mark_group::width)
      for (std::uint32_t left = mark_group(marks_ + g).full(); left != 0; left &= left - 1)
        f(slots_[g + std::size_t(std::countr_zero(left))]);
  }
  void destroy_slots() noexcept {
    if constexpr (!std::is_trivially_destructible_v<slot>) each_slot([](slot& each) { each.~slot(); });
  }
  void release() noexcept {
    if (slots_ != nullptr) deallocate_table(slots_, slot_bytes(capacity()) + capacity());
  }

  slot* slots_ = nullptr;
  std::uint8_t* marks_ = const_cast<std::uint8_t*>(no_marks);  // never written while there are no slots
  std::size_t mask_ = 0;                                       // of groups
  std::size_t size_ = 0;
  std::size_t room_ = 0;  // empty slots that may be used
  std::uint64_t rebuilds_ = 0;
};

}  // namespace armilla::detail
