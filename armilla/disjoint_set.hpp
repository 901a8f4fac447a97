// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
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

  /// Writes all sets into a file, which replaces an old one when it is whole, and not before. Collective, and a fence of the
  /// team; no fiber may join sets meanwhile. Errors: usage_error on all members, and the old file stays.
  void save(const std::string& path) const;
  /// Takes the numbers and sets of a file that a disjoint_set has saved on any number of ranks. They are stored over the same
  /// ranks as before; those of one that was made without a size over all ranks. Collective, and a fence of the team. Errors:
  /// usage_error on all members for a file that is damaged or of another kind, limit_error for one that does not fit; the sets
  /// are as before then.
  void load(const std::string& path);

  /// Replicates each rank's numbers in the memory of the next `copies` ranks of the team from now on: `checkpoint` makes the
  /// copies, and `recover` takes them, as of an array (docs/guide/death.md).
  void keep(int copies);
  /// Copies all sets to where `keep` said: all or nothing. As of an array.
  void checkpoint(std::uint64_t mark = 0);
  /// Returns the sets of the last checkpoint over the ranks of `t`, which `members().survivors()` gave. `gone` has the numbers
  /// that are lost with all their copies: each is a set of its own, with those that it named. As of an array.
  [[nodiscard]] recovered<disjoint_set> recover(const team& t);

 private:
  friend detail::rebalancer;
  explicit disjoint_set(array<std::uint64_t> parents);
  detail::disjoint_set_core& core() const {
    if (core_ == nullptr) [[unlikely]]
      detail::throw_moved_from();
    return *core_;
  }

  std::unique_ptr<detail::disjoint_set_core> core_;
};

}  // namespace armilla
