// SPDX-License-Identifier: Apache-2.0
// Between a pack, which is one file, and a folder of entries, which is what fuzzers read and write.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/corpus_pack.hpp"

namespace {

namespace fs = std::filesystem;
using namespace armilla::fuzz;
using arguments = std::vector<std::string>;

constexpr const char* usage =
    "usage: fuzz-corpus unpack PACK FOLDER          a file for each entry\n"
    "       fuzz-corpus pack FOLDER PACK            the pack holds what the folder holds, and nothing else\n"
    "       fuzz-corpus add PACK FILE-OR-FOLDER...  what the pack does not hold yet\n"
    "       fuzz-corpus list PACK                   name and size of each entry\n";

std::size_t missing(const corpus& of, const corpus& in) {
  return std::size_t(std::ranges::count_if(of, [&](const corpus_entry& e) { return std::ranges::find(in, e) == in.end(); }));
}

int unpack_all(const arguments& a) {
  const corpus entries = read_pack(a[0]);
  unpack(entries, a[1]);
  std::printf("%zu entries in %s\n", entries.size(), a[1].c_str());
  return 0;
}

int pack_all(const arguments& a) {
  const corpus now = read_folder(a[0]);
  const corpus before = fs::exists(a[1]) ? read_pack(a[1]) : corpus();
  write_pack(a[1], now);
  std::printf("%zu entries in %s: %zu new, %zu gone\n", now.size(), a[1].c_str(), missing(now, before), missing(before, now));
  return 0;
}

int add_all(const arguments& a) {
  corpus entries = read_pack(a[0]);
  const std::size_t before = entries.size();
  for (std::size_t i = 1; i < a.size(); ++i) {
    corpus found = fs::is_directory(a[i]) ? read_folder(a[i]) : corpus{read_entry(a[i])};
    for (corpus_entry& e : found) add_entry(entries, std::move(e));
  }
  write_pack(a[0], entries);
  std::printf("%zu entries in %s: %zu new\n", entries.size(), a[0].c_str(), entries.size() - before);
  return 0;
}

int list_all(const arguments& a) {
  for (const corpus_entry& e : read_pack(a[0])) std::printf("%s %zu\n", e.name.c_str(), e.bytes.size());
  return 0;
}

int run(std::string_view what, const arguments& a) {
  if (what == "unpack" && a.size() == 2) return unpack_all(a);
  if (what == "pack" && a.size() == 2) return pack_all(a);
  if (what == "add" && a.size() >= 2) return add_all(a);
  if (what == "list" && a.size() == 1) return list_all(a);
  std::fputs(usage, stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "", {argv + std::min(argc, 2), argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "fuzz-corpus: %s\n", e.what());
    return 1;
  }
}
