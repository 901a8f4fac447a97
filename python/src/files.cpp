// SPDX-License-Identifier: Apache-2.0
// Files that all ranks read together, by the library's readers.
#include "armilla/files.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/stl/string.h>

#include "armilla/container/files/files_inline.hpp"
#include "armilla/error.hpp"
#include "operation.hpp"

namespace armilla::python {
namespace {

bytes_view view_of(std::span<const double> values) { return std::as_bytes(values); }

// A number of a table; nothing: the field holds none. An empty field and `nan` are NaN.
bool parse_number(std::string_view field, double& value) {
  std::optional<double> found;
  if (!detail::parse_field(field, found)) return false;
  value = found.value_or(std::numeric_limits<double>::quiet_NaN());
  return true;
}

// The numbers of a rank's records, one record after the other.
struct number_table {
  explicit number_table(detail::file_part& part) : part(part) {}

  detail::file_part& part;
  std::vector<double> values;
  std::size_t columns = 0;             // of its first record
  const char* first_record = nullptr;  // in the part

  // `at`: where the record is, or an empty line in front of it.
  void append(const char* at, const std::vector<std::string_view>& fields) {
    const char* const own = fields.front().data();
    if (own >= part.begin() && own < part.end()) at = own;
    if (first_record == nullptr) first_record = at, columns = fields.size();
    if (fields.size() != columns) part.complain(at, count_text(fields.size(), columns), "fix the file");
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (!parse_number(fields[i], values.emplace_back()))
        part.complain(at, detail::text_of_bad_field(fields[i], {.number = i, .wanted = "a number"}), advice(at));
  }
  // Of the records of all members, which are to have as many fields.
  void require_columns(std::size_t wanted) {
    if (first_record != nullptr && columns != wanted) part.complain(first_record, count_text(columns, wanted), "fix the file");
  }
  const char* advice(const char* at) const {
    return part.is_first() && at == first_record ? "give header=True if the first record names the columns" : "fix the file";
  }
  static std::string count_text(std::size_t have, std::size_t wanted) {
    return "it has " + std::to_string(have) + " fields, and the first record " + std::to_string(wanted);
  }
};

// The numbers of all records as two blocks: how many columns there are, and this rank's records. Throws usage_error on the rank
// whose record does not fit.
std::uint64_t read_numbers(const std::string& path, bool header, const std::string& separator) {
  return begin("armilla.load", nb::none(), [path, header, separator](const team& t) {
    const detail::file_use use{.operation = "armilla.load",
                               .where = detail::cut_at::record,
                               .content = detail::file_content::table,
                               .members = t,
                               .csv = {.separator = separator[0]}};
    detail::file_part part(path, use);
    const bool has_header = header && detail::member_with_first_record(part, use.csv) == t.rank();
    detail::csv_reader<> reader(use.csv, has_header);
    number_table table(part);
    std::exception_ptr wrong;
    try {
      std::vector<std::string_view> fields;
      const char* at = part.begin();
      for (const char* record = at; reader.next(part, at, fields); record = at) table.append(record, fields);
    } catch (...) { wrong = std::current_exception(); }
    const std::vector<std::size_t> columns = t.all_gather(table.columns);
    if (wrong != nullptr) std::rethrow_exception(wrong);
    const auto first = std::ranges::find_if(columns, [](std::size_t n) { return n != 0; });
    const std::uint64_t wanted = first == columns.end() ? 0 : *first;
    table.require_columns(wanted);
    const std::array<bytes_view, 2> parts{std::as_bytes(std::span(&wanted, 1)), view_of(table.values)};
    std::vector<block> values;
    for (const bytes_view& one : parts) values.emplace_back(std::span(&one, 1));
    return values;
  });
}

// A new object of type bytes, made shorter in place. The function for that is documented, but it is no part of the stable
// interface: where an interpreter has none, the bytes are copied.
nb::object cut_to(nb::object bytes, std::size_t size) {
  PyObject* whole = bytes.release().ptr();
  using resize = int(PyObject**, Py_ssize_t);
  if (auto* const function = reinterpret_cast<resize*>(::dlsym(RTLD_DEFAULT, "_PyBytes_Resize"))) {
    if (function(&whole, Py_ssize_t(size)) != 0) throw nb::python_error();
    return nb::steal(whole);
  }
  const nb::object kept = nb::steal(whole);
  return nb::bytes(PyBytes_AsString(whole), size);
}

// Memory for this rank's share of a file, which becomes an object of type bytes without a copy: polars takes no other.
class room_for_share {
 public:
  room_for_share(std::uint64_t file_size) {
    bytes_ = nb::steal(
        PyBytes_FromStringAndSize(nullptr, Py_ssize_t(detail::room_for_part(file_size, here("read").session.self.world_size()))));
    if (!bytes_.is_valid()) throw nb::python_error();
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(data()), page = 4096, first = (at + page - 1) / page * page;
    if (at + size() > first)
      ::madvise(reinterpret_cast<void*>(first), at + size() - first, MADV_HUGEPAGE);  // each is touched once
  }
  std::span<char> all() const { return {data(), size()}; }

  // The bytes up to `end`. What is in front of `begin`, which the rank before has, becomes one line to be skipped.
  nb::object take(std::size_t begin, std::size_t end) {
    if (begin > end || end > size()) detail::throw_usage("read", "the share is not in its room");
    if (begin != 0) std::memset(data(), 'x', begin - 1), data()[begin - 1] = '\n';
    return cut_to(std::move(bytes_), end);
  }

 private:
  char* data() const { return PyBytes_AsString(bytes_.ptr()); }
  std::size_t size() const { return std::size_t(PyBytes_Size(bytes_.ptr())); }

  nb::object bytes_;
};

struct share {
  std::uint64_t offset = 0, bytes = 0;  // in the file
  std::uint64_t begin = 0;              // in the room, if it is there
  std::uint64_t in_room = 0;
};

// This rank's share of a file of records: a block with a `share`, and one with its text if that is not in the room.
std::uint64_t read_records(const std::string& name, const std::string& path, const std::string& separator,
                           const std::string& quote, nb::object room) {
  const char* const kept = kept_name(name);
  const std::span<char> memory = nb::cast<room_for_share&>(room).all();
  return begin(kept, std::move(room), [=](const team& t) {
    const detail::file_use use{.operation = kept,
                               .where = quote.empty() ? detail::cut_at::line : detail::cut_at::record,
                               .content = detail::file_content::table,
                               .members = t,
                               .csv = {.separator = separator[0], .quote = quote.empty() ? '\0' : quote[0]},
                               .room = memory};
    const detail::file_part part(path, use);
    share found{part.offset(), std::uint64_t(part.end() - part.begin()), 0,
                part.begin() >= memory.data() && part.end() <= memory.data() + memory.size()};
    if (found.in_room != 0) found.begin = std::uint64_t(part.begin() - memory.data());
    const bytes_view text = found.in_room != 0 ? bytes_view() : std::as_bytes(std::span(part.begin(), part.end()));
    const std::array<bytes_view, 2> parts{std::as_bytes(std::span(&found, 1)), text};
    std::vector<block> values;
    for (const bytes_view& one : parts) values.emplace_back(std::span(&one, 1));
    return values;
  });
}

}  // namespace

void bind_files(nb::module_& m) {
  m.def("read_numbers", &read_numbers);
  m.def("read_records", &read_records);
  nb::class_<room_for_share>(m, "RoomForShare").def(nb::init<std::uint64_t>()).def("take", &room_for_share::take);
}

}  // namespace armilla::python
