// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "armilla/am/endpoint/block.hpp"
#include "armilla/base/values/leaves.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/error.hpp"
#include "armilla/rpc/kept_argument.hpp"
#include "armilla/rpc/receive_buffers.hpp"
#include "armilla/sendable.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

/// How a call's callable and arguments lie in a message: first the bytes of the closure, if it has any, then the arguments,
/// the whole a multiple of 8. With trivially copyable arguments the size is a constant and both ways are plain moves.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_short_message(std::size_t need, std::size_t have);

/// A copy of a trivially copyable callable that came as bytes; it need not be default constructible.
template <class F>
class closure_copy {
 public:
  explicit closure_copy(const std::byte* bytes) noexcept {
    if constexpr (!std::is_empty_v<F>) std::memcpy(bytes_, bytes, sizeof(F));
  }
  F& operator*() noexcept { return *std::launder(reinterpret_cast<F*>(bytes_)); }

 private:
  alignas(F) std::byte bytes_[sizeof(F)];
};

/// Where a message comes from.
struct origin {
  rank_t rank;
  shared_range memory{};             ///< what of the sender's memory can be read here
  bool transient = false;            ///< its bytes are gone when the body waits: views need a copy
  incoming_block* stream = nullptr;  ///< it lies in this block, and may still be being written
};

/// Whether a body may wait; one that is marked to run to completion may not.
template <class F>
inline constexpr bool body_may_wait = [] {
  if constexpr (requires { F::may_wait; })
    return F::may_wait;
  else
    return true;
}();

/// A message's bytes for as long as its body lives.
class message_copy {
 public:
  static constexpr std::size_t small = 512;

  message_copy() = default;
  message_copy(const message_copy&) = delete;
  ~message_copy() {
    if (large_ != nullptr) give_back_receive_buffer(large_);
  }

  const std::byte* of(const buffer_key& key, const std::byte* bytes, std::size_t size) {
    std::byte* to = small_;
    if (size > sizeof small_) large_ = to = take_receive_buffer(key, size);
    return static_cast<const std::byte*>(std::memcpy(to, bytes, size));
  }

 private:
  alignas(16) std::byte small_[small];
  std::byte* large_ = nullptr;
};

/// Whether packing a T runs none of the program's code. What a `define_type` runs may send, also to where the message goes, or
/// throw: such a message is packed apart, before it has its place.
template <class T>
inline constexpr bool packs_plainly = !verdict_of<std::remove_cv_t<T>>.runs_code;

/// The bytes of a message that is packed apart.
class packed_apart {
 public:
  explicit packed_apart(std::size_t size) : large_(size > small ? std::make_unique_for_overwrite<std::byte[]>(size) : nullptr) {}
  std::byte* bytes() noexcept { return large_ != nullptr ? large_.get() : small_; }

 private:
  static constexpr std::size_t small = 512;
  alignas(std::max_align_t) std::byte small_[small];
  std::unique_ptr<std::byte[]> large_;
};

/// Its address stands for calls of F with arguments A.
template <class F, class... A>
inline constexpr char call_type = 0;

template <class F, class... A>
struct packing {
  static constexpr std::size_t closure_bytes = std::is_empty_v<F> ? 0 : align_up(sizeof(F), 8);
  static constexpr bool fixed = fixed_size<A...>;
  static constexpr bool views = (is_view<A> || ...);  ///< some argument is read where it lies
  static constexpr bool plain = (packs_plainly<A> && ...);
  static constexpr bool empty = [] {
    if constexpr (fixed) return closure_bytes + packed_size<A...> == 0;
    return false;
  }();

  /// Bytes of each message; 0 if they differ.
  static constexpr std::size_t message_bytes = [] {
    if constexpr (fixed) return closure_bytes + packed_size<A...>;
    return std::size_t{0};
  }();

  /// `stable`: memory of this rank in which the elements of long views may stay; only for two-way calls.
  static std::size_t size(const shared_range& stable, const A&... arguments) {
    if constexpr (fixed)
      return closure_bytes + packed_size<A...>;
    else
      return closure_bytes + encoded_size_beside(stable, arguments...);
  }

  static void write(const shared_range& stable, std::byte* to, const F& f, const A&... arguments) {
    if constexpr (closure_bytes != 0) copy_small<sizeof(F), alignof(F)>(to, &f);
    encoder out(to + closure_bytes, stable);
    (out.put(arguments), ...);
  }

  /// The same into a block that the receiver reads meanwhile, `before` bytes from its beginning.
  static void write(const shared_range& stable, outgoing_block& block, std::size_t before, const F& f, const A&... arguments) {
    std::byte* const to = block.place() + before;
    if constexpr (closure_bytes != 0) std::memcpy(to, &f, sizeof(F));
    encoder out(to + closure_bytes, stable, &block.mark(), before + closure_bytes);
    (out.put(arguments), ...);
  }

  /// The callable of a message of fixed size at `at`.
  static F callable_at(const std::byte* at, const std::byte* end) {
    if (std::size_t(end - at) < message_bytes) [[unlikely]]
      throw_short_message(message_bytes, std::size_t(end - at));
    return *closure_copy<F>(at);
  }

  /// As `read`, of a message of fixed size that is known to be there.
  template <class Use>
  static decltype(auto) read_whole(const std::byte*& at, const origin& from, Use&& use) {
    const std::byte* const message = at;
    at += message_bytes;
    return open(message, packed_size<A...>, from, nullptr, std::forward<Use>(use));
  }

  /// Takes one message off the front of [at, end), moving `at` behind it, and calls `use(f, arguments...)`.
  template <class Use>
  static decltype(auto) read(const std::byte*& at, const std::byte* end, origin from, Use&& use) {
    if constexpr (fixed) {
      if (std::size_t(end - at) < message_bytes) [[unlikely]]
        throw_short_message(message_bytes, std::size_t(end - at));
      return read_whole(at, from, std::forward<Use>(use));
    } else {
      if (std::size_t(end - at) < closure_bytes) [[unlikely]]
        throw_short_message(closure_bytes, std::size_t(end - at));
      if (from.stream != nullptr) [[unlikely]]
        from.stream->await(at + closure_bytes);
      return open(at, std::size_t(end - at) - closure_bytes, from, &at, std::forward<Use>(use));
    }
  }

  /// Behind the message at `at`, whose arguments need not be taken out. Throws decode_error if it is damaged.
  [[gnu::cold, gnu::noinline]] static const std::byte* behind(const std::byte* at, const std::byte* end, const origin& from) {
    if constexpr (fixed) {
      if (std::size_t(end - at) < message_bytes) throw_short_message(message_bytes, std::size_t(end - at));
      return at + message_bytes;
    } else {
      if (std::size_t(end - at) < closure_bytes) throw_short_message(closure_bytes, std::size_t(end - at));
      const std::size_t bytes = std::size_t(end - at) - closure_bytes;
      decoder in(at + closure_bytes, bytes, from.rank);
      in.set_sender_memory(from.memory);
      if (from.stream != nullptr) in.set_mark(from.stream->mark(), std::size_t(at - from.stream->begin()) + closure_bytes);
      (in.template pass<A>(), ...);
      return at + closure_bytes + align_up(bytes - in.remaining(), 8);
    }
  }

 private:
  /// What arguments are taken out as. Safe bodies may run beside the rank, whose buffers are its own.
  template <std::size_t I, class B>
  using received_as = std::conditional_t<is_plain_vector<B> && body_parameters<F>::type::template by_reference<I> && !requires {
    F::is_safe;
  }, kept_argument<B, I>, B>;
  template <class>
  struct received_all;
  template <std::size_t... I>
  struct received_all<std::index_sequence<I...>> {
    using type = leaves<received_as<I, A>...>;
  };
  using received = typename received_all<std::index_sequence_for<A...>>::type;

  template <class Use>
  static decltype(auto) open(const std::byte* message, std::size_t bytes, const origin& from, const std::byte** behind,
                             Use&& use) {
    if constexpr (views && body_may_wait<F>) {
      if (from.transient) {
        if (bytes > message_copy::small) bytes = extent(message, bytes, from);  // without the messages behind it
        message_copy copy;
        return open_at(copy.of(key_of(message, from), message, closure_bytes + bytes), message, bytes, from, behind,
                       std::forward<Use>(use));
      }
    }
    return open_at(message, message, bytes, from, behind, std::forward<Use>(use));
  }

  static buffer_key key_of(const std::byte* message, const origin& from) noexcept {
    buffer_key key{&call_type<F, A...>, 0, from.rank};
    if constexpr (requires { typename F::is_called_by_name; }) std::memcpy(&key.index, message, sizeof key.index);
    return key;
  }

  /// Bytes of the arguments of the message at `message`.
  static std::size_t extent(const std::byte* message, std::size_t bytes, const origin& from) {
    decoder in(message + closure_bytes, bytes, from.rank);
    in.set_sender_memory(from.memory);
    (in.template pass<A>(), ...);
    return bytes - in.remaining();
  }

  /// `message`: where its bytes are read; `came_at`: where they lay.
  template <class Use>
  static decltype(auto) open_at(const std::byte* message, const std::byte* came_at, std::size_t bytes, const origin& from,
                                const std::byte** behind, Use&& use) {
    closure_copy<F> f(message);
    decoder in(message + closure_bytes, bytes, from.rank);
    if constexpr (!fixed) {
      in.set_sender_memory(from.memory);
      if (from.stream != nullptr) [[unlikely]]
        in.set_mark(from.stream->mark(), std::size_t(message - from.stream->begin()) + closure_bytes);
    }
    auto arguments = received::from([&]<class B>() {
      if constexpr (is_kept<B>)
        return B(in, {&call_argument<B::number, F, A...>, key_of(message, from).index, from.rank});
      else
        return in.template get<B>();
    });
    if (behind != nullptr) *behind = came_at + closure_bytes + align_up(bytes - in.remaining(), 8);
    if constexpr (!fixed && !views)
      if (from.stream != nullptr && *behind == from.stream->end()) [[unlikely]]
        from.stream->release();  // before the body: it may take long, and the sender its next message with it
    if constexpr (!fixed)
      if (in.complaint() != nullptr) [[unlikely]]
        throw_usage("receive", in.complaint());
    return arguments.apply([&](auto&&... each) -> decltype(auto) { return use(*f, as_argument(each)...); });
  }
};

/// Inside a `catch`: rethrows what says that a message is damaged. All else has kept its arguments from being taken out, such as
/// that there is no memory for them.
[[gnu::cold]] void rethrow_damage();

/// A callable that may not be there yet: then its whole message is put off until it is.
template <class F>
concept may_be_absent = requires(const F& f) { f.present(); };

/// A callable for an object that is looked up here: `find` gives it, or null, and `run` calls it without looking again.
template <class F>
concept finds_object = may_be_absent<F> && requires(const F& f) { f.find(); };

/// Whether the callable of the message at `at` is not there yet; then `at` is moved behind the message.
template <class F, class... A>
bool absent(const std::byte*& at, const std::byte* end, const origin& from) {
  if constexpr (may_be_absent<F>) {
    if (std::size_t(end - at) < sizeof(F)) throw_short_message(sizeof(F), std::size_t(end - at));
    if (from.stream != nullptr) [[unlikely]]
      from.stream->await(at + sizeof(F));
    closure_copy<F> f(at);
    if ((*f).present()) [[likely]]
      return false;
    if (from.stream != nullptr) [[unlikely]]
      from.stream->await(from.stream->end());
    origin whole = from;  // it stays in its block until it has been copied
    whole.stream = nullptr;
    at = packing<F, A...>::behind(at, end, whole);
    return true;
  }
  return false;
}

}  // namespace armilla::detail
