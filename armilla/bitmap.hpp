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
#include "armilla/container/place/mapped_blocks.hpp"

namespace armilla {

/// A set of bits that is distributed over the ranks of a team, in blocks of 64-bit words. Any rank changes any bit atomically.
///
/// Use it to mark which of n things were seen, as in a graph search. If the numbers are sparse, use an `unordered_set`.
///
///     am::bitmap seen(n);                               // collective: all ranks construct it; the bits are 0
///     if (!seen.test_and_set(v)) visit(v);              // one rank of all gets false
///     am::fence();
///     const std::size_t all = seen.count();             // collective: all ranks get the same
///     seen.for_each_set([](std::size_t i) { visit(i); });   // collective: each rank its own bits
///
/// **Kinds of operations.**
/// - `set`, `reset` and `flip` are complete when they return where the bit's memory is mapped; otherwise they are one-way,
///   complete at the fence.
/// - `test` and `test_and_set` return the bit, by a message each way where it is not mapped.
/// - `count`, `for_each_set`, `or_with` and the like are collective: all members of the team call them.
///
/// **Order.** Changes of bits are atomic and in one order. Collective operations see what was fenced. docs/spec/order.md has the
/// details.
///
/// **Errors.** Throws `usage_error` for a bit beyond the end, and for a bitmap of another size or team. Construction fails as
/// that of an `array`.
///
/// **Lifetime.** A bitmap is movable but not copyable; `clone` makes a copy.
class bitmap : public detail::named_container<bitmap> {
 public:
  using handle_type = container_handle<bitmap>;  // see handle()

  // ---- Construction (collective) ----

  /// Creates a bitmap without bits and without ranks, such as a moved-from one. Not collective.
  bitmap() = default;
  /// Creates `bits` bits, all 0, over the members of `members`. Cost: one collective.
  explicit bitmap(std::size_t bits, const team& members = world(), const made_at& at = std::source_location::current())
      : bitmap(bits, members, detail::making(at, typeid(bitmap), members)) {}
  /// Creates `bits` bits over all ranks, with a name: `am::bitmap b(1000, am::named("visited"))`.
  bitmap(std::size_t bits, const made_at& at) : bitmap(bits, world(), at) {}
  bitmap(bitmap&& other) noexcept
      : named_container(std::move(other)),
        bits_(std::exchange(other.bits_, 0)),
        words_(std::move(other.words_)),
        mapped_(std::move(other.mapped_)) {}
  bitmap& operator=(bitmap&& other) noexcept {
    named_container::operator=(std::move(other));
    bits_ = std::exchange(other.bits_, 0);
    words_ = std::move(other.words_);
    mapped_ = std::move(other.mapped_);
    return *this;
  }

  // ---- One bit ----

  /// Sets bit `i` to 1. Cost: a locked instruction where the bit is mapped, otherwise a message.
  void set(std::size_t i) {
    if (std::uint64_t* const word = mapped(i)) [[likely]]
      __atomic_fetch_or(word, bit_of(i), __ATOMIC_SEQ_CST);
    else
      atomic_or(words_.ptr(word_of(i)), bit_of(i));
  }
  /// Sets bit `i` to 0. Cost: as `set`.
  void reset(std::size_t i) { atomic_and(words_.ptr(word_of(i)), ~bit_of(i)); }
  /// Inverts bit `i`. Cost: as `set`.
  void flip(std::size_t i) { atomic_xor(words_.ptr(word_of(i)), bit_of(i)); }

  /// Returns bit `i`. Cost: a load where the bit is mapped, otherwise a message each way.
  bool test(std::size_t i) const {
    const std::uint64_t word = words_[word_of(i)];
    return (word & bit_of(i)) != 0;
  }

  /// Sets bit `i` to 1, and returns what it was before. Of all callers for a bit that is 0 exactly one gets false.
  ///
  /// Cost: a locked instruction where the bit is mapped, otherwise a message each way; a called function must not wait for that.
  bool test_and_set(std::size_t i) {
    if (std::uint64_t* const word = mapped(i)) [[likely]]
      return (__atomic_fetch_or(word, bit_of(i), __ATOMIC_SEQ_CST) & bit_of(i)) != 0;
    return (atomic_fetch_or(words_.ptr(word_of(i)), bit_of(i)) & bit_of(i)) != 0;
  }

  // ---- Local access (no message) ----

  /// Returns the number of bits on all ranks.
  std::size_t size() const noexcept { return bits_; }
  /// Returns the team over which the bits are distributed.
  const team& members() const noexcept { return words_.members(); }
  /// Returns the rank of the job that stores bit `i`.
  rank_t rank_of(std::size_t i) const { return words_.rank_of(word_of(i)); }
  /// Returns this rank's bits as words, the first bit lowest. Bits after the last one are 0.
  std::span<const std::uint64_t> local() const noexcept { return words_.local(); }
  /// Returns the index of this rank's first bit.
  std::size_t first_local() const noexcept { return local().empty() ? 0 : words_.index_of_local(0) * 64; }
  /// Returns a small value that names the bitmap on all members, wherever it is moved. Called functions use it: `h->set(i)`.
  handle_type handle() const { return make_handle<handle_type>(); }

  // ---- All bits (collective) ----

  /// Returns how many bits of all ranks are 1. Changes that are not fenced may or may not be counted. Cost: one reduction.
  std::size_t count() const;

  /// Calls `f(i)` on the rank of bit `i`, in order, for the bits that are 1. What `f` throws comes as `remote_error` on all
  /// members.
  template <class F>
  void for_each_set(F f) const;

  /// Sets all bits to 0. Does not fence: a `set` that is not fenced may come before or after it. Cost: two collectives.
  void clear();

  /// Combines each bit with that of `other`, by or.
  ///
  /// Sees what members changed in mapped memory before they called it. Fence one-way changes first, otherwise they may be lost.
  /// Cost: two collectives, and no other message.
  void or_with(const bitmap& other) { combine(other, "bitmap::or_with", std::bit_or<>{}); }
  /// Combines each bit with that of `other`, by and. As `or_with`.
  void and_with(const bitmap& other) { combine(other, "bitmap::and_with", std::bit_and<>{}); }
  /// Combines each bit with that of `other`, by exclusive or. As `or_with`.
  void xor_with(const bitmap& other) { combine(other, "bitmap::xor_with", std::bit_xor<>{}); }

  /// Returns a copy.
  bitmap clone(const made_at& at = std::source_location::current()) const;

  /// Writes all bits to the file `path`. `load` reads them on any number of ranks.
  ///
  /// Fences the team first; no fiber may change bits meanwhile. The file replaces an existing one only when it is complete.
  /// `usage_error` on all members if writing fails.
  void save(const std::string& path) const;

  /// Replaces size and bits by those of a file that a bitmap has saved, on any number of ranks.
  ///
  /// Fences the team. The ranks remain; a bitmap without ranks is distributed over all. If the size changes, the bitmap is no
  /// longer replicated. `usage_error` on all members if the file is damaged or has another kind of content, `limit_error` if the
  /// bits do not fit; the bitmap is then unchanged.
  void load(const std::string& path);

  /// Makes `checkpoint` copy each rank's bits to the memory of the next `copies` ranks of the team, from which `recover` takes
  /// them when a rank is lost, as `array::keep`.
  void keep(int copies) { words_.keep(copies); }

  /// Copies all bits to the ranks that `keep` chose, as `array::checkpoint`.
  void checkpoint(std::uint64_t mark = 0) { words_.checkpoint(mark); }

  /// Returns a bitmap over `t` with the bits of the last checkpoint, after ranks were lost, as `array::recover`. `gone` of the
  /// result has the indices of bits of which no copy is left; these are 0.
  [[nodiscard]] recovered<bitmap> recover(const team& t);

 private:
  friend detail::rebalancer;
  bitmap(std::size_t bits, const team& members, const detail::making& how)
      : bits_(bits), words_(bits / 64 + (bits % 64 != 0 ? 1 : 0), on(members)), mapped_(words_) {
    be_named(members, &how);
  }
  bitmap(std::size_t bits, array<std::uint64_t> words) : bits_(bits), words_(std::move(words)), mapped_(words_) {
    be_named(words_.members());
  }
  std::size_t word_of(std::size_t i) const {
    if (i >= bits_) [[unlikely]]
      detail::throw_element(this, i, bits_);
    return i / 64;
  }
  /// Returns the address of the word of bit `i` if this rank maps all bits, otherwise null; always null in the checked library.
  std::uint64_t* mapped(std::size_t i) const {
    const std::size_t word = word_of(i);
    return !detail::checked && mapped_ ? mapped_.at(word) : nullptr;
  }
  static constexpr std::uint64_t bit_of(std::size_t i) noexcept { return std::uint64_t(1) << (i % 64); }
  void require_alike(const bitmap& other, const char* operation) const;
  template <class Op>
  void combine(const bitmap& other, const char* operation, Op op);

  std::size_t bits_ = 0;
  array<std::uint64_t> words_;
  detail::mapped_blocks<std::uint64_t> mapped_;
};

// ---- Implementation only below ----

template <class Op>
void bitmap::combine(const bitmap& other, const char* operation, Op op) {
  require_alike(other, operation);
  detail::meet(members());  // what members have done before, also to words of others
  const std::span<std::uint64_t> mine = words_.local();
  for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = op(mine[k], other.local()[k]);
  detail::meet(members());
}

template <class F>
void bitmap::for_each_set(F f) const {
  detail::algorithm_call why("for_each_set");
  why.about(this);
  std::size_t at = first_local();
  try {
    for (std::size_t first = at; const std::uint64_t word : local()) {
      for (std::uint64_t left = word; left != 0; left &= left - 1) {
        at = first + std::size_t(std::countr_zero(left));
        std::invoke(f, at);
      }
      first += 64;
    }
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(at);
  }
  detail::agree(members(), "for_each_set", why);
}

}  // namespace armilla
