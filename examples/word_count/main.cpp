// SPDX-License-Identifier: Apache-2.0
// The words of a text file that come most often. Each rank reads its part of the file; a word is counted where its hash says. The
// same program by MPI stands beside, in by_mpi.cpp.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static bool count_words(const std::string& path) {
  am::show_progress();
  const auto start = am::clock::now();
  am::unordered_map<std::string, std::int64_t> count;
  std::int64_t words = 0, counted = 0;
  for (const std::string_view word : am::read_words(path).local()) {
    count.update(word, 1, std::plus<>{});
    ++words;
  }
  am::fence();
  for (const auto& [word, n] : count.local()) counted += n;
  words = am::all_reduce(words, std::plus<>{});
  counted = am::all_reduce(counted, std::plus<>{});
  for (const auto& [word, n] : am::top_k(count, 10, am::by_value)) am::print_on(0, "{:10} {}\n", n, word);
  am::print_on(0, "{} words, {} different ones, {:.1f} MB/s: {}\n", words, count.size(),
               double(std::filesystem::file_size(path)) / am::seconds_since(start) / 1e6, words == counted ? "right" : "WRONG");
  return words == counted;
}

int main(int argc, char** argv) { return am::run(argc, argv, "FILE", count_words); }
