// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/request.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "armilla/base/error.hpp"

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

void make_empty(const char* variable, const std::string& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    throw_usage(variable, "cannot write to '" + file + "' (" + std::strerror(errno) +
                              "); name a file in a folder that exists and may be written to");
  close(fd);
}

}  // namespace armilla::detail
