// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "armilla/container/place/agreed_exchange.hpp"
#include "armilla/fence.hpp"
#include "armilla/vector.hpp"

namespace armilla {
namespace detail {

/// How many elements each member gives to each other so that all have as many, but for one more on the first. They go from
/// the first member that has too many to the first that has too few: none of the rest moves.
std::vector<std::vector<std::size_t>> balancing_gifts(const std::vector<std::size_t>& counts);

}  // namespace detail

/// Elements in no order: each rank puts some in, without a message, and has those that it put in until `rebalance`. It is
/// made by all members together, which is one meeting.
///
///     am::bag<triangle> found;
///     for (const face& f : mine) if (good(f)) found.push(f.triangle());
///     am::fence();                                        // found.size() is what all have found
///     found.rebalance();                                  // each rank has as many
///     am::for_each(found, [](triangle& t) { ... });       // it is a distributed range
///
/// As of a vector, elements count from the next fence of its team or of all ranks on; then algorithms, views and `local()` have
/// them. What a vector has and a bag has not is an order that `rebalance` would have to keep: of a bag only what is too much on a
/// rank moves. Errors: as of a vector. It is saved and loaded as an array; loaded, each rank has as many.
template <class T>
class bag : protected vector<T> {
  using base = vector<T>;

 public:
  using typename base::value_type;
  using handle_type = container_handle<bag, array<T>>;
  explicit bag(const distribution& d = {}) : base(0, d) {}

  /// Stages one element on this rank. No message.
  void push(const T& value) { base::push_back(value); }
  /// The same for all elements of a contiguous range.
  template <class Values>
  void push_range(const Values& values) {
    base::append(values);
  }
  /// Collective: what is too much on a rank goes to others, until all have as many, but for one. What was pushed before counts:
  /// it is two fences of the team, and one exchange. Errors: remote_error on all members if one has no memory for what it gives
  /// or gets; then nothing has moved.
  void rebalance();
  /// Names it on all members: `h->push(x)` in a body stages an element on the rank that runs it. No message.
  handle_type handle() const { return this->template make_handle<handle_type>(); }
  /// Drops all elements. Collective.
  void clear() { base::keep_local(0); }

  /// Returns the elements of the last checkpoint in a bag over the ranks of `t`, which `members().survivors()` gave, as many on
  /// each. `gone` has the indices of elements that are lost with all their copies: they are value-initialised. As of an array.
  [[nodiscard]] recovered<bag> recover(const team& t) {
    auto r = detail::recover_elements<T>(t, this->state_, this->kept_);
    bag made(std::move(r.state));
    made.kept_.copies = std::move(r.copies);
    made.kept_.times = this->kept_.times + 1;
    return {std::move(made), r.mark, std::move(r.gone)};
  }

  using base::begin;
  using base::checkpoint;
  using base::empty;
  using base::end;
  using base::keep;
  using base::load;
  using base::local;
  using base::members;
  using base::placement;
  using base::save;
  using base::size;
  using base::state;

 private:
  friend handle_type;
  friend detail::rebalancer;
  explicit bag(detail::element_state<T> s) : base(std::move(s)) {}
};

template <class T>
void bag<T>::rebalance() {
  members().fence();
  const auto gifts = detail::balancing_gifts(members().all_gather(local().size()));
  const std::vector<std::size_t>& mine = gifts[std::size_t(members().rank())];
  std::vector<std::vector<T>> parts(mine.size());
  std::size_t left = local().size();
  detail::failure why;
  try {
    for (std::size_t m = 0; m < mine.size(); ++m) {
      left -= mine[m];
      const auto first = local().begin() + std::ptrdiff_t(left);
      parts[m].assign(first, first + std::ptrdiff_t(mine[m]));
    }
  } catch (...) { why.note(); }
  const std::vector<std::vector<T>> taken = detail::exchange_agreed(members(), "bag::rebalance", parts, why);
  base::keep_local(left);
  try {
    for (const std::vector<T>& part : taken) base::append(part);
  } catch (...) { why.note(); }
  members().fence();
  detail::agree(members(), "bag::rebalance", why);
}

}  // namespace armilla
