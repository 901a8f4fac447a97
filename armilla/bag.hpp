// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "armilla/async.hpp"
#include "armilla/container/place/agreed_exchange.hpp"
#include "armilla/fence.hpp"
#include "armilla/vector.hpp"

namespace armilla {
namespace detail {

/// How many elements each member gives to each other so that all have as many, but for one more on the first. They go from
/// the first member that has too many to the first that has too few; the others do not move.
std::vector<std::vector<std::size_t>> balancing_gifts(const std::vector<std::size_t>& counts);

/// Collective. Members with too few elements, of `bytes` each, copy the last ones of members with too many, which then drop them.
void move_surplus(container_state& elements, std::size_t bytes, std::size_t alignment);

}  // namespace detail

/// A distributed collection without an order. Each rank puts elements in without a message, and stores them until `rebalance`.
///
/// Use it to collect work or results when their order does not matter. A `vector` has an order that a redistribution must
/// preserve; of a bag, `rebalance` moves only what is too much on a rank. If items make new items, use a `work_queue`.
///
///     am::bag<triangle> found;                            // collective: all ranks construct it
///     for (const face& f : faces) if (good(f)) found.push(f.half());
///     am::fence();                                        // found.size() is the number of all ranks
///     found.rebalance();                                  // collective: each rank has equally many
///     am::for_each(found, [](triangle& t) { t.area *= 2; });   // a distributed range, as a vector
///
/// **Growth.** As for a `vector`: `push` and `push_range` put elements into a local staging buffer. The next fence of the bag's
/// team or of all ranks adds them to the bag. Then `size()`, `local()`, algorithms and views have them.
///
/// **Cost.** Staging sends nothing. A fence after which the bag has grown takes one more collective.
///
/// **Errors and lifetime** are those of a `vector`.
template <class T>
class bag : protected vector<T> {
  using base = vector<T>;

 public:
  using typename base::value_type;
  using handle_type = container_handle<bag, array<T>>;  // see handle()

  // ---- Construction (collective) ----

  /// Creates an empty bag over all ranks of the job, or over those of `d`: `am::bag<int> b(am::on(half))`. Cost: one collective.
  explicit bag(const distribution& d = {}, const made_at& at = std::source_location::current())
      : base(0, d, detail::making(at, typeid(bag), d.members())) {}
  /// Creates an empty bag over all ranks, with a name: `am::bag<int> b(am::named("found"))`.
  explicit bag(const made_at& at) : bag(distribution(), at) {}

  // ---- Growth (no message; complete at the fence) ----

  /// Stages `value` on this rank.
  void push(const T& value) { base::push_back(value); }

  /// Stages `value` on rank `r` of the job, a member of the bag's team. One-way. Throws `usage_error` if `r` is not a member.
  ///
  ///     am::bag<std::string> words;
  ///     words.push("to the last rank", am::ranks() - 1);
  void push(const T& value, rank_t r);

  /// Stages all elements of a contiguous range on this rank.
  template <class Values>
  void push_range(const Values& values) {
    base::append(values);
  }

  // ---- Local access (no message) ----

  /// Returns the number of elements on all ranks, as of the last fence.
  using base::size;  // std::size_t size() const noexcept

  /// Returns whether `size()` is 0.
  using base::empty;  // bool empty() const noexcept

  /// Returns the team over which the bag is distributed.
  using base::members;  // const team& members() const noexcept

  /// Returns which member stores which element of the range that algorithms see.
  using base::placement;  // const armilla::placement& placement() const noexcept

  /// Returns this rank's elements, as of the last fence. You may change them.
  using base::local;  // std::span<T> local() noexcept;
                      // std::span<const T> local() const noexcept

  /// Returns a small value that names the bag on all members. In a called function `h->push(x)` stages an element on the rank
  /// that runs it.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Whole bag (collective) ----

  /// Moves surplus elements to other ranks, until the ranks' numbers of elements differ by one at most.
  ///
  /// Fences the team, so elements that were pushed before count. If a member has no memory for the elements that it receives or
  /// gives, throws on all members: `limit_error` for trivially copyable elements, `remote_error` for others. Then nothing has
  /// moved.
  ///
  /// Cost: a fence and three collectives; each trivially copyable element of the surplus is copied once. Other elements are sent
  /// in one exchange, and the team is fenced again.
  void rebalance();

  /// Removes all elements. Cost: one collective.
  void clear() {
    const detail::named_algorithm name("clear");
    base::keep_local(0);
  }

  /// Writes the elements to the file `path`, as `array::save`.
  using base::save;  // void save(const std::string& path) const

  /// Replaces the elements by those of a file, as `array::load`. Each rank has equally many.
  using base::load;  // void load(const std::string& path)

  /// Makes `checkpoint` copy each rank's elements to the memory of the next `copies` ranks, as `array::keep`.
  using base::keep;  // void keep(int copies)

  /// Copies all elements to the ranks that `keep` chose, as `array::checkpoint`.
  using base::checkpoint;  // void checkpoint(std::uint64_t mark = 0)

  /// Returns a bag over `t` with the elements of the last checkpoint, after ranks were lost, as `array::recover`. Each rank has
  /// equally many. `gone` of the result has the indices of elements of which no copy is left; these are value-initialized.
  [[nodiscard]] recovered<bag> recover(const team& t);

  // ---- For the library ----

  using base::begin;
  using base::end;
  /// For the library: what views and algorithms work on.
  using base::state;

 private:
  friend handle_type;
  friend detail::rebalancer;
  explicit bag(detail::element_state<T> s) : base(std::move(s)) {}
  void exchange_surplus();
};

// ---- Implementation only below ----

template <class T>
void bag<T>::push(const T& value, rank_t r) {
  if (members().rank_of(r) < 0) [[unlikely]]
    detail::throw_no_member(members(), r, "bag::push");
  if (r == detail::current_head->rank) return push(value);
  async(r, [](handle_type h, T sent) { h->push(sent); }, handle(), value);  // may arrive while r makes the bag
}

template <class T>
recovered<bag<T>> bag<T>::recover(const team& t) {
  auto r = detail::recover_elements<T>(t, this->state_, this->kept_);
  bag made(std::move(r.state));
  made.kept_.copies = std::move(r.copies);
  made.kept_.times = this->kept_.times + 1;
  detail::call_as(static_cast<const array<T>*>(&made), static_cast<const array<T>*>(this));
  return {std::move(made), r.mark, std::move(r.gone)};
}

template <class T>
void bag<T>::rebalance() {
  members().fence();
  if constexpr (detail::lies_in_segments<T>) {
    detail::move_surplus(this->state_, sizeof(T), alignof(T));
    detail::note_share(this);
  } else {
    exchange_surplus();
  }
}

template <class T>
void bag<T>::exchange_surplus() {
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
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  const std::vector<std::vector<T>> taken = detail::exchange_agreed(members(), "bag::rebalance", parts, why);
  base::keep_local(left);
  try {
    for (const std::vector<T>& part : taken) base::append(part);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  members().fence();
  detail::agree(members(), "bag::rebalance", why);
}

}  // namespace armilla
