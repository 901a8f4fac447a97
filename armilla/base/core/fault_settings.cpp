// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/fault_settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr const char* allowed =
    "give words, separated by commas: delay=100us, jitter=1ms, reorder=0.1, swap=0.1, duplicate=0.05, drop=0.02, slow=1 (a "
    "rank), stop=0.01, linger=200ms, seed=7";

bool parse_probability(std::string_view text, double& value) {
  const std::string copy(text);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  return end != copy.c_str() && *end == '\0' && value >= 0 && value < 1;
}

bool parse_count(std::string_view text, std::uint64_t& value) {
  if (text.empty() || text.size() > 18 || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return false;
  value = std::strtoull(std::string(text).c_str(), nullptr, 10);
  return true;
}

bool read_word(fault_settings& f, std::string_view name, std::string_view value) {
  if (name == "delay") return parse_duration(value, 1000, f.delay_ns);
  if (name == "jitter") return parse_duration(value, 1000, f.jitter_ns);
  if (name == "linger") return parse_duration(value, 1000, f.linger_ns);
  if (name == "reorder") return parse_probability(value, f.reorder);
  if (name == "swap") return parse_probability(value, f.swap);
  if (name == "duplicate") return parse_probability(value, f.duplicate);
  if (name == "drop") return parse_probability(value, f.drop);
  if (name == "stop") return parse_probability(value, f.stop);
  if (name == "seed") return parse_count(value, f.seed);
  std::uint64_t rank = 0;
  if (name != "slow" || !parse_count(value, rank) || rank > 1'000'000) return false;
  f.slow = rank_t(rank);
  return true;
}

}  // namespace

fault_settings fault_settings::from(std::string_view text) {
  fault_settings f;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = std::min(word.find('='), word.size());
    if (!read_word(f, word.substr(0, equals), word.substr(std::min(equals + 1, word.size()))))
      throw_usage("options", "ARMILLA_FAULTS: '" + std::string(word) + "' is not allowed; " + allowed);
  }
  return f;
}

}  // namespace armilla::detail
