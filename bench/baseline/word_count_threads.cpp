// SPDX-License-Identifier: Apache-2.0
// The words of a text file that come most often, by two threads: word_count_threads FILE. Each has a core, reads its half of the
// file into memory of its own and counts into a table of its own; then the counts of both come together in one. Prints what the
// example word_count prints.
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "examples/open_table.hpp"

namespace {

constexpr std::size_t threads = 2;

using counts = open_table<std::string_view, std::int64_t, std::hash<std::string_view>>;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void pin_to(std::size_t core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// The words that begin in [from, to) of the file.
std::string read_words(const char* path, std::size_t from, std::size_t to) {
  std::ifstream file(path, std::ios::binary);
  const std::size_t before = from == 0 ? 0 : from - 1;  // whether a word begins at `from`
  std::string text(to - before, ' ');
  file.seekg(std::streamoff(before));
  file.read(text.data(), std::streamsize(text.size()));
  for (int c = 0; !text.empty() && !is_space(text.back()) && (c = file.get()) != std::char_traits<char>::eof();) text += char(c);
  if (from != 0) text.erase(text.begin(), std::find_if(text.begin(), text.begin() + std::ptrdiff_t(to - before), is_space));
  return text;
}

struct half {
  std::string text;  // of which the table has views
  counts table{std::string_view{}};
  std::int64_t words = 0;

  void count(const char* path, std::size_t from, std::size_t to) {
    text = read_words(path, from, to);
    const std::string_view all = text;
    for (std::size_t at = 0; at < all.size();) {
      while (at < all.size() && is_space(all[at])) ++at;
      const std::size_t begin = at;
      while (at < all.size() && !is_space(all[at])) ++at;
      if (at > begin) ++table[all.substr(begin, at - begin)], ++words;
    }
  }
};

bool count_words(const char* path) {
  const auto start = std::chrono::steady_clock::now();
  const auto size = std::size_t(std::ifstream(path, std::ios::binary | std::ios::ate).tellg());
  std::array<half, threads> halves;
  const auto work = [&](std::size_t me) {
    pin_to(me);
    halves[me].count(path, size * me / threads, size * (me + 1) / threads);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  counts all(std::string_view{}, halves[0].table.size() + halves[1].table.size());
  for (const half& h : halves) h.table.each([&](std::string_view word, std::int64_t n) { all[word] += n; });
  std::vector<std::pair<std::int64_t, std::string_view>> best;
  std::int64_t counted = 0;
  all.each([&](std::string_view word, std::int64_t n) { best.emplace_back(-n, word), counted += n; });
  std::partial_sort(best.begin(), best.begin() + std::ptrdiff_t(std::min<std::size_t>(10, best.size())), best.end());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (std::size_t i = 0; i < std::min<std::size_t>(10, best.size()); ++i)
    std::printf("%10ld %.*s\n", -long(best[i].first), int(best[i].second.size()), best[i].second.data());
  const std::int64_t words = halves[0].words + halves[1].words;
  std::printf("%ld words, %zu different ones, %.1f MB/s: %s\n", long(words), all.size(), double(size) / seconds / 1e6,
              words == counted ? "right" : "WRONG");
  return words == counted;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::ifstream(argv[1])) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  return count_words(argv[1]) ? 0 : 1;
}
