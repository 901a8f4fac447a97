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

/// Elements in an order that insertions make: those of the team's first member, then those of the next. An element stays on the
/// rank to which it came, and its place names it there until it is erased. All members make the list, which is one meeting.
///
///     am::list<std::string> lines;
///     const am::list_place mine = lines.push_local("mine");      // behind this rank's
///     lines.insert(mine, "in front").get();                      // from any rank
///     am::fence();
///     lines.for_each_in_order([](const std::string& s) { ... });
///
/// Order: verbs about elements of one rank take effect there one after the other, those of one rank in their order; all
/// statements by the fence of the team or of all ranks. Cost: a statement, or a message each way; nothing for `push_local`. Its
/// end waits for nothing: what lies on this rank goes at the next fence of the team or of all ranks, which still completes
/// statements to it. Errors: usage_error for a place that is none, and for a `splice` of a list of another team.
template <class T>
class list : public detail::named_container<list<T>> {
  static_assert(detail::require_element<T>());
  static_assert(sendable_value<T>, "armilla: the elements of a list are sent to the rank that has them: they must be sendable");
  using part = detail::list_part<T>;

 public:
  using value_type = T;
  using handle_type = container_handle<list>;

  explicit list(const team& members = world()) : detail::named_container<list>(members), parts_(members) {
    detail::meet(members);
  }

  /// Behind this rank's elements. No message.
  list_place push_local(T value) { return parts_.mine().add(std::move(value)); }
  /// Statement: behind all elements, on the last member.
  void push_back(const T& value) { async(parts_.of(members().size() - 1), to_completion<&part::push>(), value); }
  /// Question: in front of the element there, on its rank; gives the place of the new one. remote_error if it has been erased.
  [[nodiscard]] future<list_place> insert(list_place before, const T& value) {
    return call<&part::insert>(at(before), before, value);
  }
  /// Statement: the element there goes, if it has not gone yet.
  void erase(list_place p) { async(at(p), to_completion<&part::erase>(), p); }
  /// Statement: the element there becomes `value`, unless it has been erased.
  void set(list_place p, const T& value) { async(at(p), to_completion<&part::set>(), p, value); }
  /// Question: a copy of the element there, or nothing if it has been erased.
  [[nodiscard]] future<std::optional<T>> get(list_place p) const { return call<&part::get>(at(p), p); }

  /// Collective: each rank's elements of `other`, a list of the same team, move behind its own. They have new places; the old
  /// ones name nothing. Two meetings, nothing is sent.
  void splice(list& other) {
    detail::require_same_members(members(), other.members());
    detail::meet(members());
    if (&other != this) parts_.mine().take_all(other.parts_.mine());
    detail::meet(members());
  }

  /// Collective: calls f(element) or f(element, place) on all elements in their order, each on its rank, one member after the
  /// other. Statements that are not fenced are not seen. `f` may change the element; it must not send or wait. Errors: what it
  /// throws on any rank comes on all, behind all. Cost: a meeting a member.
  template <class F>
  void for_each_in_order(F f) {
    detail::algorithm_call why("for_each_in_order");
    detail::meet(members());
    for (rank_t m = 0; m < members().size(); ++m) {
      if (m == members().rank()) walk(f, why);
      members().barrier();
    }
    detail::agree(members(), "for_each_in_order", why);
  }

  /// Writes all elements into a file, in their order; it takes the place of one that is there when it is whole, and not before.
  /// Collective, and a fence of the team; no fiber and no body may change the list meanwhile. Errors: usage_error on all members,
  /// and the old file stays.
  void save(const std::string& path) const { detail::images::save(*this, path); }
  /// Its elements are those of a file from then on that a list, array, vector or bag has saved on any number of ranks: each
  /// member has as many, and their places name others than before. Collective, and a fence of the team. Errors: usage_error on
  /// all members for a file that is damaged or of another kind or element; the elements are as before then.
  void load(const std::string& path) { detail::images::load(*this, members(), path); }

  /// Replicates each rank's elements in the memory of the next `copies` ranks of the team from now on: `checkpoint` makes the
  /// copies, and `recover` takes them, as of an array (docs/guide/death.md). Call it on all members alike. Errors: usage_error
  /// for less than one copy. Cost: none yet.
  void keep(int copies) { detail::images::keep(*this, copies); }
  /// Copies all elements to where `keep` said: all or nothing. `mark`, the same on all members, says which checkpoint it was when
  /// it is recovered. Collective, and a fence of the team; no fiber and no called function may change the list meanwhile. Errors:
  /// limit_error on all members if there is no room; the previous checkpoint stays. Cost: the elements are marshalled, and copied
  /// for each of `copies`.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }
  /// Returns the elements of the last checkpoint, in their order, in a list over the ranks of `t`, which `members().survivors()`
  /// gave. Each rank gets as many, and their places are new. `gone` has the ranks of the job whose elements are lost with all
  /// their copies. The result is replicated as this list, and has a checkpoint. Collective of `t`; if a rank is lost meanwhile
  /// (rank_lost), all recover `x` again on the next team, so it replaces `x` at once: x = std::move(x.recover(t).container).
  /// Errors: as `recover` of an array. Cost: one exchange of the elements, a checkpoint, fences.
  [[nodiscard]] recovered<list, rank_t> recover(const team& t) { return detail::images::recover<list>(*this, t); }

  /// This rank's elements in their order, to be walked in both directions and changed. A loop over them must not wait, send or
  /// change the list.
  auto local() { return parts_.mine().nodes | std::views::transform(&part::node::value); }
  auto local() const { return std::as_const(parts_.mine().nodes) | std::views::transform(&part::node::value); }
  /// All elements of this rank go; places of them name nothing. No message.
  void clear_local() { parts_.mine().clear(); }
  /// How many elements all members had at the last fence of the list's team or of all ranks. No message.
  std::size_t size() const noexcept { return parts_.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// How many elements this rank has.
  std::size_t local_size() const { return parts_.mine().nodes.size(); }
  const team& members() const { return parts_.members(); }
  /// Names it on all members, wherever it moves: to send and to keep. No message.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

 private:
  friend detail::images;
  static detail::saved_type image_type() { return detail::saved_sequence<T>(); }
  static detail::image_numbers numbers_of_image() { return {}; }
  void put_image(detail::piece_writer& to) const { detail::put_elements<T>(to, local()); }
  void take_image(detail::image_reader& from) {
    auto mine = detail::take_share<T>(from);
    clear_local();
    for (auto& each : mine) push_local(std::move(each));
    parts_.count();
  }
  object_ref<part> at(list_place p) const {
    const rank_t member = members().rank_of(p.rank);
    if (member < 0) [[unlikely]]
      detail::throw_no_place(p.rank);
    return parts_.of(member);
  }
  template <class F>
  void walk(F& f, detail::failure& why) {
    std::size_t i = 0;
    try {
      for (auto& n : parts_.mine().nodes) {
        if constexpr (std::is_invocable_v<F&, T&, list_place>)
          f(n.value, parts_.mine().place_of(n));
        else
          f(n.value);
        ++i;
      }
    } catch (...) { why.note(i); }
    detail::count_elements(i);
  }

  detail::named_parts<part> parts_;
  detail::keeping<list> kept_;
};

}  // namespace armilla
