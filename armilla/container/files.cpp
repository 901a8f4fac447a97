// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/error.hpp"
#include "armilla/boot/descriptor.hpp"
#include "armilla/container/failure_agreement.hpp"
#include "armilla/team/collectives.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t page = 4096, slack = 64 * 1024;
constexpr int changed = -1;  // beside the numbers of errno

team or_all(const team& members) { return members ? members : world(); }

int open_at(const std::string& path, int flags) { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); }

/// What a member knows of the file.
struct sight {
  std::int64_t error = 0;
  std::uint64_t size = 0;
  std::int64_t changed_s = 0, changed_ns = 0;
};

sight look_at(int descriptor) {
  struct stat s{};
  if (descriptor < 0 || ::fstat(descriptor, &s) != 0) return {errno};
  if (S_ISDIR(s.st_mode)) return {EISDIR};
  return {0, std::uint64_t(s.st_size), s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

[[noreturn]] void fail(const char* operation, const std::string& path, const char* verb, rank_t where, std::int64_t error) {
  const std::string what = error == changed ? "it changed while it was read" : std::strerror(int(error));
  throw_usage(operation,
              std::string("cannot ") + verb + " '" + path + "' on rank " + std::to_string(where) + ": " + what +
                  (error == changed ? "; read it when nothing writes to it" : "; the path must be good on every rank"));
}

/// All members learn of an error of one, and of the path that it gave.
void agree_on(const char* operation, const std::string& path, const char* verb, const team& members, std::int64_t error) {
  const std::vector<std::int64_t> all = members.all_gather(error);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != 0) fail(operation, members.broadcast(path, rank_t(i)), verb, members.world_rank(rank_t(i)), all[i]);
}

/// 0, or an error's number. A file that ends before `n` bytes has changed.
int read_all(int descriptor, char* to, std::size_t n, std::uint64_t from) {
  while (n != 0) {
    const ssize_t got = ::pread(descriptor, to, std::min(n, std::size_t(1) << 30), off_t(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return changed;
    to += got, from += std::uint64_t(got), n -= std::size_t(got);
  }
  return 0;
}
int write_all(int descriptor, const char* from, std::size_t n, std::uint64_t to) {
  while (n != 0) {
    const ssize_t put = ::pwrite(descriptor, from, std::min(n, std::size_t(1) << 30), off_t(to));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    from += put, to += std::uint64_t(put), n -= std::size_t(put);
  }
  return 0;
}

constexpr std::array<bool, 256> spaces = [] {
  std::array<bool, 256> all{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) all[std::uint8_t(c)] = true;
  return all;
}();
bool is_space(char c) noexcept { return spaces[std::uint8_t(c)]; }

/// The first place of [at, end) behind which the file may be cut, or `end`.
const char* find_cut(const char* at, const char* end, cut_at where, char& quoted) noexcept {
  if (where == cut_at::line) {
    const void* const found = at == end ? nullptr : std::memchr(at, '\n', std::size_t(end - at));
    return found != nullptr ? static_cast<const char*>(found) : end;
  }
  if (where == cut_at::word) return std::find_if(at, end, is_space);
  for (; at != end; ++at) {
    if (*at == '"') quoted ^= 1;
    if (*at == '\n' && quoted == 0) return at;
  }
  return end;
}

}  // namespace

struct file_part::opened {
  descriptor file;
  team members;
  std::uint64_t share_begin = 0, share_end = 0;
};

file_part::file_part(const char* operation, const std::string& path, const team& given, cut_at where, std::size_t unit)
    : operation_(operation), path_(path), members_(or_all(given)) {
  opened how{descriptor(open_at(path, O_RDONLY)), members_};
  const sight before = look_at(how.file.get());
  const std::vector<sight> all = how.members.all_gather(before);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].error != 0)
      fail(operation, how.members.broadcast(path, rank_t(i)), "read", how.members.world_rank(rank_t(i)), all[i].error);
    if (all[i].size != all[0].size)
      throw_usage(operation, "'" + path + "' has " + std::to_string(all[0].size) + " bytes on rank " +
                                 std::to_string(how.members.world_rank(0)) + " and " + std::to_string(all[i].size) + " on rank " +
                                 std::to_string(how.members.world_rank(rank_t(i))) +
                                 "; all must read one file, which nothing writes to");
  }
  file_size_ = before.size;
  if (file_size_ % unit != 0)
    throw_usage(operation, "'" + path + "' has " + std::to_string(file_size_) +
                               " bytes, which is no whole number of elements of " + std::to_string(unit) +
                               " bytes; is it a file of this type?");
  const auto rank = std::uint64_t(how.members.rank()), ranks = std::uint64_t(how.members.size());
  const std::uint64_t units = file_size_ / unit;
  how.share_begin = (units / ranks * rank + std::min(rank, units % ranks)) * unit;
  how.share_end = (units / ranks * (rank + 1) + std::min(rank + 1, units % ranks)) * unit;
  read_share(how, where);
  const sight after = look_at(how.file.get());
  if (error_ == 0 && (after.size != before.size || after.changed_s != before.changed_s || after.changed_ns != before.changed_ns))
    error_ = after.error != 0 ? int(after.error) : changed;
  agree_on(operation, path, "read", how.members, error_);
}

file_part::~file_part() {
  if (memory_ != nullptr) ::munmap(memory_, capacity_);
}

// The byte before the share tells whether an item begins with it.
void file_part::read_share(const opened& file, cut_at where) {
  const bool whole = where == cut_at::bytes;
  read_from_ = whole || file.share_begin == 0 ? file.share_begin : file.share_begin - 1;
  const std::size_t need = std::size_t(file.share_end - read_from_);
  reserve(need + (whole ? 0 : slack));
  error_ = read_all(file.file.get(), memory_, need, read_from_);
  size_ = error_ == 0 ? need : 0;
  char quoted = 0;
  if (where == cut_at::record) quoted = quotes_before(file);
  if (whole)
    end_ = size_;
  else if (size_ != 0 && file.share_begin != file.share_end)
    cut(file, where, quoted);
}

/// Whether the share begins inside quotes.
char file_part::quotes_before(const opened& file) const {
  const char* const mine = memory_ + (size_ == 0 ? 0 : file.share_begin - read_from_);
  const auto quotes = std::uint64_t(std::count(mine, static_cast<const char*>(memory_) + size_, '"'));
  return char(file.members.exclusive_scan(quotes, std::uint64_t(0), std::plus<>{}) & 1);
}

/// An item begins behind a boundary, and belongs to the share in which it begins. So both borders of the part lie behind the
/// first boundary at or behind the byte before a share; what begins in no share is none.
void file_part::cut(const opened& file, cut_at where, char quoted) {
  const std::size_t last = std::size_t(file.share_end - read_from_) - 1;  // the byte before the next share
  if (read_from_ != file.share_begin) {
    const char* const from = memory_ + (where == cut_at::record && *memory_ == '"' ? 1 : 0);  // `quoted` counts that byte already
    const char* const found = find_cut(from, memory_ + last, where, quoted);
    if (found == memory_ + last) return;  // nothing begins here
    begin_ = std::size_t(found - memory_) + 1;
  }
  std::size_t at = where == cut_at::record ? begin_ : last;
  for (;;) {
    at = std::size_t(find_cut(memory_ + at, memory_ + size_, where, quoted) - memory_);
    if (at == size_) {
      if (!read_more(file)) break;
    } else if (at++ >= last) {
      break;
    }
  }
  end_ = at;
}

/// False: the file ends here.
bool file_part::read_more(const opened& file) {
  const std::uint64_t at = read_from_ + size_;
  const std::size_t n = std::size_t(std::min<std::uint64_t>(file_size_ - at, std::max(slack, size_ / 4)));
  if (n == 0 || error_ != 0) return false;
  reserve(size_ + n);
  error_ = read_all(file.file.get(), memory_ + size_, n, at);
  if (error_ == 0) size_ += n;
  return error_ == 0;
}

/// Pages of the kernel, large ones where it has them: each is touched once, and to be given one costs more than to read it.
void file_part::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  const std::size_t larger = (bytes + page - 1) / page * page;
  void* const fresh = ::mmap(nullptr, larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED)
    throw_limit(operation_,
                "no memory for " + std::to_string(larger) + " bytes of '" + path_ + "'; use more ranks, or a smaller file");
  ::madvise(fresh, larger, MADV_HUGEPAGE);
  if (memory_ != nullptr) {
    std::memcpy(fresh, memory_, size_);
    ::munmap(memory_, capacity_);
  }
  memory_ = static_cast<char*>(fresh);
  capacity_ = larger;
}

void file_part::complain(const char* at, const std::string& what) {
  if (skip_bad_) return void(++skipped_);
  // Lines before this part: the file is read once more, since nothing else comes of it.
  std::uint64_t line = 1 + std::uint64_t(std::count(begin(), at, '\n'));
  const descriptor file(open_at(path_, O_RDONLY));
  std::vector<char> some(std::size_t(1) << 20);
  for (std::uint64_t from = 0; from < offset();) {
    const std::size_t n = std::size_t(std::min<std::uint64_t>(some.size(), offset() - from));
    if (file.get() < 0 || read_all(file.get(), some.data(), n, from) != 0) break;
    line += std::uint64_t(std::count(some.begin(), some.begin() + std::ptrdiff_t(n), '\n'));
    from += n;
  }
  throw_usage(operation_, "'" + path_ + "', line " + std::to_string(line) + ": " + what +
                              "; mend the file, or leave such lines out by file_options::skip_bad");
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

bool next_record(const char*& at, const char* end, char separator, std::vector<std::string_view>& fields,
                 std::vector<std::string>& room) {
  fields.clear();
  room.clear();
  std::vector<std::pair<std::size_t, std::size_t>> rewritten;  // field, and its place in room
  bool whole = true;
  for (bool more = true; more;) {
    std::string_view field;
    if (at != end && *at == '"') {
      const char* const begin = ++at;
      bool doubled = false;
      while (at != end && (*at != '"' || (at + 1 != end && at[1] == '"'))) {
        if (*at == '"') ++at, doubled = true;
        ++at;
      }
      field = {begin, std::size_t(at - begin)};
      whole = at != end;
      if (whole) ++at;
      if (doubled) {
        std::string text;
        for (std::size_t i = 0; i < field.size(); ++i) {
          text += field[i];
          if (field[i] == '"') ++i;
        }
        rewritten.emplace_back(fields.size(), room.size());
        room.push_back(std::move(text));
      }
      while (at != end && *at != separator && *at != '\n') ++at;  // what stands behind a quote is no part of the field
    } else {
      const char* const begin = at;
      while (at != end && *at != separator && *at != '\n') ++at;
      field = {begin, std::size_t(at - begin)};
      if ((at == end || *at == '\n') && !field.empty() && field.back() == '\r') field.remove_suffix(1);
    }
    fields.push_back(field);
    more = at != end && *at == separator;
    if (at != end) ++at;
  }
  for (const auto& [field, place] : rewritten) fields[field] = room[place];
  return whole;
}

std::string text_of_bad_fields(std::size_t have, std::size_t wanted) {
  return std::to_string(have) + " fields where there should be " + std::to_string(wanted);
}
std::string text_of_bad_field(std::string_view field, std::size_t column) {
  return "'" + std::string(field) + "' in column " + std::to_string(column + 1) + " is no value of its type";
}

std::string text_of_no_edge(std::string_view line, bool weighted) {
  return "'" + std::string(line.substr(0, 60)) + "' is no edge: two numbers of vertices" + (weighted ? " and a weight" : "");
}

void write_parts(const char* operation, const std::string& path, const team& given, const char* bytes, std::size_t size) {
  const team members = or_all(given);
  const std::uint64_t behind =
      members.inclusive_scan(std::uint64_t(size), [](std::uint64_t a, std::uint64_t b) { return a + b; });
  int error = 0;
  if (members.rank() == 0) {
    const descriptor fresh(open_at(path, O_WRONLY | O_CREAT | O_TRUNC));
    if (fresh.get() < 0) error = errno;
  }
  agree_on(operation, path, "write", members, error);
  const descriptor file(open_at(path, O_WRONLY));
  error = file.get() < 0 ? errno : write_all(file.get(), bytes, size, behind - size);
  agree_on(operation, path, "write", members, error);
}

void write_words_of(const std::string& path, const team& given, const std::string& words, failure& why) {
  agree(or_all(given), "write_words", why);
  write_parts("write_words", path, given, words.data(), words.size());
}

}  // namespace armilla::detail
