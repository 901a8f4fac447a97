// SPDX-License-Identifier: Apache-2.0
// replay FOLDER: every input of the corpus, then some thousand random changes of it, the same ones each time.
// replay --samples FOLDER: writes a good input of every type into the folder.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;
using input = std::vector<std::byte>;

std::vector<input> read_corpus(const fs::path& folder) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path());
  std::sort(names.begin(), names.end());
  std::vector<input> all;
  for (const auto& name : names) {
    std::ifstream file(name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    all.emplace_back(first, first + text.size());
  }
  return all;
}

void write_samples(const fs::path& folder) {
  fs::create_directories(folder);
  const auto all = armilla::fuzz::samples();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::ofstream file(folder / ("sample-" + std::to_string(i)), std::ios::binary);
    file.write(reinterpret_cast<const char*>(all[i].data()), static_cast<std::streamsize>(all[i].size()));
  }
}

/// Changes that a fuzzer would make: bits, interesting words where counts may stand, shorter, longer, spliced.
class mutator {
 public:
  explicit mutator(const std::vector<input>& corpus) : corpus_(corpus) {}

  input next() {
    input x = corpus_[below(corpus_.size())];
    for (std::size_t n = 1 + below(4); n != 0; --n) change(x);
    return x;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void change(input& x) {
    if (x.empty()) x.push_back(std::byte{0});
    switch (below(5)) {
      case 0: x[below(x.size())] ^= static_cast<std::byte>(1u << below(8)); break;
      case 1: put_word(x); break;
      case 2: x.resize(below(x.size())); break;
      case 3: x.insert(x.end(), 1 + below(32), static_cast<std::byte>(random_())); break;
      default: splice(x); break;
    }
  }

  void put_word(input& x) {
    static constexpr std::uint64_t words[] = {
        0, 1, 2, 255, 256, 0x7fffffff, ~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 61};
    const std::uint64_t word = words[below(std::size(words))];
    const std::size_t at = 1 + 8 * below(x.size() / 8 + 1);  // behind the type, where words of the message are
    if (at + sizeof word <= x.size()) std::memcpy(x.data() + at, &word, sizeof word);
  }

  void splice(input& x) {
    const input& other = corpus_[below(corpus_.size())];
    if (other.empty()) return;
    x.resize(below(x.size()));
    x.insert(x.end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size())), other.end());
  }

  const std::vector<input>& corpus_;
  std::mt19937_64 random_{7};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--samples") == 0) {
    write_samples(argv[2]);
    return 0;
  }
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s [--samples] FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<input> corpus = read_corpus(argv[1]);
  for (input& good : armilla::fuzz::samples()) corpus.push_back(std::move(good));
  for (const input& x : corpus) armilla::fuzz::try_input(x.data(), x.size());
  mutator changes(corpus);
  for (int i = 0; i < armilla::fuzz::mutations; ++i) {
    const input x = changes.next();
    armilla::fuzz::try_input(x.data(), x.size());
  }
  std::printf("%zu inputs and %d changes of them\n", corpus.size(), armilla::fuzz::mutations);
  return 0;
}
