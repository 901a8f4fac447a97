// SPDX-License-Identifier: Apache-2.0
// replay PACK: every input of the corpus, then some thousand random changes of it, the same ones each time.
// replay --samples FOLDER: writes a good input of every type into the folder.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/corpus_pack.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;
using input = std::vector<std::byte>;

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
  explicit mutator(const std::vector<input>& inputs) : inputs_(inputs) {}

  input next() {
    input x = inputs_[below(inputs_.size())];
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
    const input& other = inputs_[below(inputs_.size())];
    if (other.empty()) return;
    x.resize(below(x.size()));
    x.insert(x.end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size())), other.end());
  }

  const std::vector<input>& inputs_;
  std::mt19937_64 random_{7};
};

/// Every `shares`-th input beginning with number `share`, and as many of the changes.
int replay(const fs::path& pack, std::size_t share, std::size_t shares) {
  std::vector<input> inputs;
  for (auto& entry : armilla::fuzz::read_pack(pack)) inputs.push_back(std::move(entry.bytes));
  for (input& good : armilla::fuzz::samples()) inputs.push_back(std::move(good));
  for (std::size_t i = share; i < inputs.size(); i += shares) armilla::fuzz::try_input(inputs[i].data(), inputs[i].size());
  mutator changes(inputs);
  for (std::size_t i = 0; i < std::size_t(armilla::fuzz::mutations); ++i) {
    const input x = changes.next();
    if (i % shares == share) armilla::fuzz::try_input(x.data(), x.size());
  }
  std::printf("%zu inputs and %d changes of them\n", inputs.size(), armilla::fuzz::mutations);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::strcmp(argv[1], "--samples") == 0) {
    write_samples(argv[2]);
    return 0;
  }
  const std::size_t shares = argc == 4 ? std::strtoul(argv[3], nullptr, 10) : 1;
  if ((argc == 2 || argc == 4) && shares > 0) return replay(argv[1], argc == 4 ? std::strtoul(argv[2], nullptr, 10) : 0, shares);
  std::fprintf(stderr, "usage: %s PACK [SHARE SHARES], or --samples FOLDER\n", argv[0]);
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
  return 1;
}
