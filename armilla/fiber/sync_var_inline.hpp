// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/check.hpp"
#include "armilla/fiber/wait_list.hpp"

// What the templates of sync_var.hpp are made of.
namespace armilla {
namespace detail {

/// What all sync_vars have in common.
class sync_state {
 public:
  constexpr sync_state() noexcept = default;
  sync_state(const sync_state&) = delete;
  sync_state& operator=(const sync_state&) = delete;

  /// Whether it has been written: `read` would return at once.
  bool ready() const noexcept { return written_; }

 protected:
  ~sync_state() {
    if (checked && !waiting_.empty() && current != nullptr) [[unlikely]]
      destroyed_in_use("sync_var::~sync_var");
  }
  void require_unwritten() const {
    if (written_) [[unlikely]]
      throw_written();
  }
  void publish() {
    written_ = true;
    if (!waiting_.empty()) [[unlikely]]
      waiting_.wake_all();
  }
  void await() const {
    if (!written_) [[unlikely]]
      await_slowly();
  }

 private:
  friend struct sync_access;
  [[gnu::noinline]] void await_slowly() const;
  [[noreturn, gnu::cold]] static void throw_written();

  mutable wait_list waiting_;
  bool written_ = false;
};

struct sync_access {
  static wait_list& waiting(const sync_state& s) noexcept { return s.waiting_; }
};

}  // namespace detail
}  // namespace armilla
