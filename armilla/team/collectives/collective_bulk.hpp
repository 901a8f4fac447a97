// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "armilla/base/core/required_function.hpp"
#include "armilla/team/core/record.hpp"

/// Collectives on memory that the caller supplies, as bytes.
namespace armilla::detail {

void broadcast_bytes(team_record* t, std::byte* data, std::size_t bytes, type_mark type, rank_t root);
void all_to_all_bytes(team_record* t, const std::byte* in, std::size_t in_bytes, std::byte* out, std::size_t out_bytes,
                      std::size_t element, type_mark type);

/// The same of one element for each member, by number; `kind` is what the caller has called.
void all_to_all_each(team_record* t, collective kind, const std::byte* in, std::byte* out, std::size_t values,
                     std::size_t element, type_mark type);

/// `size` values where the team has as many members, or usage_error.
/// An argument that this rank knows to be wrong. Looked for before the rank enters: it has entered nothing, and may call again.
[[noreturn, gnu::cold]] void throw_arguments(const team_record* t, collective kind, rank_t root, const std::string& text);
/// An operation that holds no function is such an argument.
[[noreturn, gnu::cold]] void refuse_operation(const team_record* t, collective kind, rank_t root);
template <class Op>
void require_operation(const team_record* t, const Op& op, collective kind, rank_t root = 0) {
  if constexpr (maybe_no_function<Op>) {
    if (!static_cast<bool>(op)) [[unlikely]]
      refuse_operation(t, kind, root);
  }
}
void require_one_each(const team_record* t, collective kind, std::size_t size, rank_t root = 0);

/// An all-to-all of parts of different length: the lengths first, then, when the caller has made room, the bytes.
class flat_all_to_all_v {
 public:
  flat_all_to_all_v(team_record* t, std::size_t in_size, std::span<const std::size_t> in_counts,
                    std::span<std::size_t> out_counts, std::size_t element, type_mark type);
  /// Elements that will come.
  std::size_t total() const noexcept { return total_; }
  void run(const std::byte* in, std::byte* out);

 private:
  team_record* t_;
  std::optional<collective_part> part_;  ///< from its entry until `run` has returned
  std::span<const std::size_t> in_counts_;
  std::span<std::size_t> out_counts_;
  std::size_t element_;
  std::size_t total_ = 0;
};

}  // namespace armilla::detail
