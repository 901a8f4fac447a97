// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "armilla/array.hpp"
#include "armilla/container/sequence/disjoint_set_core.hpp"

namespace armilla {

/// The numbers 0 to n - 1 in sets that only ever join, in blocks over the ranks of a team. All members make it together; each
/// number is a set of its own.
///
///     am::disjoint_set sets(n);
///     for (const auto [a, b] : my_edges) sets.unite(a, b);
///     am::fence();
///     const std::size_t components = sets.num_sets();   // all call it, and get the same
///
/// Of each set its least number is the name, behind a fence. It moves and does not copy. Its end waits for nothing; statements to
/// it end with the fence behind it. Errors: usage_error for a number beyond the end; as `array` when it is made.
class disjoint_set : public detail::named_container<disjoint_set> {
 public:
  using handle_type = container_handle<disjoint_set>;

  disjoint_set() = default;
  explicit disjoint_set(std::size_t n, const team& members = world());
  disjoint_set(disjoint_set&&) noexcept = default;
  disjoint_set& operator=(disjoint_set&& other) noexcept {
    named_container::operator=(std::move(other));
    std::swap(core_, other.core_);
    return *this;
  }
  ~disjoint_set();

  std::size_t size() const noexcept { return core_ == nullptr ? 0 : core_->parents().size(); }
  const team& members() const { return core().members(); }
  /// Names it on all members, wherever it moves: to send and to keep. No message.
  handle_type handle() const { return make_handle<handle_type>(); }

  /// Statement: the sets of `a` and `b` become one; complete at the fence. Cost: some loads and a locked instruction where the
  /// numbers on the way are mapped; a message to each rank on the way else.
  void unite(std::size_t a, std::size_t b);
  /// Question: the name of the set of `a`. While sets are joined, the least number of some set that has become part of it.
  [[nodiscard]] future<std::size_t> find(std::size_t a) const;
  /// Question: whether both are in one set.
  [[nodiscard]] future<bool> same(std::size_t a, std::size_t b) const;

  /// Each number learns the name of its set: then `find` takes one step, and `local` is the answer. Collective, behind a fence.
  /// Cost: as many rounds of an exchange as the longest way has bits.
  void compress();
  /// How many sets there are, on all members. Collective, behind a fence. Cost: one reduction.
  std::size_t num_sets() const;
  /// Of each of this rank's numbers the parent: the name of its set behind `compress`.
  std::span<const std::uint64_t> local() const { return core().parents().local(); }
  /// This rank's first number.
  std::size_t first_local() const { return local().empty() ? 0 : core().parents().index_of_local(0); }

 private:
  detail::disjoint_set_core& core() const {
    if (core_ == nullptr) [[unlikely]]
      detail::throw_moved_from();
    return *core_;
  }

  std::unique_ptr<detail::disjoint_set_core> core_;
};

}  // namespace armilla
