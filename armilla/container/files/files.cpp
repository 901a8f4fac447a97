// SPDX-License-Identifier: Apache-2.0
#include "armilla/files.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/files/file_format.hpp"
#include "armilla/container/image/new_file.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/error.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t page = 4096, slack = 64 * 1024;
constexpr std::size_t looked_at = 64;  // bytes that show what a file is

team or_all(const team& members) { return members ? members : world(); }

/// What a member knows of the file.
struct sight {
  std::uint64_t size = 0;
  std::uint32_t wrong = 0;
  compression packed = compression::none;
};

/// As `read_at`, for what a progress line counts.
std::string read_counted(int file, std::uint64_t from, std::size_t n, char* to) {
  for (std::size_t done = 0, some = 0; done != n; done += some) {
    some = std::min(n - done, moved_at_once);
    if (std::string wrong = read_at(file, from + done, some, to + done); !wrong.empty()) return wrong;
    count_work(some);
  }
  return {};
}
constexpr std::array<bool, 256> spaces = [] {
  std::array<bool, 256> all{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) all[std::uint8_t(c)] = true;
  return all;
}();
bool is_space(char c) noexcept { return spaces[std::uint8_t(c)]; }

const char* find_byte(const char* at, const char* end, char c) noexcept {
  const void* const found = at == end ? nullptr : std::memchr(at, c, std::size_t(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

/// The first place of [at, end) after which the file may be cut, or `end`.
const char* find_cut(const char* at, const char* end, const file_use& use, record_state& state) noexcept {
  if (use.where == cut_at::line) return find_byte(at, end, '\n');
  if (use.where == cut_at::word) return std::find_if(at, end, is_space);
  for (; at != end; ++at)
    if (state = next_state(state, *at, use.csv); *at == '\n' && state == record_state::begin) return at;
  return end;
}

record_states then_states(const record_states& first, const record_states& then) noexcept {
  record_states all;
  for (record_state& s : all.after) s = then[first[s]];
  return all;
}

}  // namespace

struct file_part::opened {
  descriptor file;
  std::uint64_t share_begin = 0, share_end = 0;
};

file_part::file_part(const std::string& path, const file_use& use) : path_(path), use_(use) {
  const named_algorithm name(use.operation);
  use_.members = or_all(use.members);
  const regular_file found = open_regular(path);
  opened how{descriptor(found.file)};
  const bool bytes = use.where == cut_at::bytes;
  const compression mine = bytes || !found.wrong.empty() ? compression::none : compression_of(found.file);
  const std::vector<sight> all = members().all_gather(sight{found.bytes, found.wrong.empty() ? 0U : 1U, mine});
  if (std::ranges::any_of(all, [](const sight& s) { return s.wrong != 0; }))
    agree_on_file(members(), use.operation, "read", path, found.wrong);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size != all[0].size)
      throw_usage(use.operation,
                  fmt::format("'{}' has {} bytes on rank {} and {} on rank {}; all must read one file, which "
                              "nothing writes to",
                              path, all[0].size, members().world_rank(0), all[i].size, members().world_rank(rank_t(i))));
  file_size_ = found.bytes;
  if (file_size_ % use.unit != 0)
    throw_usage(use.operation, fmt::format("'{}' has {} bytes, which is not a whole number of elements of {} bytes; is it a file "
                                           "of this type?",
                                           path, file_size_, use.unit));
  const auto rank = std::uint64_t(members().rank()), ranks = std::uint64_t(members().size());
  const std::uint64_t units = file_size_ / use.unit;
  how.share_begin = (units / ranks * rank + std::min(rank, units % ranks)) * use.unit;
  how.share_end = (units / ranks * (rank + 1) + std::min(rank + 1, units % ranks)) * use.unit;
  expect_work(how.share_end - how.share_begin, "bytes");
  packed_ = all[0].packed != compression::none;
  if (is_first() && !packed_) {
    char first[looked_at];
    const ssize_t got = ::pread(how.file.get(), first, sizeof first, 0);
    note(text_of_other_format({first, got > 0 ? std::size_t(got) : 0}, use));
  }
  if (packed_)
    unpack_share(how, all[0].packed);
  else
    read_share(how);
  if (is_first() && packed_ && wrong_.empty())
    note(text_of_other_format({begin(), std::min(looked_at, std::size_t(end() - begin()))}, use));
  if (is_first()) skip_mark();
  check_text();
  if (std::string wrong = text_of_change(found); !wrong.empty()) wrong_ = std::move(wrong);
  agree_on_file(members(), use.operation, "read", path, wrong_);
}

file_part::pages::~pages() {
  if (at != nullptr && !lent) ::munmap(at, bytes);
}

std::size_t room_for_part(std::uint64_t file_size, rank_t ranks) noexcept {
  return std::size_t(file_size / std::uint64_t(ranks)) + 2 +
         slack;  // a byte more where it is not divided evenly, and the one before
}

void file_part::note(std::string_view wrong) {
  if (wrong_.empty()) wrong_ = wrong;
}

// The byte before the share tells whether an item begins with it.
void file_part::read_share(const opened& file) {
  const bool whole = use_.where == cut_at::bytes;
  read_from_ = whole || file.share_begin == 0 ? file.share_begin : file.share_begin - 1;
  const std::size_t need = std::size_t(file.share_end - read_from_), room = need + (whole ? 0 : slack);
  if (use_.room.size() >= room) memory_.at = use_.room.data(), memory_.bytes = use_.room.size(), memory_.lent = true;
  if (wrong_.empty() && reserve(memory_, room)) {
    if (use_.where == cut_at::record && use_.csv.comment == 0)
      read_and_count(file, need);
    else
      note(read_counted(file.file.get(), read_from_, need, memory_.at));
  }
  size_ = wrong_.empty() ? need : 0;
  const share_states states = use_.where == cut_at::record ? states_of_share(file) : share_states();
  if (whole)
    end_ = size_;
  else if (size_ != 0 && file.share_begin != file.share_end)
    cut(file, states);
}

/// Quotes are counted in pieces that are still in the cache.
void file_part::read_and_count(const opened& file, std::size_t need) {
  constexpr std::size_t piece = 256 * 1024;
  std::uint64_t quotes = 0;
  for (std::size_t at = 0; at < need && wrong_.empty(); at += piece) {
    char* const to = memory_.at + at;
    const std::size_t n = std::min(piece, need - at);
    note(read_counted(file.file.get(), read_from_ + at, n, to));
    quotes += std::uint64_t(std::count(to, to + n, use_.csv.quote));
  }
  if (read_from_ != file.share_begin && need != 0 && memory_.at[0] == use_.csv.quote) --quotes;
  quotes_ = quotes;
  counted_ = need;
}

/// Where the share begins, and where it ends: inside quotes, in a comment, with a record.
file_part::share_states file_part::states_of_share(const opened& file) const {
  const char* const mine = memory_.at + (size_ == 0 ? 0 : file.share_begin - read_from_);
  const bool empty = mine == memory_.at + size_;
  const record_states here = empty     ? record_states()
                             : quotes_ ? states_after(*quotes_, memory_.at[size_ - 1])
                                       : states_after({mine, memory_.at + size_}, use_.csv);
  const record_state before = members().exclusive_scan(here, record_states(), then_states)[record_state::begin];
  return {before, here[before]};
}

/// An item begins after a boundary, and belongs to the share in which it begins. So both ends of the part are after the first
/// boundary at or after the byte before a share; a share in which nothing begins has no part.
void file_part::cut(const opened& file, share_states states) {
  const std::size_t last = std::size_t(file.share_end - read_from_) - 1;  // the byte before the next share
  const bool records = use_.where == cut_at::record;
  if (read_from_ != file.share_begin && records && states.before == record_state::begin) {
    begin_ = 1;
  } else if (read_from_ != file.share_begin) {
    const char* const memory = memory_.at;
    const char* const found = find_cut(memory + (records ? 1 : 0), memory + last, use_, states.before);
    if (found == memory + last) return;  // nothing begins here
    begin_ = std::size_t(found - memory) + 1;
  }
  end_ = records ? last + 1 : last;
  if (records && states.after == record_state::begin && memory_.at[last] == '\n') return;
  do {
    const char* const found = find_cut(memory_.at + end_, memory_.at + size_, use_, states.after);
    end_ = std::size_t(found - memory_.at);
    if (end_ != size_) {
      ++end_;
      return;
    }
  } while (read_more(file));
}

/// As much again as it has read behind its share. False: the file ends here.
bool file_part::read_more(const opened& file) {
  const std::uint64_t at = read_from_ + size_;
  const std::size_t n =
      std::size_t(std::min<std::uint64_t>(file_size_ - at, std::max<std::uint64_t>(slack, at - file.share_end)));
  if (n == 0 || !wrong_.empty() || !reserve(memory_, size_ + n)) return false;
  note(read_counted(file.file.get(), at, n, memory_.at + size_));
  if (wrong_.empty()) size_ += n;
  return wrong_.empty();
}

/// Pages of the kernel, large ones where it has them: each is touched once, and to be given one costs more than to read it.
/// False: there is no memory.
bool file_part::reserve(pages& memory, std::size_t bytes) {
  if (bytes <= memory.bytes) return true;
  const std::size_t larger = (bytes + page - 1) / page * page;
  const bool moves = memory.at != nullptr && !memory.lent;
  void* const fresh = moves ? ::mremap(memory.at, memory.bytes, larger, MREMAP_MAYMOVE)
                            : ::mmap(nullptr, larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) {
    note(fmt::format("no memory for {} bytes of it; use more ranks, or a smaller file", larger));
    return false;
  }
  ::madvise(fresh, larger, MADV_HUGEPAGE);
  if (memory.lent) std::memcpy(fresh, memory.at, memory.bytes);
  memory.at = static_cast<char*>(fresh);
  memory.bytes = larger;
  memory.lent = false;
  return true;
}

void file_part::append(pages& to, std::size_t& size, std::string_view bytes) {
  if (bytes.empty() || !wrong_.empty()) return;
  if (size + bytes.size() > to.bytes && !reserve(to, std::max(size + bytes.size() + slack, size / 2 * 3))) return;
  std::memcpy(to.at + size, bytes.data(), bytes.size());
  size += bytes.size();
}

/// Each rank unpacks the frames that begin in its share of the compressed file. What comes of another's share goes to that rank:
/// a file of one frame is unpacked by one rank, and all get their shares while it is.
void file_part::unpack_share(const opened& file, compression kind) {
  constexpr std::size_t round = std::size_t(16) << 20;  // that a rank sends at once
  const auto ranks = std::size_t(members().size()), rank = std::size_t(members().rank());
  const std::uint64_t step = std::max<std::uint64_t>(1, (file_size_ + ranks - 1) / ranks);
  std::vector<std::uint64_t> starts(ranks);
  if (is_first()) starts = frame_starts(file.file.get(), file_size_, kind, step, ranks);
  starts = members().broadcast(starts, 0);
  packed_reader in(file.file.get(), kind, starts[rank], rank + 1 < ranks ? starts[rank + 1] : file_size_);
  pages own;
  std::size_t own_size = 0;
  for (bool all_done = false; !all_done;) {
    std::vector<std::vector<char>> leaving(ranks);
    for (std::size_t left = round; !in.done() && wrong_.empty() && left > 0;) {
      std::string wrong;
      const std::uint64_t before = in.position();
      const std::string_view text = in.next(wrong);
      count_work(in.position() - before);
      note(wrong);
      // what is held back at the end of a file that is cut off comes from behind its last byte
      const auto owner = std::min(std::size_t(in.position() / step), ranks - 1);
      if (owner == rank) {
        append(own, own_size, text);
      } else if (!text.empty()) {
        leaving[owner].insert(leaving[owner].end(), text.begin(), text.end());
        left -= std::min(left, text.size());
      }
    }
    // The frame that others have begun comes before those that begin here; only one rank has it.
    for (const std::vector<char>& part : members().all_to_all_v(leaving)) append(memory_, size_, {part.data(), part.size()});
    all_done = members().all_reduce(in.done() || !wrong_.empty(), std::logical_and<>{});
  }
  if (size_ == 0)
    std::swap(memory_.at, own.at), std::swap(memory_.bytes, own.bytes), size_ = own_size;
  else
    append(memory_, size_, {own.at, own_size});

  struct edge_of_share {
    std::uint64_t size = 0;
    char last = 0;
  };
  const auto edges = members().all_gather(edge_of_share{size_, size_ == 0 ? '\0' : memory_.at[size_ - 1]});
  file_size_ = read_from_ = 0;
  char before = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r < rank && edges[r].size != 0) before = edges[r].last;
    if (r < rank) read_from_ += edges[r].size;
    file_size_ += edges[r].size;
  }
  record_state state = record_state::begin;
  if (use_.where == cut_at::record) {
    const record_states here = size_ == 0 ? record_states() : states_after({memory_.at, size_}, use_.csv);
    state = members().exclusive_scan(here, record_states(), then_states)[record_state::begin];
  }
  give_heads(rank == 0 ? 0 : head_of_share(before, state));
  if (is_first() && wrong_.empty())
    note(text_of_other_format({begin(), std::min<std::size_t>(64, std::size_t(end() - begin()))}, use_));
  lines_before_ = members().exclusive_scan(std::uint64_t(std::count(begin(), end(), '\n')), std::uint64_t(0), std::plus<>{});
}

/// How many bytes of this share are of an item that begins before it.
std::size_t file_part::head_of_share(char before, record_state state) const {
  const bool begins = read_from_ != 0 && (use_.where == cut_at::record ? state == record_state::begin
                                          : use_.where == cut_at::line ? before == '\n'
                                                                       : is_space(before));
  if (begins || size_ == 0) return 0;
  const char* const last = memory_.at + size_;
  const char* const found = find_cut(memory_.at, last, use_, state);
  return std::size_t(std::min(found + 1, static_cast<const char*>(last)) - memory_.at);
}

/// The head of each share goes to the rank that has the beginning of its item. The first rank has the first item, wherever the
/// text begins.
void file_part::give_heads(std::size_t head) {
  const auto ranks = std::size_t(members().size()), rank = std::size_t(members().rank());
  const auto whole = members().all_gather(std::uint8_t(head == size_ && rank != 0));
  std::vector<std::vector<char>> leaving(ranks);
  std::size_t owner = rank;
  while (owner > 0 && (owner == rank || whole[owner] != 0)) --owner;
  if (head != 0) leaving[owner].assign(memory_.at, memory_.at + head);
  for (const std::vector<char>& part : members().all_to_all_v(leaving)) append(memory_, size_, {part.data(), part.size()});
  begin_ = head;
  end_ = size_;
}

/// A byte order mark of UTF-8 is no part of the text.
void file_part::skip_mark() {
  if (use_.where != cut_at::bytes && std::string_view(begin(), end()).starts_with("\xEF\xBB\xBF")) begin_ += 3;
}

/// What cannot be read line by line, because a line does not end where it seems to.
void file_part::check_text() {
  if (!wrong_.empty()) return;
  const bool lines = use_.content == file_content::table || use_.content == file_content::market;
  if (lines && is_first() && size_ == file_size_ && find_byte(begin(), end(), '\n') == end()) {
    const char* const carriage = find_byte(begin(), end(), '\r');
    if (carriage != end() && carriage + 1 != end())
      note("its lines end in carriage returns alone; convert them with: tr '\\r' '\\n'");
  }
  if (wrong_.empty() && use_.where == cut_at::record) check_records();
}

/// With a stray quote no member knows where records end. So all learn of it before one of them parses the wrong text.
void file_part::check_records() {
  const char* const last = memory_.at + size_;
  if (quotes_ == 0 && find_byte(memory_.at + counted_, last, use_.csv.quote) == last) return;
  if (find_stray_quote(begin(), end(), use_.csv) == end()) return;
  record_parser records(use_.csv);
  for (const char* at = begin(); at != end() && wrong_.empty();) {
    const char* const from = at;
    const std::string_view wrong = records.next(at, end());
    const bool one_line = find_byte(from, at, '\n') + 1 >= at;
    if (!wrong.empty() && !(use_.skip_bad && one_line))
      note(fmt::format("line {}, field {}: {}", line_of(from), records.fields().size() + 1, wrong));
  }
}

/// Lines before this part: the file is read once more, since nothing else comes of it.
std::uint64_t file_part::line_of(const char* at) const {
  std::uint64_t line = 1 + lines_before_ + std::uint64_t(std::count(begin(), at, '\n'));
  if (packed_) return line;
  const descriptor file(open_regular(path_).file);
  std::vector<char> some(std::size_t(1) << 20);
  for (std::uint64_t from = 0; from < offset();) {
    const std::size_t n = std::size_t(std::min<std::uint64_t>(some.size(), offset() - from));
    if (file.get() < 0 || !read_at(file.get(), from, n, some.data()).empty()) break;
    line += std::uint64_t(std::count(some.begin(), some.begin() + std::ptrdiff_t(n), '\n'));
    from += n;
  }
  return line;
}

void file_part::complain(const char* at, std::string_view what, const char* advice) {
  if (use_.skip_bad) return void(++skipped_);
  if (advice == nullptr) advice = "correct the line, or set the option skip_bad to skip such lines";
  throw_usage(use_.operation, fmt::format("'{}', line {}: {}{}{}", path_, line_of(at), what, *advice != 0 ? "; " : "", advice));
}

void refuse_skip_bad(const char* operation, bool skip_bad, const char* why) {
  if (skip_bad) throw_usage(operation, fmt::format("skip_bad is set, but {}; leave the option out", why));
}

std::string_view next_line(const char*& at, const char* end) noexcept {
  const void* const found = at == end ? nullptr : std::memchr(at, '\n', std::size_t(end - at));
  const char* const stop = found != nullptr ? static_cast<const char*>(found) : end;
  std::string_view line(at, std::size_t(stop - at));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  at = stop == end ? end : stop + 1;
  return line;
}

void word_lines::append(std::string& all, std::string_view word) {
  constexpr std::size_t width = 80;
  if (word.empty() || std::ranges::any_of(word, is_space))
    throw std::invalid_argument(
        fmt::format("'{}' is not one word: it is empty or holds white space; write_lines takes any text", word));
  if (column_ != 0) all.back() = column_ + word.size() >= width ? '\n' : ' ';
  column_ = column_ != 0 && all.back() == ' ' ? column_ + 1 + word.size() : word.size();
  all.append(word) += '\n';
}

std::string_view next_word(const char*& at, const char* end) noexcept {
  const char* from = at;
  while (from != end && is_space(*from)) ++from;
  const char* to = from;
  while (to != end && !is_space(*to)) ++to;
  at = to;
  return {from, std::size_t(to - from)};
}

std::string text_of_no_edge(std::string_view line, bool weighted) {
  const char *at = line.data(), *const end = at + line.size();
  std::uint64_t vertex = 0;
  const bool two_numbers = parse_field(next_word(at, end), vertex) && parse_field(next_word(at, end), vertex);
  const char* why = weighted ? "an edge is two numbers of vertices and a weight" : "an edge is two numbers of vertices";
  if (line.find('\r') != line.npos)
    why = "it contains a carriage return that is not part of the end of a line";
  else if (two_numbers && weighted && !next_word(at, end).empty())
    why = "its weight does not fit the type of weights";
  else if (two_numbers)
    why = "it has no weight; read_edges without a type reads edges without weights";
  else if (line.find_first_of(",;") != line.npos)
    why = "it is a record; read_graph reads such lists, and read_csv<std::uint64_t, std::uint64_t> the numbers";
  else if (line.find_first_not_of("0123456789.+-eE \t") != line.npos)
    why =
        "an edge is two numbers of vertices; read_graph reads names of vertices, DIMACS files and other formats, and "
        "read_csv<std::string, std::string> with file_options{.separator = ' '} pairs of names";
  return fmt::format("'{}' is not an edge: {}", line.substr(0, 60), why);
}

void write_parts(const char* operation, const std::string& path, const team& given, std::string_view bytes, bool text) {
  const team members = or_all(given);
  const named_algorithm name(operation);
  std::string packed, wrong;
  if (const compression kind = text ? compression_of_name(path) : compression::none; kind != compression::none) {
    bytes = packed = packed_text(kind, bytes, members.rank() == 0, members.rank() + 1 == members.size(), wrong);
    agree_on_file(members, operation, "write", path, wrong);
  }
  const std::size_t size = bytes.size();
  expect_work(size, "bytes");
  const std::vector<std::uint64_t> sizes = members.all_gather(std::uint64_t(size));
  const auto mine = sizes.begin() + members.rank();
  new_file file(members, operation, "write", path, false);
  file.open(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t(0)));
  if (file.usable()) {
    const std::uint64_t before = std::accumulate(sizes.begin(), mine, std::uint64_t(0));
    if (const int error = write_all(file.number(), reinterpret_cast<const std::byte*>(bytes.data()), size, before); error != 0)
      file.note(text_of_errno(error));
  }
  file.end_data();
  file.publish({});
}

bool is_first(const team& members) { return or_all(members).rank() == 0; }

void append_line(std::string& all, std::string_view text) {
  if (text.find('\n') != text.npos)
    throw std::invalid_argument(
        fmt::format("'{}' holds the end of a line, so it would be read as several; write_csv quotes such texts",
                    escaped(text.substr(0, 60))));
  all.append(text) += '\n';
}

void write_texts(const char* operation, const std::string& path, const team& given, const std::string& texts, failure& why) {
  agree(or_all(given), operation, why);
  write_parts(operation, path, given, texts, true);
}

}  // namespace armilla::detail
