// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/csv_reader.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "armilla/base/values/escaped.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/image/save_agreement.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

/// Finds the first record that is not an empty line. Returns false if there is none. `wrong`: what is wrong with the record, or
/// that there is none.
bool find_first_record(record_parser& records, const file_part& part, std::string& wrong) {
  for (const char* at = part.begin(); at != part.end();) {
    const std::string_view why = records.next(at, part.end());
    if (!why.empty()) wrong = fmt::format("its first record, field {}: {}", records.fields().size() + 1, why);
    if (!why.empty() || !records.blank()) return true;
  }
  wrong = "it is empty, and its first record should name the columns";
  return false;
}

}  // namespace

rank_t member_with_first_record(const file_part& part, const csv_format& format) {
  record_parser records(format);
  std::string wrong;
  const auto all = part.members().all_gather(std::uint8_t(find_first_record(records, part, wrong) ? 1 : 0));
  const auto first = std::ranges::find(all, 1);
  return first == all.end() ? 0 : rank_t(first - all.begin());
}

chosen_columns choose_columns(const file_part& part, const csv_format& format, std::vector<std::string> names, rank_t first) {
  std::string wrong;
  std::vector<std::string> in_file;
  const bool mine = part.members().rank() == first;
  if (mine) {
    record_parser records(format);
    if (find_first_record(records, part, wrong)) in_file.assign(records.fields().begin(), records.fields().end());
  }
  in_file = part.members().broadcast(in_file, first);
  chosen_columns chosen{{}, std::move(names), in_file.size()};
  for (const std::string& name : chosen.names) {
    const auto found = std::ranges::find(in_file, name);
    chosen.fields.push_back(std::size_t(found - in_file.begin()));
    if (!mine || !wrong.empty()) continue;
    if (found == in_file.end())
      wrong = fmt::format("it has no column '{}'; its first record is: {}", escaped(name),
                          escaped(fmt::format("{}", fmt::join(in_file, ", ")).substr(0, 400)));
    else if (std::find(std::next(found), in_file.end(), name) != in_file.end())
      wrong = fmt::format("two of its columns are called '{}'", escaped(name));
  }
  agree_on_file(part.members(), "read_csv", "read", part.path(), wrong);
  return chosen;
}

void require_names(const char* operation, std::size_t names, std::size_t fields) {
  if (names != fields)
    throw_usage(operation,
                fmt::format("{} names of columns for {} fields; file_options::columns needs one for each", names, fields));
}

std::string text_of_bad_number_of_fields(std::size_t have, std::size_t wanted, std::string_view record) {
  while (!record.empty() && (record.back() == '\n' || record.back() == '\r')) record.remove_suffix(1);
  return fmt::format("{} field{} where there should be {}: '{}'", have, have == 1 ? "" : "s", wanted,
                     escaped(record.substr(0, 200)));
}

std::string text_of_bad_field(std::string_view field, const bad_field& which) {
  const std::string column = which.name.empty() ? std::string() : fmt::format(" (column '{}')", which.name);
  if (field.empty())
    return fmt::format("field {}{} is empty, which only std::optional<T> and std::string can be", which.number + 1, column);
  return fmt::format("'{}' in field {}{} is not {}{}", escaped(field.substr(0, 60)), which.number + 1, column, which.wanted,
                     which.optional ? "; file_options::missing lists the texts that stand for none" : "");
}

}  // namespace armilla::detail
