// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "armilla/container/views/part_views.hpp"
#include "armilla/dialect/stapl_algorithms.hpp"
#include "armilla/dialect/stapl_rmi.hpp"

/// The scopes that pRanges are cut from.
namespace armilla::stapl::detail {

template <class C>
concept indexed = pcontainer<C> && requires(const C& c) {
  c.owner(std::size_t());
  c.elements().index_of_local(0);
};

[[noreturn, gnu::cold]] void throw_no_subrange(std::size_t i, std::size_t subranges);
[[noreturn, gnu::cold]] void throw_no_share(std::size_t i, int owner);
/// Where each of so many equal subranges of [first, last) begins, and the end. Errors: usage_error for a scope that is not there
/// or no subrange, limit_error for more than memory holds.
std::vector<std::size_t> borders_of(std::size_t first, std::size_t last, std::size_t size, std::size_t subranges);

/// Indices first .. last - 1 of a container.
template <class C>
class index_scope {
 public:
  using value_type = typename C::value_type;

  index_scope(C& c, std::size_t first, std::size_t last) noexcept : c_(&c), first_(first), last_(last) {}

  std::size_t size() const noexcept { return last_ - first_; }
  /// The container's index of the first element.
  std::size_t first() const noexcept { return first_; }
  /// Element k of these, wherever it is stored; as the container's.
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

}  // namespace armilla::stapl::detail
