// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/part_views.hpp"
#include "armilla/dialect/stapl_algorithms.hpp"
#include "armilla/dialect/stapl_rmi.hpp"

/// STAPL's pRanges: a scope of a container, in subranges that are reached by their number, an input for each parallel_task.
namespace armilla::stapl {
namespace detail {

template <class C>
concept indexed = pcontainer<C> && requires(const C& c) {
  c.owner(std::size_t());
  c.elements().index_of_local(0);
};

[[noreturn, gnu::cold]] void throw_no_subrange(std::size_t i, std::size_t subranges);
[[noreturn, gnu::cold]] void throw_no_share(std::size_t i, int owner);
[[noreturn, gnu::cold]] void throw_scope(std::size_t first, std::size_t last, std::size_t size);

/// Indices first .. last - 1 of a container.
template <class C>
class index_scope {
 public:
  using value_type = typename C::value_type;

  index_scope(C& c, std::size_t first, std::size_t last) noexcept : c_(&c), first_(first), last_(last) {}

  std::size_t size() const noexcept { return last_ - first_; }
  /// The container's index of the first element.
  std::size_t first() const noexcept { return first_; }
  /// Element k of these, wherever it lies; as the container's.
  auto operator[](std::size_t k) const { return (*c_)[first_ + k]; }
  /// The node of element k.
  int owner(std::size_t k = 0) const { return c_->owner(first_ + k); }
  /// For algorithms: `p_sort(r)`.
  auto elements() const { return views::slice(c_->elements(), first_, last_); }

 private:
  C* c_;
  std::size_t first_, last_;
};

/// Node `i`'s share of a container without indices.
template <class C>
class node_scope {
 public:
  node_scope(C& c, std::size_t node) noexcept : c_(&c), node_(node) {}

  int owner() const { return int(c_->elements().members().world_rank(rank_t(node_))); }
  /// To be walked through on its node, in both directions for a list; usage_error on another one.
  auto local() const {
    if (owner() != get_node_id()) throw_no_share(node_, owner());
    return c_->local();
  }

 private:
  C* c_;
  std::size_t node_;
};

}  // namespace detail

/// A scope of a container and its subranges: `r[i]`, `i < r.size()`. Of a pvector they are runs of indices, at first a node's own
/// elements each, or as many equal ones as are asked for, all of the container or some of it; of a list, set, map or graph they
/// are the nodes' shares.
///
///     stapl::prange all(v);                              // by all nodes together
///     stapl::prange middle(v, 100, 200, 8);              // indices 100 to 199 in 8 subranges
///     struct task : stapl::parallel_task {
///       void execute() override { work(input); }
///       decltype(all)::subrange input;
///     } t{.input = all[stapl::get_node_id()]};
///     stapl::p_sort(middle);
///
/// It refers to its container, which must live as long and keep its size. Errors: usage_error for a subrange or a scope that is
/// not there. Cost: a meeting for a prange over all; nothing else. Paper: STAPL, sections 2 and 4.
template <class C>
class prange {
 public:
  /// The share of each node; by all nodes together.
  explicit prange(C& c) : c_(&c) {
    if constexpr (detail::indexed<C>) {
      const std::size_t mine = c.elements().local().size();
      borders_.assign(1, 0);
      for (const std::size_t there : c.elements().members().all_gather(mine)) borders_.push_back(borders_.back() + there);
    } else {
      borders_.resize(std::size_t(c.elements().members().size()) + 1);
    }
  }
  /// Indices first .. last - 1 in so many subranges of equal size, but for one element.
  prange(C& c, std::size_t first, std::size_t last, std::size_t subranges = std::size_t(get_num_nodes()))
    requires detail::indexed<C>
      : c_(&c) {
    if (first > last || last > c.size() || subranges == 0) detail::throw_scope(first, last, c.size());
    for (std::size_t i = 0; i <= subranges; ++i) borders_.push_back(first + (last - first) * i / subranges);
  }

  using subrange = std::conditional_t<detail::indexed<C>, detail::index_scope<C>, detail::node_scope<C>>;

  /// How many subranges.
  std::size_t size() const noexcept { return borders_.size() - 1; }
  subrange operator[](std::size_t i) const {
    if (i >= size()) detail::throw_no_subrange(i, size());
    if constexpr (detail::indexed<C>)
      return subrange(*c_, borders_[i], borders_[i + 1]);
    else
      return subrange(*c_, i);
  }
  /// The whole scope, for algorithms.
  auto elements() const
    requires detail::indexed<C>
  {
    return views::slice(c_->elements(), borders_.front(), borders_.back());
  }

 private:
  C* c_;
  std::vector<std::size_t> borders_;
};

}  // namespace armilla::stapl
