// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/image/images.hpp"
#include "armilla/container/sequence/array_inline.hpp"
#include "armilla/container/sequence/list_inline.hpp"
#include "armilla/handle.hpp"

namespace armilla {

/// A distributed list. It has the elements of the team's first member, then those of the second, and so on; on a rank, insertions
/// make the order.
///
/// Use it where elements are inserted before others while the program runs. An element stays on its rank, and its `list_place`
/// names it on every rank until it is erased. If elements are only appended, use a `vector`, which has indices.
///
///     am::list<std::string> lines;                               // collective: all ranks construct it
///     const am::list_place mine = lines.push_local("mine");      // after this rank's elements
///     lines.insert(mine, "before it").get();                     // any rank may do this
///     am::fence();
///     lines.for_each_in_order([](const std::string& s) { am::print_on(0, "{}\n", s); });
///
/// **Kinds of operations.**
/// - *Local* (`push_local`, `local`, `clear_local`, ...): at once, without a message.
/// - *One-way* (`push_back`, `set`, `erase`): complete at the next fence of the list's team or of all ranks.
/// - *Two-way* (`insert`, `get`): return a future.
/// - *Collective* (construction, `splice`, `for_each_in_order`, `save`, `load`): all members of the team call them.
///
/// **Order.** Operations on the elements of one rank take effect there one after the other; those of one rank in its order.
/// Elements of different ranks are ordered by fences only.
///
/// **Cost.** `push_local` sends nothing; a one-way operation takes a message, a two-way operation a message each way. A fence
/// after which the size has changed takes one more collective.
///
/// **Errors.** Throws `usage_error` for a `list_place` of a rank that is not a member, and for `splice` with a list of another
/// team.
///
/// **Lifetime.** The destructor does not block. The rank's elements are freed at the next fence of the team or of all ranks,
/// which still completes one-way operations on them.
template <class T>
class list : public detail::named_container<list<T>> {
  static_assert(detail::require_element<T>());
  static_assert(sendable_value<T>, "armilla: the elements of a list are sent to the rank that has them: they must be sendable");
  using part = detail::list_part<T>;

 public:
  using value_type = T;
  using handle_type = container_handle<list>;  // see handle()

  // ---- Construction (collective) ----

  /// Creates an empty list over the members of `members`. Cost: one collective.
  explicit list(const team& members = world(), const made_at& at = std::source_location::current())
      : list(members, detail::making(at, typeid(list), members)) {}
  /// Creates an empty list over all ranks, with a name: `am::list<int> x(am::named("tasks"))`.
  explicit list(const made_at& at) : list(world(), at) {}

  // ---- Changes ----

  /// Appends `value` to this rank's elements, and returns its `list_place`. Sends nothing.
  list_place push_local(T value) { return parts_.mine().add(std::move(value)); }

  /// Appends `value` to all elements, on the last member. One-way.
  void push_back(const T& value) { async(parts_.of(members().size() - 1), to_completion<&part::push>(), value); }

  /// Inserts `value` before the element at `before`, on its rank, and returns the place of the new element. Two-way. `get()`
  /// throws `remote_error` if the element at `before` has been erased.
  [[nodiscard]] future<list_place> insert(list_place before, const T& value) {
    return call<&part::insert>(at(before), before, value);
  }

  /// Replaces the element at `p` by `value`. Does nothing if it has been erased. One-way.
  void set(list_place p, const T& value) { async(at(p), to_completion<&part::set>(), p, value); }

  /// Removes the element at `p`. Does nothing if it has been erased. One-way.
  void erase(list_place p) { async(at(p), to_completion<&part::erase>(), p); }

  // ---- Queries (two-way) ----

  /// Returns a copy of the element at `p`, or `nullopt` if it has been erased.
  [[nodiscard]] future<std::optional<T>> get(list_place p) const { return call<&part::get>(at(p), p); }

  // ---- Local access (no message) ----

  /// Returns this rank's elements in their order, as a bidirectional range. You may change the elements. A loop over them must
  /// not wait, send or change the list.
  auto local() { return parts_.mine().nodes | std::views::transform(&part::node::value); }
  auto local() const { return std::as_const(parts_.mine().nodes) | std::views::transform(&part::node::value); }

  /// Removes all elements of this rank. Their places are then invalid.
  void clear_local() { parts_.mine().clear(); }

  /// Returns the number of elements on all ranks, as of the last fence of the list's team or of all ranks.
  std::size_t size() const noexcept { return parts_.size(); }
  /// Returns whether `size()` is 0.
  bool empty() const noexcept { return size() == 0; }
  /// Returns the number of elements on this rank, as of now.
  std::size_t local_size() const { return parts_.mine().nodes.size(); }
  /// Returns the team over which the list is distributed.
  const team& members() const { return parts_.members(); }

  /// Returns a small value that names the list on all members, wherever it is moved. Called functions use it: `h->push_local(x)`.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Whole list (collective) ----

  /// Removes all elements. Fences the team first. Cost: a fence and one collective.
  void clear() {
    const detail::named_algorithm name("clear");
    members().fence();
    clear_local();
    parts_.count();
  }

  /// Moves each rank's elements of `other`, a list of the same team, to the end of this rank's elements. They get new places; the
  /// old ones name nothing afterwards. Cost: two collectives; no element is sent.
  void splice(list& other);

  /// Calls `f(element)` or `f(element, place)` for all elements in their order, each on its rank, one member after the other.
  ///
  /// One-way operations that are not fenced may not be seen. `f` may change the element, but must not send or wait. What `f`
  /// throws on any rank comes as `remote_error` on all, at the end. Cost: a collective for each member, and two.
  template <class F>
  void for_each_in_order(F f);

  /// Writes all elements to the file `path`, in their order. `load` reads them on any number of ranks.
  ///
  /// Fences the team first; no fiber and no called function may change the list meanwhile. The file replaces an existing one only
  /// when it is complete. `usage_error` on all members if writing fails.
  void save(const std::string& path) const { detail::images::save(*this, path); }

  /// Replaces the elements by those of a file that a list, `array`, `vector`, `bag` or queue of the same element type has saved,
  /// on any number of ranks.
  ///
  /// Fences the team. Each member has equally many elements afterwards; earlier places are invalid. `usage_error` on all members
  /// if the file is damaged or has another kind of content; the list is then unchanged.
  void load(const std::string& path) { detail::images::load(*this, members(), path); }

  /// Makes `checkpoint` copy each rank's elements to the memory of the next `copies` ranks of the team, from which `recover`
  /// takes them when a rank is lost (docs/guide/death.md). Sends nothing. `usage_error` if `copies` is less than 1.
  void keep(int copies) { detail::images::keep(*this, copies); }

  /// Copies all elements to the ranks that `keep` chose: all of them, or none.
  ///
  /// Fences the team first; no fiber and no called function may change the list meanwhile. `mark` is the same on all members;
  /// `recover` returns it with the elements. `limit_error` on all members if there is no room; the previous checkpoint then
  /// remains. Cost: each rank's elements are marshaled, and copied `copies` times.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }

  /// Returns a list over `t` with the elements of the last checkpoint, in their order, after ranks were lost.
  ///
  /// A collective of `t`, which `members().survivors()` returned. Each member has equally many elements; they have new places.
  /// `gone` of the result has the ranks of the job whose elements are lost, because all ranks with copies of them are lost, too.
  /// The new list is replicated as this one was, and has a checkpoint. If another rank is lost meanwhile, this throws
  /// `rank_lost`, on some ranks or on all; then all recover `x` again on the next team. So assign the result at once:
  /// `x = std::move(x.recover(t).container)`. Other errors are those of `array::recover`. Cost: one exchange of the elements, a
  /// checkpoint, and fences.
  [[nodiscard]] recovered<list, rank_t> recover(const team& t) { return detail::images::recover<list>(*this, t); }

 private:
  friend detail::images;
  list(const team& members, const detail::making& how) : detail::named_container<list>(members, &how), parts_(members) {
    parts_.note(&how);
    detail::meet(members);
  }
  static detail::saved_type image_type() { return detail::saved_sequence<T>(); }
  static detail::image_numbers numbers_of_image() { return {}; }
  void put_image(detail::piece_writer& to) const { detail::put_elements<T>(to, local()); }
  void take_image(detail::image_reader& from);
  object_ref<part> at(list_place p) const {
    const rank_t member = members().rank_of(p.rank);
    if (member < 0) [[unlikely]]
      detail::throw_no_place(this, p.rank);
    return parts_.of(member);
  }
  template <class F>
  void walk(F& f, detail::failure& why);

  detail::named_parts<part> parts_;
  detail::keeping<list> kept_;
};

// ---- Implementation only below ----

template <class T>
void list<T>::splice(list& other) {
  detail::require_same_members(members(), other.members());
  const detail::named_algorithm name("splice");
  detail::meet(members());
  if (&other != this) parts_.mine().take_all(other.parts_.mine());
  detail::meet(members());
}

template <class T>
template <class F>
void list<T>::for_each_in_order(F f) {
  detail::algorithm_call why("for_each_in_order");
  why.about(this);
  detail::meet(members());
  for (rank_t m = 0; m < members().size(); ++m) {
    if (m == members().rank()) walk(f, why);
    members().barrier();
  }
  detail::agree(members(), "for_each_in_order", why);
}

template <class T>
template <class F>
void list<T>::walk(F& f, detail::failure& why) {
  std::size_t i = 0;
  try {
    for (auto& n : parts_.mine().nodes) {
      if constexpr (std::is_invocable_v<F&, T&, list_place>)
        f(n.value, parts_.mine().place_of(n));
      else
        f(n.value);
      ++i;
    }
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(i);
  }
  detail::count_elements(i);
}

template <class T>
void list<T>::take_image(detail::image_reader& from) {
  auto mine = detail::take_share<T>(from);
  clear_local();
  for (auto& each : mine) push_local(std::move(each));
  parts_.count();
}

}  // namespace armilla
