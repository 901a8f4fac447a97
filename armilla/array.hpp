// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/container/sequence/array_inline.hpp"
#include "armilla/container/sequence/element_verbs.hpp"
#include "armilla/container/sequence/keep_elements.hpp"
#include "armilla/handle.hpp"
#include "armilla/views.hpp"

namespace armilla {

/// An array that is distributed over the ranks of a team. A `distribution` determines which rank stores which element.
///
/// Use it for data of a known size that all ranks work on together. If it grows while you compute, use a `vector`; for two or
/// three dimensions, a `matrix`; if indices are sparse or not integers, an `unordered_map`.
///
///     am::array<double> x(1'000'000);              // collective: all ranks construct it; blocks over all ranks
///     for (double& e : x.local()) e = 1;           // this rank's elements: a span
///     x[17] = 2;                                   // one element, wherever it is
///     am::barrier();                               // makes x[17] visible to all ranks (one-way operations need am::fence())
///     const double sum = am::reduce(x);            // all elements: an algorithm, called by all ranks
///
/// **Kinds of operations.**
/// - *Direct* (`x[i]`, `ptr(i)`): one element by a load or store where its memory is mapped, as `*p` of a `global_ptr`.
/// - *One-way* (`set`, `store`, `update`, `visit`): return at once; complete at the next fence of the team or of all ranks.
/// - *Two-way* (`get`, `call`): return a future.
/// - *Local* (`local`, `size`, `rank_of`, ...): send no message.
/// - *Collective* (construction, `clone`, `resize`, `save`, ...) and algorithms: all members of the team call them.
///
/// **Elements** are value-initialized. Trivially copyable ones are stored in each rank's *segment*, memory that the other ranks
/// of its host map. They read and write it directly. Other sendable ones (strings, vectors) are stored in the private memory of
/// their rank: other ranks get copies, by a message each way, and `ptr` does not exist.
///
/// **Order.** `set`, `visit`, `update`, `call` and `get` run on the element's rank; those of one rank to another run in order.
/// `x[i]` and `store` are unordered with respect to them. Before an algorithm reads elements that another rank has changed, call
/// a barrier after direct writes, and a fence after one-way operations. docs/spec/order.md has the details.
///
/// **Cost.** `x[i]` takes a comparison, a multiplication and a table lookup in addition to the access. Others: see each
/// operation.
///
/// **Errors.** Throws `usage_error` for an index beyond the end, if the array was moved from, and on all members if they
/// construct arrays of different size, element type or distribution. Throws `limit_error` on all members if the elements do not
/// fit into memory.
///
/// **Lifetime.** An array is movable but not copyable; `clone` makes a copy. The destructor does not block. The memory is freed
/// in a later collective operation of the team on a container or an algorithm.
///
/// Paper: STAPL, pArray; Split-C, spread arrays.
template <class T>
class array : public detail::named_container<array<T>> {
  static constexpr bool in_segments = detail::lies_in_segments<T>;
  using state_type = detail::element_state<T>;
  static_assert(detail::require_element<T>());
  static_assert(std::is_default_constructible_v<T>,
                "armilla: the elements of an array are made by their default constructor: give the type one, or store "
                "std::optional<T>");
  static_assert(
      in_segments || sendable_value<T>,
      "armilla: the elements of an array are loaded by other ranks, or sent to them: they must be trivially copyable or "
      "sendable");

 public:
  using value_type = T;
  using handle_type = container_handle<array>;  // see handle()

  // ---- Construction (collective) ----

  /// Creates an array without elements and without ranks, such as a moved-from one. Not collective.
  array() = default;
  /// Creates `n` value-initialized elements, by default in blocks over all ranks of the job. Cost: one collective.
  explicit array(std::size_t n, const distribution& d = {}, const made_at& at = std::source_location::current())
      : array(n, d, detail::making(at, typeid(array), d.members())) {}
  /// Creates `n` elements that are equal to `value`.
  array(std::size_t n, const T& value, const distribution& d = {}, const made_at& at = std::source_location::current())
      : array(n, value, d, detail::making(at, typeid(array), d.members())) {}
  /// Creates `n` elements in blocks over all ranks, with a name: `am::array<double> t(1000, am::named("temperature"))`.
  array(std::size_t n, const made_at& at) : array(n, distribution(), at) {}
  array(std::size_t n, const T& value, const made_at& at) : array(n, value, distribution(), at) {}
  array(array&&) noexcept = default;
  array& operator=(array&&) noexcept = default;

  // ---- One element ----

  /// Reads or writes element `i`, by the expression that names it: write `double z = x[3]`, not `auto z`.
  ///
  /// Complete when the expression is. Cost: a load or store where the memory is mapped, otherwise a message each way.
  auto operator[](std::size_t i);
  auto operator[](std::size_t i) const;

  /// Returns a global pointer to element `i`. It is valid until the elements move (`resize`, `redistribute`, growth).
  global_ptr<T> ptr(std::size_t i) const
    requires in_segments
  {
    return global_ptr<T>(state_.address(checked(i), sizeof(T)));
  }

  /// Replaces element `i` by `value`. One-way: runs on the element's rank, in order with this rank's other calls to that rank.
  /// Cost: one message.
  void set(std::size_t i, const T& value);

  /// Replaces element `i` by `value` in the fastest way: a direct store where the memory is mapped, otherwise a message. One-way.
  ///
  /// It is unordered with respect to every operation that is not yet complete, including calls to the element and other `store`s.
  void store(std::size_t i, const T& value);

  /// Replaces element `i` by `op(old, value)`. One-way: runs on the element's rank, one update after the other, so none is lost.
  ///
  /// `op` must be without captures, and commutative, since updates run in any order. Updates are not atomic with respect to
  /// direct loads and stores by other ranks. Cost: one message. For many updates at once call `scatter` or `scatter_add`.
  ///
  ///     am::array<long> hits(1000);
  ///     hits.update(17, 1, std::plus<>{});
  template <class Op>
  void update(std::size_t i, const T& value, Op op);

  /// Runs `f(element, arguments...)` on the rank of element `i`. One-way.
  ///
  /// `f` and the arguments are sent as those of `async`. `f` may change the element and send anything, but it must not wait. The
  /// next fence throws what `f` throws.
  ///
  ///     am::array<double> x(1000);
  ///     x.visit(5, [](double& e, double by) { e *= by; }, 2.0);
  template <class F, class... A>
  void visit(std::size_t i, F&& f, A&&... arguments);

  /// Returns a future of a copy of element `i`. Two-way: runs on the element's rank, in order with this rank's other calls to it.
  future<T> get(std::size_t i) const;

  /// Runs `f(element, arguments...)` on the rank of element `i`, and returns a future of its result. Two-way. `f` must not wait.
  /// If `f` throws, `get()` throws a `remote_error`. Cost: a message each way.
  ///
  ///     am::array<double> x(1000);
  ///     const double before = x.call(6, [](double& e) { return std::exchange(e, 1.0); }).get();
  template <class F, class... A>
  [[nodiscard]] auto call(std::size_t i, F&& f, A&&... arguments);

  // ---- Local access (no message) ----

  /// Returns the number of elements on all ranks.
  std::size_t size() const noexcept { return state_.where.size(); }
  /// Returns whether `size()` is 0.
  bool empty() const noexcept { return size() == 0; }
  /// Returns the team over which the array is distributed.
  const team& members() const noexcept { return state_.members; }
  /// Returns which member stores which element.
  const armilla::placement& placement() const noexcept { return state_.where; }
  /// Returns the rank of the job that stores element `i`.
  rank_t rank_of(std::size_t i) const { return state_.members.world_rank(state_.where.member_of(checked(i))); }

  /// Returns this rank's elements, in the order of their indices, as a `std::span`. It is valid until the elements move.
  detail::local_elements<T> local() noexcept(!detail::checked) { return state_.order.local(own()); }
  detail::local_elements<const T> local() const noexcept(!detail::checked) {
    return state_.order.local(std::span<const T>(own()));
  }

  /// Returns the global index of `local()[k]`. Throws `usage_error` if this rank has no such element.
  std::size_t index_of_local(std::size_t k) const;

  /// Returns a small value that names the array on all members, wherever it is moved. Called functions use it: `h->local()`.
  ///
  ///     am::array<long> hits(1000);
  ///     am::async(0, [](am::array<long>::handle_type h) { h->local()[0] += 1; }, hits.handle());
  ///     am::fence();
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Whole array (collective) ----

  /// Returns a value-initialized array of this size and distribution. Cost: one collective.
  array like(const made_at& at = std::source_location::current()) const {
    const detail::making how(at, typeid(array), members());
    return array(detail::make_container<T>(members(), placement()), &how);
  }

  /// Returns a copy. Cost: two collectives, and a copy of the local elements.
  array clone(const made_at& at = std::source_location::current()) const;

  /// Changes the size to `n`. Elements that remain keep index and value; new ones are value-initialized.
  ///
  /// Blocks become blocks of the new size, so elements can move. Pointers, spans and views of the array become invalid. Cost: two
  /// collectives, and the elements that move. If the elements do not fit (`limit_error`), the array is unchanged.
  void resize(std::size_t n) { become(placement().resized(n), "resize"); }

  /// Changes the size to 0. Cost: two collectives.
  void clear() { become(placement().resized(0), "clear"); }

  /// Redistributes the elements over the same ranks. Cost, errors and what becomes invalid are as for `resize`.
  void redistribute(const distribution& d);

  /// Writes the elements to the file `path`, in the order of their indices. `load` reads them on any number of ranks.
  ///
  /// Fences the team first, so one-way operations are saved; no fiber may change elements during the call. `T` must be sendable.
  /// The file replaces an existing one only when it is complete. Throws `usage_error` on all members if writing fails. Cost: each
  /// member copies its elements to the file, in pieces of 1 MiB with a checksum each. A cyclic distribution is copied into blocks
  /// first.
  void save(const std::string& path) const { detail::save_elements<T>(state_, path); }

  /// Replaces size and elements by those of a file that an array, `vector`, `bag`, `list` or queue of the same element type has
  /// saved.
  ///
  /// Ranks and distribution remain; an array without ranks has the elements in blocks over all ranks. Pointers, spans and views
  /// become invalid. Throws `usage_error` on all members if the file is damaged or has another kind of content, `limit_error` if
  /// the elements do not fit; the array is then unchanged. Cost: each member reads its share of the file.
  void load(const std::string& path);

  /// Sets the number of ranks to which `checkpoint` copies each rank's elements: the next `copies` ranks of the team. `recover`
  /// reads the copies after a rank is lost (docs/guide/death.md).
  ///
  /// A team of n ranks makes n - 1 copies at most. Discards earlier checkpoints, sends nothing. Between hosts, the copies are on
  /// other hosts where possible. Between hosts, and where new ranks replace lost ones, the owner stores a copy, too. `swap`
  /// exchanges elements, but not the copies. Throws `usage_error` if `copies` is less than 1.
  void keep(int copies) { kept_.copies = std::make_unique<detail::kept_parts>(members(), copies); }

  /// Copies all elements to the ranks that `keep` chose: all of them, or none. If a rank dies during the call, the previous
  /// checkpoint remains.
  ///
  /// Fences the team first, so one-way operations are included; no fiber may change elements during the call. `mark` is the same
  /// on all members; `recover` returns it with the elements. Throws `limit_error` on all members if there is no room (the copies
  /// take two times `copies` the memory of the elements); the previous checkpoint then remains. Cost: a copy from memory to
  /// memory for each of `copies`, and three collectives; elements that are not trivially copyable are marshaled first.
  void checkpoint(std::uint64_t mark = 0) { detail::checkpoint_elements<T>(kept_.copies, state_, mark); }

  /// Returns an array over `t` with the elements of the last checkpoint, after ranks were lost.
  ///
  /// `members().survivors()` must have returned `t`; all members of `t` call this. The result has the same kind of distribution
  /// as this array. `gone` of the result has the indices of elements of which no copy is left; these are value-initialized. The
  /// new array is replicated as this one was, and has a checkpoint. If another rank is lost during the call, this throws
  /// `rank_lost`, on some ranks or on all; then all survivors call `recover` again on the original array `x`, with the next team.
  /// So assign the result at once: `x = std::move(x.recover(t).container)`.
  ///
  /// Throws `usage_error` on all members if `keep` or `checkpoint` was never called, if `t` does not consist of the survivors of
  /// `members()`, and in a job that ends on a loss (ARMILLA_ON_LOSS=end). Cost: a copy, a checkpoint, and some collectives.
  [[nodiscard]] recovered<array> recover(const team& t) { return made_of(detail::recover_elements<T>(t, state_, kept_)); }

  /// Returns an array over `t` with the elements as they are now, without a checkpoint: `x.recover(t, am::raw)`.
  ///
  /// Reads the elements of lost ranks from the memory that they left. They may be torn: a rank that dies may have done a part of
  /// a step, or have written a part of an element. `gone` is empty. The new array is replicated as this one was, but has no
  /// checkpoint yet. For trivially copyable elements. Throws `usage_error` also if a rank was lost while elements moved
  /// (`resize`, growth).
  [[nodiscard]] recovered<array> recover(const team& t, raw_t);

  // ---- For the library ----

  /// For the library: does not compile, and says what to write instead of a loop that would fetch all elements one by one.
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

  /// For the library: what views and algorithms work on.
  const state_type& state() const noexcept { return state_; }

 protected:
  explicit array(state_type s, const detail::making* how = nullptr) : state_(std::move(s)) { this->be_named(members(), how); }
  array(std::size_t n, const distribution& d, const detail::making& how)
      : array(detail::make_container<T>(d.members(), armilla::placement(n, d.members().size(), d)), &how) {}
  array(std::size_t n, const T& value, const distribution& d, const detail::making& how);
  void become(armilla::placement p, const char* operation);

  std::span<T> own() const noexcept { return {detail::first_of<T>(state_), state_.count()}; }

  state_type state_;
  detail::keeping<detail::recovered_elements<T>> kept_;

 private:
  template <class U>
  friend void swap(array<U>& a, array<U>& b) noexcept;
  friend detail::rebalancer;
  recovered<array> made_of(detail::recovered_elements<T> r) const;
  std::size_t checked(std::size_t i) const;
  auto element_at(std::size_t i) const;
  auto owned_at(std::size_t i) const;
};

/// Exchanges the elements of two arrays, without a message. Handles and names follow the elements. All members must call it with
/// the same arguments.
template <class T>
void swap(array<T>& a, array<T>& b) noexcept;

// ---- Implementation only below ----

template <class T>
array<T>::array(std::size_t n, const T& value, const distribution& d, const detail::making& how)
    : state_(detail::make_container<T>(d.members(), armilla::placement(n, d.members().size(), d))) {
  for (T& e : local()) e = value;
  detail::meet(state_.members);
  this->be_named(members(), &how);
}

template <class T>
inline std::size_t array<T>::checked(std::size_t i) const {
  if (i >= size()) [[unlikely]]
    detail::throw_element(this, i, size());
  return i;
}
template <class T>
inline auto array<T>::element_at(std::size_t i) const {
  if constexpr (in_segments) {
    return detail::element_in_segment<T>{ptr(i)};
  } else {
    const auto [member, place] = state_.where.locate(checked(i));
    return detail::element_in_part<T>{state_.name(member), place};
  }
}
template <class T>
inline auto array<T>::owned_at(std::size_t i) const {
  const auto [member, place] = state_.where.locate(checked(i));
  return detail::owned_element<T>(state_.name(member), place);
}

template <class T>
inline auto array<T>::operator[](std::size_t i) {
  state_.order.require_complete(i, "operator[]");
  if constexpr (in_segments)
    return *ptr(i);
  else
    return owned_at(i);
}
template <class T>
inline auto array<T>::operator[](std::size_t i) const {
  state_.order.require_complete(i, "operator[]");
  if constexpr (in_segments)
    return *global_ptr<const T>(ptr(i));
  else
    return owned_at(i).get();
}

template <class T>
inline void array<T>::set(std::size_t i, const T& value) {
  if constexpr (in_segments)
    visit(i, detail::assigned_bytes{}, detail::bytes_of_element<T>(value));
  else
    visit(i, detail::assigned{}, value);
}
template <class T>
inline void array<T>::store(std::size_t i, const T& value) {
  if constexpr (in_segments) {
    armilla::store(ptr(i), value);
  } else {
    const auto [member, place] = state_.where.locate(checked(i));
    async(rank_of(i), &detail::write_place<T>, state_.name(member), place, value);
  }
}
template <class T>
template <class Op>
inline void array<T>::update(std::size_t i, const T& value, Op) {
  if constexpr (detail::check_update<Op, T>()) visit(i, detail::updated_by<Op>{}, value);
}
template <class T>
template <class F, class... A>
inline void array<T>::visit(std::size_t i, F&& f, A&&... arguments) {
  const rank_t owner = rank_of(i);
  state_.order.begin(i, state_.where, state_.me);
  async(owner, to_completion(detail::about_element<T>(f, "visit")), element_at(i), std::forward<A>(arguments)...);
}
template <class T>
inline future<T> array<T>::get(std::size_t i) const {
  state_.order.settle(i);
  if constexpr (in_segments) {
    const global_ptr<const T> p = ptr(i);
    return armilla::call(p.rank(), [](global_ptr<const T> at) { return (*at).get(); }, p);
  } else {
    const auto [member, place] = state_.where.locate(checked(i));
    return armilla::call(rank_of(i), &detail::copy_place<T>, state_.name(member), place);
  }
}
template <class T>
template <class F, class... A>
inline auto array<T>::call(std::size_t i, F&& f, A&&... arguments) {
  const rank_t owner = rank_of(i);
  state_.order.settle(i);
  return armilla::call(owner, detail::about_element<T>(f, "call"), element_at(i), std::forward<A>(arguments)...);
}

template <class T>
inline std::size_t array<T>::index_of_local(std::size_t k) const {
  const std::size_t i = state_.where.index_of(state_.me, k);
  if (i == npos) [[unlikely]]
    detail::throw_element(this, k, state_.count());
  return i;
}
template <class T>
array<T> array<T>::clone(const made_at& at) const {
  array copy = like(at);
  detail::copy_elements<T>(state_, copy.state_);
  detail::meet(members());
  return copy;
}
template <class T>
void array<T>::become(armilla::placement p, const char* operation) {
  state_.order.require_at_rest(operation);
  const detail::named_algorithm name(operation);
  state_type moved = detail::make_container<T>(members(), std::move(p));
  detail::copy_elements<T>(state_, moved);
  moved.order = std::move(state_.order);
  std::swap(state_, moved);
  detail::note_share(this);
  detail::meet(members());
}
template <class T>
void array<T>::redistribute(const distribution& d) {
  if (!members()) [[unlikely]]
    detail::throw_no_ranks("redistribute");
  become(armilla::placement(size(), members().size(), d), "redistribute");
}
template <class T>
void array<T>::load(const std::string& path) {
  state_ = detail::load_elements<T>(state_, path);
  if (!this->named()) this->be_named(members());
  detail::meet(members());
}
template <class T>
recovered<array<T>> array<T>::recover(const team& t, raw_t) {
  static_assert(in_segments,
                "armilla: recover(t, raw) reads what a lost rank has left in its segment; elements that are not "
                "trivially copyable do not lie there: keep(copies), checkpoint() and recover(t)");
  return made_of(detail::recover_raw_elements<T>(t, state_, kept_));
}
template <class T>
recovered<array<T>> array<T>::made_of(detail::recovered_elements<T> r) const {
  array made(std::move(r.state));
  made.kept_.copies = std::move(r.copies);
  made.kept_.times = this->kept_.times + 1;
  detail::call_as(&made, this);
  return {std::move(made), r.mark, std::move(r.gone)};
}

template <class T>
void swap(array<T>& a, array<T>& b) noexcept {
  array<T> was_a = std::move(a);
  a = std::move(b);
  b = std::move(was_a);
  std::swap(a.kept_, b.kept_);
}

}  // namespace armilla
