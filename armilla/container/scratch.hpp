// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "armilla/global/transfer.hpp"

namespace armilla::detail {

/// Elements of other members that this rank cannot load, fetched for a while. One run at a time: `finish` ends it.
class scratch {
 public:
  /// At most so many bytes of a range are fetched at a time.
  static constexpr std::size_t most_bytes = 1 << 20;

  /// `n` elements from `from`, fetched when this returns. Unless T is const they are put back by `finish`.
  template <class T>
  T* fetch(global_address from, std::size_t n) {
    using value = std::remove_const_t<T>;
    buffers_.push_back({std::make_unique<std::byte[]>(n * sizeof(T) + alignof(T)), from, n * sizeof(T), !std::is_const_v<T>});
    auto at = reinterpret_cast<std::uintptr_t>(buffers_.back().bytes.get());
    auto* const into = reinterpret_cast<value*>((at + alignof(T) - 1) / alignof(T) * alignof(T));
    buffers_.back().begin = reinterpret_cast<std::byte*>(into);
    read_far(into, from, {"algorithm", n * sizeof(T), alignof(T), may_read});
    return into;
  }

  /// The run is done.
  void finish() {
    if (buffers_.empty()) [[likely]]
      return;
    for (const buffer& b : buffers_)
      if (b.back) write_far(b.from, b.begin, {"algorithm", b.size, 1, may_write});
    buffers_.clear();
  }

 private:
  struct buffer {
    std::unique_ptr<std::byte[]> bytes;
    global_address from;
    std::size_t size;
    bool back;
    std::byte* begin = nullptr;
  };
  std::vector<buffer> buffers_;
};

/// `n` elements from `at`: where they lie if this rank maps them, else a copy of the first ones, and n says of how many.
template <class T>
T* elements_at(global_address at, std::size_t& n, scratch& s) {
  if (std::byte* p = direct<alignof(T)>(at)) [[likely]]
    return reinterpret_cast<T*>(p);
  if (void* p = local_far(at)) return static_cast<T*>(p);
  const std::size_t most = sizeof(T) < scratch::most_bytes ? scratch::most_bytes / sizeof(T) : 1;
  if (n > most) n = most;
  return s.fetch<T>(at, n);
}

}  // namespace armilla::detail
