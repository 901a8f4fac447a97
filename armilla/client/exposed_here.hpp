// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/exposed.hpp"

// What ranks of this host expose, as their pages say it.
namespace armilla::detail {

struct found_part {
  exposed_part part;
  std::uint64_t offset;  ///< of its first element, in the host's memory
};

/// By name and rank.
std::vector<found_part> find_parts(const job_memory& memory);
/// That of one rank; none, or one.
std::vector<found_part> find_part(const job_memory& memory, rank_t r, const std::string& name);
/// Bytes from the first element to the end of the last one.
std::uint64_t length_of(const exposed_part& part) noexcept;
/// Throws usage_error if the part has no such bytes.
void check_place(const exposed_part& part, std::uint64_t offset, std::uint64_t bytes);
/// Throws usage_error if it is a map or a set.
void refuse_table(const exposed_part& part);
/// Maps its elements. Throws as that, and limit_error.
void map_part(const job_memory& memory, found_part& one);

}  // namespace armilla::detail
