// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/npy_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <memory>
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
    if (key == "descr" && in.take("["))
      return "its elements are structures, which have no type here; save each field as an array of its own";
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

/// Of the bytes of an archive's array, in their order.
struct share {
  std::uint64_t bytes = 0, packed = 0;
  std::uint32_t checksum = 0;
};
share joined(std::span<const share> all) {
  share whole;
  for (const share& s : all) {
    whole.checksum = join_checksums(whole.checksum, s.checksum, s.bytes);
    whole.bytes += s.bytes, whole.packed += s.packed;
  }
  return whole;
}

/// Calls f(at, room, end) for pieces of a member's share of [0, bytes), once at least, until it returns what is wrong. `end`: the
/// last piece.
template <class F>
std::string each_piece(std::uint64_t bytes, std::uint64_t rank, std::uint64_t ranks, F f) {
  std::vector<std::byte> room(std::size_t(1) << 20);
  std::uint64_t at = bytes / ranks * rank + std::min(rank, bytes % ranks);
  const std::uint64_t stop = bytes / ranks * (rank + 1) + std::min(rank + 1, bytes % ranks);
  for (;;) {
    const std::size_t n = std::size_t(std::min<std::uint64_t>(room.size(), stop - at));
    std::string wrong = f(at, std::span(room).first(n), at + n == stop);
    at += n;
    if (!wrong.empty() || at == stop) return wrong;
  }
}

std::string name_of(const npy_type& type) {
  return fmt::format("{}{}{}", type.bytes == 1 ? '|' : native_order, type.kind, type.bytes);
}

}  // namespace

std::string parse_npy_header(std::string_view bytes, npy_header& header) {
  if (bytes.starts_with("PK\3\4"sv)) return "it is an archive of arrays (.npz); read it with read_npz";
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

npy_file::npy_file(const team& members, const std::string& path, const npy_type& type, std::size_t dimensions,
                   const std::string* array)
    : operation_(array == nullptr ? "read_npy" : "read_npz"), members_(members), path_(path), type_(type), array_(array) {
  wrong_ = open(type, dimensions);
  agree();
  struct outline {
    std::uint64_t file_bytes = 0, bytes = 0, at = 0, packed = 0, begin = 0;
    std::uint32_t checksum = 0, method = 0;
    bool fortran = false, swapped = false;
    bool operator==(const outline&) const = default;
  };
  const outline mine{found_.bytes,    bytes_,        place_.begin,    place_.packed, header_.begin,
                     place_.checksum, place_.method, header_.fortran, swapped_};
  const outline first = members_.broadcast(mine, 0);
  if (header_.shape != members_.broadcast(header_.shape, 0) || mine != first)
    wrong_ = "it differs from the file of the first rank; all must read one file";
  agree();
  expect_work((bytes_ - header_.begin) / std::uint64_t(members_.size()), "bytes");
}

std::string npy_file::open(const npy_type& type, std::size_t dimensions) {
  found_ = open_regular(path_);
  file_.reset(found_.file);
  if (!found_.wrong.empty()) return found_.wrong;
  place_ = {.packed = found_.bytes, .bytes = found_.bytes};
  if (array_ != nullptr)
    if (std::string wrong = find_zip_member(file_.get(), found_.bytes, *array_, place_); !wrong.empty()) return wrong;
  bytes_ = place_.bytes;
  source_.open(file_.get(), place_);
  std::string first(std::size_t(std::min<std::uint64_t>(bytes_, most_header + 12)), '\0');
  std::string wrong = source_.read(0, first.size(), first.data());
  if (wrong.empty()) wrong = parse_npy_header(first, header_);
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
  if (!wrong_.empty()) return;
  auto* const at = static_cast<char*>(to);
  for (std::size_t done = 0, all = n * type_.bytes; done < all && wrong_.empty(); done += moved_at_once) {
    const std::size_t bytes = std::min(all - done, moved_at_once);
    wrong_ = source_.read(header_.begin + first * type_.bytes + done, bytes, at + done);
    count_work(bytes);
  }
  if (type_.kind == 'b')  // what is not 0 is true in NumPy, and no bool here
    for (char *p = static_cast<char*>(to), *const end = p + n; p != end; ++p) *p = *p != 0 ? 1 : 0;
  if (!swapped_) return;
  const std::size_t unit = type_.kind == 'c' ? type_.bytes / 2 : type_.bytes;
  for (char *p = static_cast<char*>(to), *const end = p + n * type_.bytes; p != end; p += unit) std::reverse(p, p + unit);
}

void npy_file::end() {
  if (array_ != nullptr) compare_checksum();
  if (std::string wrong = text_of_change(found_); !wrong.empty()) wrong_ = std::move(wrong);
  agree();
}

/// The last member unpacks all of a deflated array. A stored one is read once more, by each member a share.
void npy_file::compare_checksum() {
  const auto rank = std::uint64_t(members_.rank()), ranks = std::uint64_t(members_.size());
  if (source_.deflated()) {
    if (rank + 1 == ranks && wrong_.empty()) wrong_ = source_.finish();
    return;
  }
  share mine;
  if (wrong_.empty()) wrong_ = text_of_no_zlib();
  if (wrong_.empty())
    wrong_ = each_piece(bytes_, rank, ranks, [&](std::uint64_t at, std::span<std::byte> piece, bool) {
      std::string wrong = source_.read(at, piece.size(), piece.data());
      if (wrong.empty()) mine.checksum = zip_checksum(mine.checksum, piece), mine.bytes += piece.size();
      return wrong;
    });
  const std::vector<share> all = members_.all_gather(mine);
  if (wrong_.empty() && joined(all).checksum != place_.checksum) wrong_ = "its checksum is wrong; it is damaged";
}

void npy_file::agree() const {
  const std::string of = array_ != nullptr && !wrong_.empty() ? fmt::format("array '{}': ", escaped(*array_)) : "";
  const bool named = wrong_.find("array '") != wrong_.npos;
  agree_on_file(members_, operation_, "read", path_, named ? wrong_ : of + wrong_);
}

npy_writer::npy_writer(const char* operation, const team& members, const std::string& path, format as)
    : operation_(operation), members_(members), path_(path), as_(as), file_(members_, operation, "write", path_, false) {}

void npy_writer::add(const std::string& name, const npy_type& type, const std::vector<std::uint64_t>& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", name_of(type),
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t bytes = (10 + text.size() + 1 + 63) / 64 * 64;
  text.resize(bytes - 11, ' ');
  array a{.element = type.bytes};
  a.header = std::string(npy_magic) + "\x01\0"s + char(bytes - 10) + char((bytes - 10) >> 8) + text + "\n";
  std::uint64_t all = type.bytes;
  for (const std::uint64_t n : shape) all *= n;
  const bool ascii = std::ranges::all_of(name, [](char c) { return std::uint8_t(c) < 0x80; });
  a.member = {.name = name + ".npy", .bytes = a.header.size() + all, .flags = std::uint16_t(ascii ? 0 : 0x800)};
  a.member.packed = a.member.bytes;
  arrays_.push_back(std::move(a));
  expect_work(all / std::uint64_t(members_.size()), "bytes");
}

void npy_writer::open() {
  std::uint64_t at = 0;
  std::string wrong = as_ == format::npy ? "" : text_of_no_zlib();
  for (auto a = arrays_.begin(); a != arrays_.end(); ++a) {
    const std::string& name = a->member.name;
    const bool twice = std::any_of(arrays_.begin(), a, [&](const array& other) { return other.member.name == name; });
    if (wrong.empty() && twice) wrong = fmt::format("two arrays have the name '{}'", escaped(name.substr(0, name.size() - 4)));
    if (wrong.empty() && (name.size() == 4 || name.size() > 1000 || name.find('\0') != name.npos))
      wrong = "the name of an array is empty, longer than 996 bytes or contains a NUL";
    a->member.header_at = at;
    a->member.begin = as_ == format::npy ? 0 : at + zip_header_size(a->member);
    at = a->member.begin + a->member.bytes;
  }
  agree_on_file(members_, operation_, "write", path_, wrong);
  file_.open(at);
  if (members_.rank() == 0)
    for (const array& a : arrays_) put(a.member.begin, a.header);
}

void npy_writer::write(std::size_t array, std::uint64_t first, std::size_t n, const void* from) {
  const auto& a = arrays_[array];
  put(a.member.begin + a.header.size() + first * a.element, {static_cast<const char*>(from), n * a.element});
}

void npy_writer::put(std::uint64_t at, std::string_view bytes) {
  if (!file_.usable() || bytes.empty()) return;
  const int error = write_all(file_.number(), reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), at);
  if (error != 0) file_.note(text_of_errno(error));
}

void npy_writer::publish() {
  file_.end_data();
  if (as_ != format::npy) end_archive();
  file_.publish({});
}

/// The checksums are of the bytes in their order, so each member reads a share of what all have written. To compress them it
/// keeps them in memory until all have read.
void npy_writer::end_archive() {
  const std::string name = fmt::format("/proc/self/fd/{}", file_.number());
  const descriptor again(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (again.get() < 0) file_.note(text_of_errno(errno));
  std::uint64_t at = 0;
  std::vector<std::uint64_t> behind;  // where this member's share is written
  for (array& a : arrays_) {
    share mine;
    read_back(a, again.get(), mine.bytes);
    mine.checksum = a.member.checksum, mine.packed = a.packed.size();
    const std::vector<share> all = members_.all_gather(mine);
    const share whole = joined(all);
    a.member.checksum = whole.checksum;
    a.member.header_at = at;
    a.member.begin = at + zip_header_size(a.member);
    if (as_ == format::npz_compressed) a.member.method = zip_member::deflated, a.member.packed = whole.packed;
    behind.push_back(a.member.begin + joined({all.begin(), all.begin() + members_.rank()}).packed);
    at = a.member.begin + a.member.packed;
  }
  for (std::size_t k = 0; k < arrays_.size(); ++k) put(behind[k], arrays_[k].packed);
  if (members_.rank() == 0 && file_.usable()) {
    std::vector<zip_member> members;
    for (const array& a : arrays_) {
      put(a.member.header_at, zip_header(a.member));
      members.push_back(a.member);
    }
    const std::string end = zip_directory(members, at);
    put(at, end);
    if (::ftruncate(file_.number(), off_t(at + end.size())) != 0) file_.note(text_of_errno(errno));
  }
  file_.end_data();
}

void npy_writer::read_back(array& a, int file, std::uint64_t& length) {
  if (!file_.usable()) return;
  const auto rank = std::uint64_t(members_.rank()), ranks = std::uint64_t(members_.size());
  zip_source source;
  source.open(file, a.member);
  std::unique_ptr<zip_packer> packer;
  if (as_ == format::npz_compressed) packer = std::make_unique<zip_packer>();
  const std::string wrong = each_piece(a.member.bytes, rank, ranks, [&](std::uint64_t at, std::span<std::byte> piece, bool end) {
    std::string why = source.read(at, piece.size(), piece.data());
    if (!why.empty()) return why;
    a.member.checksum = zip_checksum(a.member.checksum, piece);
    length += piece.size();
    return packer == nullptr || packer->add(a.packed, piece, end, end && rank + 1 == ranks) ? std::string()
                                                                                            : "there is no memory to compress it";
  });
  if (!wrong.empty()) file_.note(wrong);
}

}  // namespace armilla::detail
