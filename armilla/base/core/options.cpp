// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/options.hpp"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "armilla/base/core/option_table.hpp"
#include "armilla/base/core/option_text.hpp"
#include "armilla/base/host/trusted_file.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::string_view prefix = "ARMILLA_";
constexpr std::string_view reserved = "ARMILLA_INTERNAL_";
constexpr std::string_view no_file = "none";
constexpr std::size_t most_tuned_bytes = 64 * 1024;

[[noreturn]] void throw_unknown(std::string_view name) {
  const auto far = [&](const option_row& r) { return edit_distance(r.name, name); };
  const auto near = std::min_element(option_table().begin(), option_table().end(),
                                     [&](const option_row& a, const option_row& b) { return far(a) < far(b); });
  throw_usage("options", variable_of(name) + " is no option; did you mean " + variable_of(near->name) +
                             "? (armilla-run --options prints all)");
}

const option_row* known(std::string_view name) {
  for (const option_row& r : option_table())
    if (equal_ignoring_case(r.name, name) || (!r.alias.empty() && equal_ignoring_case(r.alias, name))) return &r;
  return nullptr;
}

const option_row& find(std::string_view name) {
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (const option_row* const r = known(name)) return *r;
  throw_unknown(name);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t first = text.find_first_not_of(blank);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// False if it is neither "name=value" of something tunable, nor empty, nor a comment.
bool read_tuned_line(options& o, std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return true;
  const std::size_t equals = line.find('=');
  if (equals == line.npos) return false;
  const option_row* const r = known(trimmed(line.substr(0, equals)));
  return r != nullptr && r->tunable && r->read(o, trimmed(line.substr(equals + 1)));
}

[[noreturn]] void throw_bad_line(const std::string& file, int number, const std::string& line) {
  std::string allowed;
  for (const option_row& r : option_table())
    if (r.tunable) allowed += r.name + "= followed by " + r.allowed + ", ";
  throw_usage("options", file + ", line " + std::to_string(number) + ": '" + line + "' is not allowed; give " + allowed +
                             "or a comment that starts with #; or set ARMILLA_TUNED=none to do without this file");
}

// A file that cannot be read, or is not to be trusted, counts as absent: the default place may belong to another user.
void read_tuned(options& o, const std::string& file) {
  std::string wrong;
  const auto text = file.empty() ? std::nullopt : read_trusted_file(file, most_tuned_bytes, wrong);
  if (!text) return;
  int number = 0;
  for (std::size_t at = 0; at < text->size(); ++at) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    if (++number; !read_tuned_line(o, line)) throw_bad_line(file, number, line);
    at = end;
  }
}

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool has(const char* const* environment, const std::string& variable) {
  for (; *environment != nullptr; ++environment)
    if (std::string_view(*environment).starts_with(variable + "=")) return true;
  return false;
}

/// Whether `variable` is an old name beside the new one: then the new one counts, wherever it stands.
bool is_overruled(const char* const* environment, std::string_view variable) {
  const std::string name = variable_of(find(variable).name);
  return !equal_ignoring_case(name, variable) && has(environment, name);
}

void apply(options& o, const char* const* environment) {
  const char* const* const all = environment;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (!entry.starts_with(prefix) || entry.starts_with(reserved)) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    if (!is_overruled(all, entry.substr(0, equals))) o.set(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

void read(options& o, const option_row& r, std::string_view value) {
  if (!r.read(o, value))
    throw_usage("options", variable_of(r.name) + "=" + std::string(value) + " is not allowed; give " + r.allowed +
                               did_you_mean(value, r.words));
}

}  // namespace

std::uint64_t default_segment_bytes() noexcept {
  struct sysinfo machine{};  // sysconf does not notice that it is refused
  const bool known = sysinfo(&machine) == 0 && machine.totalram > 0;
  return known ? std::bit_ceil(std::uint64_t(machine.totalram) * machine.mem_unit) : std::uint64_t{1} << 34;
}

void options::set(std::string_view name, std::string_view value) {
  const option_row& r = find(name);
  if (value.empty()) throw_usage("options", variable_of(r.name) + "= is not allowed; give " + r.allowed + ", or unset it");
  read(*this, r, value);
}

std::string options::get(std::string_view name) const { return find(name).show(*this); }

options options::from(const char* const* environment) {
  options o;
  apply(o, environment);
  return o;
}

std::string options::shared() const {
  std::string text;
  for (const option_row& r : option_table())
    if (r.shared) text.append(r.name).append("=").append(r.show(*this)).push_back('\0');
  return text;
}

options::overruled options::take_shared(std::string_view text) {
  static const options defaults;
  overruled result;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    const std::size_t equals = std::min(entry.find('='), entry.size());
    const option_row& r = find(entry.substr(0, equals));
    const std::string mine = r.show(*this);
    read(*this, r, entry.substr(std::min(equals + 1, entry.size())));  // empty: not set there
    const std::string theirs = r.show(*this);
    if (mine == theirs || mine == r.show(defaults)) continue;
    const std::string_view between = result.here.empty() ? "" : " ";
    result.here.append(between).append(variable_of(r.name)).append("=").append(mine);
    result.there.append(between).append(variable_of(r.name)).append("=").append(theirs);
  }
  return result;
}

std::string tuned_file() {
  if (const std::string named = environment_value("ARMILLA_TUNED"); !named.empty() && named != no_file) return named;
  // A relative XDG_CONFIG_HOME is to be ignored, says its specification.
  if (const std::string config = environment_value("XDG_CONFIG_HOME"); config.starts_with('/')) return config + "/armilla/tuned";
  const std::string home = environment_value("HOME");
  return home.empty() ? "" : home + "/.config/armilla/tuned";
}

std::string complaint_of_tuned_file() {
  const std::string named = environment_value("ARMILLA_TUNED");
  std::string wrong;
  if (named.empty() || named == no_file || read_trusted_file(named, most_tuned_bytes, wrong)) return "";
  return "armilla: options: ARMILLA_TUNED=" + named + " is not read, so nothing is tuned: " + wrong +
         "; let armilla-tune write it, or set ARMILLA_TUNED=none";
}

std::string variable_of(std::string_view name) {
  std::string v(prefix);
  for (const char c : name) v += upper(c);
  return v;
}

options options::from_environment() {
  options o;
  if (environment_value("ARMILLA_TUNED") != no_file) read_tuned(o, tuned_file());
  apply(o, environ);
  return o;
}

}  // namespace armilla::detail
