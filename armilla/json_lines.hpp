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

/// Reads and writes files of JSON lines (NDJSON): one value per line.
///
///     struct town { std::string name; std::optional<double> area; std::vector<int> districts; };
///
/// Read the lines, on each rank its share:
///
///     for (const town& t : am::read_json_lines<town>("towns.jsonl").local()) use(t.name, t.area.value_or(0));
///
/// Write them, in the order of the elements:
///
///     am::vector<town> towns(100);
///     am::write_json_lines("towns.jsonl.gz", towns);
///
/// **Types.**
/// - An object corresponds to an aggregate, by the names of its members, or to a map from strings.
/// - An array corresponds to a `std::vector` or another sequence, a `std::array`, a tuple or a pair.
/// - A number corresponds to an arithmetic type. Integers are exact; `5.0` can be read as an integer.
/// - `true` and `false` correspond to `bool`, and a string to a string or a `std::chrono::sys_time` (2026-11-30T12:00:00.5).
/// - `null` corresponds to an empty `std::optional` or a floating-point NaN.
///
/// Types may be nested.
///
/// **Members.** Members of an object that the aggregate lacks are ignored. Members of the aggregate that the object lacks must be
/// of type `std::optional`, and become empty. If a name occurs twice in an object, the last value is used.
///
/// **Dependency.** Reading loads the plug-in `libarmilla-json.so`, which uses simdjson. It is built if libsimdjson-dev is
/// installed. Without it, reading throws `usage_error` on all members. Writing does not need the plug-in.
///
/// **Errors.** For a line that is not JSON, or does not match the type, the loop throws `usage_error` with file, line and field;
/// the option `skip_bad` skips such lines. Values may be nested to a depth of 64.
namespace armilla {

/// Reads a value from each line that is not empty. Collective; otherwise as `read_lines`.
///
/// The option `columns` sets the names of the outer aggregate's members in the file, in their order. `members` and `skip_bad` are
/// as for all readers; the other options do not apply. String views are valid until the next step of the loop.
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
/// Numbers are written with as many digits as are needed to read the same value back. NaN is written as `null`. Throws
/// `remote_error` on all members for an infinite number and for a string that is not UTF-8.
template <class R>
  requires(!distributed_range<R> && std::ranges::input_range<R>)
void write_json_lines(const std::string& path, R&& values, const file_options& how = {}) {
  using value = std::ranges::range_value_t<R>;
  detail::require_json_names<value>("write_json_lines", how.columns);
  std::string all;
  detail::failure why;
  try {
    for (const value& v : values) detail::append_json_line(all, v, how.columns);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
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
