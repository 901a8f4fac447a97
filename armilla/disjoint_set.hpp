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

/// A union-find structure that is distributed over the ranks of a team: sets of the numbers 0 to n - 1 that are never split.
///
/// Use it for connected components and clustering while edges arrive. For the components of a whole `graph` call `components`.
///
///     am::disjoint_set sets(n);                         // collective: each number is a set of its own
///     for (const auto& [a, b] : my_edges) sets.unite(a, b);
///     am::fence();
///     const std::size_t components = sets.num_sets();   // collective: all ranks get the same
///
/// **Kinds of operations.** `unite` is one-way: it is complete at the next fence. `find`, `same` and `test_and_unite` are
/// two-way: they return futures. `compress` and `num_sets` are collective. The numbers are distributed over the members in
/// blocks.
///
/// **Order.** After a fence all ranks see the same sets, and a set is named by its least number. Before it, the only guarantee
/// is that numbers in one set stay in one set.
///
/// **Errors.** Throws `usage_error` for a number that is not less than n. The constructor throws as that of an `array`.
///
/// **Lifetime.** A disjoint_set is movable but not copyable. The destructor does not block; one-way calls to it are complete at
/// the next fence.
class disjoint_set : public detail::named_container<disjoint_set> {
 public:
  using handle_type = container_handle<disjoint_set>;  // see handle()

  // ---- Construction (collective) ----

  /// Creates a structure without numbers and without ranks, such as a moved-from one. Not collective.
  disjoint_set() = default;
  /// Creates `n` sets of one number each, over the members of `members`. Cost: one collective.
  explicit disjoint_set(std::size_t n, const team& members = world(), const made_at& at = std::source_location::current());
  /// Creates `n` sets over all ranks, with a name: `am::disjoint_set sets(1000, am::named("components"))`.
  disjoint_set(std::size_t n, const made_at& at) : disjoint_set(n, world(), at) {}
  disjoint_set(disjoint_set&&) noexcept = default;
  disjoint_set& operator=(disjoint_set&& other) noexcept {
    named_container::operator=(std::move(other));
    std::swap(core_, other.core_);
    return *this;
  }
  ~disjoint_set();

  // ---- Changes (one-way) ----

  /// Joins the sets of `a` and `b`.
  ///
  /// Cost: some loads and an atomic instruction if the numbers on the path are mapped, otherwise a message to each rank on the
  /// path.
  void unite(std::size_t a, std::size_t b);

  // ---- Queries (two-way) ----

  /// Returns the name of the set of `a`. Before the fence, it may be that of an earlier set which is now part of it.
  ///
  /// Cost: a message each way, and one more for each further rank on the path.
  [[nodiscard]] future<std::size_t> find(std::size_t a) const;

  /// Joins the sets of `a` and `b`. Returns true if they were in one set already, and false if this call joined two sets. If
  /// several callers join the same two sets, exactly one of them gets false. So the edges that get false form a spanning
  /// forest.
  ///
  ///     am::disjoint_set parts(n);
  ///     std::vector<std::pair<std::size_t, std::size_t>> forest;
  ///     for (const auto& [a, b] : my_edges) if (!parts.test_and_unite(a, b).get()) forest.emplace_back(a, b);
  ///
  /// Cost: as `find`.
  [[nodiscard]] future<bool> test_and_unite(std::size_t a, std::size_t b);

  /// Returns whether `a` and `b` are in one set. Cost: as `find`.
  [[nodiscard]] future<bool> same(std::size_t a, std::size_t b) const;

  // ---- Local access (no message) ----

  /// Returns n, the count of numbers on all ranks.
  std::size_t size() const noexcept { return core_ == nullptr ? 0 : core_->parents().size(); }
  /// Returns the team over which the numbers are distributed.
  const team& members() const { return core().members(); }
  /// Returns the parent of each of this rank's numbers. After `compress` that is the name of its set.
  std::span<const std::uint64_t> local() const { return core().parents().local(); }
  /// Returns this rank's first number.
  std::size_t first_local() const { return local().empty() ? 0 : core().parents().index_of_local(0); }
  /// Returns a small value that names the structure on all members, wherever it is moved. Called functions use it:
  /// `h->unite(a, b)`.
  handle_type handle() const { return make_handle<handle_type>(); }

  // ---- All sets (collective) ----

  /// Makes the parent of each number the name of its set. Then `find` takes one step, and `local` has the result. Call it after a
  /// fence.
  ///
  /// Cost: one pass and two collectives if all members map each other's memory. Otherwise log2(p) rounds of an exchange, where p
  /// is the length of the longest path; a round sends one message between each pair of ranks that do not map each other.
  void compress();

  /// Returns how many sets there are. Call it after a fence. Cost: one reduction.
  std::size_t num_sets() const;

  /// Makes each number a set of its own again. Fences the team first. Cost: a fence and one collective.
  void clear();

  /// Writes all sets to the file `path`. `load` reads them on any number of ranks.
  ///
  /// Fences the team first; no fiber may join sets meanwhile. The file replaces an existing one only when it is complete.
  /// Throws `usage_error` on all members if writing fails.
  void save(const std::string& path) const;

  /// Replaces all numbers and sets by those of a file that `save` wrote, on any number of ranks.
  ///
  /// Fences the team. The ranks remain the same; a structure without ranks is distributed over all. Throws `usage_error` on all
  /// members if the file is damaged or has another kind of content, and `limit_error` if memory does not suffice; the sets are
  /// then unchanged.
  void load(const std::string& path);

  /// Makes `checkpoint` copy each rank's numbers to the memory of the next `copies` ranks of the team. If a rank is lost,
  /// `recover` restores them from there. See `array::keep`.
  void keep(int copies);

  /// Copies all sets to the ranks that `keep` chose, as `array::checkpoint`.
  void checkpoint(std::uint64_t mark = 0);

  /// Returns the sets of the last checkpoint over `t`, after ranks were lost, as `array::recover`. `gone` of the result has the
  /// numbers of which no copy is left. Each of these becomes a set of its own, with the numbers whose parent it was.
  [[nodiscard]] recovered<disjoint_set> recover(const team& t);

 private:
  friend detail::rebalancer;
  explicit disjoint_set(array<std::uint64_t> parents);
  disjoint_set(std::size_t n, const team& members, const detail::making& how);
  detail::disjoint_set_core& core() const {
    if (core_ == nullptr) [[unlikely]]
      detail::throw_moved_from();
    return *core_;
  }

  std::unique_ptr<detail::disjoint_set_core> core_;
};

}  // namespace armilla
