// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace armilla::run {

/// Records of one length, packed: each is written as what differs from the one before it. What ranks tell of themselves is
/// mostly alike. `records` is `bytes` long each; 0: there are none.
///
/// `u32` bytes of a record, `u32` how many; then for each record, until it is full, how many bytes are alike, how many follow
/// that differ (each number 7 bits a byte, the lowest first, the top bit: more follows), and these.
std::string pack_records(std::string_view records, std::size_t bytes);

/// Nothing, if the text is damaged, or the records are together longer than `most`.
std::optional<std::string> unpack_records(std::string_view packed, std::size_t most);

}  // namespace armilla::run
