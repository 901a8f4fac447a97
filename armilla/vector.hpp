// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/sequence/vector_inline.hpp"

namespace armilla {

/// An array that grows. `push_back` and `append` stage elements behind this rank's own, without a message; at the next fence of
/// the vector's team, or of all ranks, they get indices, and `size()` and `local()` have them. Then the elements of each member
/// follow those of the member before, as many as each has. A fence behind which a vector has grown costs one meeting more.
///
///     am::vector<int> found(0);
///     for (int x : mine) if (good(x)) found.push_back(x);
///     am::fence();                                            // found.size() is what all have found
///
/// Errors of the fence: limit_error on all members if the elements of one do not fit; usage_error on all if they have been dealt
/// in turn meanwhile. What was staged stays so.
template <class T>
class vector : public array<T> {
 public:
  using handle_type = container_handle<vector, array<T>>;

  vector() = default;
  explicit vector(std::size_t n, const distribution& d = {}) : array<T>(n, d) { start(); }
  vector(std::size_t n, const T& value, const distribution& d = {}) : array<T>(n, value, d) { start(); }
  vector(vector&& other) noexcept : array<T>(std::move(other)), staged_(std::move(other.staged_)) { attach(); }
  vector& operator=(vector&& other) noexcept {
    array<T>::operator=(std::move(other));
    staged_ = std::move(other.staged_);
    attach();
    return *this;
  }

  /// Stages one element behind this rank's. usage_error if the elements are dealt in turn.
  void push_back(const T& value) { staging().push_back(value); }
  /// The same for all elements of a contiguous range.
  template <class Values>
  void append(const Values& values) {
    staging().insert(staged_->more().end(), values.data(), values.data() + values.size());
  }
  /// Deals the elements in blocks of one size again. Collective; as `redistribute`.
  void rebalance() { this->redistribute(blocks()); }
  /// Of each member's elements the first `n` stay; nothing moves. Collective; indices change.
  void keep_local(std::size_t n) {
    if (!this->members() || n > this->state_.count() || !this->placement().linear())
      detail::throw_cannot_grow(!this->placement().linear());
    this->state_.keep(n);
  }

  /// As of an array; `h->push_back(x)` stages an element behind those of the rank that runs it.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  /// As of an array.
  void load(const std::string& path) {
    array<T>::load(path);
    if (staged_ == nullptr) start();
  }

  /// As of an array; what it gives grows as this one.
  [[nodiscard]] recovered<vector> recover(const team& t) {
    return made_of(detail::recover_elements<T>(t, this->state_, this->kept_));
  }
  [[nodiscard]] recovered<vector> recover(const team& t, raw_t) {
    static_assert(detail::lies_in_segments<T>,
                  "armilla: recover(t, raw) reads what a lost rank has left in its segment; elements that are not "
                  "trivially copyable do not lie there: keep(copies), checkpoint() and recover(t)");
    return made_of(detail::recover_raw_elements<T>(t, this->state_, this->kept_));
  }

  vector like() const { return vector(detail::make_container<T>(this->members(), this->placement())); }
  vector clone() const {
    vector copy = like();
    detail::copy_elements<T>(this->state_, copy.state_);
    detail::meet(this->members());
    return copy;
  }

 protected:
  explicit vector(detail::element_state<T> s) : array<T>(std::move(s)) { start(); }

 private:
  template <class U>
  friend void swap(vector<U>& a, vector<U>& b) noexcept;
  friend detail::rebalancer;
  recovered<vector> made_of(detail::recovered_elements<T> r) const {
    vector made(std::move(r.state));
    made.kept_.copies = std::move(r.copies);
    made.kept_.times = this->kept_.times + 1;
    return {std::move(made), r.mark, std::move(r.gone)};
  }

  void start() { staged_ = std::make_unique<detail::staged_elements<T>>(this->members(), this->state_); }
  void attach() noexcept {
    if (staged_ != nullptr) staged_->belongs_to(this->state_);
  }
  std::vector<detail::kept_as<T>>& staging() {
    if (staged_ == nullptr || !this->placement().linear()) [[unlikely]]
      detail::throw_cannot_grow(staged_ != nullptr);
    return staged_->more();
  }

  std::unique_ptr<detail::staged_elements<T>> staged_;
};

/// Exchanges the elements of two vectors, without a message.
template <class T>
void swap(vector<T>& a, vector<T>& b) noexcept {
  vector<T> was_a = std::move(a);
  a = std::move(b);
  b = std::move(was_a);
  std::swap(a.kept_, b.kept_);
}

}  // namespace armilla
