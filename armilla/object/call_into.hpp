// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "armilla/global/memory.hpp"
#include "armilla/global/opened.hpp"
#include "armilla/object/create.hpp"
#include "armilla/rpc/question.hpp"

/// Results of calls that land in memory of the caller's choice.
namespace armilla {
namespace detail {

/// The caller's buffer as the body's rank knows it.
struct result_place {
  global_address at;
  std::uint64_t room;  ///< bytes
};

result_place place_for_result(const void* buffer, std::uint64_t bytes, opened_memory& open);
/// Puts a result there; complete when it returns. Throws when it is longer than the room.
void deliver_result(const result_place& to, const void* from, std::uint64_t count, std::size_t element, std::uint32_t alignment);
/// Waits for the answer. Where that cannot be, the process ends with a text: the other side would write into memory that is gone.
void await_result(const future<std::uint64_t>& count) noexcept;
[[noreturn, gnu::cold]] void throw_result_count(rank_t source, std::uint64_t count, std::uint64_t room);

/// Calls `f`, puts what it returns into the caller's buffer, and returns the number of elements.
template <class T, class F>
struct result_into {
  result_place to;
  [[no_unique_address]] F f;

  bool present() const noexcept
    requires may_be_absent<F>
  {
    return f.present();
  }
  void park(context& self, parked_call call) const
    requires may_be_absent<F>
  {
    f.park(self, std::move(call));
  }

  template <class... A>
    requires std::invocable<F&, A...>
  std::uint64_t operator()(A&&... arguments) {
    using R = std::invoke_result_t<F&, A...>;
    static_assert(
        requires(std::remove_reference_t<R>& r) {
          { r.data() } -> std::convertible_to<const T*>;
          { r.size() } -> std::convertible_to<std::uint64_t>;
        }, "armilla: the result of call_into must be a contiguous range of the buffer's elements: vector, array, span or view");
    R&& result = f(std::forward<A>(arguments)...);
    const std::uint64_t count = result.size();
    deliver_result(to, static_cast<const T*>(result.data()), count, sizeof(T), alignof(T));
    return count;
  }
};

}  // namespace detail

/// A result on its way into a buffer; see `call_into`. It moves, and belongs to the rank that asked. Its destructor waits, since
/// the other side writes into the buffer until it has answered; where nothing may wait, in a handler, it ends the process.
template <class T>
class [[nodiscard]] filling {
 public:
  filling() noexcept = default;
  filling(filling&& other) noexcept = default;
  filling& operator=(filling&& other) noexcept {
    if (this != &other) {
      finish();
      buffer_ = other.buffer_;
      open_ = std::move(other.open_);
      count_ = std::move(other.count_);
      source_ = other.source_;
    }
    return *this;
  }
  ~filling() { finish(); }

  /// False after `get` and a move from it.
  bool valid() const noexcept { return count_.valid(); }
  /// Whether `get` would return at once. Takes in no messages.
  bool ready() const { return count_.ready(); }
  void wait() const { count_.wait(); }

  /// Waits, and gives the part of the buffer that the result has filled. Throws what the body threw; then, and behind the part,
  /// what the buffer holds is not defined.
  std::span<T> get() {
    const opened_memory until_end = std::move(open_);
    const std::uint64_t count = count_.get();
    if (count > buffer_.size()) [[unlikely]]
      detail::throw_result_count(source_, count, buffer_.size());
    return buffer_.first(std::size_t(count));
  }

 private:
  template <class U, class F, class... A>
  friend filling<U> detail_call_into(std::span<U>, rank_t, const F&, const A&...);
  filling(std::span<T> buffer, opened_memory open, future<std::uint64_t> count, rank_t source) noexcept
      : buffer_(buffer), open_(std::move(open)), count_(std::move(count)), source_(source) {}

  void finish() noexcept {
    if (count_.valid() && detail::current != nullptr) detail::await_result(count_);
  }

  std::span<T> buffer_;
  opened_memory open_;
  future<std::uint64_t> count_;
  rank_t source_ = no_rank;
};

template <class T, class F, class... A>
filling<T> detail_call_into(std::span<T> buffer, rank_t dest, const F& f, const A&... arguments) {
  static_assert(trivially_sendable<T> && !std::is_const_v<T>,
                "armilla: the elements of a buffer for results must travel as bytes, and not be const");
  using body = detail::result_into<T, F>;
  detail::outbox& out = *detail::here("call_into").out;
  detail::channel& c = out.checked(dest, "call_into");
  opened_memory open;
  const detail::result_place place = detail::place_for_result(buffer.data(), buffer.size_bytes(), open);
  return {buffer, std::move(open), detail::send_question<body, A...>(out, c, body{place, f}, arguments...), dest};
}

/// Question whose result lands in `buffer`: runs `f(arguments...)` on rank `dest`; what it returns, a contiguous range of T (a
/// vector, array, span or view; a reference to one makes no copy), is put straight into the buffer.
///
///     std::vector<double> column(rows);
///     am::filling<double> f = am::call_into(std::span(column), 3, [](int j) { return columns[j]; }, 7);
///     for (double x : f.get()) ...
///
/// `f` and the arguments as for `call`. The buffer may be any memory of this rank; it must live, and nobody may touch it, until
/// `get` has returned or the handle is gone. Memory that a span or view refers to must stay until the answer has been sent.
/// Errors: at `get` what the body throws, and a `limit_error` that names both sizes when the result has more elements than the
/// buffer, of which then none is written. With ARMILLA_ACCESS=opened the buffer is open for writing until `get` returns.
/// Cost: a question, and one copy of the result where the buffer lies in this rank's segment (`allocate`) or ranks are threads;
/// a copy by the kernel for other memory, of which a caller that waits makes half at the same time from 128 KiB on; in messages
/// where the kernel refuses.
/// Paper: MRPC, section 4, which leaves results to the receiver's next call.
template <class T, class F, class... A>
  requires(!std::is_convertible_v<std::decay_t<F>, rank_t>)
filling<T> call_into(std::span<T> buffer, rank_t dest, F&& f, A&&... arguments) {
  (require_sendable<detail::sent_as<A>>(), ...);
  detail::check_body<F, A...>();
  if constexpr (detail::can_call<F, A...>) {
    using P = typename detail::callable_of<F>::type;
    return detail_call_into<T, P, detail::sent_as<A>...>(buffer, dest, detail::callable_of<F>::portable(f, "call_into"),
                                                         arguments...);
  } else {
    return detail::refused_call{};
  }
}
/// The same for a function that is named at compile time.
template <auto F, class T, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
filling<T> call_into(std::span<T> buffer, rank_t dest, A&&... arguments) {
  return call_into(buffer, dest, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}
/// The same for a method or data member of a part of a distributed object, and of a processor object.
template <auto M, class T, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
filling<T> call_into(std::span<T> buffer, const object_ref<C>& object, A&&... arguments) {
  return detail_call_into<T, detail::bound_member<M, C>, detail::sent_as<A>...>(buffer, object.rank, {object.id}, arguments...);
}
template <auto M, class T, class C, class... A>
  requires std::is_member_pointer_v<decltype(M)>
filling<T> call_into(std::span<T> buffer, const remote<C>& object, A&&... arguments) {
  const detail::reference& held = detail::held_by(object, "call_into");
  return detail_call_into<T, detail::member_of_object<M, C>, detail::sent_as<A>...>(buffer, held.rank, {held.name}, arguments...);
}

}  // namespace armilla
