// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "armilla/distribution.hpp"
#include "armilla/team/core/loss_listener.hpp"

namespace armilla::detail {

/// Where the elements of a container in even blocks are, if this rank maps all of them; otherwise nothing. It holds until the
/// container's elements move. Where lost ranks are replaced it is nothing after a loss: the container itself then says which
/// elements are lost. Budget of `at`: a product and a load, one behind the other.
template <class T>
class mapped_blocks final : loss_listener {
 public:
  /// What finds an element. A loop that has a copy of it needs no load for it: whatever it stores cannot change that.
  class finder {
   public:
    finder() = default;
    finder(std::size_t block, const std::uintptr_t* firsts) noexcept : by_block_(block), firsts_(firsts) {}
    T* at(std::size_t i) const noexcept { return reinterpret_cast<T*>(firsts_[by_block_.quotient(i)] + i * sizeof(T)); }

   private:
    reciprocal by_block_{1};
    const std::uintptr_t* firsts_ = nullptr;
  };

  mapped_blocks() = default;
  template <class Array>
  explicit mapped_blocks(const Array& all) {
    const placement& where = all.placement();
    const std::size_t n = where.size();
    if (n == 0 || !(where == placement(n, where.members(), blocks()))) return;
    const std::size_t block = where.count(0);
    auto firsts = std::make_unique<std::uintptr_t[]>((n - 1) / block + 1);
    for (std::size_t first = 0; first < n; first += block) {
      T* const at = all.ptr(first).local();
      if (at == nullptr) return;
      firsts[first / block] = reinterpret_cast<std::uintptr_t>(at) - first * sizeof(T);
    }
    find_ = finder(block, firsts.get());
    firsts_ = std::move(firsts);
    listen();
  }

  explicit operator bool() const noexcept { return firsts_ != nullptr; }
  T* at(std::size_t i) const noexcept { return find_.at(i); }
  const finder& find() const noexcept { return find_; }

 private:
  void hear_of(rank_t) noexcept override { firsts_ = nullptr; }

  std::unique_ptr<std::uintptr_t[]> firsts_;  ///< of each block: where it would begin if it began with element 0
  finder find_;
};

}  // namespace armilla::detail
