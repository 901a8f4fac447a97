// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/fetched_bytes.hpp"

#include <algorithm>

namespace armilla::detail {
namespace {

/// A fetch of elements that are bytes.
class fetched_bytes final : public fetched_run {
 public:
  fetched_bytes(global_address from, std::size_t size, std::uint32_t alignment)
      : bytes_(std::make_unique<std::byte[]>(size + alignment)), from_(from), size_(size) {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes_.get());
    begin_ = bytes_.get() + ((at + alignment - 1) / alignment * alignment - at);
    read_far(begin_, from, {"algorithm", size, alignment, may_read});
  }
  void* data() noexcept override { return begin_; }
  void put_back() override { write_far(from_, begin_, {"algorithm", size_, 1, may_write}); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::byte* begin_;
  global_address from_;
  std::size_t size_;
};

/// Elements of a member's part, of which the one at `place` is at `at`.
struct bytes_of_part {
  global_address at;
  std::size_t place, size;
  std::uint32_t alignment;
};

std::unique_ptr<fetched_run> fetch_bytes(const void* how, std::size_t first, std::size_t n) {
  const auto& part = *static_cast<const bytes_of_part*>(how);
  const auto after = (std::ptrdiff_t(first) - std::ptrdiff_t(part.place)) * std::ptrdiff_t(part.size);
  return std::make_unique<fetched_bytes>(part.at.plus(after), n * part.size, part.alignment);
}

}  // namespace

scratch::scratch() = default;
scratch::~scratch() = default;

void scratch::hold(std::unique_ptr<fetched_run> run, std::size_t n, bool written) {
  count_moved(n);
  runs_.push_back({std::move(run), written});
}

void* scratch::read(const part_place& from, std::size_t& n, std::size_t size, fetch_function fetch, const void* how) {
  n = std::min(n, most_of(size));
  read_ahead::stream& s = ahead_.of(from);
  if (!s.holds(from.place, n)) {
    if (s.run != nullptr) runs_.push_back({std::move(s.run), false});  // others of this run may look at it
    s.begin = nullptr;
    ahead_.advance(s, from, n, most_of(size), size);
    auto run = fetch(how, s.first, s.n);
    void* const begin = run->data();
    if (s.n == n) {
      hold(std::move(run), n, false);
      return static_cast<std::byte*>(begin) + (from.place - s.first) * size;
    }
    count_moved(s.n);
    s.run = std::move(run);
    s.begin = begin;
  }
  return static_cast<std::byte*>(s.begin) + (from.place - s.first) * size;
}

void* scratch::read_bytes(global_address at, const part_place& from, std::size_t& n, std::size_t size, std::uint32_t alignment) {
  const bytes_of_part part{at, from.place, size, alignment};
  return read(from, n, size, fetch_bytes, &part);
}

void* scratch::keep_bytes(global_address at, std::size_t& n, std::size_t size, std::uint32_t alignment, bool written) {
  n = std::min(n, most_of(size));
  return keep(std::make_unique<fetched_bytes>(at, n * size, alignment), n, written).data();
}

void scratch::put_back() {
  for (const auto& [run, written] : runs_)
    if (written) run->put_back();
  runs_.clear();
}

}  // namespace armilla::detail
