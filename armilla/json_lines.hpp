// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "armilla/algorithm/elementwise/write_inline.hpp"
#include "armilla/container/files/json_lines.hpp"
#include "armilla/files.hpp"

/// Reads and writes files of JSON lines (NDJSON): a value in each line.
///
///     struct town { std::string name; std::optional<double> area; std::vector<int> districts; };
///
/// The objects of all lines, each rank its share:
///
///     for (const town& t : am::read_json_lines<town>("towns.jsonl").local()) use(t.name, t.area.value_or(0));
///
/// And back, in the order of the elements:
///
///     am::vector<town> towns(100);
///     am::write_json_lines("towns.jsonl.gz", towns);
///
/// **Types.** An object is an aggregate, whose members have the names of the object's members, or a map from strings. An array
/// is a `std::vector` or another sequence, a `std::array`, tuple or pair. These may be nested. Numbers, `bool` and strings are
/// themselves, `std::chrono::sys_time` is a string (2026-11-30T12:00:00.5), `null` is an empty `std::optional` or a
/// floating-point NaN. Integers are exact; `5.0` is one, too.
///
/// **Members** of an object that the aggregate does not have are ignored. Those that are missing in the object leave a
/// `std::optional` empty; for others the line does not fit. Of two with one name, the last counts.
///
/// **Dependency.** Reading loads the plug-in `libarmilla-json.so`, which uses simdjson. It is built if libsimdjson-dev is
/// installed. Without it, all members get a `usage_error`. Writing needs no plug-in.
///
/// **Errors.** A line that is not JSON, or not of the type, throws `usage_error` in the loop, with file, line and field, unless
/// `skip_bad` skips it. Values may be nested in 64 levels.
namespace armilla {

/// Reads a value from each line that is not empty. Collective; otherwise as `read_lines`.
///
/// `columns` gives the members of the outer aggregate other names, in their order: those that are no names in C++. `members` and
/// `skip_bad` are as for all readers; the other options are not for JSON. String views are valid until the next step of the loop.
template <class T>
auto read_json_lines(const std::string& path, const file_options& how = {}) {
  using namespace detail;
  require_json_names<T>("read_json_lines", how.columns);
  auto part = std::make_shared<file_part>(path, use_of("read_json_lines", cut_at::line, file_content::table, how));
  const json_engine& engine = load_json("read_json_lines", path, part->members());
  return file_range<json_line_reader<T>>(std::move(part), json_line_reader<T>(engine, how.columns));
}

/// Writes the values of all members, each as one line, in the order of the members. Collective; otherwise as `write_lines`.
///
/// Numbers have as many digits as distinguish them, and NaN is `null`. Throws `remote_error` on all members for an infinite
/// number and for a string that is not UTF-8.
template <class R>
  requires(!distributed_range<R> && std::ranges::input_range<R>)
void write_json_lines(const std::string& path, R&& values, const file_options& how = {}) {
  using value = std::ranges::range_value_t<R>;
  detail::require_json_names<value>("write_json_lines", how.columns);
  std::string all;
  detail::failure why;
  try {
    for (const value& v : values) detail::append_json_line(all, v, how.columns);
  } catch (...) { why.note(); }
  detail::write_texts("write_json_lines", path, how.members, all, why);
}

/// Does the same for the elements of a container or view, in the order of their indices. Collective.
template <distributed_range R>
void write_json_lines(const std::string& path, R&& values, const file_options& how = {}) {
  using value = std::remove_const_t<typename views::all_t<R>::value_type>;
  detail::require_json_names<value>("write_json_lines", how.columns);
  detail::write_in_order("write_json_lines", path, detail::reading(std::forward<R>(values)),
                         [&](std::string& all, const value& v) { detail::append_json_line(all, v, how.columns); });
}

}  // namespace armilla
