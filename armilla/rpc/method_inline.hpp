// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/call.hpp"
#include "armilla/rpc/method_table.hpp"
#include "armilla/wire/signature.hpp"

// What the templates of method.hpp are made of.
namespace armilla {

template <class Signature>
class method;
template <class R, class... P>
class method<R(P...)>;

namespace detail {

template <class T>
inline constexpr bool is_method = false;
template <class S>
inline constexpr bool is_method<method<S>> = true;

template <const auto& M>
concept method_tag = is_method<std::remove_cvref_t<decltype(M)>>;

template <const auto& M>
using signature_of = typename std::remove_cvref_t<decltype(M)>::signature;

template <const auto& M>
inline constexpr method_description description_of = {M.name(), signature<signature_of<M>>::text,
                                                      signature<signature_of<M>>::hash};

template <const auto& M>
inline method_number number_of{};

/// The callable of a call by name, as its caller sees it: an index that means something at the other rank.
template <const auto& M, class S = signature_of<M>>
struct named;
template <const auto& M, class R, class... P>
struct named<M, R(P...)> {
  using is_called_by_name = void;
  std::uint64_t index;
  std::decay_t<R> operator()(const std::decay_t<P>&...) const;
  static const char* text() noexcept { return M.name(); }
};

template <auto F>
inline constexpr std::nullptr_t owner_of = nullptr;
template <class T, class C, T C::* F>
inline constexpr C* owner_of<F> = nullptr;
template <auto F>
using owner = std::remove_pointer_t<std::remove_const_t<decltype(owner_of<F>)>>;

/// The same where it runs.
template <const auto& M, auto F, class S = signature_of<M>>
struct provided;
template <const auto& M, auto F, class R, class... P>
struct provided<M, F, R(P...)> {
  using is_called_by_name = void;
  std::uint64_t index;

  template <class... A>
  std::decay_t<R> operator()(A&&... arguments) const {
    if constexpr (std::is_member_pointer_v<decltype(F)>) {
      auto& object = *static_cast<owner<F>*>(current_head->calls->methods.object(index));
      return static_cast<std::decay_t<R>>((object.*F)(std::forward<A>(arguments)...));
    } else {
      return static_cast<std::decay_t<R>>(F(std::forward<A>(arguments)...));
    }
  }
};

template <const auto& M, auto F, class S>
struct body_parameters<provided<M, F, S>> : parameters_of<decltype(F)> {};

/// What stands in its place once it is withdrawn.
template <const auto& M, class S = signature_of<M>>
struct withdrawn;
template <const auto& M, class R, class... P>
struct withdrawn<M, R(P...)> {
  using is_called_by_name = void;
  std::uint64_t index;

  template <class... A>
  std::decay_t<R> operator()(A&&...) const {
    current_head->calls->methods.throw_withdrawn(index);
  }
};

template <class F, class... A>
void run_one_way_calls(delivery& in, rank_t source, bundle_rest& rest) {
  const timed body(packing<F, A...>::fixed ? in.watch() : nullptr, component::cpu);
  one_way_call<F, A...>::run_some(in, source, rest, nullptr);
}

/// Whole in memory of its own, which outlives the body.
template <class F, class... A>
void run_for_client(std::span<const std::byte> message, std::vector<std::byte>& reply) {
  const std::byte* at = message.data();
  packing<F, A...>::read(at, at + message.size(), {no_rank}, [&](F& f, auto&&... arguments) {
    if constexpr (std::is_void_v<result_of<F, A...>>) {
      f(std::move(arguments)...);
    } else {
      const stored<result_of<F, A...>> result = f(std::move(arguments)...);
      reply.resize(encoded_size(result));
      encode(reply.data(), result);
    }
  });
}

template <class F, class... A>
inline constexpr method_runners runners_of = {&two_way_call<F, A...>::run_named, &run_one_way_calls<F, A...>,
                                              &run_for_client<F, A...>};

template <const auto& M, class S = signature_of<M>>
struct method_calls;

/// What there is to do for a method, with its types.
template <const auto& M, class R, class... P>
struct method_calls<M, R(P...)> {
  using result = std::decay_t<R>;
  using stub = named<M>;
  using packed = packing<stub, std::decay_t<P>...>;

  static void check() {
    (require_sendable<std::decay_t<P>>(), ...);
    if constexpr (!std::is_void_v<R>) require_sendable_value<result>();
  }

  template <auto F>
  static void provide(void* object) {
    provide_as<F>(description_of<M>, object);
  }
  /// Under another name than the tag's.
  template <auto F>
  static void provide_as(const method_description& what, void* object) {
    check();
    head_here("provide").calls->methods.provide(what, runners_of<provided<M, F>, std::decay_t<P>...>,
                                                runners_of<withdrawn<M>, std::decay_t<P>...>, object);
  }

  template <auto F>
  static constexpr bool fits = std::is_invocable_v<decltype(F), std::decay_t<P>...> && (std::is_void_v<R> || requires {
                                 static_cast<result>(std::declval<std::invoke_result_t<decltype(F), std::decay_t<P>...>>());
                               });
  template <auto F, class C>
  static constexpr bool fits_member =
      std::is_invocable_v<decltype(F), C&, std::decay_t<P>...> && (std::is_void_v<R> || requires {
        static_cast<result>(std::declval<std::invoke_result_t<decltype(F), C&, std::decay_t<P>...>>());
      });

  /// `c` is the channel to `dest`, which may be zeros still.
  /// Budget of a warm call beyond that of one within a program: the cached index, one count, 8 bytes.
  static future<result> ask(sending& out, rank_t dest, channel_head& c, const std::decay_t<P>&... arguments) {
    const std::uint32_t known = current_head->calls->stubs.find(number_of<M>, dest);
    if (known < stub_cache::first_known) [[unlikely]]
      return ask_by_name(out, c, arguments...);
    ++out.count().stub_hits;
    return send_two_way_call<stub, std::decay_t<P>...>(out, c, stub{known - stub_cache::first_known}, arguments...);
  }

  static void tell(sending& out, rank_t dest, channel_head& c, const std::decay_t<P>&... arguments) {
    const std::uint32_t known = current_head->calls->stubs.find(number_of<M>, dest);
    if (known < stub_cache::first_known) [[unlikely]]
      return tell_by_name(out, c, arguments...);
    ++out.count().stub_hits;
    send_one_way_call<stub, std::decay_t<P>...>(out, c, stub{known - stub_cache::first_known}, arguments...);
  }

 private:
  [[gnu::noinline]] static future<result> ask_by_name(sending& out, channel_head& c, const std::decay_t<P>&... arguments) {
    const timed runtime(out.observed() ? out.watch() : nullptr, component::runtime);
    out.admit(c);
    call_state& calls = *current_head->calls;
    pending_op* const target = out.pending.take(handler<reply<result>>.id);
    future<result> result_here = future_access::adopt<result>(target);
    const op_id name = target->name();
    target->asked = {named_two_way_call_handler, c.to, stub::text(), nullptr, nullptr, 0};
    shared_range stable;
    if constexpr (!packed::fixed) stable = out.memory_for(c.to);
    const std::size_t bytes = sizeof name + packed::size(stable, arguments...);
    std::byte* const place = begin_cold_call(out, c, number_of<M>, description_of<M>, true, bytes);
    std::memcpy(place, &name, sizeof name);
    packed::write(stable, place + sizeof name, stub{0}, arguments...);
    finish_two_way_call(out, calls, c);
    if (out.observed()) [[unlikely]]
      out.count_call();
    return result_here;
  }

  [[gnu::noinline]] static void tell_by_name(sending& out, channel_head& c, const std::decay_t<P>&... arguments) {
    const timed runtime(out.watch(), component::runtime);
    if (!out.admit_one_way_call(c)) return;
    std::byte* const place = begin_cold_call(out, c, number_of<M>, description_of<M>, false, packed::size({}, arguments...));
    packed::write({}, place, stub{0}, arguments...);
    ++out.count().one_way_calls_sent;
    out.done(c);
    if (out.observed()) [[unlikely]]
      out.count_call();
  }
};

template <const auto& M>
constexpr refused_hint hint_by_name() {
  static_assert(!method_tag<M>,
                "armilla: a method by name takes no hint, for its caller does not know the function; call flush() after a "
                "one-way call that is urgent");
  return {};
}

}  // namespace detail
}  // namespace armilla
