// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/client_call.hpp"
#include "armilla/exposed.hpp"
#include "armilla/rpc/table_calls.hpp"

// What exposed_map.hpp is made of.
namespace armilla::detail {

/// A map or a set that a job exposes, without its types.
class exposed_table {
 public:
  static constexpr std::uint64_t batch = 4096;  ///< elements that leave a rank at a time

  exposed_table(const client& job, std::string_view name, std::string_view type, std::uint64_t hash, std::uint64_t patience_ns);

  const std::vector<rank_t>& ranks() const noexcept { return ranks_; }
  bool has(rank_t r) const noexcept;
  /// As it is now; of the first rank, or of one.
  exposed_part part() const;
  exposed_part part(rank_t r) const;
  /// The bytes of the reply. `message`: 8 bytes for the method's index, and the arguments.
  std::vector<std::byte> ask(rank_t r, std::string_view method, std::string_view signature, std::uint64_t hash,
                             std::vector<std::byte> message) const;

 private:
  std::vector<exposed_part> parts() const;

  client job_;
  std::string name_;
  std::vector<rank_t> ranks_;
  std::uint64_t patience_ns_;
};

}  // namespace armilla::detail
