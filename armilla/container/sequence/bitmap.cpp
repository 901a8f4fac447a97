// SPDX-License-Identifier: Apache-2.0
#include "armilla/bitmap.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armilla/collectives.hpp"
#include "armilla/container/image/save.hpp"

namespace armilla {
std::size_t bitmap::count() const {
  std::size_t mine = 0;
  for (const std::uint64_t word : local()) mine += std::size_t(std::popcount(word));
  return members().all_reduce(mine, std::plus<>{});
}

void bitmap::clear() {
  const detail::named_algorithm name("clear");
  detail::meet(members());  // what members have done before
  for (std::uint64_t& word : words_.local()) word = 0;
  detail::meet(members());
}

bitmap bitmap::clone(const made_at& at) const {
  bitmap copy(size(), members(), at);
  copy.or_with(*this);
  return copy;
}

namespace {

constexpr detail::saved_type image_of_bits{detail::saved_kind::bitmap, sizeof(std::uint64_t), "uint64"};

constexpr std::uint64_t words_of(std::uint64_t bits) noexcept { return bits / 64 + (bits % 64 != 0 ? 1 : 0); }

}  // namespace

void bitmap::save(const std::string& path) const {
  if (!members()) detail::throw_moved_from();
  const detail::object_operation name("save", this);
  members().fence();
  detail::saved_grid bits;
  bits.extents[0] = bits_;
  detail::save_raw(members(), path, image_of_bits, bits, local().data(), local().size());
}

void bitmap::load(const std::string& path) {
  const detail::object_operation name("load", this);
  const team t = members() ? members() : world();
  t.fence();
  detail::saved_file file(t, path, image_of_bits);
  const std::uint64_t bits = file.numbers()[0];
  if (file.elements() != words_of(bits))
    file.note(fmt::format("it has {} words for {} bits; the file is damaged: load another one", file.elements(), bits));
  file.agree();
  array<std::uint64_t> words(std::size_t(file.elements()), on(t));
  const std::span<std::uint64_t> mine = words.local();
  const std::size_t first = mine.empty() ? 0 : words.index_of_local(0);
  file.read(first, mine.size(), mine.data());
  if (bits % 64 != 0 && first + mine.size() == words.size() && !mine.empty() && mine.back() >> bits % 64 != 0)
    file.note("bits beyond its end are set; the file is damaged: load another one");
  file.agree();
  if (bits == bits_)
    swap(words_, words);  // and what is kept of them
  else
    words_ = std::move(words);
  mapped_ = detail::mapped_blocks<std::uint64_t>(words_);
  bits_ = std::size_t(bits);
  if (!named()) be_named(t);
  detail::meet(t);
}

recovered<bitmap> bitmap::recover(const team& t) {
  recovered<array<std::uint64_t>> back = words_.recover(t);
  for (auto& [begin, end] : back.gone) begin *= 64, end = std::min(end * 64, bits_);
  bitmap made(bits_, std::move(back.container));
  detail::call_as(&made, this);
  return {std::move(made), back.mark, std::move(back.gone)};
}

void bitmap::require_alike(const bitmap& other, const char* operation) const {
  detail::require_same_members(members(), other.members());
  if (size() != other.size())
    detail::throw_usage(operation,
                        detail::about(this) + fmt::format("bitmaps of {} and {} bits; make them alike", size(), other.size()));
}

}  // namespace armilla
