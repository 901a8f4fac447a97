// SPDX-License-Identifier: Apache-2.0
#include "tools/arguments/arguments.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "armilla/base/core/check.hpp"
#include "armilla/base/core/option_text.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/host/build_id.hpp"
#include "armilla/boot/host/job_block.hpp"

namespace armilla::tools {
namespace {

constexpr int wrong_use_code = 2;
constexpr std::size_t width = 100, column = 26;

const option help_option{"-h, --help", "", "Print this and exit", {}};
const option version_option{"--version", "", "Print the version and exit", {}};

words split(const std::string& text, const std::string& at) {
  words parts;
  for (std::size_t from = 0, end; from <= text.size(); from = end + at.size()) {
    end = std::min(text.find(at, from), text.size());
    parts.push_back(text.substr(from, end - from));
  }
  return parts;
}

// The line broken at spaces, each further one indented.
std::string wrapped(const std::string& text, std::size_t used) {
  std::string out;
  for (const std::string& word : split(text, " ")) {
    if (!out.empty() && used + 1 + word.size() > width) {
      out += "\n" + std::string(column, ' ') + word;
      used = column + word.size();
    } else {
      used += word.size() + !out.empty();
      out += (out.empty() ? "" : " ") + word;
    }
  }
  return out;
}

std::string line_of(const option& o) {
  const std::string head = fmt::format("  {}{}{}", o.names, o.value.empty() ? "" : " ", o.value);
  if (head.size() + 2 > column) return fmt::format("{}\n{:{}}{}\n", head, "", column, wrapped(o.help, column));
  return fmt::format("{:<{}}{}\n", head, column, wrapped(o.help, column));
}

bool has_name(const option& o, const std::string& name) { return std::ranges::count(split(o.names, ", "), name) > 0; }

// Throws "unknown option", with the nearest one that there is.
[[noreturn]] void refuse(const program& p, const std::string& word) {
  std::vector<std::string> known;
  for (const option& o : p.options)
    for (const std::string& name : split(o.names, ", ")) known.push_back(name);
  throw wrong_use(fmt::format("unknown option '{}'{}", word, detail::did_you_mean(word, known)));
}

struct found {
  const option* what = nullptr;
  std::string value{};
  bool has_value = false;
};

// "--ranks=4" and "-n4" bring their value along.
found find(const program& p, const std::string& word) {
  const bool is_long = word.starts_with("--");
  const std::size_t end = is_long ? std::min(word.find('='), word.size()) : 2;
  for (const option& o : p.options) {
    if (has_name(o, word)) return {&o};
    if (end < word.size() && has_name(o, word.substr(0, end))) return {&o, word.substr(end + is_long), true};
  }
  return {};
}

bool may_lack_value(const option& o) { return o.value.starts_with('['); }
bool is_number(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// What the option at `all[i]` does; the index of the last word that belongs to it.
std::size_t take(const program& p, const words& all, std::size_t i) {
  found f = find(p, all[i]);
  if (f.what == nullptr) refuse(p, all[i]);
  if (f.what->value.empty() && f.has_value) throw wrong_use(fmt::format("{} takes no value", f.what->names));
  if (may_lack_value(*f.what) && !f.has_value) {
    if (i + 1 < all.size() && is_number(all[i + 1])) f.value = all[++i];
  } else if (!f.what->value.empty() && !f.has_value) {
    if (++i == all.size()) throw wrong_use(fmt::format("{} wants a value: {}", f.what->names, f.what->value));
    f.value = all[i];
  }
  if (!f.what->value.empty() && f.value.empty() && (f.has_value || !may_lack_value(*f.what)))
    throw wrong_use(fmt::format("{} wants a value that is not empty: {}", f.what->names, f.what->value));
  try {
    f.what->take(f.value);
  } catch (const wrong_use& why) { throw wrong_use(fmt::format("{}: {}", f.what->names, why.what())); }
  return i;
}

[[noreturn]] void print_and_exit(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::exit(std::fflush(stdout) == 0 ? 0 : 1);
}

}  // namespace

std::string version_of(const std::string& name) {
  return fmt::format("{} (Armilla) {}\nwire {}, {}, build {:016x}\n", name, ARMILLA_VERSION, detail::job_block::good_version,
                     detail::checked ? "checked" : "without costly checks", detail::build_id());
}

std::string help_of(const program& p) {
  std::string text =
      fmt::format("{}: {}\n\nUsage: {}{}{}\n\nOptions:\n", p.name, p.summary, p.name, p.usage.empty() ? "" : " ", p.usage);
  for (const option& o : p.options) text += line_of(o);
  text += line_of(help_option) + line_of(version_option);
  return p.more.empty() ? text : text + "\n" + p.more;
}

words parse(const program& p, words all) {
  words rest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (has_name(help_option, all[i])) print_and_exit(help_of(p));
    if (all[i] == version_option.names) print_and_exit(version_of(p.name));
    if (is_option(all[i]) && all[i] != "--") {
      i = take(p, all, i);
      continue;
    }
    const bool all_others = p.command_follows || all[i] == "--";
    const std::size_t end = all_others ? all.size() : i + 1;
    for (std::size_t at = i + (all[i] == "--"); at < end; ++at) rest.push_back(all[at]);
    i = end - 1;
  }
  return rest;
}

int complain(const program& p, const std::string& what) {
  std::fprintf(stderr, "%s: %s (see %s --help)\n", p.name.c_str(), detail::escaped(what, "\n").c_str(), p.name.c_str());
  return wrong_use_code;
}

words parse_or_exit(const program& p, int argc, char** argv) try {
  return parse(p, words(argv + std::min(argc, 1), argv + argc));
} catch (const wrong_use& why) { std::exit(complain(p, why.what())); }

std::function<void(const std::string&)> into(std::string& place) {
  return [&place](const std::string& text) { place = text; };
}

std::function<void(const std::string&)> into(bool& place) {
  return [&place](const std::string&) { place = true; };
}

std::function<void(const std::string&)> into(int& place, int low, int high) {
  return [&place, low, high](const std::string& text) {
    if (!detail::parse_number(text, low, high, place))
      throw wrong_use(fmt::format("'{}' is no number from {} to {}", text, low, high));
  };
}

}  // namespace armilla::tools
