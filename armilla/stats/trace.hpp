// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "armilla/base/values/clock.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/stats/trace_part.hpp"

/// What a rank did and when, for ARMILLA_TRACE: a ring of events in memory that is also a file, so that it outlives the rank.
///
/// Arrows need no word in any message: both ends of a channel count its frames, which arrive in their order.
namespace armilla::detail {

class trace {
 public:
  /// Makes the rank's part of `file`. Throws usage_error where that cannot be.
  trace(const std::string& file, std::uint64_t events, rank_t rank, rank_t ranks);

  /// Budget of an event: the processor's counter, one line half full, two stores besides.
  void note(trace_kind kind, std::uint32_t name, std::uint64_t value = 0, rank_t peer = no_rank,
            std::uint32_t number = 0) noexcept {
    const std::uint64_t i = next_++;
    trace_event& e = events_[i & mask_];
    e = {ticks(), value, name, number, peer, kind};
    part_.head().written = next_;
  }

  // ---- messages ----

  /// The names of all methods, by number.
  void name_methods(std::uint32_t methods, const std::string& (*name)(std::uint32_t), rank_t ranks);
  /// A frame leaves whose last bundle is for `method`.
  void sent(std::size_t channel, rank_t to, std::uint32_t method, std::size_t bytes) noexcept {
    const bool counted = channel < sent_.size();  // not so those to progress threads
    note(trace_kind::sent, first_method_ + method, bytes, to, counted ? ++sent_[channel] : 0);
  }
  /// Its first message came `ns` ago; `sent` follows.
  void buffered(rank_t to, std::uint32_t method, std::uint64_t ns) noexcept {
    note(trace_kind::buffered, first_method_ + method, ns, to);
  }
  /// A frame has come in: its number goes to the first bundle that begins.
  void taken(rank_t source) noexcept { arrow_ = ++taken_[std::size_t(source)]; }
  void begin_run(rank_t source, std::uint32_t method, std::size_t bytes) noexcept {
    note(is_reply_[method] != 0 ? trace_kind::reply : trace_kind::run, first_method_ + method, bytes, source,
         std::exchange(arrow_, 0));
  }
  void end_run(std::uint32_t method) noexcept {
    if (is_reply_[method] == 0) end();
  }

  // ---- what a fiber is in ----

  /// `what` is a literal: the same address means the same text.
  void begin(trace_kind kind, const char* what) noexcept { note(kind, name_of(what)); }
  void end() noexcept { note(trace_kind::end, 0); }
  void phase(trace_kind kind, const char* name) noexcept { note(kind, part_.name(name)); }
  void set_main(const void* fiber) noexcept { part_.head().main_fiber = reinterpret_cast<std::uintptr_t>(fiber); }
  void change_fiber(const void* from, const void* to, bool to_loop) noexcept {
    const auto left = reinterpret_cast<std::uintptr_t>(from);
    note(trace_kind::change, std::uint32_t(left), reinterpret_cast<std::uintptr_t>(to), to_loop ? 1 : 0,
         std::uint32_t(left >> 32));
  }

  /// Forgets all events so far: they belong to the start.
  void restart() noexcept;
  /// From here on nothing more comes.
  void finish() noexcept;
  trace_part& part() noexcept { return part_; }

 private:
  std::uint32_t name_of(const char* literal) noexcept {
    known& k = known_[(reinterpret_cast<std::uintptr_t>(literal) >> 4) % std::size(known_)];
    if (k.text != literal) [[unlikely]]
      k = {literal, part_.name(literal)};
    return k.name;
  }

  struct known {
    const char* text = nullptr;
    std::uint32_t name = 0;
  };

  trace_part part_;
  trace_event* events_;
  std::uint64_t mask_;
  std::uint64_t next_ = 0;
  std::uint32_t arrow_ = 0;
  std::uint32_t first_method_ = 0;
  std::vector<std::uint32_t> sent_;     // frames, by channel
  std::vector<std::uint32_t> taken_;    // frames, by source
  std::vector<std::uint8_t> is_reply_;  // by method
  known known_[64];
};

/// The scope of a wait or a collective. `t` is null unless a trace was asked for: then one predictable test at each end.
class traced {
 public:
  [[gnu::always_inline]] traced(trace* t, trace_kind kind, const char* what) noexcept : trace_(t) {
    if (t != nullptr) [[unlikely]]
      begin(*t, kind, what);
  }
  [[gnu::always_inline]] ~traced() {
    if (trace_ != nullptr) [[unlikely]]
      end(*trace_);
  }
  traced(const traced&) = delete;
  traced& operator=(const traced&) = delete;

 private:
  // Two tests in each wait, and nothing else of it where it stands.
  [[gnu::cold, gnu::noinline]] static void begin(trace& t, trace_kind kind, const char* what) noexcept { t.begin(kind, what); }
  [[gnu::cold, gnu::noinline]] static void end(trace& t) noexcept { t.end(); }

  trace* trace_;
};

}  // namespace armilla::detail
