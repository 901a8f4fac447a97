// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/rpc/callable.hpp"
#include "armilla/rpc/receive_buffers.hpp"
#include "armilla/wire/decode.hpp"

/// Vectors that bodies take by reference, and whose memory is that of the last call.
namespace armilla::detail {

template <class... P>
struct parameters {
  template <std::size_t I>
  static constexpr bool by_reference = [] {
    constexpr bool all[] = {std::is_reference_v<P>..., false};
    return all[I < sizeof...(P) ? I : sizeof...(P)];
  }();
};

/// The parameters of a function or of a pointer to one; of anything else: none that is known.
template <class S>
struct parameters_of {
  using type = parameters<>;
};
template <class R, class... P>
struct parameters_of<R (*)(P...)> {
  using type = parameters<P...>;
};
template <class R, class... P>
struct parameters_of<R (*)(P...) noexcept> : parameters_of<R (*)(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...)> : parameters_of<R (*)(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...) const> : parameters_of<R (*)(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...) noexcept> : parameters_of<R (*)(P...)> {};
template <class R, class C, class... P>
struct parameters_of<R (C::*)(P...) const noexcept> : parameters_of<R (*)(P...)> {};

/// The parameters of a body; of one that is a template or overloaded: none that is known.
template <class F>
struct body_parameters {
  using type = parameters<>;
};
template <class F>
  requires requires { &F::operator(); }
struct body_parameters<F> : parameters_of<decltype(&F::operator())> {};
template <auto F>
struct body_parameters<constant_function<F>> : parameters_of<decltype(F)> {};

/// Its address stands for argument I of calls of F with arguments A.
template <std::size_t I, class F, class... A>
inline constexpr char call_argument = 0;

template <class V>
inline constexpr bool is_plain_vector = false;
template <class T>
inline constexpr bool is_plain_vector<std::vector<T>> =
    travels_as_bytes<T> && bytes_size<T> != 0 && alignof(T) <= arguments_align && !std::is_same_v<T, bool>;

/// A vector that is taken out of a message. From `worth` bytes on, one that an earlier call has left behind, if there is one: its
/// memory is mapped and, mostly, warm. The body may move it away; what it leaves goes to the next call.
template <class V, std::size_t I>
class kept_argument {
 public:
  static constexpr std::size_t number = I;
  using element = typename V::value_type;
  static constexpr std::size_t worth = 1024;

  kept_argument(decoder& in, const buffer_key& key) {
    const std::size_t n = in.take_count(sizeof(element));
    if (n * sizeof(element) >= worth) place_.kept = take_kept(key);
    if (in.comes_in_pieces(n * sizeof(element))) [[unlikely]] {
      take_pieces(in, value(), n);
    } else {
      const auto* const first = reinterpret_cast<const element*>(in.take(n * sizeof(element), 1));
      value().assign(first, first + n);
    }
  }

  V& value() noexcept { return place_.kept != nullptr ? *place_.kept : place_.own; }

 private:
  static V* take_kept(const buffer_key& key) {
    return static_cast<V*>(take_receive_buffer(
        key, {sizeof(V), [](void* at) { ::new (at) V(); }, [](void* vector) noexcept { static_cast<V*>(vector)->~V(); }}));
  }

  static void take_pieces(decoder& in, V& to, std::size_t n) {
    to.clear();
    to.reserve(n);
    while (n != 0) {
      const std::size_t there = in.await_ready(sizeof(element)) / sizeof(element);
      const std::size_t part = there < n ? there : n;
      const auto* const first = reinterpret_cast<const element*>(in.take(part * sizeof(element), 1));
      to.insert(to.end(), first, first + part);
      n -= part;
    }
  }

  struct place {
    V own;
    V* kept = nullptr;

    place() = default;
    place(place&& other) noexcept : own(std::move(other.own)), kept(std::exchange(other.kept, nullptr)) {}
    ~place() {
      if (kept != nullptr) give_back_receive_buffer(reinterpret_cast<std::byte*>(kept), kept->capacity() * sizeof(element));
    }
  } place_;
};

template <class B>
inline constexpr bool is_kept = false;
template <class V, std::size_t I>
inline constexpr bool is_kept<kept_argument<V, I>> = true;

/// An argument as the body gets it.
template <class B>
decltype(auto) as_argument(B& received) noexcept {
  if constexpr (is_kept<B>)
    return std::move(received.value());
  else
    return std::move(received);
}

}  // namespace armilla::detail
