// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace armilla::detail {

/// A thread sleeps at this in place of another descriptor. So another thread can take that one from it for a while, and does not
/// wake it: the gate is shut, and a timer opens it, in the sense that the sleeper wakes and looks by itself.
/// Not synchronized. Cost: two system calls to shut it, and two to open it behind that.
class descriptor_gate {
 public:
  descriptor_gate() = default;
  ~descriptor_gate();
  descriptor_gate(const descriptor_gate&) = delete;

  /// Where to sleep until `watched` is readable, the same in each call. `watched` itself, which is always open, where the system
  /// lets none be made. -1 while that is -1: no descriptor tells of what it waits for.
  int descriptor(int watched) noexcept;
  /// Readable when the one that it watches is.
  void open() noexcept;
  /// Readable in `ns`, which are not 0, whatever is so before.
  void shut(std::uint64_t ns) noexcept;
  bool is_open() const noexcept { return open_; }

 private:
  void watch(int how) noexcept;
  bool make(int watched) noexcept;
  bool set_timer(std::uint64_t ns) noexcept;

  int watched_ = -1, set_ = -1, timer_ = -1;
  bool open_ = false;
};

}  // namespace armilla::detail
