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
/// Elements that lie on the ranks of a team, each where the distribution says. Made by all members together; elements
/// are value-initialised.
///
///     am::array<double> x(1'000'000);              // blocks over all ranks
///     x[17] = 1.0;  double z = x[3];               // one element, wherever it lies: one-sided, as *p of a global_ptr
///     for (double& e : x.local()) e *= 2;          // mine: a span
///     double s = am::reduce(x);                    // all: an algorithm, called by all members
///
/// It moves and does not copy (`clone` does). Its destructor waits for nothing: the memory returns when the members meet next.
/// Elements that are trivially copyable lie in the ranks' segments, where the ranks of a host load and store each other's. Other
/// sendable ones (texts, vectors) lie in the memory of their rank, and others get copies: a message each way for `x[i]`.
/// Errors: limit_error on all members if it does not fit, usage_error if members make different ones, or for an index beyond the
/// end. Paper: STAPL, pArray; Split-C, spread arrays.
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
  using handle_type = container_handle<array>;

  array() = default;
  /// `n` elements. Cost: one meeting.
  explicit array(std::size_t n, const distribution& d = {}) : array(d.members(), n, d) {}
  /// The same, all equal to `value`.
  array(std::size_t n, const T& value, const distribution& d = {})
      : state_(detail::make_container<T>(d.members(), armilla::placement(n, d.members().size(), d))) {
    for (T& e : local()) e = value;
    detail::meet(state_.members);
    this->be_named(members());
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
  auto operator[](std::size_t i) {
    if constexpr (in_segments)
      return *ptr(i);
    else
      return owned_at(i);
  }
  auto operator[](std::size_t i) const {
    if constexpr (in_segments)
      return *global_ptr<const T>(ptr(i));
    else
      return owned_at(i).get();
  }
  /// Where element i lies; valid until the elements move (resize, redistribute, growth).
  global_ptr<T> ptr(std::size_t i) const
    requires in_segments
  {
    return global_ptr<T>(state_.address(checked(i), sizeof(T)));
  }
  /// The value of element i, later.
  future<T> get(std::size_t i) const {
    if constexpr (in_segments) {
      const global_ptr<const T> p = ptr(i);
      return armilla::call(p.rank(), [](global_ptr<const T> at) { return (*at).get(); }, p);
    } else {
      const auto [member, place] = state_.where.locate(checked(i));
      return armilla::call(rank_of(i), &detail::copy_place<T>, state_.name(member), place);
    }
  }
  /// Sets element i by a one-way call, for every type and on every fabric: it runs on the element's rank in the order in which
  /// this rank sent it, before and after other calls of this rank to that rank (`visit`, `update`, `call`, `get`). Complete at
  /// the fence. Errors: usage_error for an index beyond the end. Cost: one message.
  void set(std::size_t i, const T& value) {
    if constexpr (in_segments)
      visit(i, detail::assigned_bytes{}, detail::bytes_of_element<T>(value));
    else
      visit(i, detail::assigned{}, value);
  }
  /// Sets element i by the quickest way: a direct store where the memory is mapped, else a message. Complete at the fence. In no
  /// order with anything that is not complete: not with calls to the element, nor with another `store`. Errors as above.
  void store(std::size_t i, const T& value) {
    if constexpr (in_segments) {
      armilla::store(ptr(i), value);
    } else {
      const auto [member, place] = state_.where.locate(checked(i));
      async(rank_of(i), &detail::write_place<T>, state_.name(member), place, value);
    }
  }

  /// Statement: element i becomes op(it, value), on its rank; complete at the fence. `op` is as in `unordered_map::update`, and
  /// takes updates in any order. Bodies run one after the other, so none is lost; loads and stores by other ranks are not held
  /// off. Cost: one message. Many at once: `scatter`, `scatter_add`.
  template <class Op>
  void update(std::size_t i, const T& value, Op) {
    detail::check_update<Op, T>();
    visit(i, detail::updated_by<Op>{}, value);
  }
  /// Statement: runs `f(element, arguments...)` on the rank of element i. `f` and the arguments travel as those of `async`; it
  /// may change the element and send anything, but not wait. Complete at the fence, which throws what `f` throws. Errors:
  /// usage_error for an index beyond the end.
  template <class F, class... A>
  void visit(std::size_t i, F&& f, A&&... arguments) {
    const rank_t owner = rank_of(i);
    async(owner, to_completion(detail::about_element<T>(f, "visit")), element_at(i), std::forward<A>(arguments)...);
  }
  /// Question: the same, and the future has what `f` returns; remote_error: what it throws. `f` must not wait. Cost: a message
  /// and its reply.
  template <class F, class... A>
  [[nodiscard]] auto call(std::size_t i, F&& f, A&&... arguments) {
    const rank_t owner = rank_of(i);
    return armilla::call(owner, detail::about_element<T>(f, "call"), element_at(i), std::forward<A>(arguments)...);
  }

  /// This rank's elements, in the order of their indices.
  std::span<T> local() noexcept { return {detail::first_of<T>(state_), state_.count()}; }
  std::span<const T> local() const noexcept { return {detail::first_of<T>(state_), state_.count()}; }
  /// The index of this rank's k-th element. Errors: usage_error if it has no such element.
  std::size_t index_of_local(std::size_t k) const {
    const std::size_t i = state_.where.index_of(state_.me, k);
    if (i == npos) [[unlikely]]
      detail::throw_element(k, state_.count());
    return i;
  }

  /// Names it on all members, wherever it moves: to send and to keep. No message.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  /// Another one of this size and distribution, value-initialised. Collective.
  array like() const { return array(detail::make_container<T>(members(), placement())); }
  /// The same elements once more. Collective.
  array clone() const {
    array copy = like();
    detail::copy_elements<T>(state_, copy.state_);
    detail::meet(members());
    return copy;
  }
  /// Makes it `n` elements: those that stay keep index and value, new ones are value-initialised. Collective; pointers, spans and
  /// views of it are of no use afterwards.
  void resize(std::size_t n) { become(placement().resized(n)); }
  /// Deals the elements anew, over the same ranks. Collective, as resize.
  void redistribute(const distribution& d) {
    if (!members()) [[unlikely]]
      detail::throw_no_ranks("redistribute");
    become(armilla::placement(size(), members().size(), d));
  }

  /// Writes the elements, and those of statements before, into a file, in the order of their indices; it takes the place of one
  /// that is there when it is whole, and not before. Collective, and a fence of the team; no fiber may change elements meanwhile.
  /// T is sendable. Errors: usage_error on all members, and the old file stays. Cost: a copy from each member to the file, in
  /// pieces of a MiB with a checksum; of elements dealt in turn first a copy in blocks.
  void save(const std::string& path) const { detail::save_elements<T>(state_, path); }
  /// Takes the elements of a file that an array, a vector, a bag or a list of them has saved, on any number of ranks. It has as
  /// many then, over its own ranks and dealt as before; one that was made without elements has them in blocks over all ranks.
  /// Collective, as resize. Each member reads its part. Errors: usage_error on all members for a file that is damaged or of
  /// another kind or element, limit_error for one that does not fit; the elements are as before then. Cost: a copy from the file.
  void load(const std::string& path) {
    state_ = detail::load_elements<T>(state_, path);
    if (!this->named()) this->be_named(members());
    detail::meet(members());
  }

  /// Copies of each rank's elements are kept in the memory of the `copies` next ranks of the team from now on: `checkpoint` makes
  /// them, `recover` takes them (docs/guide/death.md). By all members alike; a team of n ranks makes n - 1 at most. What was kept
  /// before goes. `swap` exchanges elements, not what is kept. Between hosts the copies lie on other hosts as far as there are
  /// any; there, and where newcomers take the places of lost ranks, the owner keeps one, too. Errors: usage_error for less than
  /// one. Cost: none yet.
  void keep(int copies) { kept_.copies = std::make_unique<detail::kept_parts>(members(), copies); }
  /// Copies all elements as they are, and those of statements before, to where `keep` said. All or nothing: a rank that dies
  /// meanwhile leaves the checkpoint before. `mark`, the same on all members, says which it was when it is recovered. Collective,
  /// and a fence of the team; no fiber may change elements meanwhile. Errors: limit_error on all members if there is no room (the
  /// copies take two times `copies` the elements); the checkpoint before stays. Cost: elements that are trivially copyable a copy
  /// from memory to memory for each of `copies`, and three meetings; others are marshalled first.
  void checkpoint(std::uint64_t mark = 0) { detail::checkpoint_elements<T>(kept_.copies, state_, mark); }
  /// The elements of the last checkpoint, over the ranks of `t`, which `members().survivors()` gave: dealt as here,
  /// value-initialised where a rank is lost and so are all that kept copies of its part; `gone` says where. What it gives is kept
  /// as this one, and has a checkpoint already. A collective of `t`: if a rank is lost meanwhile, it throws rank_lost, on some or
  /// on all, and all recover `x` again on the next team; so it takes the place of `x` at once, x =
  /// std::move(x.recover(t).container). Errors: usage_error on all for a container that was not kept or has no checkpoint, for
  /// another team, and without ARMILLA_ON_LOSS=continue. Cost: a copy, a checkpoint, some meetings.
  [[nodiscard]] recovered<array> recover(const team& t) { return made_of(detail::recover_elements<T>(t, state_, kept_)); }
  /// The elements as they are now, without a checkpoint: those of a lost rank as its memory still holds them. They may be torn: a
  /// rank that dies may have done a part of a step, or of an element. `gone` is empty. What it gives is kept as this one, but has
  /// no checkpoint yet. As `recover`; usage_error, too, if a rank was lost while elements were moved (resize, growth).
  [[nodiscard]] recovered<array> recover(const team& t, raw_t) {
    static_assert(in_segments,
                  "armilla: recover(t, raw) reads what a lost rank has left in its segment; elements that are not "
                  "trivially copyable do not lie there: keep(copies), checkpoint() and recover(t)");
    return made_of(detail::recover_raw_elements<T>(t, state_, kept_));
  }

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
  const state_type& state() const noexcept { return state_; }

 protected:
  explicit array(state_type s) : state_(std::move(s)) { this->be_named(members()); }
  array(const team& t, std::size_t n, const distribution& d)
      : array(detail::make_container<T>(t, armilla::placement(n, t.size(), d))) {}

  void become(armilla::placement p) {
    state_type moved = detail::make_container<T>(members(), std::move(p));
    detail::copy_elements<T>(state_, moved);
    std::swap(state_, moved);
    detail::meet(members());
  }

  state_type state_;
  detail::keeping<detail::recovered_elements<T>> kept_;

 private:
  template <class U>
  friend void swap(array<U>& a, array<U>& b) noexcept;
  friend detail::rebalancer;
  recovered<array> made_of(detail::recovered_elements<T> r) const {
    array made(std::move(r.state));
    made.kept_.copies = std::move(r.copies);
    made.kept_.times = this->kept_.times + 1;
    return {std::move(made), r.mark, std::move(r.gone)};
  }
  std::size_t checked(std::size_t i) const {
    if (i >= size()) [[unlikely]]
      detail::throw_element(i, size());
    return i;
  }
  auto element_at(std::size_t i) const {
    if constexpr (in_segments) {
      return detail::element_in_segment<T>{ptr(i)};
    } else {
      const auto [member, place] = state_.where.locate(checked(i));
      return detail::element_in_part<T>{state_.name(member), place};
    }
  }
  auto owned_at(std::size_t i) const {
    const auto [member, place] = state_.where.locate(checked(i));
    return detail::owned_element<T>(state_.name(member), place);
  }
};

/// Exchanges the elements of two containers of one type, without a message.
template <class T>
void swap(array<T>& a, array<T>& b) noexcept {
  array<T> was_a = std::move(a);
  a = std::move(b);
  b = std::move(was_a);
  std::swap(a.kept_, b.kept_);
}

}  // namespace armilla
