// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/read_ahead.hpp"
#include "armilla/transfer.hpp"

namespace armilla::detail {

/// Elements of other members that this rank cannot load, fetched for a while. One run at a time: `finish` ends it.
class scratch {
 public:
  /// At most so many bytes of a range are fetched at a time.
  static constexpr std::size_t most_bytes = 1 << 20;
  template <class T>
  static constexpr std::size_t most = sizeof(T) < most_bytes ? most_bytes / sizeof(T) : 1;
  /// The same for elements of `size` bytes.
  static constexpr std::size_t most_of(std::size_t size) noexcept { return size < most_bytes ? most_bytes / size : 1; }

  scratch();
  ~scratch();
  scratch(const scratch&) = delete;

  /// What brings elements [first, first + n) of a part. `how` is the caller's.
  using fetch_function = std::unique_ptr<fetched_run> (*)(const void* how, std::size_t first, std::size_t n);

  /// Keeps a run of `n` elements until `finish`, which puts them back if the range is `written`.
  template <class Run>
  Run& keep(std::unique_ptr<Run> run, std::size_t n, bool written) {
    Run& kept = *run;
    hold(std::move(run), n, written);
    return kept;
  }
  /// `n` elements of `size` bytes that are only read, or the first ones of them, and n says of how many.
  void* read(const part_place& from, std::size_t& n, std::size_t size, fetch_function fetch, const void* how);

  /// The same of elements that are bytes, of which the first is at `at`.
  void* read_bytes(global_address at, const part_place& from, std::size_t& n, std::size_t size, std::uint32_t alignment);
  void* keep_bytes(global_address at, std::size_t& n, std::size_t size, std::uint32_t alignment, bool written);

  /// The run is done.
  void finish() {
    if (runs_.empty()) [[likely]]
      return;
    put_back();
  }

 private:
  struct kept_run {
    std::unique_ptr<fetched_run> run;
    bool written;
  };
  void put_back();
  void hold(std::unique_ptr<fetched_run> run, std::size_t n, bool written);

  std::vector<kept_run> runs_;
  read_ahead ahead_;
};

/// Where this rank loads and stores what lies at `at`; null if it cannot.
template <class T>
T* mapped_at(global_address at) {
  if (std::byte* p = direct<alignof(T)>(at)) [[likely]]
    return reinterpret_cast<T*>(p);
  return static_cast<T*>(local_far(at, alignof(T)));
}

/// `n` elements from `at`: where they lie if this rank maps them, else a copy of the first ones, and n says of how many. Unless T
/// is const the copy is put back.
template <class T>
T* elements_at(global_address at, std::size_t& n, scratch& s) {
  if (T* const p = mapped_at<T>(at)) [[likely]]
    return p;
  return static_cast<T*>(s.keep_bytes(at, n, sizeof(T), alignof(T), !std::is_const_v<T>));
}

/// The same of elements of which `at` is the place `from` in a member's part. Those that are only read may come ahead.
template <class T>
T* elements_at(global_address at, const part_place& from, std::size_t& n, scratch& s) {
  if constexpr (!std::is_const_v<T>) return elements_at<T>(at, n, s);
  if (T* const p = mapped_at<T>(at)) [[likely]]
    return p;
  return static_cast<T*>(s.read_bytes(at, from, n, sizeof(T), alignof(T)));
}

}  // namespace armilla::detail
