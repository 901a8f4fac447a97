// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <source_location>
#include <string_view>

/// Names for containers, distributed objects and teams.
///
/// Every container, distributed object and team knows the line of your program that constructed it. It may also have a name:
///
///     am::vector<double> t(1000, am::named("temperature"));
///
/// Errors, reports of waits and saved files contain a description of the object. For example, the error of an index that is out
/// of range begins with `"temperature" (am::vector<double>, 1,000 elements, heat.cpp:31)`, or with
/// `am::vector<double> (1,000 elements, heat.cpp:31)` if the vector has no name.
///
/// **Cost.** Each rank stores the name and the line once for each object. Messages do not contain them.
namespace armilla {

/// The line of a program that constructs an object, and the name of the object. Constructors of containers, and functions that
/// return new ones, such as `clone` and `read_graph`, take it as their last argument. Callers usually omit it: the default is
/// the line of the call, without a name.
///
/// A function that constructs containers for its callers can pass on their line:
///
///     am::vector<double> make_field(std::size_t n, const am::made_at& at = std::source_location::current()) {
///       return am::vector<double>(n, at);
///     }
///
/// Arguments before it that have defaults can be omitted, too.
///
/// **Lifetime.** A `made_at` refers to the characters of its name; the object that it is passed to copies them.
class made_at {
 public:
  constexpr made_at(const std::source_location& where) noexcept : where_(where) {}  // NOLINT(google-explicit-constructor)

  /// Returns the line of the program.
  constexpr const std::source_location& where() const noexcept { return where_; }
  /// Returns the name; it is empty if none was given.
  constexpr std::string_view name() const noexcept { return name_; }

 private:
  friend constexpr made_at named(std::string_view name, const std::source_location& where) noexcept;
  std::source_location where_;
  std::string_view name_;
};

/// Returns the name `name` and the line of the call, for a constructor: `am::map<int, int> m(am::named("ages"))`.
///
/// Names need not be unique. Errors show the first 64 characters.
[[nodiscard]] constexpr made_at named(std::string_view name,
                                      const std::source_location& where = std::source_location::current()) noexcept {
  made_at at(where);
  at.name_ = name;
  return at;
}

}  // namespace armilla
