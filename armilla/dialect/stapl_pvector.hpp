// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "armilla/dialect/stapl_pvector_inline.hpp"
#include "armilla/dialect/stapl_rmi.hpp"
#include "armilla/vector.hpp"

namespace armilla::stapl {

template <class T>
class pvector;

/// The result of `v[i]` of a pvector, where the paper has `T&`: an element that may be on another node. A read asks its owner
/// (`sync_rmi`), a write is sent to it (`async_rmi`) and complete after `rmi_fence`.
template <class T>
class pvector_reference {
 public:
  pvector_reference(pvector<T>& v, std::size_t i) noexcept : v_(v), i_(i) {}

  operator T() const { return v_.elements().get(i_).get(); }  // NOLINT(google-explicit-constructor): reading is what it is for
  const pvector_reference& operator=(const T& x) const {
    v_.elements().set(i_, x);
    return *this;
  }
  const pvector_reference& operator=(const pvector_reference& from) const { return *this = T(from); }
  const pvector_reference& operator=(const pvector_reference& from) { return *this = T(from); }  // NOLINT

  /// Of an element that is a vector and is on this node; usage_error on another one.
  auto begin() const
    requires detail::nested<T>
  {
    return v_.local_element(i_, "begin").begin();
  }
  auto end() const
    requires detail::nested<T>
  {
    return v_.local_element(i_, "end").end();
  }
  std::size_t size() const
    requires detail::nested<T>
  {
    return v_.local_element(i_, "size").size();
  }
  /// Of an element that is a vector, on any node: complete after `rmi_fence`.
  void push_back(const typename detail::pushed<T>::type& x) const
    requires detail::nested<T>
  {
    async_rmi(v_.owner(i_), &v_, &pvector<T>::push_back_to, i_, x);
  }

 private:
  pvector<T>& v_;
  std::size_t i_;
};

/// STAPL's distributed vector: blocks of elements on all nodes, or on some. Made by these together.
///
///     stapl::pvector<int> v(1000);
///     v[17] = 3;  stapl::rmi_fence();  int x = v[17];
///     std::vector<int> all(v);                                      // a private copy
///     stapl::pvector<std::vector<int>> buckets(p);
///     buckets[dest].push_back(x);                                   // reaches its owner
///     std::sort(buckets[id].begin(), buckets[id].end());            // on its node
///
/// Paper: STAPL, sections 2, 4 and 5.3.
template <class T>
class pvector {
 public:
  using value_type = T;
  using reference = pvector_reference<T>;

  explicit pvector(std::size_t n, const communicator& nodes = world()) : elements_(n, on(nodes)), registration_(this, nodes) {}

  std::size_t size() const noexcept { return elements_.size(); }
  reference operator[](std::size_t i) { return reference(*this, i); }
  T operator[](std::size_t i) const { return elements_.get(i).get(); }
  int owner(std::size_t i) const { return int(elements_.rank_of(i)); }

  /// Appends to this node's elements; the new one has an index after `rmi_fence`. Of a vector of vectors: to this node's first.
  void push_back(const typename detail::pushed<T>::type& x) {
    if constexpr (detail::nested<T>) {
      if (elements_.local().empty()) detail::throw_not_here(0, -1, "pvector::push_back");
      elements_.local().front().push_back(x);
    } else {
      elements_.push_back(x);
    }
  }
  void push_back_to(std::size_t i, const typename detail::pushed<T>::type& x)
    requires detail::nested<T>
  {
    local_element(i, "push_back").push_back(x);
  }

  /// A private copy of all elements; by all nodes together, after a fence.
  operator std::vector<T>() {  // NOLINT(google-explicit-constructor): std::vector<int> all(v)
    rmi_fence(elements_.members());
    const auto mine = elements_.local();
    return elements_.members().all_gather_v(std::vector<T>(mine.begin(), mine.end()));
  }

  /// The library's container that it is made of, for algorithms and views.
  armilla::vector<T>& elements() noexcept { return elements_; }
  const armilla::vector<T>& elements() const noexcept { return elements_; }
  /// usage_error unless element i is on this node.
  T& local_element(std::size_t i, const char* operation) {
    if (owner(i) != get_node_id()) detail::throw_not_here(i, owner(i), operation);
    return elements_.local()[i - elements_.index_of_local(0)];
  }

 private:
  armilla::vector<T> elements_;
  detail::registration registration_;
};

}  // namespace armilla::stapl
