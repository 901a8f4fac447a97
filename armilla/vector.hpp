// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/sequence/vector_inline.hpp"

namespace armilla {

/// An `array` that grows: a distributed sequence to which each rank appends elements without a message.
///
/// Use it to collect results whose number is not known before. If the order does not matter and ranks find unequal numbers of
/// elements, a `bag` rebalances with less traffic; if the size is fixed, use an `array`, which checks less.
///
///     am::vector<int> found(0);                                // collective: all ranks construct it
///     for (int x : candidates) if (good(x)) found.push_back(x);
///     am::fence();                                             // found has the elements of all ranks
///     const std::size_t n = found.size();                      // the same on all ranks
///
/// **Growth.** `push_back` and `append` put elements into a local staging buffer. The next fence of the vector's team or of all
/// ranks appends them to this rank's elements and assigns indices: after the rank's own elements, and before those of the next
/// member. Then `size()`, `local()` and algorithms include them. Spans, pointers and views of the vector become invalid.
///
/// **Kinds of operations, order, lifetime** are those of `array`.
///
/// **Cost.** Staging sends nothing. A fence after which a vector has grown takes one more collective.
///
/// **Errors.** As for `array`. In addition, the fence throws `limit_error` on all members if the elements of one do not fit, and
/// `usage_error` on all if the distribution has become cyclic since. The staged elements remain staged.
/// In the checked library, `size`, algorithms and writers throw `usage_error` on a rank that has staged elements since the last
/// fence.
template <class T>
class vector : public array<T> {
  using base = array<T>;

 public:
  using handle_type = container_handle<vector, array<T>>;  // see handle()

  // ---- Construction (collective) ----

  /// Creates a vector without elements and without ranks, such as a moved-from one. Not collective.
  vector() = default;
  /// Creates `n` value-initialized elements, by default in blocks over all ranks of the job. Cost: one collective.
  explicit vector(std::size_t n, const distribution& d = {}, const made_at& at = std::source_location::current())
      : vector(n, d, detail::making(at, typeid(vector), d.members())) {}
  /// Creates `n` elements that are equal to `value`.
  vector(std::size_t n, const T& value, const distribution& d = {}, const made_at& at = std::source_location::current())
      : array<T>(n, value, d, detail::making(at, typeid(vector), d.members())) {
    start();
  }
  /// Creates `n` elements in blocks over all ranks, with a name: `am::vector<double> t(1000, am::named("temperature"))`.
  vector(std::size_t n, const made_at& at) : vector(n, distribution(), at) {}
  vector(std::size_t n, const T& value, const made_at& at) : vector(n, value, distribution(), at) {}
  vector(vector&& other) noexcept : array<T>(std::move(other)), staged_(std::move(other.staged_)) { attach(); }
  vector& operator=(vector&& other) noexcept;

  // ---- Growth (no message; complete at the fence) ----

  /// Stages `value` on this rank. Throws `usage_error` if the distribution is cyclic.
  void push_back(const T& value) { staging().push_back(value); }

  /// Stages all elements of a contiguous range on this rank. Throws `usage_error` if the distribution is cyclic.
  template <class Values>
  void append(const Values& values) {
    staging().insert(staged_->more().end(), values.data(), values.data() + values.size());
  }

  // ---- One element, as in array ----

  /// Reads or writes element `i`, by the expression that names it.
  using base::operator[];  // auto operator[](std::size_t i)

  /// Returns a global pointer to element `i`, for trivially copyable elements.
  using base::ptr;  // global_ptr<T> ptr(std::size_t i) const

  /// Replaces element `i` by `value`. One-way, in order with this rank's other calls to the element's rank.
  using base::set;  // void set(std::size_t i, const T& value)

  /// Replaces element `i` by `value` in the fastest way. One-way, unordered with respect to incomplete operations.
  using base::store;  // void store(std::size_t i, const T& value)

  /// Replaces element `i` by `op(old, value)`, on the element's rank. One-way.
  using base::update;  // template <class Op> void update(std::size_t i, const T& value, Op op)

  /// Runs `f(element, arguments...)` on the rank of element `i`. One-way. `f` must not wait.
  using base::visit;  // template <class F, class... A> void visit(std::size_t i, F&& f, A&&... arguments)

  /// Returns a copy of element `i`. Two-way.
  using base::get;  // future<T> get(std::size_t i) const

  /// Runs `f(element, arguments...)` on the rank of element `i`, and returns its result. Two-way. `f` must not wait.
  using base::call;  // template <class F, class... A> auto call(std::size_t i, F&& f, A&&... arguments)

  // ---- Local access (no message) ----

  /// Returns the number of elements on all ranks, as of the last fence.
  std::size_t size() const noexcept(!detail::checked) { return this->state_.order.require_fenced("size"), base::size(); }

  /// Returns whether `size()` is 0.
  bool empty() const noexcept(!detail::checked) { return size() == 0; }

  /// Returns the team over which the vector is distributed.
  using base::members;  // const team& members() const noexcept

  /// Returns which member stores which element.
  using base::placement;  // const armilla::placement& placement() const noexcept

  /// Returns the rank of the job that stores element `i`.
  using base::rank_of;  // rank_t rank_of(std::size_t i) const

  /// Returns this rank's elements, in the order of their indices, as of the last fence.
  using base::local;  // std::span<T> local() noexcept;
                      // std::span<const T> local() const noexcept

  /// Returns the global index of `local()[k]`.
  using base::index_of_local;  // std::size_t index_of_local(std::size_t k) const

  /// Returns a small value that names the vector on all members, as `array::handle`. `h->push_back(x)` stages an element on the
  /// rank that runs it.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Whole vector (collective) ----

  /// Redistributes the elements in blocks of equal size, in their order. Cost: as `redistribute`.
  void rebalance() { this->redistribute(blocks()); }

  /// Keeps this rank's first `n` elements and removes its others. Members may pass different `n`. No elements move, but indices
  /// change.
  ///
  /// Throws `usage_error` if a member has fewer elements, or if the distribution is cyclic. Cost: one collective.
  void keep_local(std::size_t n);

  /// Changes the size to `n`, as `array::resize`.
  using base::resize;  // void resize(std::size_t n)

  /// Changes the size to 0. Elements that are staged are appended at the next fence.
  using base::clear;  // void clear()

  /// Redistributes the elements over the same ranks, as `array::redistribute`.
  using base::redistribute;  // void redistribute(const distribution& d)

  /// Returns a value-initialized vector of this size and distribution.
  vector like(const made_at& at = std::source_location::current()) const {
    const detail::making how(at, typeid(vector), this->members());
    return vector(detail::make_container<T>(this->members(), this->placement()), &how);
  }

  /// Returns a copy.
  vector clone(const made_at& at = std::source_location::current()) const;

  /// Writes the elements to the file `path`, as `array::save`.
  using base::save;  // void save(const std::string& path) const

  /// Replaces size and elements by those of a file, as `array::load`.
  void load(const std::string& path);

  /// Sets the number of ranks to which `checkpoint` copies each rank's elements, as `array::keep`.
  using base::keep;  // void keep(int copies)

  /// Copies all elements to the ranks that `keep` chose, as `array::checkpoint`.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a vector over `t` with the elements of the last checkpoint, after ranks were lost, as `array::recover`.
  [[nodiscard]] recovered<vector> recover(const team& t) {
    return made_of(detail::recover_elements<T>(t, this->state_, this->kept_));
  }

  /// Returns a vector over `t` with the elements as they are now, without a checkpoint, as `array::recover` with `am::raw`.
  [[nodiscard]] recovered<vector> recover(const team& t, raw_t);

 protected:
  explicit vector(detail::element_state<T> s, const detail::making* how = nullptr) : array<T>(std::move(s), how) { start(); }
  vector(std::size_t n, const distribution& d, const detail::making& how) : array<T>(n, d, how) { start(); }

 private:
  template <class U>
  friend void swap(vector<U>& a, vector<U>& b) noexcept;
  friend detail::rebalancer;
  recovered<vector> made_of(detail::recovered_elements<T> r) const;
  void start() { staged_ = std::make_unique<detail::staged_elements<T>>(this->members(), this->state_); }
  void attach() noexcept;
  std::vector<detail::kept_as<T>>& staging();

  std::unique_ptr<detail::staged_elements<T>> staged_;
};

/// Exchanges the elements of two vectors, without a message. All members must call it with the same arguments.
template <class T>
void swap(vector<T>& a, vector<T>& b) noexcept;

// ---- Implementation only below ----

template <class T>
inline vector<T>& vector<T>::operator=(vector&& other) noexcept {
  array<T>::operator=(std::move(other));
  staged_ = std::move(other.staged_);
  attach();
  return *this;
}
template <class T>
inline void vector<T>::attach() noexcept {
  if (staged_ != nullptr) staged_->belongs_to(this->state_);
}
template <class T>
inline std::vector<detail::kept_as<T>>& vector<T>::staging() {
  if (staged_ == nullptr || !this->placement().linear()) [[unlikely]]
    detail::throw_cannot_grow(this, staged_ != nullptr);
  this->state_.order.stage();
  return staged_->more();
}

template <class T>
void vector<T>::keep_local(std::size_t n) {
  if (!this->members() || n > this->state_.count() || !this->placement().linear())
    detail::throw_cannot_grow(this, !this->placement().linear());
  const detail::named_algorithm name("keep_local");
  this->state_.keep(n);
}
template <class T>
vector<T> vector<T>::clone(const made_at& at) const {
  vector copy = like(at);
  detail::copy_elements<T>(this->state_, copy.state_);
  detail::meet(this->members());
  return copy;
}
template <class T>
void vector<T>::load(const std::string& path) {
  array<T>::load(path);
  if (staged_ == nullptr) start();
}
template <class T>
recovered<vector<T>> vector<T>::recover(const team& t, raw_t) {
  static_assert(detail::lies_in_segments<T>,
                "armilla: recover(t, raw) reads what a lost rank has left in its segment; elements that are not "
                "trivially copyable do not lie there: keep(copies), checkpoint() and recover(t)");
  return made_of(detail::recover_raw_elements<T>(t, this->state_, this->kept_));
}
template <class T>
recovered<vector<T>> vector<T>::made_of(detail::recovered_elements<T> r) const {
  vector made(std::move(r.state));
  made.kept_.copies = std::move(r.copies);
  made.kept_.times = this->kept_.times + 1;
  detail::call_as(&made, this);
  return {std::move(made), r.mark, std::move(r.gone)};
}

template <class T>
void swap(vector<T>& a, vector<T>& b) noexcept {
  vector<T> was_a = std::move(a);
  a = std::move(b);
  b = std::move(was_a);
  std::swap(a.kept_, b.kept_);
}

}  // namespace armilla
