// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/am/endpoint/delivery.hpp"
#include "armilla/base/values/owned.hpp"

/// What a rank provides under names, and what it knows of what others provide.
/// Paper: MRPC, section 4 (stub caching).
namespace armilla::detail {

/// How another program knows a method.
struct method_description {
  std::string_view name;
  std::string_view signature;  ///< as people read it
  std::uint64_t hash;          ///< of the signature
};

/// How a method's messages run; each takes messages off the front of `rest`. A two-way call: one. One-way calls: one or more, up
/// to one that is for another method. `by_client`: a message alone, whose reply becomes bytes.
struct method_runners {
  void (*two_way_call)(delivery& in, rank_t source, bundle_rest& rest, bool first);
  void (*one_way_calls)(delivery& in, rank_t source, bundle_rest& rest);
  void (*by_client)(std::span<const std::byte> message, std::vector<std::byte>& reply);
};

/// The methods that this rank provides. An index means one name and signature for ever: what a caller has learnt stays
/// true, whatever is withdrawn and provided again.
class method_table {
 public:
  struct entry {
    method_runners run;  ///< refuses while the method is withdrawn
    void* object;        ///< the method is a member of it; null for functions
  };

  method_table();
  ~method_table();
  method_table(const method_table&) = delete;

  /// Throws usage_error if the name is taken. `refusing`: what runs once it is withdrawn.
  void provide(const method_description& what, const method_runners& run, const method_runners& refusing, void* object);
  /// Throws usage_error unless the method is provided.
  void withdraw(const method_description& what);
  /// The same; false where it is not provided.
  bool provides_no_more(const method_description& what) noexcept;

  /// What is provided now, by name, each in a line: name, tab, signature, tab, hash. Each rank provides this list as
  /// `armilla.methods`, `string()`; names that begin with `armilla.` stand in no list.
  std::string list() const;

  /// The index of what `source` (`no_rank`: an attached client of the job) asks for; throws usage_error that says what there is
  /// instead.
  std::uint64_t look_up(const method_description& wanted, rank_t source) const;

  /// How many indices there are, and the name of one of them.
  std::size_t size() const noexcept { return entries_.size(); }
  std::string_view name(std::uint64_t index) const noexcept;

  /// Null if no method has that index.
  const entry* find(std::uint64_t index) const noexcept { return index < entries_.size() ? &entries_[index] : nullptr; }
  void* object(std::uint64_t index) const noexcept { return entries_[index].object; }

  [[noreturn]] void throw_withdrawn(std::uint64_t index) const;

 private:
  struct names;
  std::vector<entry> entries_;  // by index
  owned<names> names_;
};

/// The number that a method which this program calls has in this process: where ranks keep what they learn of it.
class method_number {
 public:
  method_number() noexcept;
  std::uint32_t value;
};

/// The indices that other ranks gave for the methods which this rank calls, by (method, rank).
class stub_cache {
 public:
  static constexpr std::uint32_t unknown = 0, asked = 1, first_known = 2;

  explicit stub_cache(rank_t ranks) noexcept : ranks_(std::uint32_t(ranks)) {}

  /// `unknown`, `asked` (the index is on its way), or the index + `first_known`.
  std::uint32_t find(const method_number& method, rank_t at) const noexcept {
    const std::size_t i = std::size_t(method.value) * ranks_ + std::uint32_t(at);
    return i < stubs_.size() ? stubs_[i] : unknown;
  }
  void set(std::uint32_t method, rank_t at, std::uint32_t stub);
  /// Another rank is there, which may provide otherwise.
  void forget(rank_t at) noexcept;
  /// Whether this rank ever asked for the method of that number.
  bool has(std::uint32_t method) const noexcept { return method < stubs_.size() / ranks_; }

 private:
  std::uint32_t ranks_;
  std::vector<std::uint32_t> stubs_;
};

/// Begins a call by name: room for a message of `bytes` behind the method's name and signature.
std::byte* begin_cold_call(sending& out, channel_head& c, const method_number& method, const method_description& what,
                           bool two_way_call, std::size_t bytes);

}  // namespace armilla::detail
