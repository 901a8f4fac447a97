// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/zip_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/container/files/zlib_library.hpp"

namespace armilla::detail {
namespace {

using namespace std::literals;

constexpr std::uint64_t in_extra_16 = 0xffff, in_extra_32 = 0xffffffff;  // the number is in the extra field for large files
constexpr std::size_t end_record = 22, large_locator = 20, large_end_record = 56, directory_entry = 46, local_header = 30;
constexpr const char* damaged_directory = "its directory, at the end of the archive, is damaged; is it cut off?";

std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t n) noexcept {
  std::uint64_t all = 0;
  for (std::size_t i = n; i-- > 0;) all = all << 8 | std::uint8_t(bytes[at + i]);
  return all;
}
void put(std::string& all, std::uint64_t number, int bytes) {
  for (; bytes > 0; --bytes, number >>= 8) all += char(number);
}

struct directory_place {
  std::uint64_t at = 0, bytes = 0;
};

/// By the last record of the archive, behind which there may be a comment.
std::string find_directory(int file, std::uint64_t bytes, directory_place& place) {
  std::string tail(std::size_t(std::min<std::uint64_t>(bytes, end_record + 0xffff)), 0);
  if (std::string wrong = read_at(file, bytes - tail.size(), tail.size(), tail.data()); !wrong.empty()) return wrong;
  std::size_t end = tail.size() < end_record ? tail.npos : tail.rfind("PK\5\6"sv, tail.size() - end_record);
  while (end != tail.npos && little(tail, end + 20, 2) != tail.size() - end - end_record)
    end = end == 0 ? tail.npos : tail.rfind("PK\5\6"sv, end - 1);
  char first[6] = {};
  if (end == tail.npos && bytes >= sizeof first && read_at(file, 0, sizeof first, first).empty() &&
      std::string_view(first, sizeof first) == "\x93NUMPY"sv)
    return "it is one array (.npy), not an archive; read it with read_npy";
  if (end == tail.npos) return "it is not a complete zip archive (.npz); is it cut off?";
  place = {little(tail, end + 16, 4), little(tail, end + 12, 4)};
  std::uint64_t limit = bytes - tail.size() + end;
  if (end >= large_locator && std::string_view(tail).substr(end - large_locator).starts_with("PK\6\7"sv)) {
    const std::uint64_t at = little(tail, end - large_locator + 8, 8);
    std::string large(large_end_record, 0);
    if (limit < large_locator + large_end_record || at > limit - large_locator - large_end_record) return damaged_directory;
    if (std::string wrong = read_at(file, at, large.size(), large.data()); !wrong.empty()) return wrong;
    if (!large.starts_with("PK\6\6"sv)) return damaged_directory;
    place = {little(large, 48, 8), little(large, 40, 8)};
    limit = at;
  }
  return place.at <= limit && place.bytes <= limit - place.at ? "" : damaged_directory;
}

/// Replaces the numbers that are in the extra field.
bool take_large_numbers(std::string_view extra, zip_member& m) {
  std::uint64_t* const numbers[] = {&m.bytes, &m.packed, &m.header_at};
  const auto missing = [&] { return std::ranges::any_of(numbers, [](const auto* n) { return *n == in_extra_32; }); };
  while (extra.size() >= 4 && missing()) {
    const std::size_t n = std::size_t(little(extra, 2, 2));
    if (n > extra.size() - 4) return false;
    if (little(extra, 0, 2) == 1) {
      std::size_t at = 4;
      for (std::uint64_t* const number : numbers)
        if (*number == in_extra_32) {
          if (at + 8 > n + 4) return false;
          *number = little(extra, at, 8);
          at += 8;
        }
      return true;
    }
    extra.remove_prefix(n + 4);
  }
  return true;
}

/// Calls f(member) for each entry of the directory, of which a piece is in memory at a time.
template <class F>
std::string each_member(int file, const directory_place& place, F f) {
  constexpr std::size_t piece = std::size_t(1) << 20, most_entry = directory_entry + 3 * 0xffff;
  std::string window;
  for (std::uint64_t at = place.at, left = place.bytes; left != 0 || !window.empty();) {
    if (const std::size_t before = window.size(); before < most_entry && left != 0) {
      window.resize(before + std::size_t(std::min<std::uint64_t>(left, piece)));
      const std::size_t more = window.size() - before;
      if (std::string wrong = read_at(file, at, more, window.data() + before); !wrong.empty()) return wrong;
      at += more, left -= more;
    }
    std::string_view rest = window;
    while (!rest.empty() && (rest.size() >= most_entry || left == 0)) {
      if (rest.size() < directory_entry || !rest.starts_with("PK\1\2"sv)) return damaged_directory;
      const std::size_t name = little(rest, 28, 2), extra = little(rest, 30, 2), comment = little(rest, 32, 2);
      if (rest.size() < directory_entry + name + extra + comment) return damaged_directory;
      zip_member m{.name = std::string(rest.substr(directory_entry, name)),
                   .header_at = little(rest, 42, 4),
                   .packed = little(rest, 20, 4),
                   .bytes = little(rest, 24, 4),
                   .checksum = std::uint32_t(little(rest, 16, 4)),
                   .method = std::uint16_t(little(rest, 10, 2)),
                   .flags = std::uint16_t(little(rest, 8, 2))};
      if (!take_large_numbers(rest.substr(directory_entry + name, extra), m)) return damaged_directory;
      f(m);
      rest.remove_prefix(directory_entry + name + extra + comment);
    }
    window.erase(0, window.size() - rest.size());
  }
  return {};
}

/// Of the members of an archive, as errors list them.
class list_of_names {
 public:
  void add(std::string_view name) {
    if (all_.size() > most) return void(more_ = true);
    name = name.substr(0, name.ends_with(".npy") ? name.size() - 4 : name.npos);
    all_ += fmt::format("{}'{}'", all_.empty() ? "" : ", ", escaped(name));
  }
  std::string text() const { return all_.empty() ? "nothing" : all_ + (more_ ? ", ..." : ""); }

 private:
  static constexpr std::size_t most = 400;
  std::string all_;
  bool more_ = false;
};

bool is_large(std::uint64_t n) noexcept { return n >= 0xff000000; }

}  // namespace

std::string find_zip_member(int file, std::uint64_t bytes, const std::string& name, zip_member& found) {
  directory_place place;
  if (std::string wrong = find_directory(file, bytes, place); !wrong.empty()) return wrong;
  const std::string as_array = name + ".npy";
  list_of_names names;
  bool is_there = false;
  const auto look_at = [&](const zip_member& m) {
    names.add(m.name);
    // of several with one name the last is the array; one with ".npy" is preferred
    if (m.name != as_array && (m.name != name || (is_there && found.name == as_array))) return;
    found = m, is_there = true;
  };
  if (std::string wrong = each_member(file, place, look_at); !wrong.empty()) return wrong;
  if (!is_there) return fmt::format("it has no array '{}'; it has {}", escaped(name), names.text());
  const std::string which = fmt::format("array '{}'", escaped(name));
  if ((found.flags & 1) != 0) return which + " is encrypted";
  if (found.method != zip_member::stored && found.method != zip_member::deflated)
    return fmt::format("{} is compressed by method {}; only deflated and stored arrays can be read", which, found.method);
  std::string header(local_header, 0);
  const std::string damaged = which + ": its entry in the archive is damaged";
  if (found.header_at > place.at || place.at - found.header_at < local_header) return damaged;
  if (std::string wrong = read_at(file, found.header_at, header.size(), header.data()); !wrong.empty()) return wrong;
  if (!header.starts_with("PK\3\4"sv)) return damaged;
  found.begin = found.header_at + local_header + little(header, 26, 2) + little(header, 28, 2);
  if (found.begin > place.at || found.packed > place.at - found.begin) return damaged;
  const bool stored = found.method == zip_member::stored;
  constexpr std::uint64_t most_shrunk = 1032;  // deflate does not compress more
  if (stored ? found.packed != found.bytes : found.bytes / most_shrunk > found.packed) return damaged;
  return {};
}

std::uint64_t zip_header_size(const zip_member& m) { return local_header + m.name.size() + (is_large(m.bytes) ? 20 : 0); }

std::string zip_header(const zip_member& m) {
  const bool large = is_large(m.bytes);
  std::string all = "PK\3\4";
  put(all, large ? 45 : 20, 2), put(all, m.flags, 2), put(all, m.method, 2);
  put(all, 0, 2), put(all, 0x21, 2);  // the first of January, 1980
  put(all, m.checksum, 4), put(all, large ? in_extra_32 : m.packed, 4), put(all, large ? in_extra_32 : m.bytes, 4);
  put(all, m.name.size(), 2), put(all, large ? 20 : 0, 2);
  all += m.name;
  if (large) put(all, 1, 2), put(all, 16, 2), put(all, m.bytes, 8), put(all, m.packed, 8);
  return all;
}

std::string zip_directory(std::span<const zip_member> members, std::uint64_t at) {
  std::string all;
  for (const zip_member& m : members) {
    const bool large = is_large(m.bytes) || is_large(m.header_at);
    all += "PK\1\2";
    put(all, large ? 45 : 20, 2), put(all, large ? 45 : 20, 2), put(all, m.flags, 2), put(all, m.method, 2);
    put(all, 0, 2), put(all, 0x21, 2), put(all, m.checksum, 4);
    put(all, large ? in_extra_32 : m.packed, 4), put(all, large ? in_extra_32 : m.bytes, 4);
    put(all, m.name.size(), 2), put(all, large ? 28 : 0, 2), put(all, 0, 2), put(all, 0, 2), put(all, 0, 2), put(all, 0, 4);
    put(all, large ? in_extra_32 : m.header_at, 4);
    all += m.name;
    if (large) put(all, 1, 2), put(all, 24, 2), put(all, m.bytes, 8), put(all, m.packed, 8), put(all, m.header_at, 8);
  }
  const std::uint64_t bytes = all.size(), n = members.size();
  const bool large = is_large(at) || n >= in_extra_16;
  if (large) {
    all += "PK\6\6";
    put(all, large_end_record - 12, 8), put(all, 45, 2), put(all, 45, 2), put(all, 0, 8);
    put(all, n, 8), put(all, n, 8), put(all, bytes, 8), put(all, at, 8);
    all += "PK\6\7";
    put(all, 0, 4), put(all, at + bytes, 8), put(all, 1, 4);
  }
  all += "PK\5\6";
  put(all, 0, 4), put(all, large ? in_extra_16 : n, 2), put(all, large ? in_extra_16 : n, 2);
  put(all, bytes, 4), put(all, large ? in_extra_32 : at, 4), put(all, 0, 2);
  return all;
}

zip_source::zip_source() = default;
zip_source::~zip_source() = default;
zip_packer::~zip_packer() = default;

void zip_source::open(int file, const zip_member& member) {
  file_ = file;
  member_ = member;
}

std::string zip_source::read(std::uint64_t from, std::size_t n, void* to) {
  if (from > member_.bytes || n > member_.bytes - from) return "it is shorter than its header says";
  if (!deflated()) return read_at(file_, member_.begin + from, n, to);
  std::string wrong;
  if (stream_ == nullptr || from < position_) wrong = restart();
  std::byte skipped[4096];
  while (wrong.empty() && position_ != from)
    wrong = inflate(std::size_t(std::min<std::uint64_t>(sizeof skipped, from - position_)), skipped);
  return wrong.empty() ? inflate(n, static_cast<std::byte*>(to)) : wrong;
}

#if ARMILLA_HAS_ZLIB

std::string text_of_no_zlib() { return zlib().wrong; }

std::uint32_t zip_checksum(std::uint32_t before, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), std::size_t(1) << 30);
    before = std::uint32_t(zlib().checksum(before, reinterpret_cast<const Bytef*>(bytes.data()), uInt(n)));
    bytes = bytes.subspan(n);
  }
  return before;
}
std::uint32_t join_checksums(std::uint32_t first, std::uint32_t second, std::uint64_t bytes_of_second) {
  return std::uint32_t(zlib().combine(first, second, z_off_t(bytes_of_second)));
}

struct zip_packer::stream {
  z_stream z{};
  bool made = false;

  stream() {
    made = zlib().init_packing(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, int(sizeof z)) ==
           Z_OK;
  }
  ~stream() {
    if (made) zlib().end_packing(&z);
  }
};

zip_packer::zip_packer() : stream_(std::make_unique<stream>()) {}

bool zip_packer::add(std::string& all, std::span<const std::byte> bytes, bool end, bool last) {
  if (!stream_->made) return false;
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  z.avail_in = uInt(bytes.size());
  const int flush = last ? Z_FINISH : end ? Z_SYNC_FLUSH : Z_NO_FLUSH;
  char out[1 << 15];
  do {
    z.next_out = reinterpret_cast<Bytef*>(out);
    z.avail_out = sizeof out;
    if (zlib().deflate(&z, flush) == Z_STREAM_ERROR) return false;
    all.append(out, sizeof out - z.avail_out);
  } while (z.avail_out == 0);
  return true;
}

struct zip_source::stream {
  z_stream z{};
  bool made = false;
  std::uint64_t at = 0;  // of the packed bytes
  std::uint32_t checksum = 0;
  std::byte in[1 << 16];

  stream() { made = zlib().init(&z, -15, ZLIB_VERSION, int(sizeof z)) == Z_OK; }
  ~stream() {
    if (made) zlib().end(&z);
  }
};

std::string zip_source::restart() {
  if (!zlib().wrong.empty()) return zlib().wrong;
  stream_ = std::make_unique<stream>();
  position_ = 0;
  return stream_->made ? "" : "there is no memory to unpack it";
}

std::string zip_source::inflate(std::size_t n, std::byte* to) {
  z_stream& z = stream_->z;
  while (n != 0) {
    if (z.avail_in == 0) {  // zlib may still have output when it has read everything
      const std::size_t more = std::size_t(std::min<std::uint64_t>(sizeof stream_->in, member_.packed - stream_->at));
      if (std::string wrong = read_at(file_, member_.begin + stream_->at, more, stream_->in); !wrong.empty()) return wrong;
      stream_->at += more;
      z.next_in = reinterpret_cast<Bytef*>(stream_->in);
      z.avail_in = uInt(more);
    }
    const std::size_t room = std::min(n, std::size_t(1) << 30);
    z.next_out = reinterpret_cast<Bytef*>(to);
    z.avail_out = uInt(room);
    const int result = zlib().inflate(&z, Z_NO_FLUSH);
    const std::size_t made = room - z.avail_out;
    stream_->checksum = zip_checksum(stream_->checksum, {to, made});
    to += made, n -= made, position_ += made;
    if (result == Z_BUF_ERROR && made == 0 && stream_->at == member_.packed) return "its compressed data ends too early";
    if (result != Z_OK && result != Z_BUF_ERROR && !(result == Z_STREAM_END && n == 0))
      return fmt::format("its compressed data is damaged before byte {}{}{}", member_.begin + stream_->at - z.avail_in,
                         z.msg != nullptr ? ": " : "", z.msg != nullptr ? z.msg : "");
  }
  return {};
}

std::string zip_source::finish() {
  std::string wrong = stream_ == nullptr ? restart() : "";
  std::vector<std::byte> rest(std::size_t(1) << 16);
  while (wrong.empty() && position_ != member_.bytes)
    wrong = inflate(std::size_t(std::min<std::uint64_t>(rest.size(), member_.bytes - position_)), rest.data());
  if (wrong.empty() && stream_->checksum != member_.checksum) wrong = "its checksum is wrong; it is damaged";
  return wrong;
}

#else

std::string text_of_no_zlib() { return "this library was built without zlib"; }
std::uint32_t zip_checksum(std::uint32_t, std::span<const std::byte>) { return 0; }
std::uint32_t join_checksums(std::uint32_t, std::uint32_t, std::uint64_t) { return 0; }
struct zip_packer::stream {};
zip_packer::zip_packer() = default;
bool zip_packer::add(std::string&, std::span<const std::byte>, bool, bool) { return false; }
struct zip_source::stream {};
std::string zip_source::restart() { return text_of_no_zlib(); }
std::string zip_source::inflate(std::size_t, std::byte*) { return text_of_no_zlib(); }
std::string zip_source::finish() { return text_of_no_zlib(); }

#endif

}  // namespace armilla::detail
