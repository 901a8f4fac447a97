// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

/// Sorts by keys that are strings.
namespace armilla::detail {

/// Returns the order of strings: first the index of the one that comes first. Equal ones are in the order of their indices.
std::vector<std::size_t> order_of_texts(const std::vector<std::string_view>& texts, bool ascending);

/// Brings the elements into an order, each by one move. `order` is changed.
template <class T>
void bring_into_order(T* first, std::vector<std::size_t>& order) {
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] == k) continue;
    T held = std::move(first[k]);
    std::size_t hole = k;
    for (std::size_t from; (from = std::exchange(order[hole], hole)) != k; hole = from) first[hole] = std::move(first[from]);
    first[hole] = std::move(held);
  }
}

/// Sorts `n` elements by text_of(element); equal ones keep their order. Returns false if there is no room, and has changed
/// nothing then.
template <class T, class Text>
bool sort_by_text(T* first, std::size_t n, bool ascending, const Text& text_of) {
  std::vector<std::size_t> order;
  try {
    std::vector<std::string_view> texts(n);
    for (std::size_t k = 0; k < n; ++k) texts[k] = text_of(first[k]);
    order = order_of_texts(texts, ascending);
  } catch (const std::bad_alloc&) { return false; }
  bring_into_order(first, order);
  return true;
}

}  // namespace armilla::detail
