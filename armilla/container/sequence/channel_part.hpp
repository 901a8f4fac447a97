// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/base/core/check.hpp"
#include "armilla/container/place/named_parts.hpp"
#include "armilla/container/sequence/channel_ends.hpp"
#include "armilla/distributed.hpp"
#include "armilla/future.hpp"
#include "armilla/hints.hpp"

namespace armilla::detail {

/// The values that have arrived, the first one first. Two vectors that change places: once they have grown to what is under way
/// at a time, nothing is allocated.
template <class T>
class arrivals {
 public:
  bool empty() const noexcept { return size() == 0; }
  std::size_t size() const noexcept { return in_.size() + out_.size() - first_; }
  void push(T value) { in_.push_back(std::move(value)); }
  T take() {
    if (first_ == out_.size()) {
      out_.clear();
      std::swap(in_, out_);
      first_ = 0;
    }
    return std::move(out_[first_++]);
  }
  void clear() noexcept {
    in_.clear();
    out_.clear();
    first_ = 0;
  }

 private:
  std::vector<T> in_, out_;
  std::size_t first_ = 0;
};

/// A hint on stderr: the channel that `inside` points into ends with values that nobody will read.
[[gnu::cold]] void say_never_popped(const void* inside, std::size_t values) noexcept;

/// What a rank has of a remote channel: its own end, and what the other ends call.
template <class T>
class channel_part final : public channel_ends {
 public:
  using value_type = T;
  using channel_ends::channel_ends;
  channel_part(const channel_part&) = delete;
  ~channel_part() { end(); }
  void knows(const object_ref<channel_part>& own) noexcept {
    own_ = own;
    receiving_ = own.on(receiver_);
  }

  // ---- A sender ----

  template <class U>
  bool push(U&& item) {
    if (take_credit()) [[likely]] {
      send(item);
      return true;
    }
    return push_slowly(T(std::forward<U>(item)));
  }
  bool try_push(const T& item) {
    if (take_credit()) {
      send(item);
      return true;
    }
    if (may_push("remote_channel::try_push")) ask_for_room();
    return false;
  }
  template <class U>
  future<bool> push_async(U&& item) {
    if (take_credit()) {
      send(item);
      return make_future(true);
    }
    if (!may_push("remote_channel::push_async")) return make_future(false);
    return push_later(T(std::forward<U>(item)), "remote_channel::push_async");
  }
  template <class Range>
  std::size_t push_range(const Range& items) {
    std::size_t pushed = 0;
    std::vector<T> some;
    auto next = std::begin(items);
    while (next != std::end(items)) {
      some.clear();
      std::size_t taken = 0;
      try {
        for (; next != std::end(items) && taken != most_together && take_credit(); ++next) ++taken, some.push_back(*next);
      } catch (const passing&) { throw; } catch (...) {
        take_credits(taken);  // pushes that wait since get them first
        throw;
      }
      if (some.empty()) {
        if (!push(T(*next))) return pushed;
        ++next, ++pushed;
      } else {
        send<&channel_part::receive_some>(some.size(), some);
        pushed += some.size();
      }
    }
    return pushed;
  }
  /// This rank pushes nothing more. What waits is still pushed.
  void close() {
    if (sends_ == sends::never) may_push("remote_channel::close");
    if (sends_ != sends::on) return;
    sends_ = sends::closed;
    credits_ = 0;
    if (waiting_.empty()) tell_end();
  }
  bool refused() const noexcept { return sends_ == sends::refused; }
  std::size_t room() const noexcept { return credits_; }

  // ---- The receiver ----

  std::optional<T> pop() {
    require_receiver("remote_channel::pop");
    std::optional<T> item = next("remote_channel::pop");
    if (item || over()) return item;
    scheduler_here("remote_channel::pop").before_wait("remote_channel::pop");
    item = next("remote_channel::pop");
    return item || over() ? std::move(item) : pop_later("remote_channel::pop").get();
  }
  std::optional<T> try_pop() {
    require_receiver("remote_channel::try_pop");
    return next("remote_channel::try_pop");
  }
  future<std::optional<T>> pop_async() {
    require_receiver("remote_channel::pop_async");
    std::optional<T> item = next("remote_channel::pop_async");
    return item || over() ? make_future(std::move(item)) : pop_later("remote_channel::pop_async");
  }
  std::vector<T> pop_some(std::size_t most) {
    std::vector<T> some;
    if (most == 0) return some;
    for (std::optional<T> item = pop(); item; item = some.size() == most || here_.empty() ? std::nullopt : try_pop())
      some.push_back(std::move(*item));
    return some;
  }
  /// Takes nothing more: values that are here or on their way go, and senders are told.
  void cancel() {
    require_receiver("remote_channel::cancel");
    if (std::exchange(cancelled_, true)) return;
    here_.clear();
    lost_.clear();
    open_ = 0;
    end_pops();
    for (std::uint32_t m = 0; m < senders_.size(); ++m)
      if (std::exchange(senders_[m].open, false)) to_sender<urgent<&channel_part::be_refused>>(m);
  }
  bool is_over() const {
    require_receiver("remote_channel::over");
    return over();
  }
  std::size_t held() const noexcept { return here_.size(); }

  // ---- Called by the others ----

  void receive(std::uint32_t from, T item) {
    if (cancelled_) [[unlikely]]
      return;
    if (!pops_.empty() && give_to_pop(from, item)) return;
    here_.push({std::move(item), from});
  }
  void receive_some(std::uint32_t from, std::vector<T> items) {
    for (auto&& item : items) receive(from, std::move(item));
  }
  void ask(std::uint32_t from) {
    if (asks(from)) pay(from, true);
  }
  void end_of(std::uint32_t from) {
    end_sender(from);
    if (open_ == 0) end_pops();
  }
  void take_credits(std::uint64_t n) {
    asked_ = false;
    while (n != 0 && !waiting_.empty()) {  // what a continuation pushes stands behind these, as it finds no credit
      --n;
      waiting_push first = take_waiting();
      try {
        send(first.item);
        complete(first.done, true);
      } catch (const passing&) { throw; } catch (...) {
        fail(first.done, std::current_exception());
      }
    }
    if (sends_ == sends::on) credits_ += n;
    if (!waiting_.empty())
      ask_for_room();
    else if (sends_ == sends::closed)
      tell_end();
  }
  void be_refused() {
    sends_ = sends::refused;
    credits_ = 0;
    while (!waiting_.empty()) complete(take_waiting().done, false);
  }
  void lose(rank_t lost) override {
    if (lost == receiver_ && sends_ != sends::never && sends_ != sends::lost) {
      sends_ = sends::lost;
      credits_ = 0;
      while (!waiting_.empty()) fail(take_waiting().done, error_of(lost, "remote_channel::push"));
    }
    const rank_t m = members_.rank_of(lost);
    if (m < 0 || senders_.empty() || !senders_[std::size_t(m)].open) return;
    end_sender(std::uint32_t(m));
    lost_.push_back(lost);
    while (!lost_.empty() && !pops_.empty()) {
      const late_op first = take_pop();
      if (first.find() != nullptr) first.fail(next_loss("remote_channel::pop"));
    }
    if (open_ == 0) end_pops();
  }

  /// What still waits here fails: the channel goes.
  void end() noexcept {
    if constexpr (checked)
      if (const std::size_t left = std::exchange(has_ended_, true) ? 0 : held(); left != 0 && std::uncaught_exceptions() == 0)
        say_never_popped(this, left);
    if (current_head == nullptr || (waiting_.empty() && pops_.empty())) return;
    const std::exception_ptr why = std::make_exception_ptr(
        usage_error("remote_channel", "the channel was destroyed while a push or a pop waited; wait for it first"));
    while (!waiting_.empty()) fail(take_waiting().done, why);
    while (!pops_.empty()) fail(take_pop(), why);
  }

 private:
  static constexpr std::size_t most_together = 256;
  struct arrived {
    T item;
    std::uint32_t from;
  };
  struct waiting_push {
    T item;
    late_op done;
  };

  void send(const T& item) { send<&channel_part::receive>(1, item); }
  template <auto Method, class V>
  void send(std::size_t credits, const V& what) {
    try {
      async(receiving_, to_completion<Method>(), me_, what);
    } catch (const passing&) { throw; } catch (...) {  // it has not gone
      if (sends_ == sends::on) credits_ += credits;
      throw;
    }
  }
  bool push_slowly(T item) {
    if (!may_push("remote_channel::push")) return false;
    scheduler_here("remote_channel::push").before_wait("remote_channel::push");
    if (take_credit()) {
      send(item);
      return true;
    }
    return may_push("remote_channel::push") && push_later(std::move(item), "remote_channel::push").get();
  }
  future<bool> push_later(T item, const char* operation) {
    auto done = promise<bool>::make(name_of_wait(operation));
    future<bool> result = done.get_future();
    waiting_.push_back({std::move(item), late_op(done.target)});
    ask_for_room();
    return result;
  }
  waiting_push take_waiting() {
    waiting_push first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }
  void ask_for_room() {
    if (must_ask()) async(receiving_, urgent<&channel_part::ask>(), me_);
  }
  void tell_end() { async(receiving_, urgent<&channel_part::end_of>(), me_); }

  /// No value will come any more, and none is here.
  bool over() const noexcept { return here_.empty() && ended(); }
  std::optional<T> next(const char* operation) {
    if (here_.empty()) {
      if (!lost_.empty()) [[unlikely]]
        std::rethrow_exception(next_loss(operation));
      return std::nullopt;
    }
    arrived first = here_.take();
    settle_popped(first.from);
    return std::optional<T>(std::move(first.item));
  }
  future<std::optional<T>> pop_later(const char* operation) {
    auto done = promise<std::optional<T>>::make(name_of_pop(operation));
    pops_.emplace_back(done.target);
    return done.get_future();
  }
  late_op take_pop() {
    const late_op first = pops_.front();
    pops_.pop_front();
    return first;
  }
  /// To the first pop that waits and whose future was not dropped.
  bool give_to_pop(std::uint32_t from, T& item) {
    while (!pops_.empty())
      if (pending_op* const c = take_pop().find()) {
        settle_popped(from);
        c->store<std::optional<T>>(std::move(item));
        c->complete(pending_op::state_t::ready);
        return true;
      }
    return false;
  }
  void end_pops() {
    while (!pops_.empty())
      if (pending_op* const c = take_pop().find()) {
        c->store<std::optional<T>>();
        c->complete(pending_op::state_t::ready);
      }
  }
  void settle_popped(std::uint32_t from) {
    if (const step what = popped(from); what != step::nothing) [[unlikely]]
      pay(from, what == step::now);
  }
  void pay(std::uint32_t from, bool at_once) {
    const std::uint64_t n = settle(from);
    if (at_once)
      to_sender<urgent<&channel_part::take_credits>>(from, n);
    else
      to_sender<to_completion<&channel_part::take_credits>>(from, n);
  }
  template <auto Hinted, class... A>
  void to_sender(std::uint32_t member, const A&... arguments) {
    try {
      async(own_.on(members_.world_rank(rank_t(member))), Hinted(), arguments...);
    } catch (const rank_lost&) {}  // `lose` follows
  }
  static void complete(const late_op& to, bool pushed) {
    if (pending_op* const c = to.find()) {
      c->store<bool>(pushed);
      c->complete(pending_op::state_t::ready);
    }
  }
  static void fail(const late_op& to, const std::exception_ptr& why) noexcept {
    if (pending_op* const c = to.find()) c->fail(why);
  }

  object_ref<channel_part> own_, receiving_;
  bool has_ended_ = false;
  std::deque<waiting_push> waiting_;  // pushes without a credit
  arrivals<arrived> here_;            // on the receiver
  std::deque<late_op> pops_;          // pops without a value
  bool cancelled_ = false;
};

}  // namespace armilla::detail
