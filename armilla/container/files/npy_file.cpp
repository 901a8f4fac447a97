// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/npy_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

using namespace std::literals;

constexpr std::string_view npy_magic = "\x93NUMPY"sv;
constexpr std::size_t most_header = 1 << 16;
constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

/// The text of a dictionary of Python, as far as NumPy writes it.
class literal {
 public:
  explicit literal(std::string_view text) : rest_(text) {}

  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool take_string(std::string& value) {
    const char quote = take("'") ? '\'' : take("\"") ? '"' : '\0';
    const std::size_t end = quote == '\0' ? rest_.npos : rest_.find(quote);
    if (end == rest_.npos) return false;
    value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool take_bool(bool& value) {
    value = take("True");
    return value || take("False");
  }
  bool take_shape(std::vector<std::uint64_t>& shape) {
    if (!take("(")) return false;
    while (!take(")")) {
      skip_space();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), shape.emplace_back());
      if (error != std::errc{}) return false;
      rest_.remove_prefix(std::size_t(end - rest_.data()));
      if (!take(",")) return take(")");
    }
    return true;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

std::string parse_dictionary(std::string_view text, npy_header& header) {
  literal in(text);
  constexpr std::string_view keys[] = {"descr", "fortran_order", "shape"};
  unsigned found = 0;  // a bit for each key
  bool good = in.take("{");
  while (good && !in.take("}")) {
    std::string key;
    good = in.take_string(key) && in.take(":");
    const unsigned bit = 1U << (std::ranges::find(keys, key) - std::begin(keys));
    good = good && (found & bit) == 0;
    if (!good) break;
    if (key == "descr" && in.take("[")) return "its elements are structures, which read_npy does not read";
    if (key == "descr")
      good = in.take_string(header.type);
    else if (key == "fortran_order")
      good = in.take_bool(header.fortran);
    else if (key == "shape")
      good = in.take_shape(header.shape);
    else
      good = false;
    found |= bit;
    if (!in.take(",")) {
      good = good && in.take("}");
      break;
    }
  }
  return good && found == 7 ? std::string() : fmt::format("its header is damaged: '{}'", escaped(text.substr(0, 200)));
}

std::string name_of(const npy_type& type) {
  return fmt::format("{}{}{}", type.bytes == 1 ? '|' : native_order, type.kind, type.bytes);
}

}  // namespace

std::string parse_npy_header(std::string_view bytes, npy_header& header) {
  if (!bytes.starts_with(npy_magic)) return "it is not a file of NumPy (.npy)";
  if (bytes.size() < 8) return "its header is cut off";
  if (bytes[6] < 1 || bytes[6] > 3)
    return fmt::format("it is of version {} of NumPy's format, and this library knows 1 to 3", int(bytes[6]));
  const std::size_t size_bytes = bytes[6] == 1 ? 2 : 4, before = 8 + size_bytes;
  if (bytes.size() < before) return "its header is cut off";
  std::size_t size = 0;
  for (std::size_t i = size_bytes; i-- > 0;) size = size << 8 | std::uint8_t(bytes[8 + i]);
  if (size > bytes.size() - before) return size > most_header ? "its header is too long" : "its header is cut off";
  header.begin = before + size;
  return parse_dictionary(bytes.substr(before, size), header);
}

npy_file::npy_file(const team& members, const std::string& path, const npy_type& type, std::size_t dimensions)
    : members_(members), path_(path), type_(type) {
  wrong_ = open(type, dimensions);
  agree();
  struct outline {
    std::uint64_t bytes = 0, begin = 0;
    bool fortran = false;
  };
  const outline mine{bytes_, header_.begin, header_.fortran}, first = members_.broadcast(mine, 0);
  if (header_.shape != members_.broadcast(header_.shape, 0) || mine.bytes != first.bytes || mine.begin != first.begin ||
      mine.fortran != first.fortran)
    wrong_ = "it differs from the file of the first rank; all must read one file";
  agree();
}

std::string npy_file::open(const npy_type& type, std::size_t dimensions) {
  const regular_file found = open_regular(path_);
  file_.reset(found.file);
  if (!found.wrong.empty()) return found.wrong;
  bytes_ = found.bytes;
  std::string first(std::size_t(std::min<std::uint64_t>(bytes_, most_header + 12)), '\0');
  const ssize_t got = ::pread(file_.get(), first.data(), first.size(), 0);
  if (got < 0) return text_of_errno(errno);
  first.resize(std::size_t(got));
  std::string wrong = parse_npy_header(first, header_);
  return wrong.empty() ? check(type, dimensions) : wrong;
}

std::string npy_file::check(const npy_type& type, std::size_t dimensions) {
  const std::string wanted = name_of(type), &have = header_.type;
  swapped_ = type.bytes > 1 && have.size() == wanted.size() && (have[0] == '<' || have[0] == '>') && have[0] != native_order;
  const bool same =
      have.size() == wanted.size() && have.substr(1) == wanted.substr(1) && "<>=|"sv.find(have[0]) != std::string_view::npos;
  if (!same) return fmt::format("its elements are '{}', and those of the container '{}'", escaped(have.substr(0, 40)), wanted);
  if (header_.shape.size() != dimensions)
    return fmt::format("it has {} dimensions (its shape is ({})), and the container {}", header_.shape.size(),
                       fmt::join(header_.shape, ", "), dimensions);
  __extension__ unsigned __int128 bytes = type.bytes;
  for (const std::uint64_t n : header_.shape) {
    bytes *= n;
    if (bytes > bytes_) break;
  }
  if (std::ranges::find(header_.shape, 0U) != header_.shape.end()) bytes = 0;
  if (bytes != bytes_ - header_.begin)
    return fmt::format("it has {} bytes of elements, which are not those of its shape ({}); is it cut off?",
                       bytes_ - header_.begin, fmt::join(header_.shape, ", "));
  return {};
}

void npy_file::read(std::uint64_t first, std::size_t n, void* to) {
  char* at = static_cast<char*>(to);
  std::uint64_t from = header_.begin + first * type_.bytes;
  for (std::size_t left = n * type_.bytes; left != 0 && wrong_.empty();) {
    const ssize_t got = ::pread(file_.get(), at, std::min(left, std::size_t(1) << 30), off_t(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) wrong_ = text_of_errno(errno);
    if (got == 0) wrong_ = "it changed while it was read; read it when nothing writes to it";
    if (got > 0) at += got, from += std::uint64_t(got), left -= std::size_t(got);
  }
  if (type_.kind == 'b')  // what is not 0 is true in NumPy, and no bool here
    for (char *p = static_cast<char*>(to), *const end = p + n; p != end; ++p) *p = *p != 0 ? 1 : 0;
  if (!swapped_) return;
  const std::size_t unit = type_.kind == 'c' ? type_.bytes / 2 : type_.bytes;
  for (char *p = static_cast<char*>(to), *const end = p + n * type_.bytes; p != end; p += unit) std::reverse(p, p + unit);
}

void npy_file::agree() const { agree_on_file(members_, "read_npy", "read", path_, wrong_); }

npy_writer::npy_writer(const team& members, const std::string& path, const npy_type& type,
                       const std::vector<std::uint64_t>& shape)
    : members_(members), path_(path), element_(type.bytes), file_(members_, "write_npy", "write", path_, false) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", name_of(type),
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t bytes = (10 + text.size() + 1 + 63) / 64 * 64;
  text.resize(bytes - 11, ' ');
  header_ = std::string(npy_magic) + "\x01\0"s + char(bytes - 10) + char((bytes - 10) >> 8) + text + "\n";
  std::uint64_t all = element_;
  for (const std::uint64_t n : shape) all *= n;
  file_.open(header_.size() + all);
}

void npy_writer::write(std::uint64_t first, std::size_t n, const void* from) {
  if (!file_.usable()) return;
  if (const int error =
          write_all(file_.number(), static_cast<const std::byte*>(from), n * element_, header_.size() + first * element_);
      error != 0)
    file_.note(text_of_errno(error));
}

void npy_writer::publish() {
  file_.end_data();
  file_.publish(std::as_bytes(std::span(header_)));
}

}  // namespace armilla::detail
