// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "armilla/global/spread_array_inline.hpp"
#include "armilla/spread_ptr.hpp"
#include "armilla/wire/kinds.hpp"

namespace armilla {

/// An array whose elements are on all ranks in turn: element i on rank i % ranks(), or blocks of `block` elements in turn.
///
/// This is Split-C's array, for programs that work by global pointers. An `array` has more: teams, distributions, algorithms and
/// elements that are not trivially copyable.
///
///     am::spread_array<double> x(1000);            // collective: element 0 on rank 0, 1 on rank 1, ...
///     x[17] = 2.5;                                 // wherever it is, as *p
///     for (double& e : x.local()) e = 0;           // this rank's elements
///
/// All ranks construct it together, which is a collective with a barrier, and destroy it together. Elements are
/// value-initialized. `T` is trivially copyable. A moved-from one is empty. A loop over all elements goes by index, or over
/// `local()`.
///
/// **Errors.** Throws `limit_error` on every rank if it does not fit, or if the size was negative. Throws `usage_error` for an
/// index beyond the end.
///
/// Paper: Split-C, spread arrays.
template <class T>
class spread_array {
  static_assert(std::is_trivially_copyable_v<T>, "armilla: a spread_array holds trivially copyable elements");

 public:
  using value_type = T;

  spread_array() = default;
  /// Creates `n` value-initialized elements, in blocks of `block`. Collective.
  explicit spread_array(std::size_t n, std::size_t block = 1)
      : size_(n),
        block_(block == 0 ? 1 : block),
        ranks_(std::size_t(detail::head_here("spread_array").world_size)),
        by_block_(block_),
        by_ranks_(ranks_),
        storage_(detail::spread_bytes(size_, block_, ranks_, sizeof(T)), alignof(T)) {
    if ((ranks_ & (ranks_ - 1)) == 0 && block_ == 1) shift_ = std::countr_zero(ranks_);
    storage_.before_filling(rows() * sizeof(T));
    T* const mine = first();
    for (std::size_t i = 0; i < rows(); ++i) ::new (static_cast<void*>(mine + i)) T();
    storage_.meet();
  }
  /// Creates an array with one block on each rank. Collective.
  static spread_array blocked(std::size_t n) {
    const auto ranks = std::size_t(detail::head_here("spread_array").world_size);
    return spread_array(n, n / ranks + (n % ranks != 0 ? 1 : 0));
  }

  /// Returns the number of elements on all ranks.
  std::size_t size() const noexcept { return size_; }
  /// Returns the number of elements in a block.
  std::size_t block() const noexcept { return block_; }

  /// Reads or writes element `i`, by the expression that names it. Cost: `*p` and, unless `ranks()` is a power of two and `block`
  /// is 1, four multiplications.
  global_ref<T> operator[](std::size_t i) const { return *ptr(i); }
  /// Returns a global pointer to element `i`.
  global_ptr<T> ptr(std::size_t i) const {
    if (i >= size_) [[unlikely]]
      detail::throw_index(i, size_);
    const place p = locate(i);
    const detail::global_address at = storage_.begin();
    return global_ptr<T>(detail::global_address::make(detail::memory_kind::segment, rank_t(p.rank), at.offset + p.row * sizeof(T),
                                                      at.generation()));
  }
  /// Returns a pointer that goes from rank to rank with each step. For blocks of 1, otherwise `usage_error`.
  spread_ptr<T> begin() const {
    if (block_ != 1) [[unlikely]]
      detail::throw_blocks(block_);
    return spread_ptr<T>(size_ == 0 ? global_ptr<T>() : ptr(0));
  }
  /// For the library: does not compile, and says what to write instead of a loop over all elements.
  template <class Element = T>
  spread_ptr<Element> end() const {
    static_assert(!std::is_same_v<Element, T>,
                  "armilla: a loop over a spread_array would fetch its elements one by one; write `for (T& e : x.local())` for "
                  "this rank's elements, or count the index and write x[i]");
    return {};
  }

  /// Returns the rank that stores element `i`.
  rank_t rank_of(std::size_t i) const {
    if (i >= size_) [[unlikely]]
      detail::throw_index(i, size_);
    return rank_t(locate(i).rank);
  }
  /// Returns this rank's elements, in order.
  std::span<T> local() const { return {first(), local_size(std::size_t(detail::head_here("spread_array").rank))}; }
  /// Returns the index of this rank's element number `k`. Throws `usage_error` if it has no such element.
  std::size_t index_of_local(std::size_t k) const {
    const auto r = std::size_t(detail::head_here("spread_array").rank);
    const std::size_t turn = by_block_.quotient(k);
    const std::size_t i = k < size_ ? (turn * ranks_ + r) * block_ + (k - turn * block_) : k;
    if (i >= size_) [[unlikely]]
      detail::throw_index(k, local_size(r));
    return i;
  }

 private:
  struct place {
    std::size_t rank, row;
  };
  place locate(std::size_t i) const noexcept {
    if (shift_ >= 0) [[likely]]
      return {i & (ranks_ - 1), i >> shift_};
    const std::size_t b = by_block_.quotient(i), turn = by_ranks_.quotient(b);
    return {b - turn * ranks_, turn * block_ + (i - b * block_)};
  }
  /// Elements that every rank makes room for: `spread_bytes` has found that nothing overflows.
  std::size_t rows() const noexcept {
    const std::size_t blocks = (size_ + block_ - 1) / block_;
    return (blocks + ranks_ - 1) / ranks_ * block_;
  }
  std::size_t local_size(std::size_t r) const noexcept {
    const std::size_t whole = size_ / (block_ * ranks_), rest = size_ % (block_ * ranks_);
    const std::size_t before = r * block_;
    const std::size_t part = rest > before ? rest - before : 0;
    return whole * block_ + (part < block_ ? part : block_);
  }
  T* first() const { return size_ == 0 ? nullptr : global_ptr<T>(storage_.begin()).local(); }

  detail::left_at_zero size_;
  std::size_t block_ = 1, ranks_ = 1;
  int shift_ = -1;  ///< ranks in turn, one element each: their number's logarithm, if it has one
  detail::reciprocal by_block_{1}, by_ranks_{1};
  detail::spread_storage storage_;
};

namespace detail {

template <class T>
inline constexpr refusal refused_class<spread_array<T>> = refusal::spread_array;
}  // namespace detail

}  // namespace armilla
