// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

// The command lines of Armilla's programs. One description gives the parser, --help and --version; tools/manual makes the manual
// page and the shell's completion of what --help prints.
namespace armilla::tools {

using words = std::vector<std::string>;

/// One option. `names` is "-n, --ranks"; `value` names what follows it ("N"), empty: nothing does; "[N]": a number may. `take`
/// gets the value and throws `wrong_use` if it cannot be; an option without `take` is not in the table.
struct option {
  std::string names, value, help;
  std::function<void(const std::string&)> take;
};

struct program {
  std::string name, summary;  ///< "armilla-run", "Starts ..."
  std::string usage;          ///< what stands behind the name
  std::vector<option> options;
  std::string more{};            ///< printed below the options
  bool command_follows = false;  ///< the first word that is no option, and all behind it, belong to another program
};

struct wrong_use : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Gives each option its value and returns the other words. --help and --version print and end the process. Throws `wrong_use`.
words parse(const program& p, words all);

/// The same; what is wrong goes to standard error, and the process ends with exit code 2.
words parse_or_exit(const program& p, int argc, char** argv);

/// "armilla-run: what (see armilla-run --help)" on standard error; returns the exit code, 2.
int complain(const program& p, const std::string& what);

std::string help_of(const program& p);
std::string version_of(const std::string& name);

/// Takers of values.
std::function<void(const std::string&)> into(std::string& place);
std::function<void(const std::string&)> into(bool& place);
std::function<void(const std::string&)> into(int& place, int low, int high);

}  // namespace armilla::tools
