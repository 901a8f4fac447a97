// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <vector>

#include "armilla/dialect/stapl_prange_inline.hpp"

/// STAPL's pRanges: a scope of a container, in subranges that are reached by their number, an input for each parallel_task.
namespace armilla::stapl {

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
/// It refers to its container, which must live as long and keep its size. Errors: usage_error for a subrange or a scope that does
/// not exist. Cost: a meeting for a prange over all; nothing else. Paper: STAPL, sections 2 and 4.
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
    borders_ = detail::borders_of(first, last, c.size(), subranges);
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
