// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

/// Sorts for comparators of users. Whatever `less` answers, a sort ends after some n log n calls, touches nothing outside of its
/// elements, and leaves each of them there once. The sorts of the standard rely on a strict weak order instead. If `less` throws,
/// some elements may be lost.
namespace armilla::detail {

/// Elements that are copied rather than looked at: a wrong guess of the processor costs more.
template <class T>
inline constexpr bool copied_cheaply = std::is_trivially_copyable_v<T> && sizeof(T) <= 32;

template <class T, class Less>
void insertion_sort(T* first, std::size_t n, const Less& less) {
  for (std::size_t k = 1; k < n; ++k) {
    if (!less(first[k], first[k - 1])) continue;
    T e = std::move(first[k]);
    std::size_t hole = k;
    do first[hole] = std::move(first[hole - 1]);
    while (--hole > 0 && less(e, first[hole - 1]));
    first[hole] = std::move(e);
  }
}

template <class T, class Less>
void sift_down(T* first, std::size_t hole, std::size_t n, const Less& less) {
  T e = std::move(first[hole]);
  for (std::size_t child = 2 * hole + 1; child < n; child = 2 * hole + 1) {
    if (child + 1 < n && less(first[child], first[child + 1])) ++child;
    if (!less(e, first[child])) break;
    first[hole] = std::move(first[child]);
    hole = child;
  }
  first[hole] = std::move(e);
}
template <class T, class Less>
void heap_sort(T* first, std::size_t n, const Less& less) {
  for (std::size_t k = n / 2; k-- > 0;) sift_down(first, k, n, less);
  while (n > 1) {
    std::swap(first[0], first[--n]);
    sift_down(first, 0, n, less);
  }
}

/// Brings the elements that go left before the others, and returns how many they are. Budget: no branch that depends on an
/// element, and two copies of each. Paper: Lomuto's partition, with a hole that goes round.
template <class T, class Left>
std::size_t split_by_copies(T* first, std::size_t n, const Left& goes_left) {
  if (n == 0) return 0;
  const T held = first[0];
  std::size_t hole = 0, left = 0;
  for (std::size_t k = 1; k < n; ++k) {
    const T e = first[k];
    first[hole] = first[left];
    first[left] = e;
    hole = k;
    left += std::size_t(goes_left(e));
  }
  first[hole] = first[left];
  first[left] = held;
  return left + std::size_t(goes_left(held));
}
/// The same by exchanges. An element that goes neither left nor right may be on either side. Paper: Hoare, Quicksort.
template <class T, class Left, class Right>
std::size_t split_by_swaps(T* first, std::size_t n, const Left& goes_left, const Right& goes_right) {
  std::size_t low = 0, high = n;
  for (;;) {
    while (low < high && goes_left(first[low])) ++low;
    while (low < high && goes_right(first[high - 1])) --high;
    if (high - low < 2) return low;
    std::swap(first[low++], first[--high]);
  }
}

/// Orders three elements; true if they were in order.
template <class T, class Less>
bool order_three(T& a, T& b, T& c, const Less& less) {
  const bool second = less(b, a);
  if (second) std::swap(a, b);
  const bool third = less(c, b);
  if (!third) return !second;
  std::swap(b, c);
  if (less(b, a)) std::swap(a, b);
  return false;
}
/// The first element becomes one that is in the middle of some; true if those were in order.
template <class T, class Less>
bool bring_middle_to_front(T* first, std::size_t n, const Less& less) {
  const std::size_t m = n / 2;
  bool in_order = order_three(first[0], first[m], first[n - 1], less);
  if (n > 128) {
    in_order &= order_three(first[1], first[m - 1], first[n - 2], less);
    in_order &= order_three(first[2], first[m + 1], first[n - 3], less);
    order_three(first[m - 1], first[m], first[m + 1], less);
  }
  std::swap(first[0], first[m]);
  return in_order;
}

/// Sorts [first, first + n). `follows`: there is an element before them that none of them comes before. `depth`: so often a bad
/// choice of the middle is put up with. Paper: Musser, Introspective sorting; equal elements as Peters, Pattern-defeating
/// quicksort.
template <class T, class Less>
void quick_sort(T* first, std::size_t n, bool follows, int depth, const Less& less) {
  while (n > 24) {
    if (depth-- == 0) return heap_sort(first, n, less);
    const bool in_order = bring_middle_to_front(first, n, less);
    T* const rest = first + 1;
    const auto before_middle = [&less, first](const T& e) { return bool(less(e, *first)); };
    const auto behind_middle = [&less, first](const T& e) { return bool(less(*first, e)); };
    if (follows && !less(first[-1], *first)) {  // the middle is a least element: its equals are in place
      const auto no_more = [&less, first](const T& e) { return !less(*first, e); };
      const std::size_t equal = 1 + split_by_swaps(rest, n - 1, no_more, behind_middle);
      first += equal;
      n -= equal;
      continue;
    }
    std::size_t left = 0;
    if constexpr (copied_cheaply<T>) {
      if (!in_order || n <= 168) {  // else what is in order already is looked at, and stays
        const T middle = *first;
        left = split_by_copies(rest, n - 1, [&less, &middle](const T& e) { return bool(less(e, middle)); });
      } else {
        left = split_by_swaps(rest, n - 1, before_middle, behind_middle);
      }
    } else {
      left = split_by_swaps(rest, n - 1, before_middle, behind_middle);
    }
    if (left > 0) std::swap(first[0], first[left]);
    const std::size_t right = n - 1 - left;
    if (left < right) {
      quick_sort(first, left, follows, depth, less);
      first += left + 1;
      n = right;
      follows = true;
    } else {
      quick_sort(first + left + 1, right, true, depth, less);
      n = left;
    }
  }
  insertion_sort(first, n, less);
}

/// Sorts `n` elements. Not stable.
template <class T, class Less>
void guarded_sort(T* first, std::size_t n, const Less& less) {
  quick_sort(first, n, false, 2 * int(std::bit_width(n)), less);
}

/// Room for elements while they are merged. It has some of the elements until the merges begin, and then what is left of them.
template <class T>
class merge_room {
 public:
  merge_room(T* first, std::size_t n)
      : begin_(static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T)), std::nothrow))), n_(n) {
    if (begin_ == nullptr || std::is_trivially_copyable_v<T>) return;
    std::uninitialized_move_n(first, n, begin_);
    std::move(begin_, begin_ + n, first);
  }
  ~merge_room() {
    if (begin_ != nullptr && !std::is_trivially_copyable_v<T>) std::destroy_n(begin_, n_);
    ::operator delete(static_cast<void*>(begin_), std::align_val_t(alignof(T)));
  }
  merge_room(const merge_room&) = delete;
  T* begin() const noexcept { return begin_; }  ///< null: there is none

 private:
  T* begin_;
  std::size_t n_;
};

/// Merges [a, a_end) and [b, b_end) to `out`; equal ones of `a` come first. What is left of `b` may be there already.
template <class T, class Less>
void merge_to(T* a, T* a_end, T* b, T* b_end, T* out, const Less& less) {
  while (a != a_end && b != b_end) {
    if (less(*b, *a))
      *out++ = std::move(*b++);
    else
      *out++ = std::move(*a++);
  }
  out = std::move(a, a_end, out);
  if (out != b) std::move(b, b_end, out);
}
/// Sorts `n` elements at `here` to `there`, or with `stay` to `here`; the other has room for as many.
template <class T, class Less>
void merge_sort(T* here, T* there, std::size_t n, bool stay, const Less& less) {
  if (n <= 16) {
    insertion_sort(here, n, less);
    if (!stay) std::move(here, here + n, there);
    return;
  }
  const std::size_t half = n / 2;
  merge_sort(here, there, half, !stay, less);
  merge_sort(here + half, there + half, n - half, !stay, less);
  T *const from = stay ? there : here, *const to = stay ? here : there;
  if (less(from[half], from[half - 1]))
    merge_to(from, from + half, from + half, from + n, to, less);
  else
    std::move(from, from + n, to);
}
/// Merges the first `left` elements with the others in place, by rotations. Paper: Dudzinski, Dydek, On a stable minimum storage
/// merging algorithm.
template <class T, class Less>
void merge_in_place(T* first, std::size_t left, std::size_t n, const Less& less) {
  if (left == 0 || left == n || !less(first[left], first[left - 1])) return;
  T* const middle = first + left;
  if (n == 2) return std::swap(first[0], first[1]);
  std::size_t i = left / 2, j = (n - left) / 2;
  if (left > n - left)
    j = std::size_t(std::lower_bound(middle, first + n, first[i], less) - middle);
  else
    i = std::size_t(std::upper_bound(first, middle, middle[j], less) - first);
  std::rotate(first + i, middle, middle + j);
  merge_in_place(first, i, i + j, less);
  merge_in_place(first + i + j, left - i, n - i - j, less);
}
template <class T, class Less>
void merge_sort_in_place(T* first, std::size_t n, const Less& less) {
  if (n <= 16) return insertion_sort(first, n, less);
  merge_sort_in_place(first, n / 2, less);
  merge_sort_in_place(first + n / 2, n - n / 2, less);
  merge_in_place(first, n / 2, n, less);
}

/// Sorts `n` elements; equal ones keep their order. Takes room for half of them; if there is none, it takes longer.
template <class T, class Less>
void guarded_stable_sort(T* first, std::size_t n, const Less& less) {
  if (n <= 16) return insertion_sort(first, n, less);
  const std::size_t half = (n + 1) / 2;
  const merge_room<T> room(first, half);
  if (room.begin() == nullptr) return merge_sort_in_place(first, n, less);
  T* const second = first + half;
  merge_sort(first, room.begin(), half, true, less);
  merge_sort(second, room.begin(), n - half, true, less);
  if (!less(*second, second[-1])) return;
  T* const out = std::upper_bound(first, second, *second, less);  // those before it stay, and those from `end` on
  T* const end = std::lower_bound(second, first + n, second[-1], less);
  T* const aside = std::move(out, second, room.begin());
  merge_to(room.begin(), aside, second, end, out, less);
}

}  // namespace armilla::detail
