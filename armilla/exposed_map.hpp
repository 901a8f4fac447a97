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

#include "armilla/guest/exposed_table.hpp"

/// Maps and sets that a running job exposes (`armilla::expose`), asked for by a guest.
///
///     armilla::guest job = armilla::attach("solver");
///     armilla::exposed_map<std::string, long> words(job, "words");
///     std::optional<long> n = words.find("am");
///
/// The job changes them meanwhile. Of each key a question sees what its rank has done by then, all of it at once.
namespace armilla {

/// What exposed_map and exposed_set have.
template <class Key, class Value>
class exposed_keys {
  using calls = detail::table_calls<Key, Value>;

 public:
  using element = typename calls::element;  ///< a pair of key and value, or a key
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// `patience`: how long a call waits for a rank. Errors: usage_error if nothing is exposed as `name` (it lists what is), or
  /// something of another type, which it names.
  exposed_keys(const guest& job, std::string_view name, std::chrono::nanoseconds patience = std::chrono::seconds(10))
      : table_(job, name, detail::signature<typename calls::shown()>::text, detail::signature<void(typename calls::shown)>::hash,
               std::uint64_t(patience.count())) {}

  /// How many elements all ranks had at the job's last fence. No rank is asked. Errors: usage_error if it is exposed no more.
  std::size_t size() const { return table_.part().shape[0]; }
  /// How many of them the rank had. Errors: the same; usage_error if the rank has no part.
  std::size_t size(rank_t r) const { return table_.part(r).extent[0]; }
  /// Those that have a part.
  const std::vector<rank_t>& ranks() const noexcept { return table_.ranks(); }

  /// Whether the key is there. Errors of this and all below: remote_error if it is exposed no more, or the container has ended;
  /// rank_lost; timeout_error that says what the rank does. Cost: two calls, of the rank that says where the key lies, and of
  /// that one.
  bool contains(const Key& key) const { return ask<typename calls::contains>(rank_of(key), "contains", key); }
  /// The first `most` elements of a rank, or all; of ordered containers in order, and the ranks' one after the other. They leave
  /// the rank in batches, between which it goes on; what stays there meanwhile comes once. Where the rank makes its table anew,
  /// or an ordered one changes, it begins again, with larger batches.
  std::vector<element> elements(rank_t r, std::size_t most = all) const {
    table_.part(r);
    std::vector<element> found;
    for (std::uint64_t batch = detail::exposed_table::batch; !collect(r, most, batch, found); batch *= 4) found.clear();
    if (found.size() > most) found.erase(found.begin() + std::ptrdiff_t(most), found.end());
    return found;
  }
  /// Calls f(element) for all elements, rank by rank; those of a rank are here first.
  template <class F>
  void for_each(F f) const {
    for (const rank_t r : ranks())
      for (const element& each : elements(r)) f(each);
  }

 protected:
  /// Which rank is to be asked: the one that has the key, or, if no part of that is seen, another one, which asks it.
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
  /// False: the rank has made its table anew meanwhile.
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

/// An unordered_map or map of a running job; of a counting_set the map from its keys to numbers (`std::int64_t`), of an
/// unordered_multimap that to vectors of values.
template <class Key, class Value>
class exposed_map : public exposed_keys<Key, Value> {
 public:
  using exposed_keys<Key, Value>::exposed_keys;

  /// A copy of the key's value, or nothing. Errors and cost: as of contains.
  std::optional<Value> find(const Key& key) const {
    return this->template ask<typename detail::table_calls<Key, Value>::find>(this->rank_of(key), "find", key);
  }
};

/// An unordered_set or set of a running job.
template <class Key>
class exposed_set : public exposed_keys<Key, void> {
 public:
  using exposed_keys<Key, void>::exposed_keys;
};

}  // namespace armilla
