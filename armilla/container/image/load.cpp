// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/image/checksum.hpp"
#include "armilla/container/image/save.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {
namespace {

/// Its number, and its size; or what is wrong.
std::string open_saved(const std::string& path, int& file, std::uint64_t& bytes) {
  regular_file found = open_regular(path);
  file = found.file, bytes = found.bytes;
  return std::move(found.wrong);
}

std::string parse(std::span<const std::byte> bytes, std::uint64_t file_bytes, saved_contents& all, const saved_type& wanted) {
  std::string wrong = judge_header(bytes, file_bytes, all.header);
  if (wrong.empty()) wrong = judge_contents(bytes, all);
  return wrong.empty() ? judge_type(all, wanted) : wrong;
}

}  // namespace

saved_file::saved_file(const team& members, const std::string& path, const saved_type& wanted)
    : image_reader(members), path_(path) {
  std::vector<std::byte> bytes;
  if (members.rank() == 0) wrong_ = open_contents(bytes, wanted);
  try {
    agree();
    bytes = members.broadcast(bytes, 0);
    if (members.rank() != 0) {
      std::uint64_t size = 0;
      wrong_ = open_saved(path, file_, size);
      saved_header header;
      if (wrong_.empty()) std::memcpy(&header, bytes.data(), sizeof header);
      if (wrong_.empty() && size != header.file_bytes)
        wrong_ = fmt::format("it has {} bytes here, and {} on rank {}; all members must read one file", size, header.file_bytes,
                             members.world_rank(0));
      if (wrong_.empty()) wrong_ = parse(bytes, size, contents_, wanted);
    }
    agree();
  } catch (...) {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    throw;
  }
  pieces_ = std::move(contents_.pieces);
  raw_ = contents_.header.element_bytes != 0;
  numbers_ = contents_.header.grid.extents;
  count_pieces();
  for (std::size_t k = share_begin(members.rank()); k < share_begin(members.rank() + 1); ++k)
    expect_work(pieces_[k].bytes, "bytes");
}

saved_file::~saved_file() {
  if (file_ >= 0) ::close(file_);
}

std::string saved_file::open_contents(std::vector<std::byte>& bytes, const saved_type& wanted) {
  std::uint64_t size = 0;
  std::string wrong = open_saved(path_, file_, size);
  if (!wrong.empty()) return wrong;
  bytes.resize(std::size_t(std::min<std::uint64_t>(size, sizeof(saved_header))));
  wrong = read_at(file_, 0, bytes.size(), bytes.data());
  if (wrong.empty()) wrong = judge_header(bytes, size, contents_.header);
  if (!wrong.empty()) return wrong;
  bytes.resize(std::size_t(contents_.header.data_begin));
  wrong = read_at(file_, 0, bytes.size(), bytes.data());
  return wrong.empty() ? parse(bytes, size, contents_, wanted) : wrong;
}

std::size_t saved_file::share_begin(rank_t member) const noexcept {
  return pieces_.size() * std::size_t(member) / std::size_t(members_.size());
}

bool saved_file::is_own(std::size_t k) const noexcept {
  return k >= share_begin(members_.rank()) && k < share_begin(members_.rank() + 1);
}

/// Pieces without an element have the number of the next one's first.
std::size_t saved_file::piece_of(std::uint64_t element) const noexcept {
  return std::size_t(std::ranges::upper_bound(firsts_, element) - firsts_.begin()) - 1;
}

bool saved_file::load_piece(std::size_t k, std::byte* to) {
  if (!wrong_.empty()) return false;
  const saved_piece& p = pieces_[k];
  note(read_at(file_, p.offset, p.bytes, to));
  count_work(p.bytes);
  if (wrong_.empty() && checksum_of(to, std::size_t(p.bytes)) != p.checksum)
    note(fmt::format("piece {} of {}, {} bytes from byte {} on, has changed since it was saved; load another file", k,
                     pieces_.size(), p.bytes, p.offset));
  return wrong_.empty();
}

const std::byte* saved_file::kept_piece(std::size_t k) {
  if (kept_number_ != k) {
    kept_number_ = ~std::size_t{0};
    kept_.resize(std::size_t(pieces_[k].bytes + 7) / 8);
    if (!load_piece(k, reinterpret_cast<std::byte*>(kept_.data()))) return nullptr;
    kept_number_ = k;
  }
  return reinterpret_cast<const std::byte*>(kept_.data());
}

void saved_file::read(std::uint64_t first, std::uint64_t n, void* to) {
  auto* out = static_cast<std::byte*>(to);
  const std::uint64_t bytes = contents_.header.element_bytes;
  while (n != 0 && wrong_.empty()) {
    const std::size_t k = piece_of(first);
    const saved_piece& p = pieces_[k];
    const std::uint64_t before = first - firsts_[k], now = std::min(n, p.elements - before);
    if (now == p.elements)
      load_piece(k, out);
    else if (const std::byte* const kept = kept_piece(k))
      std::memcpy(out, kept + before * bytes, std::size_t(now * bytes));
    out += now * bytes, first += now, n -= now;
  }
}

bool saved_file::open_piece(std::size_t k, column_rest& keys, column_rest& values) {
  if (!wrong_.empty()) return false;
  const std::byte* const bytes = kept_piece(k);
  if (bytes == nullptr) return false;
  const auto n = std::size_t(pieces_[k].bytes);
  if (raw_)
    keys = column_rest(bytes, n);
  else if (!split_piece(bytes, n, keys, values))
    note(fmt::format("piece {} of {} has no columns; the file is damaged: load another one", k, pieces_.size()));
  return wrong_.empty();
}

void throw_no_order() {
  throw_usage("load", "the keys are not in this container's order; load them into one whose Less is that of the saved one");
}

void saved_file::agree() { agree_on_file(members_, "load", "load", path_, wrong_); }

}  // namespace armilla::detail
