// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "armilla/container/expose/expose_table.hpp"
#include "armilla/distribution.hpp"
#include "armilla/expose.hpp"
#include "armilla/matrix.hpp"
#include "armilla/unordered_map.hpp"

/// Exposes containers to attached clients: programs that use armilla/exposed.hpp and armilla/exposed_map.hpp, and Python.
///
/// For memory of one rank see armilla/expose.hpp.
///
///     am::array<double> t(1'000'000);
///     const am::exposure shown = am::expose("temperature", t);
namespace armilla {

namespace detail {
/// A container of one dimension whose elements are in segments: array, vector.
template <class C>
concept exposable_array = std::is_trivially_copyable_v<typename C::value_type> && requires(C& x) {
  { x.placement() } -> std::convertible_to<const placement&>;
  x.local().data();
  x.index_of_local(0);
};
template <class T, std::size_t N>
  requires std::is_trivially_copyable_v<T>
void exposable_base(const matrix<T, N>&);
template <class Verbs>
  requires exposable_table<Verbs>
void exposable_base(const hash_container<Verbs>&);
/// Other containers.
template <class C>
concept unexposable =
    requires { typename C::handle_type; } && !exposable_array<C> && !requires(const C& x) { exposable_base(x); };
}  // namespace detail

/// Exposes the elements of an array or vector under `name`. Clients see them where they are, and may write them; the ranks are
/// not notified.
///
/// Each member of `x` calls it for its own elements; nothing is sent. `x` must live as long as the result, and must be exposed
/// again when its elements move. Errors are those of `expose` for a span.
template <detail::exposable_array C>
exposure expose(std::string_view name, C& x) {
  if (!x.members()) [[unlikely]]
    detail::throw_no_ranks("expose");
  const placement& where = x.placement();
  const std::size_t count = x.local().size(), first = count != 0 ? x.index_of_local(0) : 0;
  detail::exposed_shape part;
  part.shape[0] = where.size();
  part.extent[0] = count;
  part.origin[0] = first;
  part.stride[0] = 1;
  part.block = count != 0 ? std::min<std::size_t>(where.run_at(first).end - first, count) : 1;
  part.turn = part.block < count ? x.index_of_local(part.block) - first : 1;
  detail::note_exposed(detail::images::known(x));
  return detail::exposure_access::make(name, detail::exposure_access::element_of<typename C::value_type>, part, x.local().data());
}

/// Exposes the cells of a matrix in the same way, without halos.
template <class T, std::size_t N>
  requires std::is_trivially_copyable_v<T> && (N <= detail::exposed_shape::most)
exposure expose(std::string_view name, matrix<T, N>& x) {
  const auto cells = x.local().cells();
  detail::exposed_shape part;
  part.dimensions = N;
  for (std::size_t d = 0; d < N; ++d) {
    part.shape[d] = x.extent(d);
    part.extent[d] = x.local().extent(d);
    part.origin[d] = x.local().origin(d);
    part.stride[d] = cells.stride(d);
  }
  detail::note_exposed(detail::images::known(x));
  return detail::exposure_access::make(name, detail::exposure_access::element_of<T>, part, cells.data());
}

/// Exposes a map or set under `name`. Clients look up keys and list elements, with the help of its ranks.
///
///     am::unordered_map<std::string, long> words;
///     const am::exposure shown = am::expose("words", words);
///
/// For `unordered_map`, `unordered_set`, `counting_set`, `map`, `set`, and `unordered_multimap`, which clients see as a map from
/// keys to vectors. Clients see the number of elements, as of the last fence, without help of the ranks.
///
/// Each member of `x` calls it for its own elements; nothing is sent. While the result lives, each member provides the methods
/// `name.contains`, `name.rank_of`, `name.elements`, and for a map `name.find`. When `x` ends, calls of clients fail; when it
/// moves, the exposure moves with it; after `recover`, expose it again. At the end of the exposure, calls of clients that have
/// arrived are still answered.
///
/// Errors are those of `expose` for a span; `usage_error` also if this rank provides a method of one of these names. Cost: two
/// stores at a fence.
template <class Verbs>
  requires detail::exposable_table<Verbs>
exposure expose(std::string_view name, detail::hash_container<Verbs>& x) {
  detail::note_exposed(detail::images::known(x));
  return detail::exposer::expose(name, x);
}

/// Exposes a container under the name that its constructor got (armilla/named.hpp). Throws `usage_error` if it has no name.
///
///     am::vector<double> t(1000, am::named("temperature"));
///     const am::exposure shown = am::expose(t);
template <class C>
  requires detail::exposable_array<C> || requires(const C& x) { detail::exposable_base(x); }
exposure expose(C& x) {
  return expose(detail::required_name(detail::images::known(x), "expose"), x);
}

/// For every other container this does not compile.
template <class C>
  requires detail::unexposable<C>
void expose(std::string_view, C&) {
  static_assert(
      detail::dependent_false<C>,
      "armilla: attached clients see arrays, vectors and matrices of trivially copyable elements, and maps and sets: expose "
      "one of these, or a span of what this rank has");
}

}  // namespace armilla
