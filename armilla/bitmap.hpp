// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "armilla/array.hpp"
#include "armilla/atomic.hpp"
#include "armilla/container/place/algorithm_call.hpp"

namespace armilla {

/// Bits in blocks over the ranks of a team, 64 in a word. All members make it together; the bits are 0.
///
///     am::bitmap seen(n);
///     if (!seen.test_and_set(v)) visit(v);              // one rank of all gets false
///     am::fence();
///     const std::size_t all = seen.count();             // all call it, and get the same
///     seen.for_each_set([&](std::size_t v) { ... });    // each for its own bits
///
/// Any rank changes any bit, atomically. It moves and does not copy (`clone` does). Errors: usage_error for a bit beyond the end,
/// or another bitmap of another size or team; as `array` when it is made.
class bitmap : public detail::named_container<bitmap> {
 public:
  using handle_type = container_handle<bitmap>;

  bitmap() = default;
  explicit bitmap(std::size_t bits, const team& members = world())
      : bits_(bits), words_(bits / 64 + (bits % 64 != 0 ? 1 : 0), on(members)) {
    be_named(members);
  }
  bitmap(bitmap&& other) noexcept
      : named_container(std::move(other)), bits_(std::exchange(other.bits_, 0)), words_(std::move(other.words_)) {}
  bitmap& operator=(bitmap&& other) noexcept {
    named_container::operator=(std::move(other));
    bits_ = std::exchange(other.bits_, 0);
    words_ = std::move(other.words_);
    return *this;
  }

  std::size_t size() const noexcept { return bits_; }
  const team& members() const noexcept { return words_.members(); }
  /// Names it on all members, wherever it moves: to send and to keep. No message.
  handle_type handle() const { return make_handle<handle_type>(); }
  /// The rank of the job that has bit i.
  rank_t rank_of(std::size_t i) const { return words_.rank_of(word_of(i)); }

  /// Statements: complete at once where the bit is mapped, else at the fence. Cost: a locked instruction, or a message.
  void set(std::size_t i) { atomic_or(words_.ptr(word_of(i)), bit_of(i)); }
  void reset(std::size_t i) { atomic_and(words_.ptr(word_of(i)), ~bit_of(i)); }
  void flip(std::size_t i) { atomic_xor(words_.ptr(word_of(i)), bit_of(i)); }
  /// Bit i. Cost: a load, or a message each way.
  bool test(std::size_t i) const {
    const std::uint64_t word = words_[word_of(i)];
    return (word & bit_of(i)) != 0;
  }
  /// Sets bit i, and says what it was. Cost: a locked instruction, or a message each way, which a body may not wait for.
  bool test_and_set(std::size_t i) {
    const global_ptr<std::uint64_t> word = words_.ptr(word_of(i));
    return (atomic_fetch_or(word, bit_of(i)) & bit_of(i)) != 0;
  }

  /// How many are set, on all members. Collective; what is not fenced may or may not be counted. Cost: one reduction.
  std::size_t count() const;
  /// All become 0. Collective, and it does not fence: a `set` that is not fenced may come before or after it. Cost: two meetings.
  void clear();
  /// Each bit becomes its own value with that of `other`. Collective; a bit that a member has changed in mapped memory is seen.
  /// What one-way calls change must be fenced: else it may be lost. Cost: two meetings, and no other message.
  void or_with(const bitmap& other) { combine(other, "bitmap::or_with", std::bit_or<>{}); }
  void and_with(const bitmap& other) { combine(other, "bitmap::and_with", std::bit_and<>{}); }
  void xor_with(const bitmap& other) { combine(other, "bitmap::xor_with", std::bit_xor<>{}); }
  /// f(i) on the rank of bit i, for those that are set, in order. Collective; what f throws, all throw.
  template <class F>
  void for_each_set(F f) const;

  /// This rank's bits as words, the first bit lowest; bits behind the last are 0. The first one has this index.
  std::span<const std::uint64_t> local() const noexcept { return words_.local(); }
  std::size_t first_local() const noexcept { return local().empty() ? 0 : words_.index_of_local(0) * 64; }
  /// The same bits once more. Collective.
  bitmap clone() const;

  /// Writes all bits into a file, which replaces an old one when it is whole, and not before. Collective, and a fence of the
  /// team; no fiber may change bits meanwhile. Errors: usage_error on all members, and the old file stays.
  void save(const std::string& path) const;
  /// Takes size and bits of a file that a bitmap has saved on any number of ranks. They are stored over the same ranks as before;
  /// those of a bitmap that was made without a size over all ranks. If its size changes, `keep` ends. Collective, and a fence of
  /// the team. Errors: usage_error on all members for a file that is damaged or of another kind, limit_error for one that does
  /// not fit; the bits are as before then.
  void load(const std::string& path);

  /// Replicates each rank's bits in the memory of the next `copies` ranks of the team from now on: `checkpoint` makes the copies,
  /// and `recover` takes them, as of an array (docs/guide/death.md).
  void keep(int copies) { words_.keep(copies); }
  /// Copies all bits to where `keep` said: all or nothing. As of an array.
  void checkpoint(std::uint64_t mark = 0) { words_.checkpoint(mark); }
  /// Returns the bits of the last checkpoint over the ranks of `t`, which `members().survivors()` gave. Bits that are lost with
  /// all their copies are 0, and `gone` has their indices. As of an array.
  [[nodiscard]] recovered<bitmap> recover(const team& t);

 private:
  friend detail::rebalancer;
  bitmap(std::size_t bits, array<std::uint64_t> words) : bits_(bits), words_(std::move(words)) { be_named(words_.members()); }
  std::size_t word_of(std::size_t i) const {
    if (i >= bits_) [[unlikely]]
      detail::throw_element(i, bits_);
    return i / 64;
  }
  static constexpr std::uint64_t bit_of(std::size_t i) noexcept { return std::uint64_t(1) << (i % 64); }
  void require_alike(const bitmap& other, const char* operation) const;
  template <class Op>
  void combine(const bitmap& other, const char* operation, Op op) {
    require_alike(other, operation);
    detail::meet(members());  // what members have done before, also to words of others
    const std::span<std::uint64_t> mine = words_.local();
    for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = op(mine[k], other.local()[k]);
    detail::meet(members());
  }

  std::size_t bits_ = 0;
  array<std::uint64_t> words_;
};

template <class F>
void bitmap::for_each_set(F f) const {
  detail::algorithm_call why("for_each_set");
  std::size_t at = first_local();
  try {
    for (std::size_t first = at; const std::uint64_t word : local()) {
      for (std::uint64_t left = word; left != 0; left &= left - 1) {
        at = first + std::size_t(std::countr_zero(left));
        std::invoke(f, at);
      }
      first += 64;
    }
  } catch (...) { why.note(at); }
  detail::agree(members(), "for_each_set", why);
}

}  // namespace armilla
