// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/files/csv_record.hpp"
#include "armilla/container/files/field_values.hpp"
#include "armilla/container/files/file_part.hpp"
#include "armilla/wire/member_names.hpp"

/// Records of comma-separated values as values, and back.
namespace armilla::detail {

/// An aggregate whose members are fields.
template <class T>
concept csv_row = reflectable<T> && !requires { std::tuple_size<T>::value; };
/// What has fields: an aggregate, a tuple, a pair or an array.
template <class T>
concept csv_record = csv_row<T> || requires { std::tuple_size<T>::value; };

/// visit(field...) with references to all fields.
template <class Record, class F>
decltype(auto) visit_fields(Record& record, F&& visit) {
  if constexpr (csv_row<std::remove_const_t<Record>>)
    return visit_members(record, std::forward<F>(visit));
  else
    return std::apply(std::forward<F>(visit), record);
}
template <class Record>
constexpr std::size_t count_fields() {
  if constexpr (csv_row<Record>)
    return member_count<Record>;
  else
    return std::tuple_size_v<Record>;
}

/// The member whose part begins with the first record of the file: empty lines and comments may fill the parts before. If there
/// is no record, the first member. Collective.
rank_t member_with_first_record(const file_part& part, const csv_format& format);

/// Which fields of a record are read.
struct chosen_columns {
  std::vector<std::size_t> fields{};  ///< their numbers in a record; empty: all
  std::vector<std::string> names{};
  std::size_t in_file = 0;  ///< how many fields a record has; 0: not known
};
/// Collective: finds the columns by their names in the first record, which member `first` has. Throws a usage_error on all
/// members if one is missing.
chosen_columns choose_columns(const file_part& part, const csv_format& format, std::vector<std::string> names, rank_t first);

/// The names that the first record must have.
template <class... T>
std::vector<std::string> names_of_columns(const std::vector<std::string>& given, bool header) {
  if constexpr (sizeof...(T) == 1) {
    using only = std::tuple_element_t<0, std::tuple<T...>>;
    if constexpr (csv_row<only>)
      if (header && given.empty()) return {member_names<only>.begin(), member_names<only>.end()};
  }
  return given;
}
/// usage_error if there are names, but not one for each field.
void require_names(const char* operation, std::size_t names, std::size_t fields);

struct bad_field {
  std::size_t number = 0;  ///< in the record
  bool optional = false;
  std::string_view name{};
  const char* wanted = "";  ///< "a bool"
};
/// What a field of type F has to be.
template <class F>
constexpr const char* text_of_field_type() {
  if constexpr (is_optional<F>)
    return text_of_field_type<typename F::value_type>();
  else if constexpr (std::is_same_v<F, bool>)
    return "a bool";
  else if constexpr (is_time<F>)
    return digits_of<typename F::duration>() < 0 ? "a date" : "a time";
  else if constexpr (std::is_floating_point_v<F>)
    return std::is_same_v<F, float> ? "a float" : "a double";
  else if constexpr (std::is_integral_v<F>) {
    constexpr const char* names[2][4] = {{"an int8_t", "an int16_t", "an int", "an int64_t"},
                                         {"a uint8_t", "a uint16_t", "an unsigned int", "a uint64_t"}};
    return names[std::is_unsigned_v<F>][std::bit_width(sizeof(F)) - 1];
  } else
    return "a string";
}
std::string text_of_bad_number_of_fields(std::size_t have, std::size_t wanted, std::string_view record);
std::string text_of_bad_field(std::string_view field, const bad_field& which);

template <class... T>
struct csv_item {
  using type = std::tuple<T...>;
};
template <>
struct csv_item<> {
  using type = std::vector<std::string_view>;
};
template <csv_row T>
struct csv_item<T> {
  using type = T;
};

/// Rows of a table of comma-separated values. Without types: the fields as strings. `with_header`: the first record of this
/// member's part names the columns and is skipped.
template <class... T>
struct csv_reader {
  using value = typename csv_item<T...>::type;
  csv_reader(const csv_format& format, bool with_header, chosen_columns columns = {}, field_rules rules = {})
      : header(with_header), record_(format), columns_(std::move(columns)), rules_(std::move(rules)) {}
  bool header;

  bool next(file_part& part, const char*& at, value& row) {
    if (header && at == part.begin())
      while (at != part.end() && !take(part, at) && record_.blank()) continue;
    while (at != part.end())
      if (take(part, at) && fits(part, row, at)) return true;
    return false;
  }

 private:
  static constexpr std::size_t wanted() {
    if constexpr (sizeof...(T) == 0)
      return 0;
    else
      return count_fields<value>();
  }

  bool take(file_part& part, const char*& at) {
    record_.skip_comments(at, part.end());
    line_ = at;
    const std::string_view wrong = record_.next(at, part.end());
    if (!wrong.empty()) part.complain(line_, "field " + std::to_string(fields().size() + 1) + ": " + std::string(wrong), "");
    const bool is_record = wrong.empty() && !record_.blank();
    records_ += is_record ? 1 : 0;
    return is_record;
  }
  bool fits(file_part& part, value& row, const char* end) {
    const std::size_t right = columns_.in_file != 0 ? columns_.in_file : wanted();
    if (right != 0 && fields().size() != right) {
      part.complain(line_, text_of_bad_number_of_fields(fields().size(), right, {line_, end}),
                    begins_file(part) ? "give read_csv one type for each field" : nullptr);
      return false;
    }
    if constexpr (sizeof...(T) == 0) {
      row.clear();
      for (const std::size_t f : columns_.fields) row.push_back(fields()[f]);
      if (columns_.fields.empty()) row = fields();
    } else if (bad_field bad; !parse(row, bad)) {
      const char* const advice = "give read_csv the types of the fields, or file_options::header if the first record names them";
      part.complain(line_, text_of_bad_field(fields()[bad.number], bad), begins_file(part) ? advice : nullptr);
      return false;
    }
    return true;
  }
  /// The record is the first of the file, and may be a header, or be what the types do not fit.
  bool begins_file(const file_part& part) const noexcept { return records_ == 1 && part.is_first(); }
  /// Returns false if a field is not a value of its type; `bad` is that field.
  bool parse(value& row, bad_field& bad) {
    std::size_t i = 0;
    const auto parse_one = [&]<class F>(F& field) {
      const std::size_t number = columns_.fields.empty() ? i : columns_.fields[i];
      if constexpr (is_optional_text<F>)  // in quotes it is a value, but a record of one empty field needs them
        if (record_.quoted(number) && !(fields().size() == 1 && fields()[0].empty()))
          return parse_field(fields()[number], field.emplace(), rules_), ++i, true;
      if (parse_field(fields()[number], field, rules_)) return ++i, true;
      bad = {number, is_optional<F>, columns_.names.empty() ? std::string_view() : columns_.names[i], text_of_field_type<F>()};
      return false;
    };
    return visit_fields(row, [&](auto&... field) { return (parse_one(field) && ...); });
  }
  const std::vector<std::string_view>& fields() const noexcept { return record_.fields(); }

  record_parser record_;
  chosen_columns columns_;
  field_rules rules_;
  const char* line_ = nullptr;
  std::size_t records_ = 0;  // of this pass so far, with the header
};

/// A record as a line.
template <csv_record Record>
void append_record(std::string& all, const Record& record, const csv_format& format, const field_rules& rules) {
  const std::size_t before = all.size();
  bool first = true;
  const auto put = [&](const auto& field) {
    if (!std::exchange(first, false)) all += format.separator;
    append_field(all, field, format, rules);
  };
  visit_fields(record, [&](const auto&... field) { (put(field), ...); });
  if (all.size() == before) all.append(2, format.quote);  // an empty line is not a record
  all += '\n';
}

/// The record with the names of the columns: those that are given, or of the members.
template <csv_record Record>
std::string header_record(const std::vector<std::string>& given, bool header, const csv_format& format) {
  const std::vector<std::string> names = names_of_columns<Record>(given, header);
  if (header || !names.empty()) require_names("write_csv", names.size(), count_fields<Record>());
  std::string all;
  bool first = true;
  for (const std::string& name : names) {
    if (!std::exchange(first, false)) all += format.separator;
    append_text(all, name, format);
  }
  if (all.empty() && !names.empty()) all.append(2, format.quote);
  return names.empty() ? all : all + '\n';
}

}  // namespace armilla::detail
