// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/request.hpp"

#include "armilla/base/host/unfinished_file.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

stats_request parse_stats(std::string_view text) {
  stats_request asked;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(word.size() < text.size() ? word.size() + 1 : text.size());
    if (word == "1") asked.print = true;
    if (word == "timing") asked.timing = true;
    if (word.ends_with(".json")) asked.file = word;
  }
  if (asked.timing && asked.file.empty()) asked.print = true;
  return asked;
}

void require_writable(const char* variable, const std::string& file) {
  if (const std::string wrong = text_of_unwritable(file); !wrong.empty())
    throw_usage(variable, "cannot write to '" + file + "': " + wrong);
}

}  // namespace armilla::detail
