// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <optional>
#include <span>

#include "armilla/team.hpp"
#include "armilla/team/core/record.hpp"

/// Collectives of arrays of one length on all members, element by element and in place, as bytes.
///
/// Up to a board's size each member shows its array, and those that want the result fold the arrays where they lie. Longer ones
/// go by transfers whose receivers fold each piece as it comes, without a copy of their own.
namespace armilla::detail {

/// `mine[k] = mine[k] op other[k]`, or with the operands exchanged, for `bytes` bytes of whole elements.
using fold_function = void (*)(void* op, std::byte* mine, const std::byte* other, std::size_t bytes, bool other_first);

/// How arrays are combined.
struct array_fold {
  fold_function fold;
  void* op;
  std::size_t element;  ///< bytes
  bool in_order;        ///< from the first member to the last, and no other way
};

/// The fold by `op`. An exception of `op` must not keep the others waiting: it is thrown in the end.
template <class T, class Op>
class elementwise {
 public:
  explicit elementwise(Op& op) : op_(op) {}
  array_fold how() noexcept { return {fold, this, sizeof(T), keeps_order<Op>}; }
  void rethrow() const {
    if (thrown_) [[unlikely]]
      std::rethrow_exception(thrown_);
  }

 private:
  static void fold(void* self, std::byte* mine, const std::byte* other, std::size_t bytes, bool other_first) {
    auto& e = *static_cast<elementwise*>(self);
    const std::size_t n = bytes / sizeof(T);
    try {
      if (other_first)
        e.put_before(reinterpret_cast<T*>(mine), reinterpret_cast<const T*>(other), n);
      else
        e.append(reinterpret_cast<T*>(mine), reinterpret_cast<const T*>(other), n);
    } catch (const passing&) { throw; } catch (...) {
      if (!e.thrown_) e.thrown_ = std::current_exception();
    }
  }
  void append(T* __restrict mine, const T* __restrict other, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) mine[k] = T(op_(mine[k], other[k]));
  }
  void put_before(T* __restrict mine, const T* __restrict other, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) mine[k] = T(op_(other[k], mine[k]));
  }

  Op& op_;
  std::exception_ptr thrown_;
};

void reduce_array(team_record* t, std::byte* data, std::size_t bytes, type_mark type, const array_fold& how, rank_t root);
void all_reduce_array(team_record* t, std::byte* data, std::size_t bytes, type_mark type, const array_fold& how);
void gather_array(team_record* t, const std::byte* mine, std::size_t bytes, std::byte* all, std::size_t all_bytes, type_mark type,
                  rank_t root);
void all_gather_array(team_record* t, const std::byte* mine, std::size_t bytes, std::byte* all, std::size_t all_bytes,
                      type_mark type);
void scatter_array(team_record* t, const std::byte* all, std::size_t all_bytes, std::byte* mine, std::size_t bytes,
                   type_mark type, rank_t root);
/// `mine` becomes the fold of all members' parts of `all` that belong to this one.
void reduce_scatter_array(team_record* t, const std::byte* all, std::size_t all_bytes, std::byte* mine, std::size_t bytes,
                          type_mark type, const array_fold& how);
/// `data` becomes the fold of the members up to this one.
void inclusive_scan_array(team_record* t, std::byte* data, std::size_t bytes, type_mark type, const array_fold& how);
/// `first` becomes the fold of itself and of the data of the members before this one.
void exclusive_scan_array(team_record* t, const std::byte* data, std::byte* first, std::size_t bytes, type_mark type,
                          const array_fold& how);

/// A gathering of arrays of different length: the lengths first, then, when the caller has made room, the bytes.
class all_gather_parts {
 public:
  all_gather_parts(team_record* t, const std::byte* mine, std::size_t bytes, std::span<std::size_t> counts, std::size_t element,
                   type_mark type);
  /// Elements in all.
  std::size_t total() const noexcept { return total_; }
  void run(std::byte* all);

 private:
  team_record* t_;
  std::optional<collective_part> part_;  ///< from its entry until `run` has returned
  const std::byte* mine_;
  std::size_t bytes_;
  std::span<std::size_t> counts_;
  std::size_t element_;
  std::uint64_t step_ = 0;
  std::size_t total_ = 0;
};

}  // namespace armilla::detail
