// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include "armilla/algorithm/compaction_inline.hpp"
#include "armilla/algorithm/walk.hpp"
#include "armilla/container/views.hpp"

/// What elementwise algorithms do inside.
namespace armilla::detail {

template <class V, class F>
void for_each_in(const V& v, const char* operation, F& f) {
  algorithm_call why(operation);
  enter(v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { apply_at(f, c, k); });
    return !why.happened();
  });
  finish(v.members(), operation, why);
}

/// Elements of `to` become f of those of `from`.
template <class From, class To, class F>
void assign_each(const From& from, const To& to, const char* operation, F f) {
  require_room(operation, from.extent(), to.extent());
  const zip_view<From, To> both(from, to);
  algorithm_call why(operation);
  enter(both);
  walk(both, why, [&](const auto c, std::size_t n, const indices& at) {
    const auto& [in, out] = c.from;
    each_of_piece(c, n, at, why, [&](std::size_t k) { out[k] = apply_at(f, in, k); });
    return !why.happened();
  });
  finish(to.members(), operation, why);
}

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

/// A container into another one, whose elements are bytes. The type does not matter, so that this is compiled once.
void copy_bytes(const container_state& from, const container_state& to, std::size_t size, std::size_t alignment);
template <class From, class To>
inline constexpr bool copies_bytes = false;
template <class T>
inline constexpr bool copies_bytes<whole<const T>, whole<T>> = lies_in_segments<T>;

template <class From, class To>
void copy_walking(const From& from, const To& to) {
  require_room("copy", from.extent(), to.extent());
  const zip_view<From, To> both(from, to);
  algorithm_call why("copy");
  enter(both);
  walk(both, why, [&](const auto c, std::size_t n, const indices&) {
    copy_piece{}(std::get<0>(c.from), std::get<1>(c.from), n);
    return true;
  });
  finish(to.members(), "copy", why);
}

template <class From, class To>
void copy_sized(const From& from, const To& to) {
  if constexpr (copies_bytes<From, To>)
    return copy_bytes(from.container(), to.container(), sizeof(typename To::value_type), alignof(typename To::value_type));
  else
    copy_walking(from, to);
}

/// Of a range with a size nothing is returned; of one without how many elements have been copied, one behind the other.
template <class From, class To>
auto copy_all(const From& from, const To& to) {
  if constexpr (From::sized)
    copy_sized(from, to);
  else
    return copy_in_order(from, require_sized(to));
}

template <class V, class F>
void generate_in(const V& v, const char* operation, F f) {
  algorithm_call why(operation);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { c[k] = f(); });
    return !why.happened();
  });
  finish(v.members(), operation, why);
}

template <class V, class F>
void assign_by_index(const V& v, const char* operation, F f) {
  algorithm_call why(operation);
  enter(v);
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { f(at(k), c[k]); });
    return !why.happened();
  });
  finish(v.members(), operation, why);
}

}  // namespace armilla::detail
