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

/// Data that a running job exposes (`armilla::expose`), in the guest's own memory: no copy, and no help of the ranks. What lies
/// on other hosts is read and written through the agents of armilla-run --hosts, without help of the ranks, too.
///
///     armilla::guest job = armilla::attach("solver");
///     for (const armilla::exposed_part& part : armilla::exposed(job, "temperature"))
///       for (double t : part.span<double>()) use(t);
namespace armilla {

namespace detail {
class far_host;
}

/// What one rank has of a thing that is exposed. Its memory is mapped as long as a copy of this lives, also when the job has
/// ended.
struct exposed_part {
  rank_t rank = 0;
  std::string name;
  std::string type;                    ///< of an element, as in signatures: "float64", "{int32, float64}"
  std::uint64_t type_hash = 0;         ///< tells types apart
  std::size_t element_bytes = 0;       ///< 0: a map or a set, for which <armilla/exposed_map.hpp> asks
  std::vector<std::size_t> shape;      ///< of the whole, by dimension
  std::vector<std::size_t> extent;     ///< of this part
  std::vector<std::size_t> origin;     ///< where in the whole its first element lies
  std::vector<std::ptrdiff_t> stride;  ///< elements from one to the next one of a dimension
  /// Of one dimension: element k of the part has the index origin + k / block * turn + k % block.
  std::size_t block = 1, turn = 1;
  std::byte* data = nullptr;  ///< the first element; null if it has none, in a mere list, and of another host before `fetch`
  std::shared_ptr<void> memory;
  std::shared_ptr<detail::far_host> far;  ///< null: it is of this host

  std::size_t size() const noexcept;
  std::size_t index_of(std::size_t k) const noexcept { return origin[0] + k / block * turn + k % block; }
  /// The host that it lies on, as the user of armilla-run called it; empty: this one.
  std::string host() const;
  /// Of another host: brings a copy of its elements, as they are now, to `data`; again: another copy. Of this one: nothing to do.
  /// Errors: as of read. Cost: docs/perf.md has the rate.
  void fetch();
  /// Copies bytes, counted from the first element, as they lie in the part's memory; of a part that is mapped or of another host.
  /// Errors: usage_error if it has no such bytes, or exposes them no more; rank_lost if the rank or its host is gone;
  /// timeout_error if agents do not answer for 10 s.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  /// The same the other way: when it returns, the rank sees them.
  void write(std::uint64_t offset, std::span<const std::byte> from) const;
  /// The elements of a part of one dimension; of another host those that `fetch` has brought. Errors: usage_error if they are of
  /// another type, of more dimensions, or not fetched.
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

/// All that ranks expose now, by name and rank; nothing of it is mapped. Ranks of other hosts are there where armilla-run --hosts
/// has started them. Errors: timeout_error if agents do not answer. Cost: a few system calls for each, and some milliseconds for
/// other hosts.
std::vector<exposed_part> exposed(const guest& job);
/// The parts of what is exposed under the name, by rank, those of this host mapped to be read and written. What ranks write
/// meanwhile is seen: it may be half of an iteration. Errors: usage_error if nothing of that name is exposed (it lists what is),
/// or a map or a set is; limit_error if it cannot be mapped.
std::vector<exposed_part> exposed(const guest& job, std::string_view name);

namespace detail {
/// Throws usage_error that lists what is exposed.
[[noreturn]] void throw_not_exposed(const guest& job, std::string_view name);
}  // namespace detail

}  // namespace armilla
