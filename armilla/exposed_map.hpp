// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/client/exposed_table.hpp"

/// Maps and sets that a running job exposes (armilla/expose_container.hpp), for attached clients. The job's ranks answer.
///
///     armilla::client job = armilla::attach("solver");
///     armilla::exposed_map<std::string, long> words(job, "words");
///     std::optional<long> n = words.find("am");
///
/// The job changes them meanwhile. A query of a key sees what its rank has done by then.
namespace armilla {

/// The operations that `exposed_map` and `exposed_set` share.
template <class Key, class Value>
class exposed_keys {
  using calls = detail::table_calls<Key, Value>;

 public:
  using element = typename calls::element;  ///< a pair of key and value, or a key
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// Opens what is exposed as `name`. `patience` says how long a call waits for a rank. Throws `usage_error` if nothing is
  /// exposed under that name (it lists what is), or something of another type, which it names.
  exposed_keys(const client& job, std::string_view name, std::chrono::nanoseconds patience = std::chrono::seconds(10))
      : table_(job, name, detail::signature<typename calls::shown()>::text, detail::signature<void(typename calls::shown)>::hash,
               std::uint64_t(patience.count())) {}

  /// Returns the number of elements on all ranks at the job's last fence. Asks no rank. Throws `usage_error` if it is no longer
  /// exposed.
  std::size_t size() const { return table_.part().shape[0]; }
  /// Returns the number of elements that rank `r` had then. Throws `usage_error` also if the rank is not a member.
  std::size_t size(rank_t r) const { return table_.part(r).extent[0]; }
  /// Returns the ranks that have elements of it.
  const std::vector<rank_t>& ranks() const noexcept { return table_.ranks(); }

  /// Returns whether `key` is in the container.
  ///
  /// This and all functions below throw `remote_error` if it is no longer exposed or the container has ended, `rank_lost`, and
  /// `timeout_error` that says what the rank does. Cost: two calls: of the rank that says which one stores the key, and of that
  /// one.
  bool contains(const Key& key) const { return ask<typename calls::contains>(rank_of(key), "contains", key); }
  /// Returns the first `most` elements of rank `r`, or all of them; those of ordered containers in order.
  ///
  /// They are sent in batches, between which the rank continues. An element that exists all the time comes once. If the rank
  /// rebuilds its table, or an ordered one changes, it begins again, with larger batches.
  std::vector<element> elements(rank_t r, std::size_t most = all) const {
    table_.part(r);
    std::vector<element> found;
    for (std::uint64_t batch = detail::exposed_table::batch; !collect(r, most, batch, found); batch *= 4) found.clear();
    if (found.size() > most) found.erase(found.begin() + std::ptrdiff_t(most), found.end());
    return found;
  }
  /// Calls `f(element)` for all elements, rank by rank, after those of a rank have arrived.
  template <class F>
  void for_each(F f) const {
    for (const rank_t r : ranks())
      for (const element& each : elements(r)) f(each);
  }

 protected:
  /// Returns the rank to ask: the one that has the key, or, if its local part is not visible, another one, which asks it.
  rank_t rank_of(const Key& key) const {
    const rank_t first = ranks().front();
    if (ranks().size() == 1) return first;
    const rank_t owner = ask<typename calls::rank_of>(first, "rank_of", key);
    return table_.has(owner) ? owner : first;
  }
  template <class Signature, class... A>
  auto ask(rank_t r, std::string_view method, const A&... arguments) const {
    return asking<Signature>::run(table_, r, method, arguments...);
  }

 private:
  template <class Signature>
  struct asking;
  template <class R, class... P>
  struct asking<R(P...)> {
    static R run(const detail::exposed_table& table, rank_t r, std::string_view method, const P&... arguments) {
      std::vector<std::byte> message(sizeof(std::uint64_t) + detail::encoded_size(arguments...));
      detail::encode(message.data() + sizeof(std::uint64_t), arguments...);
      const std::vector<std::byte> bytes =
          table.ask(r, method, detail::signature<R(P...)>::text, detail::signature<R(P...)>::hash, std::move(message));
      return detail::decoder(bytes.data(), bytes.size(), r).template get<R>();
    }
  };
  /// False: the rank has rebuilt its table meanwhile.
  bool collect(rank_t r, std::size_t most, std::uint64_t batch, std::vector<element>& found) const {
    std::optional<std::uint64_t> begun;
    for (std::uint64_t at = 0; found.size() < most;) {
      const std::uint64_t wanted = most - found.size() < batch ? most - found.size() : batch;
      auto [rebuilds, next, some] = ask<typename calls::elements>(r, "elements", at, wanted);
      if (begun.value_or(rebuilds) != rebuilds) return false;
      begun = rebuilds;
      for (element& each : some) found.push_back(std::move(each));
      if (next == 0) break;
      at = next;
    }
    return true;
  }

  detail::exposed_table table_;
};

/// An `unordered_map` or `map` of a running job. A `counting_set` is a map from its keys to numbers (`std::int64_t`), an
/// `unordered_multimap` a map to vectors of values.
template <class Key, class Value>
class exposed_map : public exposed_keys<Key, Value> {
 public:
  using exposed_keys<Key, Value>::exposed_keys;

  /// Returns a copy of the value of `key`, or `nullopt`. Errors and cost are those of `contains`.
  std::optional<Value> find(const Key& key) const {
    return this->template ask<typename detail::table_calls<Key, Value>::find>(this->rank_of(key), "find", key);
  }
};

/// An `unordered_set` or `set` of a running job.
template <class Key>
class exposed_set : public exposed_keys<Key, void> {
 public:
  using exposed_keys<Key, void>::exposed_keys;
};

}  // namespace armilla
