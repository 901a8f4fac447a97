// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "armilla/container/algorithm_call.hpp"
#include "armilla/container/read_ahead.hpp"
#include "armilla/global/transfer.hpp"

namespace armilla::detail {

/// A fetch of elements that are bytes.
class fetched_bytes final : public fetched_run {
 public:
  fetched_bytes(global_address from, std::size_t size, std::uint32_t alignment)
      : bytes_(std::make_unique<std::byte[]>(size + alignment)), from_(from), size_(size) {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes_.get());
    begin_ = bytes_.get() + ((at + alignment - 1) / alignment * alignment - at);
    read_far(begin_, from, {"algorithm", size, alignment, may_read});
  }
  std::byte* begin() const noexcept { return begin_; }
  void put_back() override { write_far(from_, begin_, {"algorithm", size_, 1, may_write}); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::byte* begin_;
  global_address from_;
  std::size_t size_;
};

/// Elements of other members that this rank cannot load, fetched for a while. One run at a time: `finish` ends it.
class scratch {
 public:
  /// At most so many bytes of a range are fetched at a time.
  static constexpr std::size_t most_bytes = 1 << 20;
  template <class T>
  static constexpr std::size_t most = sizeof(T) < most_bytes ? most_bytes / sizeof(T) : 1;

  /// Keeps a run of `n` elements until `finish`, which puts them back if the range is `written`.
  template <class Run>
  Run& keep(std::unique_ptr<Run> run, std::size_t n, bool written) {
    count_moved(n);
    Run& kept = *run;
    runs_.push_back({std::move(run), written});
    return kept;
  }

  /// `n` elements that are only read, or the first ones of them, and n says of how many. `fetch(first, n)` brings a run.
  template <class T, class Fetch>
  T* read(const part_place& from, std::size_t& n, Fetch fetch) {
    if (n > most<T>) n = most<T>;
    read_ahead::stream& s = ahead_.of(from);
    if (!s.holds(from.place, n)) {
      if (s.run != nullptr) runs_.push_back({std::move(s.run), false});  // others of this run may look at it
      s.begin = nullptr;
      ahead_.advance(s, from, n, most<T>, sizeof(T));
      auto run = fetch(s.first, s.n);
      T* const begin = static_cast<T*>(static_cast<void*>(run->begin()));
      T* const here = begin + (from.place - s.first);
      if (s.n == n)
        keep(std::move(run), n, false);
      else
        hold(s, std::move(run), begin);
      return here;
    }
    return static_cast<T*>(s.begin) + (from.place - s.first);
  }

  /// The run is done.
  void finish() {
    if (runs_.empty()) [[likely]]
      return;
    for (const auto& [run, written] : runs_)
      if (written) run->put_back();
    runs_.clear();
  }

 private:
  struct kept_run {
    std::unique_ptr<fetched_run> run;
    bool written;
  };
  void hold(read_ahead::stream& s, std::unique_ptr<fetched_run> run, void* begin) {
    count_moved(s.n);
    s.run = std::move(run);
    s.begin = begin;
  }

  std::vector<kept_run> runs_;
  read_ahead ahead_;
};

/// Where this rank loads and stores what lies at `at`; null if it cannot.
template <class T>
T* mapped_at(global_address at) {
  if (std::byte* p = direct<alignof(T)>(at)) [[likely]]
    return reinterpret_cast<T*>(p);
  return static_cast<T*>(local_far(at));
}

/// `n` elements from `at`: where they lie if this rank maps them, else a copy of the first ones, and n says of how many. Unless T
/// is const the copy is put back.
template <class T>
T* elements_at(global_address at, std::size_t& n, scratch& s) {
  if (T* const p = mapped_at<T>(at)) [[likely]]
    return p;
  if (n > scratch::most<T>) n = scratch::most<T>;
  auto run = std::make_unique<fetched_bytes>(at, n * sizeof(T), alignof(T));
  return reinterpret_cast<T*>(s.keep(std::move(run), n, !std::is_const_v<T>).begin());
}

/// The same of elements of which `at` is the place `from` in a member's part. Those that are only read may come ahead.
template <class T>
T* elements_at(global_address at, const part_place& from, std::size_t& n, scratch& s) {
  if constexpr (!std::is_const_v<T>) return elements_at<T>(at, n, s);
  if (T* const p = mapped_at<T>(at)) [[likely]]
    return p;
  return s.read<std::remove_const_t<T>>(from, n, [&](std::size_t first, std::size_t many) {
    const auto behind = (std::ptrdiff_t(first) - std::ptrdiff_t(from.place)) * std::ptrdiff_t(sizeof(T));
    return std::make_unique<fetched_bytes>(at.plus(behind), many * sizeof(T), alignof(T));
  });
}

}  // namespace armilla::detail
