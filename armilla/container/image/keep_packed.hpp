// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "armilla/container/image/keep.hpp"
#include "armilla/container/image/save.hpp"

/// How parts are kept whose elements are no plain bytes: in the pieces that `save` makes of them, one behind the other, each
/// behind its length in words and the number of its elements.
namespace armilla::detail {

class packed_part final : public piece_writer {
 public:
  /// Behind the last element.
  void finish() {
    if (elements_ != 0) end_piece();
  }
  const void* data() const noexcept { return words_.data(); }
  std::uint64_t size() const noexcept { return words_.size() * 8; }

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

/// Calls take(keys, values, elements) for each piece of a part.
template <class F>
void each_packed_piece(const std::byte* part, std::uint64_t bytes, F take) {
  while (bytes != 0) {
    std::uint64_t head[2];
    if (bytes < sizeof head) throw_damaged_copy();
    std::memcpy(head, part, sizeof head);
    part += sizeof head, bytes -= sizeof head;
    column_rest keys(nullptr, 0), values(nullptr, 0);
    if (head[0] > bytes / 8 || head[1] > std::max<std::uint64_t>(8 * head[0], piece_bytes) ||
        !split_piece(part, std::size_t(8 * head[0]), keys, values))
      throw_damaged_copy();
    take(keys, values, head[1]);
    part += 8 * head[0], bytes -= 8 * head[0];
  }
}

/// Collective: all but the end of a checkpoint of what `put` puts.
template <class Put>
void write_packed(kept_parts& kept, std::uint64_t mark, std::shared_ptr<const void> shape, Put put) {
  failure why;
  packed_part all;
  try {
    put(all);
    all.finish();
  } catch (...) { why.note(); }
  kept.write(all.data(), all.size(), mark, std::move(shape), why);
}

}  // namespace armilla::detail
