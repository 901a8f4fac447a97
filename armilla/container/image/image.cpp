// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/image/image.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "armilla/container/image/memory_image.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

void piece_writer::put_raw(const void* elements, std::size_t n, std::size_t bytes_of_each) {
  const auto* from = static_cast<const std::byte*>(elements);
  while (n != 0) {
    const std::size_t room = keys.size() < piece_bytes ? piece_bytes - keys.size() : 0;
    const std::size_t now = std::min(n, (room + bytes_of_each - 1) / bytes_of_each);
    std::memcpy(keys.extend(now * bytes_of_each), from, now * bytes_of_each);
    from += now * bytes_of_each, n -= now, elements_ += now;
    if (keys.size() >= piece_bytes) end_piece();
  }
}

std::pair<std::uint64_t, std::uint64_t> image_reader::deal_evenly() {
  const auto n = std::uint64_t(members_.size());
  std::vector<std::uint64_t> borders;
  for (std::uint64_t m = 0; m <= n; ++m) borders.push_back(elements_ / n * m + elements_ % n * m / n);
  deal(borders);
  const auto me = std::size_t(members_.rank());
  return {borders[me], borders[me + 1]};
}

void image_reader::count_pieces() {
  for (const saved_piece& p : pieces_) {
    firsts_.push_back(elements_);
    elements_ += p.elements;
  }
}

void image_reader::note(const std::string& what) {
  if (wrong_.empty()) wrong_ = what;
}

void image_reader::note_thrown(std::size_t piece) {
  note(fmt::format("piece {} of {} cannot be read: {}", piece, pieces_.size(), text_of_thrown()));
}

void image_reader::require_end(std::size_t keys_left, std::size_t values_left) {
  if (keys_left >= 8 || values_left >= 8)
    throw_decode(no_rank, "load", fmt::format("{} bytes are left behind the last element", keys_left + values_left));
}

memory_image::memory_image(const team& members, const char* operation, bool raw, const image_numbers& numbers,
                           std::span<const packed_records> mine, failure why)
    : image_reader(members), operation_(operation), why_(std::move(why)) {
  raw_ = raw;
  numbers_ = numbers;
  std::vector<entry> own;
  std::vector<const std::byte*> at;
  if (!why_.happened()) try {
      for (const packed_records& each : mine) find_pieces(each, own, at);
    } catch (const passing&) { throw; } catch (...) {
      why_.note();
    }
  if (why_.happened()) own.clear(), at.clear();
  std::vector<entry> all = members_.all_gather_v(own);
  std::ranges::stable_sort(all, {}, &entry::order);
  std::ranges::stable_sort(own, {}, &entry::order);
  for (std::size_t k = 0, mine_so_far = 0; k < all.size(); ++k) {
    const entry& e = all[k];
    pieces_.push_back({0, e.bytes, e.elements, 0});
    from_.push_back(e.from);
    at_.push_back(e.from == members_.rank() ? at[own[mine_so_far++].number] : nullptr);
  }
  count_pieces();
}

/// Each piece stands behind its length in words and the number of its records.
void memory_image::find_pieces(const packed_records& from, std::vector<entry>& own, std::vector<const std::byte*>& at) const {
  each_packed_piece(from.at, from.bytes, [&](const std::byte* piece, std::uint64_t bytes, std::uint64_t elements) {
    own.push_back({std::uint64_t(from.order), bytes, elements, std::uint64_t(at.size()), members_.rank()});
    at.push_back(piece);
  });
}

void memory_image::deal(const std::vector<std::uint64_t>& borders) {
  const auto members = std::size_t(members_.size());
  std::vector<std::vector<std::uint64_t>> leaving(members);
  try {
    for (std::size_t k = 0; k < pieces_.size(); ++k)
      for (std::size_t m = 0; m < members && is_own(k); ++m) {
        if (!overlaps(k, borders[m], borders[m + 1])) continue;
        const auto* const words = reinterpret_cast<const std::uint64_t*>(at_[k]);
        leaving[m].insert(leaving[m].end(), words, words + pieces_[k].bytes / 8);
      }
  } catch (const passing&) { throw; } catch (...) {
    why_.note();
  }
  received_ = exchange_agreed(members_, operation_, leaving, why_);
  std::vector<std::size_t> begin(members, 0);
  const auto me = std::size_t(members_.rank());
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    if (!overlaps(k, borders[me], borders[me + 1])) continue;
    const auto from = std::size_t(from_[k]);
    at_[k] = reinterpret_cast<const std::byte*>(received_[from].data() + begin[from]);
    begin[from] += std::size_t(pieces_[k].bytes / 8);
  }
}

bool memory_image::open_piece(std::size_t k, column_rest& keys, column_rest& values) {
  if (!wrong_.empty() || why_.happened()) return false;
  if (!split_piece(at_[k], std::size_t(pieces_[k].bytes), keys, values)) note("a piece has no columns");
  return wrong_.empty();
}

void memory_image::agree() {
  if (!wrong_.empty()) try {
      throw_usage(operation_, wrong_);
    } catch (const passing&) { throw; } catch (...) {
      why_.note();
    }
  detail::agree(members_, operation_, why_);
}

}  // namespace armilla::detail
