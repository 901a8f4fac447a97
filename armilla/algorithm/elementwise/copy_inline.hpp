// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <tuple>
#include <type_traits>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/container/place/overlap.hpp"
#include "armilla/views.hpp"

/// Copies a range with a size.
namespace armilla::detail {

struct copy_piece {
  template <class In, class Out>
  void operator()(const In& in, const Out& out, std::size_t n) const {
    if constexpr (std::is_pointer_v<In> && std::is_same_v<In, std::add_const_t<std::remove_pointer_t<Out>>*> &&
                  std::is_trivially_copyable_v<std::remove_pointer_t<Out>>)
      std::memcpy(static_cast<void*>(out), in, n * sizeof *out);
    else
      for (std::size_t k = 0; k < n; ++k) out[k] = in[k];
  }
};

/// The elements of a container as bytes, and their type for the comparison among members.
struct byte_elements {
  std::size_t size, alignment;
  type_mark type;
};
/// Copies a container into another one. Takes the elements as bytes, so that it is compiled once for all types.
void copy_bytes(const container_state& from, const container_state& to, const byte_elements& elements);
template <class From, class To>
inline constexpr bool copies_bytes = false;
template <class T>
inline constexpr bool copies_bytes<whole<const T>, whole<T>> = lies_in_segments<T>;

template <class From, class To>
void copy_walking(const From& from, const To& to) {
  const zip_view<From, To> both(from, to);
  algorithm_call why("copy", to, from);
  enter(both);
  walk(both, why, [&](const auto c, std::size_t n, const indices&) {
    copy_piece{}(std::get<0>(c.from), std::get<1>(c.from), n);
    return true;
  });
  finish(to.members(), "copy", why);
}

template <class From, class To>
void copy_sized(const From& from, const To& to) {
  require_room("copy", from.extent(), to.extent());
  require_same_or_apart("copy", from, to, from.extent());
  if constexpr (copies_bytes<From, To>)
    return copy_bytes(from.container(), to.container(),
                      {sizeof(typename To::value_type), alignof(typename To::value_type), mark_of<typename To::value_type>()});
  else
    copy_walking(from, to);
}

}  // namespace armilla::detail
