// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/place/mapped_blocks.hpp"
#include "armilla/distributed.hpp"
#include "armilla/team/core/fence_participant.hpp"

namespace armilla::detail {

/// The forest that a disjoint_set is. A parent is never greater than its child, so that there are no circles; a root is its own
/// parent. Parents change at roots alone, by compare and exchange, and when a path is shortened.
///
/// It is a participant of fences, so that one-way calls which are under way when a rank lets it go still find it.
class disjoint_set_core final : public fence_participant {
 public:
  disjoint_set_core(const team& members, std::size_t n);
  /// Takes the parents of a forest as they are. Others may reach it when all have met.
  explicit disjoint_set_core(array<std::uint64_t> parents);

  bool look() override { return false; }
  void agree() override {}

  array<std::uint64_t>& parents() noexcept { return parents_; }
  const array<std::uint64_t>& parents() const noexcept { return parents_; }
  /// Exchanges the forest for another one over the same members.
  void exchange(array<std::uint64_t>& parents);
  object_ref<disjoint_set_core*> name_on(rank_t r) const { return name_.on(r); }

  /// Goes on from here while this rank maps what is on the path, else on the rank that has it.
  void unite(std::size_t a, std::size_t b);
  /// The same, and whether they were in one set before. It may wait for other ranks.
  bool test_and_unite(std::size_t a, std::size_t b);
  /// The root of a's tree. It may wait for other ranks.
  std::size_t root_of(std::size_t a);
  /// Makes the parent of each of this rank's numbers its root, where this rank maps all numbers. Returns whether it does.
  bool shorten_paths();
  /// The parents of any numbers: one message a rank whose part is not mapped.
  std::vector<std::uint64_t> parents_of(std::span<const std::uint64_t> numbers) const;

 private:
  /// The number's parent where this rank maps it, or null.
  std::uint64_t* mapped(std::size_t a) const;
  /// The last number on the path up from `a` that this rank maps; `at` is its parent's place.
  std::size_t climb(std::size_t a, std::uint64_t*& at) const;

  array<std::uint64_t> parents_;
  distributed<disjoint_set_core*> name_;
  mapped_blocks<std::uint64_t> all_;  // if this rank maps all numbers
};

}  // namespace armilla::detail
