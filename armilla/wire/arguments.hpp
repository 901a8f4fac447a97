// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>

#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

// The arguments of one call at its receiver: a tuple without its header, whose values need not be movable.
namespace armilla::detail {

template <std::size_t I, class T>
struct argument {
  T value;
};

template <class Indices, class... A>
struct argument_list;
template <std::size_t... I, class... A>
struct argument_list<std::index_sequence<I...>, A...> : argument<I, A>... {
  /// function(argument...), each as an rvalue.
  template <class F>
  decltype(auto) pass_to(F&& function) && {
    return std::forward<F>(function)(static_cast<A&&>(static_cast<argument<I, A>&>(*this).value)...);
  }
};

/// A: types without const and reference.
template <class... A>
using arguments = argument_list<std::index_sequence_for<A...>, A...>;

/// Reads arguments one after the other. Lists of fixed size are held against the message once, then read by plain moves.
template <class... A>
arguments<A...> decode_arguments(decoder& in) {
  (require_sendable<A>(), ...);
  if constexpr (fixed_size<A...>) {
    packed_reader from(in.take(layout_of_parts<A...>::advance(0), arguments_align));
    return {{read<A>(from)}...};
  } else {
    return {{in.get<A>()}...};
  }
}

/// The same where the caller knows that `packed_size<A...>` bytes are there: no test at all.
template <class... A>
  requires fixed_size<A...>
arguments<A...> unpack(const std::byte* bytes) {
  packed_reader from(bytes);
  return {{read<A>(from)}...};
}

}  // namespace armilla::detail
