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

#include "armilla/attach.hpp"
#include "armilla/wire/signature.hpp"

/// Data that a running job exposes (armilla/expose.hpp), in the memory of an attached client: no copy, and no help of the ranks.
///
/// Data of other hosts are read and written through the agents of armilla-run --hosts, also without help of the ranks.
///
///     armilla::client job = armilla::attach("solver");
///     for (const armilla::exposed_part& part : armilla::exposed(job, "temperature"))
///       for (double t : part.span<double>()) use(t);
namespace armilla {

namespace detail {
class remote_host;
}

/// The data of one rank that are exposed under a name. They are mapped as long as a copy of this lives, also after the end of the
/// job.
struct exposed_part {
  rank_t rank = 0;
  std::string name;
  std::string type;                    ///< of an element, as in signatures: "float64", "{int32, float64}"
  std::uint64_t type_hash = 0;         ///< distinguishes types
  std::size_t element_bytes = 0;       ///< 0: a map or a set; see <armilla/exposed_map.hpp>
  std::vector<std::size_t> shape;      ///< of all ranks' data, by dimension
  std::vector<std::size_t> extent;     ///< of this rank's data
  std::vector<std::size_t> origin;     ///< the coordinates of its first element among all ranks' data
  std::vector<std::ptrdiff_t> stride;  ///< the distance from one element to the next in a dimension, in elements
  /// Of one dimension: element k of the local part has the index origin + k / block * turn + k % block.
  std::size_t block = 1, turn = 1;
  std::byte* data = nullptr;  ///< the first element; null if the rank has none, in a list, and for another host before `fetch`
  std::shared_ptr<void> memory;
  std::shared_ptr<detail::remote_host> far;  ///< null: it is of this host

  /// Returns the number of elements of this rank.
  std::size_t size() const noexcept;
  /// Returns the index of element k of this rank, of data of one dimension.
  std::size_t index_of(std::size_t k) const noexcept { return origin[0] + k / block * turn + k % block; }
  /// Returns the host that has the data, by the name that armilla-run was given; empty: this one.
  std::string host() const;
  /// Copies the elements of another host, as they are now, to `data`; call it again for another copy. Does nothing for this host.
  /// Errors are those of `read`. docs/perf.md has the rate.
  void fetch();
  /// Copies bytes from `offset` on, counted from the first element, as they are in the memory of the rank.
  ///
  /// Throws `usage_error` if there are no such bytes, or if the data are no longer exposed. Throws `rank_lost` if the rank or its
  /// host is gone. Throws `timeout_error` if agents do not answer for 10 s.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  /// Writes bytes from `offset` on. When it returns, the rank sees them. Errors are those of `read`.
  void write(std::uint64_t offset, std::span<const std::byte> from) const;
  /// Returns the elements, of data of one dimension; of another host those that `fetch` has copied. Throws `usage_error` if they
  /// are of another type, have more dimensions, or are not fetched.
  template <class T>
  std::span<T> span() const {
    check_here();
    check_span(detail::signature<T()>::text, detail::signature<void(std::remove_const_t<T>)>::hash);
    return {reinterpret_cast<T*>(data), size()};
  }

 private:
  void check_here() const;
  void check_span(std::string_view type, std::uint64_t hash) const;
};

/// Returns all that ranks expose now, by name and rank, without mapping it.
///
/// Includes ranks of other hosts if armilla-run --hosts has started them. Throws `timeout_error` if agents do not answer. Cost: a
/// few system calls for each, and some milliseconds for other hosts.
std::vector<exposed_part> exposed(const client& job);

/// Returns the data of all ranks that are exposed under `name`, by rank. Those of this host are mapped, to be read and written.
///
/// The client sees what ranks write meanwhile: it may be half of an iteration. Throws `usage_error` if nothing is exposed under
/// that name (it lists what is), or if a map or a set is. Throws `limit_error` if the data cannot be mapped.
std::vector<exposed_part> exposed(const client& job, std::string_view name);

namespace detail {
/// Throws usage_error that lists what is exposed.
[[noreturn]] void throw_not_exposed(const client& job, std::string_view name);
}  // namespace detail

}  // namespace armilla
