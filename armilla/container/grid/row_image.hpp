// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armilla/container/image/images.hpp"

/// The image of what consists of sparse rows: a row of a matrix, or the edges of a vertex, is one record. Its first column has
/// the number of the row, how many entries it has, and where each is or leads; its second column has the values. A row that is
/// not in the image is empty, so members may read rows in any order.
namespace armilla::detail {

/// Of an image whose numbers are rows and columns.
[[gnu::cold]] void note_entry_outside(image_reader& from, std::uint64_t row, std::uint64_t column);

/// Puts the first column of a row of `n` entries; `place(k)` gives an Id.
template <class Id, class Place>
void put_row(column_bytes& to, std::uint64_t row, std::size_t n, Place place) {
  const std::uint64_t head[2] = {row, n};
  std::memcpy(to.extend(sizeof head), head, sizeof head);
  std::byte* at = to.extend(n * sizeof(Id));
  for (std::size_t k = 0; k < n; ++k, at += sizeof(Id)) {
    const Id id = place(k);
    std::memcpy(at, &id, sizeof id);
  }
}

/// The first column of a row that was read.
template <class Id>
class taken_row {
 public:
  explicit taken_row(column_rest& from) {
    std::uint64_t head[2];
    std::memcpy(head, from.take(sizeof head), sizeof head);
    row_ = head[0];
    if (head[1] > from.left() / sizeof(Id)) throw_short_column(std::size_t(head[1]), from.left());
    size_ = std::size_t(head[1]);
    places_ = from.take(size_ * sizeof(Id));
  }
  std::uint64_t row() const noexcept { return row_; }
  std::size_t size() const noexcept { return size_; }
  Id operator[](std::size_t k) const noexcept {
    Id id;
    std::memcpy(&id, places_ + k * sizeof(Id), sizeof id);
    return id;
  }

 private:
  std::uint64_t row_;
  std::size_t size_;
  const std::byte* places_;
};

}  // namespace armilla::detail
