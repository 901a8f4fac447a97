// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "armilla/guest/attach.hpp"
#include "armilla/wire/signature.hpp"

/// Data that a running job exposes (`armilla::expose`), in the guest's own memory: no copy, and no help of the ranks.
///
///     armilla::guest job = armilla::attach("solver");
///     for (const armilla::exposed_part& part : armilla::exposed(job, "temperature"))
///       for (double t : part.span<double>()) ...
namespace armilla {

/// What one rank has of a thing that is exposed. Its memory is mapped as long as a copy of this lives, also when the job has
/// ended.
struct exposed_part {
  rank_t rank = 0;
  std::string name;
  std::string type;                    ///< of an element, as in signatures: "float64", "{int32, float64}"
  std::uint64_t type_hash = 0;         ///< tells types apart
  std::size_t element_bytes = 0;       ///< 0: a map or a set, for which <armilla/guest/exposed_map.hpp> asks
  std::vector<std::size_t> shape;      ///< of the whole, by dimension
  std::vector<std::size_t> extent;     ///< of this part
  std::vector<std::size_t> origin;     ///< where in the whole its first element lies
  std::vector<std::ptrdiff_t> stride;  ///< elements from one to the next one of a dimension
  /// Of one dimension: element k of the part has the index origin + k / block * turn + k % block.
  std::size_t block = 1, turn = 1;
  std::byte* data = nullptr;  ///< the first element; null if it has none, or in a mere list
  std::shared_ptr<void> memory;

  std::size_t size() const noexcept;
  std::size_t index_of(std::size_t k) const noexcept { return origin[0] + k / block * turn + k % block; }
  /// The elements of a part of one dimension. Errors: usage_error if they are of another type, or of more dimensions.
  template <class T>
  std::span<T> span() const {
    check_span(detail::signature<T()>::text, detail::signature<void(std::remove_const_t<T>)>::hash);
    return {reinterpret_cast<T*>(data), size()};
  }

 private:
  void check_span(std::string_view type, std::uint64_t hash) const;
};

/// All that ranks of this host expose now, by name and rank; nothing of it is mapped. Cost: a few system calls for each.
std::vector<exposed_part> exposed(const guest& job);
/// The parts of what is exposed under the name, by rank, mapped to be read and written. What ranks write meanwhile is seen: it
/// may be half of an iteration. Errors: usage_error if nothing of that name is exposed (it lists what is), or a map or a set is;
/// limit_error if it cannot be mapped.
std::vector<exposed_part> exposed(const guest& job, std::string_view name);

namespace detail {
/// Throws usage_error that lists what is exposed.
[[noreturn]] void throw_not_exposed(const guest& job, std::string_view name);
}  // namespace detail

}  // namespace armilla
