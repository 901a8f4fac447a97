// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace armilla::detail {

/// What a rank exposes to attached clients under a name: a part of an array, which lies in its segment, or of a map. The records
/// of a rank lie there, too, as a list that begins in its control pages; attached clients read it without its help. Offsets are
/// of the host's memory.
struct exposed_record {
  static constexpr std::uint64_t good_magic = 0x3173776f68736d61;  // "amshows1"
  static constexpr std::size_t letters = 128, most_dimensions = 4;

  std::atomic<std::uint64_t> magic;  ///< written last; 0: it is exposed no more
  std::atomic<std::uint64_t> next;   ///< offset of the one that was exposed before, or 0
  char name[letters];                ///< ended by a zero
  char type[letters];                ///< of an element, as in signatures; longer ones are cut
  std::uint64_t type_hash;           ///< as of the signature of a method that has one parameter of the type, and no result
  std::uint64_t element_bytes;       ///< 0: a map or a set, which ranks are asked for; `shape` and `extent` are of the last fence
  std::uint64_t data;                ///< offset of the first element
  std::uint32_t dimensions;
  std::uint32_t unused;
  std::uint64_t shape[most_dimensions];   ///< of the whole
  std::uint64_t extent[most_dimensions];  ///< of this part
  std::uint64_t origin[most_dimensions];  ///< where in the whole its first element lies
  std::int64_t stride[most_dimensions];   ///< elements from one to the next one of a dimension
  /// Of one dimension: element k of the part has the index origin + k / block * turn + k % block.
  std::uint64_t block, turn;
};

}  // namespace armilla::detail
