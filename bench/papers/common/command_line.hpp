// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;  // its header takes two seconds to compile: only command_line.cpp includes it
}

namespace papers {

template <class T>
struct limit_of_place {
  using type = T;
};
template <class T>
struct limit_of_place<std::vector<T>> {
  using type = T;
};
template <class Place>
using limit_of = typename limit_of_place<Place>::type;

/// The arguments of a program, with those that all have: --samples, --version, --json, --cold. Add the program's own, then
/// `read`.
class command_line {
 public:
  /// `versions`: all that this executable has, in the order in which they run.
  command_line(std::string program, const std::string& description, std::vector<std::string> versions);
  ~command_line();
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  /// An option with a number from `least` to `most`, or with one or more such numbers. Of int, long, std::uint64_t, double, and
  /// vectors of int and std::uint64_t.
  template <class Place>
  void number(const std::string& name, Place& place, const std::string& help, limit_of<Place> least, limit_of<Place> most);

  /// An option with one of these words, or, into a vector, with one or more of them.
  template <class Place>
  void choice(const std::string& name, Place& place, const std::string& help, std::vector<std::string> words);

  void flag(const std::string& name, bool& place, const std::string& help);

  /// Reads the arguments. A value: `main` returns it; 0 after --help, 2 after a mistake, which it has named after the
  /// program's file.
  std::optional<int> read(int argc, char** argv);

  /// Says what is wrong with the arguments taken together, and returns 2.
  int refuse(const std::string& what) const;

  /// The same of too few ranks.
  int refuse_ranks(int ranks, int least) const;

  /// The same of `arguments` for which all ranks together take about `bytes`, if that is more than half of this host's memory;
  /// else 0.
  int refuse_memory(const std::string& arguments, double bytes) const;

  bool wants(std::string_view version) const {
    return chosen_.empty() || std::find(chosen_.begin(), chosen_.end(), version) != chosen_.end();
  }
  const std::string& program() const noexcept { return program_; }
  int samples() const noexcept { return samples_; }
  bool writes_json() const noexcept { return json_; }
  /// Without the sample that does not count: where the clock is a simulator's, nothing has to warm up.
  bool cold() const noexcept { return cold_; }
  /// Whether nothing was printed yet: a table begins with a head, whatever measures.
  bool begins_table() const noexcept { return !std::exchange(headed_, true); }

 private:
  std::unique_ptr<CLI::App> app_;
  std::string program_, file_;
  std::vector<std::string> chosen_;
  int samples_ = 3;
  bool json_ = false, cold_ = false;
  mutable bool headed_ = false;
};

}  // namespace papers
