// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/explain_wait.hpp"

#include <fmt/format.h>

#include "armilla/base/core/context.hpp"
#include "armilla/mutex.hpp"
#include "armilla/shared_mutex.hpp"
#include "armilla/sync_var.hpp"

namespace armilla::detail {

struct lock_access {
  static const fiber_record* owner(const mutex& m) noexcept { return m.owner_; }
  static std::string holder(const shared_mutex& m) {
    if (m.writer_ != nullptr) return name_of(*m.writer_) + " as writer";
    return fmt::format("{} reader{}", m.readers_, m.readers_ == 1 ? "" : "s");
  }
};

namespace {

std::string at(const char* operation, const void* object) { return fmt::format("{} of {}", operation, object); }

std::string limit(const context& self, const fiber_record& f, std::uint64_t now_ns) {
  const std::uint64_t until = self.fibers->timer_of(f);
  if (until == 0) return {};
  return fmt::format(", for {:.1f} s more at most", until > now_ns ? double(until - now_ns) / 1e9 : 0.0);
}

}  // namespace

std::string name_of(const fiber_record& f) {
  if (f.number == 0) return "main";
  return fmt::format("fiber {}{}", f.number, f.own_depth != 0 ? " (a body)" : "");
}

std::string explain_mutex(const context&, const char* operation, const mutex& m) {
  const fiber_record* const owner = lock_access::owner(m);
  return at(operation, &m) + ", held by " + (owner != nullptr ? name_of(*owner) : std::string("no fiber"));
}

std::string explain_shared_mutex(const context&, const char* operation, const shared_mutex& m) {
  return at(operation, &m) + ", held by " + lock_access::holder(m);
}

std::string explain_sync_var(const context&, const char* operation, const sync_state& s) {
  return at(operation, &s) + ", which is not written yet";
}

std::string explain_join(const context&, const char* operation, const fiber_record& f) {
  return fmt::format("{} of {}", operation, name_of(f));
}

std::string explain_wait(const context& self, const fiber_record& f, std::uint64_t now_ns) {
  if (f.waits_for == nullptr) return "something without a name";
  std::string text = f.waits_on.explain(self, f.waits_for);
  if (text.empty()) text = f.waits_on.address() != nullptr ? at(f.waits_for, f.waits_on.address()) : f.waits_for;
  if (f.algorithm != nullptr) text += fmt::format(", in {}", f.algorithm);
  return text + limit(self, f, now_ns);
}

}  // namespace armilla::detail
