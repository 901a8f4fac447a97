// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>

namespace examples {

/// The arguments of an example. CLI11 reads them, out of sight: it costs the compiler more than the example does.
class arguments {
 public:
  /// `about`: what --help says of the program.
  explicit arguments(const std::string& about);
  ~arguments();

  /// An option with a value (--name), or the next word (name). `value` is where it goes: an integer, a double, an optional or
  /// several integers. It holds the default, which `help` need not tell.
  template <class Value>
  void take(const std::string& name, Value& value, const std::string& help);

  /// The same, where what is not between `lowest` and `highest` is refused.
  template <class Value, class Bound>
  void take(const std::string& name, Value& value, const std::string& help, Bound lowest, Bound highest);

  /// A file, which must exist where one is named.
  void take_file(const std::string& name, std::string& file, const std::string& help);

  /// An option without a value.
  void take_flag(const std::string& name, bool& flag, const std::string& help);

  /// Reads the arguments into their places. A value: `main` returns it, after --help or a mistake, which has been named.
  std::optional<int> read(int argc, char** argv);

 private:
  struct parser;
  std::unique_ptr<parser> parser_;
};

}  // namespace examples
