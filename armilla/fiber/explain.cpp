// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/explain.hpp"

#include <string_view>

#include <fmt/format.h>

#include "armilla/fiber/mutex.hpp"
#include "armilla/fiber/shared_mutex.hpp"
#include "armilla/fiber/sync_var.hpp"

namespace armilla::detail {

struct lock_access {
  static const fiber_record* owner(const mutex& m) noexcept { return m.owner_; }
  static std::string holder(const shared_mutex& m) {
    if (m.writer_ != nullptr) return name_of(*m.writer_) + " as writer";
    return fmt::format("{} reader{}", m.readers_, m.readers_ == 1 ? "" : "s");
  }
};

namespace {

std::string about_object(std::string_view what, const void* on) {
  if (what == "mutex::lock") {
    const fiber_record* const owner = lock_access::owner(*static_cast<const mutex*>(on));
    return ", held by " + (owner != nullptr ? name_of(*owner) : std::string("nobody"));
  }
  if (what.starts_with("shared_mutex::")) return ", held by " + lock_access::holder(*static_cast<const shared_mutex*>(on));
  if (what == "sync_var::read") return ", which nobody has written";
  return {};
}

}  // namespace

std::string name_of(const fiber_record& f) {
  if (f.number == 0) return "main";
  return fmt::format("fiber {}{}", f.number, f.own_depth != 0 ? " (a body)" : "");
}

std::string explain_wait(const scheduler& all, const fiber_record& f, std::uint64_t now_ns) {
  if (f.waits_for == nullptr) return "something without a name";
  const std::string_view what = f.waits_for;
  std::string text(what);
  if (what == "join" && f.waits_on != nullptr) {
    text += " of " + name_of(*static_cast<const fiber_record*>(f.waits_on));
  } else if (f.waits_on != nullptr) {
    text += fmt::format(" of {}", f.waits_on) + about_object(what, f.waits_on);
  }
  if (const std::uint64_t until = all.timer_of(f); until != 0)
    text += fmt::format(", for {:.1f} s more at most", until > now_ns ? double(until - now_ns) / 1e9 : 0.0);
  return text;
}

}  // namespace armilla::detail
