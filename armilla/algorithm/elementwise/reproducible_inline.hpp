// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/fold.hpp"

/// What reproducible folds do inside.
namespace armilla::detail {

/// f(parts...) as a T.
template <class T, class F>
struct converted {
  F f;
  template <class... E>
    requires std::is_invocable_v<const F&, E...>
  T operator()(E&&... e) const {
    return T(std::invoke(f, std::forward<E>(e)...));
  }
};

/// So many elements that follow each other are one leaf of the tree.
inline constexpr std::size_t elements_of_leaf = 1024;

/// The fold of the leaves from `first << level` on, as many as `1 << level`.
template <class T>
struct tree_node {
  std::uint64_t level, first;
  T value;
};

/// Adds a node that lies behind all others. Two that are the halves of one become it. So what is left depends on which leaves
/// there are, and not on how they came.
template <class T, class Op>
void add_node(std::vector<tree_node<T>>& tree, tree_node<T> next, Op& op) {
  while (!tree.empty() && tree.back().level == next.level && next.first % 2 == 1 && tree.back().first + 1 == next.first) {
    next = {next.level + 1, next.first / 2, T(op(tree.back().value, next.value))};
    tree.pop_back();
  }
  tree.push_back(std::move(next));
}

/// The nodes of this member's leaves.
template <class T, class V, class Op>
std::vector<tree_node<T>> own_nodes(const spans_view<V>& leaves, failure& why, Op& op) {
  std::vector<tree_node<T>> tree;
  auto of = the_element;
  walk(leaves, why, [&](const auto rows, std::size_t n, const indices& at) {
    for (std::size_t k = 0; k < n && !why.happened(); ++k) {
      const auto row = rows[k];
      part<T> sum;
      fold_piece<T>(row.data(), row.size(), indices(at(k) * elements_of_leaf), why, sum, op, of);
      if (!why.happened()) add_node(tree, {0, at(k), std::move(sum.value)}, op);
    }
    return !why.happened();
  });
  return tree;
}

template <class T, class V, class Op>
T fold_by_tree(const V& v, const char* operation, T init, Op& op) {
  const spans_view<V> leaves(require_sized(v), elements_of_leaf, elements_of_leaf);
  algorithm_call why(operation, v);
  enter(leaves);
  const std::vector<tree_node<T>> mine = own_nodes<T>(leaves, why, op);
  agree(v.members(), operation, why);
  std::vector<tree_node<T>> all = v.members().all_gather_v(mine);
  std::ranges::sort(all, {}, [](const tree_node<T>& node) { return node.first << node.level; });
  std::vector<tree_node<T>> tree;
  for (tree_node<T>& node : all) add_node(tree, std::move(node), op);
  for (const tree_node<T>& node : tree) init = T(op(std::move(init), node.value));
  return init;
}

}  // namespace armilla::detail
