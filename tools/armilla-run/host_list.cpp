// SPDX-License-Identifier: Apache-2.0
#include "host_list.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "armilla/boot/host/job_block.hpp"

namespace armilla::run {
namespace {

int slots_of(std::string_view text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > detail::most_local_ranks)
    throw std::invalid_argument(fmt::format("'{}' is no number of ranks from 1 to {}", text, int(detail::most_local_ranks)));
  return n;
}

// A name that began with '-' would be an option of ssh.
std::string host_name(std::string_view text) {
  if (text.empty() || text[0] == '-' || text.find_first_of(" \t\n") != std::string_view::npos)
    throw std::invalid_argument(fmt::format("'{}' is no name of a host", text));
  return std::string(text);
}

host_slots host_of(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return {host_name(text), 1};
  return {host_name(text.substr(0, colon)), slots_of(text.substr(colon + 1))};
}

host_slots host_of_line(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  host_slots h = host_of(word);
  while (words >> word) {
    constexpr std::string_view slots = "slots=";
    if (!word.starts_with(slots)) throw std::invalid_argument(fmt::format("'{}' follows the host; only slots=N may", word));
    h.slots = slots_of(std::string_view(word).substr(slots.size()));
  }
  return h;
}

int number_of(std::string_view text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 0 || n > 1'000'000)
    throw std::invalid_argument(fmt::format("'{}' is no number that Slurm would give", text));
  return n;
}

// "1-3,07" behind `before`.
void add_ranges(std::string_view ranges, std::string_view before, std::string_view behind, std::vector<std::string>& names) {
  if (behind.find('[') != std::string_view::npos)
    throw std::invalid_argument(fmt::format("'{}[{}]{}' has more than one [", before, ranges, behind));
  for (std::size_t at = 0; at <= ranges.size();) {
    const std::size_t end = std::min(ranges.find(',', at), ranges.size());
    const std::string_view one = ranges.substr(at, end - at), first = one.substr(0, one.find('-'));
    const std::string_view last = first.size() == one.size() ? first : one.substr(first.size() + 1);
    const int from = number_of(first), to = number_of(last);
    if (from > to) throw std::invalid_argument(fmt::format("'{}' is no range", one));
    for (int n = from; n <= to; ++n) names.push_back(host_name(fmt::format("{}{:0{}}{}", before, n, first.size(), behind)));
    at = end + 1;
  }
}

const char* variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// Slurm numbers the steps that are no srun from here on: the batch script, an interactive shell.
constexpr std::uint64_t special_steps = 0xfffffff0;

bool is_task_of_srun() {
  const char* const step = variable("SLURM_STEP_ID");
  return *step != 0 && std::strtoull(step, nullptr, 10) < special_steps;
}

}  // namespace

std::vector<host_slots> hosts_of_list(const std::string& text) {
  std::vector<host_slots> hosts;
  std::istringstream list(text);
  for (std::string one; std::getline(list, one, ',');) hosts.push_back(host_of(one));
  if (hosts.empty()) throw std::invalid_argument("no host is named");
  return hosts;
}

std::vector<host_slots> hosts_of_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(fmt::format("{}: {}", path, std::strerror(errno)));
  std::vector<host_slots> hosts;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) try {
      ++number;
      line.resize(std::min(line.find('#'), line.size()));
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      const host_slots h = host_of_line(line);
      const auto same = std::ranges::find(hosts, h.name, &host_slots::name);
      if (same == hosts.end())
        hosts.push_back(h);
      else
        same->slots += h.slots;
    } catch (const std::invalid_argument& why) {
      throw std::invalid_argument(fmt::format("{}, line {}: {}", path, number, why.what()));
    }
  if (hosts.empty()) throw std::invalid_argument(fmt::format("{}: no host is named", path));
  return hosts;
}

std::vector<std::string> expand_host_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('[', at), comma = std::min(text.find(',', at), text.size());
    if (open > comma) {
      names.push_back(host_name(text.substr(at, comma - at)));
      at = comma + 1;
      continue;
    }
    const std::size_t close = text.find(']', open);
    if (close == std::string_view::npos) throw std::invalid_argument(fmt::format("'{}' has a [ without a ]", text));
    const std::size_t end = std::min(text.find(',', close), text.size());
    add_ranges(text.substr(open + 1, close - open - 1), text.substr(at, open - at), text.substr(close + 1, end - close - 1),
               names);
    at = end + 1;
  }
  return names;
}

std::vector<int> expand_task_counts(std::string_view text) {
  std::vector<int> counts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view one = text.substr(at, end - at), count = one.substr(0, one.find('('));
    int times = 1;
    if (count.size() != one.size()) {
      if (!one.substr(count.size()).starts_with("(x") || !one.ends_with(')'))
        throw std::invalid_argument(fmt::format("'{}' is no number of tasks as Slurm writes it", one));
      times = number_of(one.substr(count.size() + 2, one.size() - count.size() - 3));
    }
    counts.insert(counts.end(), std::size_t(times), number_of(count));
    at = end + 1;
  }
  return counts;
}

std::optional<std::vector<host_slots>> hosts_of_slurm() {
  if (variable("ARMILLA_LAUNCHER") == std::string_view("none")) return std::nullopt;
  const char* const nodes = variable("SLURM_JOB_NODELIST");
  if (*variable("SLURM_JOB_ID") == 0 || *nodes == 0 || is_task_of_srun()) return std::nullopt;
  const std::vector<std::string> names = expand_host_names(nodes);
  if (names.size() < 2) return std::nullopt;
  const std::vector<int> counts = expand_task_counts(variable("SLURM_TASKS_PER_NODE"));
  std::vector<host_slots> hosts;
  for (std::size_t i = 0; i < names.size(); ++i) hosts.push_back({names[i], i < counts.size() ? std::max(counts[i], 1) : 1});
  return hosts;
}

}  // namespace armilla::run
