// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/backend_list.hpp"

#include <dirent.h>
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "armilla/base/core/option_text.hpp"
#include "armilla/fabric/backends.hpp"

namespace armilla::detail {
namespace {

constexpr std::string_view prefix = "libarmilla-", suffix = ".so";

/// The next word of a line, which it takes away.
std::string_view word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view first = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(first.size());
  return first;
}

std::string_view rest(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

bool number(std::string_view text, int& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && value >= 0;
}

bool read_sign(std::string_view line, backend_entry& e) {
  backend_sign s;
  if (!number(word(line), s.strength)) return false;
  const std::string_view kind = word(line);
  if (kind != "variable" && kind != "symbol") return false;
  s.kind = kind == "symbol" ? backend_sign::where::symbol : backend_sign::where::variable;
  s.name = word(line);
  s.text = rest(line);
  if (s.name.empty() || s.text.empty()) return false;
  e.signs.push_back(std::move(s));
  return true;
}

bool read_line(std::string_view line, backend_entry& e) {
  const std::string_view what = word(line);
  if (what.empty() || what.starts_with('#')) return true;
  if (what == "kin") return e.kin = rest(line), !e.kin.empty();
  if (what == "between-hosts") return number(rest(line), e.between_hosts);
  if (what == "joins") return number(rest(line), e.joins);
  return what == "sign" && read_sign(line, e);
}

std::string contents(const std::string& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "re"), std::fclose);
  std::string text(in != nullptr ? 16 * 1024 : 0, 0);
  if (in != nullptr) text.resize(std::fread(text.data(), 1, text.size(), in.get()));
  return text;
}

backend_entry entry_in(const std::string& folder, std::string_view name) {
  const std::string base = fmt::format("{}/{}{}", folder, prefix, name);
  backend_entry e = read_backend_entry(contents(base + ".backend"));
  e.name = name;
  e.file = base + std::string(suffix);
  if (!e.problem.empty()) e.problem = fmt::format("{}.backend: {}", base, e.problem);
  return e;
}

bool has(const std::vector<backend_entry>& all, std::string_view name) {
  return std::ranges::find(all, name, &backend_entry::name) != all.end();
}

void add_folder(const std::string& folder, std::vector<backend_entry>& all) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (open == nullptr) return;
  while (const dirent* const each = readdir(open.get())) {
    std::string_view name = each->d_name;
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size()) continue;
    name.remove_prefix(prefix.size());
    name.remove_suffix(suffix.size());
    if (!has(all, name)) all.push_back(entry_in(folder, name));
  }
}

bool is_there(const backend_sign& s) {
  return s.kind == backend_sign::where::variable ? std::getenv(s.name.c_str()) != nullptr
                                                 : dlsym(RTLD_DEFAULT, s.name.c_str()) != nullptr;
}

int strength_of(const backend_entry& one) {
  const backend_sign* const sign = sign_of(one);
  return sign != nullptr ? sign->strength : one.signs.empty() ? 0 : -1;
}

/// No sign is missing, and none of its kin has a stronger one.
bool fits(const std::vector<backend_entry>& all, const backend_entry& one) {
  const int strength = strength_of(one);
  if (strength < 0 || !one.problem.empty()) return false;
  return one.kin.empty() || std::ranges::none_of(all, [&](const backend_entry& other) {
           return other.kin == one.kin && strength_of(other) > strength;
         });
}

std::vector<std::string> names_of_kin(const std::vector<backend_entry>& all, std::string_view kin) {
  std::vector<std::string> names;
  for (const backend_entry& each : all)
    if (each.kin == kin) names.push_back(each.name);
  return names;
}

}  // namespace

backend_entry read_backend_entry(std::string_view text) {
  backend_entry e;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!read_line(line, e) && e.problem.empty())
      e.problem = fmt::format(
          "'{}' is no line of it; these are: kin WORD, between-hosts NUMBER, joins NUMBER, "
          "sign NUMBER variable|symbol NAME TEXT",
          line);
  }
  return e;
}

std::vector<backend_entry> list_backends(const std::vector<std::string>& folders) {
  std::vector<backend_entry> all;
  for (const std::string& each : folders) add_folder(each, all);
  std::ranges::sort(all, {}, &backend_entry::name);
  return all;
}

const backend_sign* sign_of(const backend_entry& one) {
  const backend_sign* best = nullptr;
  for (const backend_sign& each : one.signs)
    if ((best == nullptr || each.strength > best->strength) && is_there(each)) best = &each;
  return best;
}

std::vector<backend_entry> usable_backends(const std::vector<backend_entry>& all, int backend_entry::* use) {
  std::vector<backend_entry> found;
  for (const backend_entry& each : all)
    if (each.*use > 0 && fits(all, each)) found.push_back(each);
  std::ranges::stable_sort(found, std::ranges::greater(), use);
  return found;
}

const backend_entry* named_backend(const std::vector<backend_entry>& all, std::string_view name, std::string& problem) {
  if (const auto at = std::ranges::find(all, name, &backend_entry::name); at != all.end()) return &*at;
  const std::vector<std::string> kin = names_of_kin(all, name);
  if (name.empty() || kin.empty()) {
    std::vector<std::string> known{"auto", "shm", "threads", "loop"};
    for (const backend_entry& each : all) known.push_back(each.name);
    problem = fmt::format("there is no such fabric; built in are auto, shm, threads and loop, backends found: {}{}",
                          names_of(all), did_you_mean(name, known));
    return nullptr;
  }
  for (const backend_entry& each : all)
    if (each.kin == name && fits(all, each)) return &each;
  problem = fmt::format(
      "it means one of {}, and nothing says which: no launcher of theirs started the job, and the program is "
      "linked with none; start it by that launcher, as mpirun -n 4 ./program",
      fmt::join(kin, ", "));
  return nullptr;
}

std::string names_of(const std::vector<backend_entry>& all) {
  std::vector<std::string> names;
  for (const backend_entry& each : all) names.push_back(each.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace armilla::detail
