// SPDX-License-Identifier: Apache-2.0
// What is printed of options: all of it from their table.
#include "armilla/base/core/option_table.hpp"

namespace armilla::detail {
namespace {

std::string default_of(const option_row& r, const options& defaults) {
  const std::string value = r.show(defaults);
  if (value.empty()) return r.usual.empty() ? "nothing" : r.usual;
  return r.usual.empty() ? value : value + ", " + r.usual;
}

// The page is the same on each machine. Values that users may write look like code.
std::string default_anywhere(const option_row& r, const options& defaults) {
  if (!r.usual.empty()) return r.usual;
  const std::string value = r.show(defaults);
  return value.empty() ? "nothing" : "`" + value + "`";
}

/// Calls f(row) for each option, and first h(heading) for each group of them.
template <class Heading, class Option>
void each_option(Heading h, Option f) {
  const std::string* last = nullptr;
  for (const option_row& r : option_table()) {
    if (last == nullptr || *last != r.heading) h(r.heading.c_str());
    last = &r.heading;
    f(r);
  }
}

}  // namespace

void print_manual(std::FILE* out) {
  const options defaults;
  each_option([&](const char* heading) { std::fprintf(out, "\n%s\n\n", heading); },
              [&](const option_row& r) {
                std::fprintf(out, "%s\n    %s\n    Allowed: %s. Default: %s.\n", variable_of(r.name).c_str(), r.text.c_str(),
                             r.allowed.c_str(), default_of(r, defaults).c_str());
              });
}

void print_options_page(std::FILE* out) {
  const options defaults;
  std::fputs(
      "# Options\n\n"
      "A job reads these variables once, when it starts. An unknown name or a bad value is an error that says what is allowed.\n"
      "`armilla-run --options` prints the same; `armilla-info` prints those that are not at their defaults.\n"
      "\\*: the value of rank 0 counts for all ranks.\n",
      out);
  each_option([&](const char* heading) { std::fprintf(out, "\n## %s\n", heading); },
              [&](const option_row& r) {
                std::fprintf(out, "\n### %s\n\n%s\n\nAllowed: %s. Default: %s.%s\n", variable_of(r.name).c_str(), r.text.c_str(),
                             r.allowed.c_str(), default_anywhere(r, defaults).c_str(), r.shared ? " \\*" : "");
              });
}

int print_changes(const options& settings, std::FILE* out) {
  const options defaults;
  int changes = 0;
  for (const option_row& r : option_table())
    if (const std::string value = r.show(settings); value != r.show(defaults))
      std::fprintf(out, "  %s=%s\n", variable_of(r.name).c_str(), value.c_str()), ++changes;
  return changes;
}

}  // namespace armilla::detail
