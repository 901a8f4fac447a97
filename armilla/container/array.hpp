// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/container/views.hpp"
#include "armilla/rpc/question.hpp"

namespace armilla {
namespace detail {

/// Copies the elements of `from` to the same indices of `to`, as many as both have; each member fills what it has of `to`.
void copy_elements(const container_state& from, const container_state& to, std::size_t bytes);

template <class T>
container_state make_container(const team& t, placement p) {
  return container_state(t, std::move(p), sizeof(T), alignof(T), [](std::byte* at, std::size_t n) {
    T* const first = reinterpret_cast<T*>(at);
    for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(first + i)) T();
  });
}

}  // namespace detail

/// Elements that lie in the segments of a team's ranks, each where the distribution says. Made by all members together; elements
/// are value-initialised.
///
///     am::array<double> x(1'000'000);              // blocks over all ranks
///     x[17] = 1.0;  double z = x[3];               // one element, wherever it lies: one-sided, as *p of a global_ptr
///     for (double& e : x.local()) e *= 2;          // mine: a span
///     double s = am::reduce(x);                    // all: an algorithm, called by all members
///
/// It moves and does not copy (`clone` does). Its destructor waits for nothing: the memory returns when the members meet next. T
/// is trivially copyable. Errors: limit_error on all members if it does not fit, usage_error if members make different ones, or
/// for an index beyond the end. Paper: STAPL, pArray; Split-C, spread arrays.
template <class T>
class array {
  static_assert(std::is_trivially_copyable_v<T>,
                "armilla: the elements of an array lie where other ranks load and store them: they "
                "must be trivially copyable");

 public:
  using value_type = T;

  array() = default;
  /// `n` elements. Cost: one meeting.
  explicit array(std::size_t n, const distribution& d = {}) : array(d.members(), n, d) {}
  /// The same, all equal to `value`.
  array(std::size_t n, const T& value, const distribution& d = {}) : array(n, d) {
    for (T& e : local()) e = value;
    detail::meet(state_.members);
  }
  array(array&&) noexcept = default;
  array& operator=(array&&) noexcept = default;

  std::size_t size() const noexcept { return state_.where.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// The ranks that have it.
  const team& members() const noexcept { return state_.members; }
  /// Where each element lies.
  const armilla::placement& placement() const noexcept { return state_.where; }
  /// The rank of the job that has element i.
  rank_t rank_of(std::size_t i) const { return state_.members.world_rank(state_.where.member_of(checked(i))); }

  /// Element i, read or written by the expression that names it. Cost: its place, then as `*p`.
  global_ref<T> operator[](std::size_t i) { return *ptr(i); }
  global_ref<const T> operator[](std::size_t i) const { return *global_ptr<const T>(ptr(i)); }
  /// Where element i lies; valid until the elements move (resize, redistribute, growth).
  global_ptr<T> ptr(std::size_t i) const { return global_ptr<T>(state_.address(checked(i), sizeof(T))); }
  /// The value of element i, later.
  future<T> get(std::size_t i) const {
    const global_ptr<const T> p = ptr(i);
    return call(p.rank(), [](global_ptr<const T> at) { return (*at).get(); }, p);
  }
  /// Sets element i: a statement, complete at the fence.
  void set(std::size_t i, const T& value) { store(ptr(i), value); }

  /// This rank's elements, in the order of their indices.
  std::span<T> local() noexcept { return {first(), state_.count()}; }
  std::span<const T> local() const noexcept { return {first(), state_.count()}; }
  /// The index of this rank's k-th element.
  std::size_t index_of_local(std::size_t k) const noexcept { return state_.where.index_of(state_.me, k); }

  /// Another one of this size and distribution, value-initialised. Collective.
  array like() const { return array(detail::make_container<T>(members(), placement())); }
  /// The same elements once more. Collective.
  array clone() const {
    array copy = like();
    detail::copy_elements(state_, copy.state_, sizeof(T));
    detail::meet(members());
    return copy;
  }
  /// Makes it `n` elements: those that stay keep index and value, new ones are value-initialised. Collective; pointers, spans and
  /// views of it are of no use afterwards.
  void resize(std::size_t n) { become(placement().resized(n)); }
  /// Deals the elements anew, over the same ranks. Collective, as resize.
  void redistribute(const distribution& d) { become(armilla::placement(size(), members().size(), d)); }

  /// A loop over all elements would fetch them one by one: does not compile, and says what to write.
  template <class Element = T>
  T* begin() const {
    static_assert(!std::is_same_v<Element, T>,
                  "armilla: a distributed range has no begin(): write `for (T& e : x.local())` for this "
                  "rank's elements, or an algorithm such as am::for_each(x, f) for all");
    return nullptr;
  }
  template <class Element = T>
  T* end() const {
    return nullptr;
  }

  /// For views and algorithms.
  const detail::container_state& state() const noexcept { return state_; }

 protected:
  explicit array(detail::container_state s) noexcept : state_(std::move(s)) {}
  array(const team& t, std::size_t n, const distribution& d)
      : state_(detail::make_container<T>(t, armilla::placement(n, t.size(), d))) {}

  void become(armilla::placement p) {
    detail::container_state moved = detail::make_container<T>(members(), std::move(p));
    detail::copy_elements(state_, moved, sizeof(T));
    detail::meet(members());
    state_ = std::move(moved);
  }

  detail::container_state state_;

 private:
  std::size_t checked(std::size_t i) const {
    if (i >= size()) [[unlikely]]
      detail::throw_element(i, size());
    return i;
  }
  T* first() const noexcept {
    if (state_.blocks.empty()) return nullptr;
    return reinterpret_cast<T*>(global_ptr<std::byte>(state_.blocks.at(state_.me)).local());
  }
};

/// Exchanges two containers of one type, without a message.
template <class T>
void swap(array<T>& a, array<T>& b) noexcept {
  array<T> kept = std::move(a);
  a = std::move(b);
  b = std::move(kept);
}

}  // namespace armilla
