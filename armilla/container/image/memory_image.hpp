// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "armilla/container/image/image.hpp"
#include "armilla/container/image/keep.hpp"
#include "armilla/container/place/agreed_exchange.hpp"

/// Images in memory: the records of a member are packed into pieces, one after the other, each after its length in words and the
/// number of its records.
namespace armilla::detail {

/// What a member of another team has packed, and which member it was.
struct packed_records {
  rank_t order;
  const std::byte* at;
  std::uint64_t bytes;
};

class packed_part final : public piece_writer {
 public:
  /// After the last element.
  void finish() {
    if (elements_ != 0) end_piece();
  }
  const void* data() const noexcept { return words_.data(); }
  std::uint64_t size() const noexcept { return words_.size() * 8; }
  const std::vector<std::uint64_t>& words() const noexcept { return words_; }
  packed_records records_of(rank_t member) const noexcept { return {member, static_cast<const std::byte*>(data()), size()}; }

 private:
  void end_piece() override {
    const view<std::uint64_t> first = keys.words(), second = values.words();
    words_.insert(words_.end(), {first.size() + second.size() + 1, elements_, 8 * first.size()});
    words_.insert(words_.end(), first.data(), first.data() + first.size());
    words_.insert(words_.end(), second.data(), second.data() + second.size());
    keys.clear();
    values.clear();
    elements_ = 0;
  }
  std::vector<std::uint64_t> words_;
};

/// Calls take(piece, bytes, records) for each piece of what a member has packed.
template <class F>
void each_packed_piece(const std::byte* packed, std::uint64_t bytes, F take) {
  while (bytes != 0) {
    std::uint64_t head[2];
    if (bytes < sizeof head) throw_damaged_copy();
    std::memcpy(head, packed, sizeof head);
    packed += sizeof head, bytes -= sizeof head;
    if (head[0] == 0 || head[0] > bytes / 8 || head[1] > std::max<std::uint64_t>(8 * head[0], piece_bytes)) throw_damaged_copy();
    take(packed, 8 * head[0], head[1]);
    packed += 8 * head[0], bytes -= 8 * head[0];
  }
}
/// Calls take(keys, values, records) for each of them.
template <class F>
void each_packed_columns(const std::byte* packed, std::uint64_t bytes, F take) {
  each_packed_piece(packed, bytes, [&](const std::byte* piece, std::uint64_t of_piece, std::uint64_t elements) {
    column_rest keys(nullptr, 0), values(nullptr, 0);
    if (!split_piece(piece, std::size_t(of_piece), keys, values)) throw_damaged_copy();
    take(keys, values, elements);
  });
}

/// Collective: all but the end of a checkpoint of what `put` puts.
template <class Put>
void write_packed(kept_parts& kept, std::uint64_t mark, std::shared_ptr<const void> shape, Put put) {
  failure why;
  packed_part all;
  try {
    put(all);
    all.finish();
  } catch (const passing&) { throw; } catch (...) {
    why.note();
  }
  kept.write(all.data(), all.size(), mark, std::move(shape), why);
}

/// An image that members of a team have in their memory, or in that of their host.
class memory_image final : public image_reader {
 public:
  /// Collective: `mine` is what this member has of it, which stays where it is. Records are in the order of the members that
  /// packed them. `operation`: in errors. What has failed before is thrown by `deal` or `agree`.
  memory_image(const team& members, const char* operation, bool raw, const image_numbers& numbers,
               std::span<const packed_records> mine, failure why);
  /// Cost: one exchange of the pieces, each to the members that get records of it.
  void deal(const std::vector<std::uint64_t>& borders) override;
  void agree() override;

 private:
  struct entry {
    std::uint64_t order, bytes, elements, number;  ///< `number`: of the member's own pieces
    rank_t from;
  };
  void find_pieces(const packed_records& from, std::vector<entry>& own, std::vector<const std::byte*>& at) const;
  bool is_own(std::size_t k) const noexcept override { return from_[k] == members_.rank(); }
  bool open_piece(std::size_t k, column_rest& keys, column_rest& values) override;

  const char* operation_;
  failure why_;
  std::vector<rank_t> from_;          // of each piece
  std::vector<const std::byte*> at_;  // null: on another member
  std::vector<std::vector<std::uint64_t>> received_;
};

}  // namespace armilla::detail
