// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include <uct/api/uct.h>

namespace armilla::detail {

/// UCX's memory of System V, which processes of one host map: by UCX's lower layer, UCT. The upper one gives no part of the
/// memory back at its end, or all, and UCX 1.13 crashes when it unpacks a key of a process that has died.
class sysv_memory {
 public:
  /// Null: this UCX has none.
  static std::unique_ptr<sysv_memory> open();
  ~sysv_memory();
  sysv_memory(const sysv_memory&) = delete;

  /// Sparse memory in place of these pages, until the process ends. False: the machine does not have as much.
  bool replace(std::byte* base, std::size_t bytes);
  std::size_t key_bytes() const noexcept { return key_bytes_; }
  /// The key of what was replaced last.
  bool pack(std::byte* key) const;
  /// Maps the memory with that key, which lies at `base` in the process that has it; null: it is gone.
  std::byte* map(const std::byte* key, std::uintptr_t base);

 private:
  sysv_memory() = default;

  uct_component_h component_ = nullptr;
  uct_md_h domain_ = nullptr;
  uct_mem_h last_ = nullptr;
  std::size_t key_bytes_ = 0;
  std::vector<uct_rkey_bundle_t> mapped_;
};

}  // namespace armilla::detail
