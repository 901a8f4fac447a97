// SPDX-License-Identifier: Apache-2.0
// Sorts a file that is larger than memory: numbers go to buckets, which are files; each bucket is then sorted in memory.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>

namespace am = armilla;
using numbers = std::vector<std::uint64_t>;

static void write(std::ostream& out, const numbers& n) {
  out.write(reinterpret_cast<const char*>(n.data()), std::streamsize(8 * n.size()));
}
static numbers read(std::ifstream& in, std::size_t first, std::size_t count) {
  numbers n(count);
  in.seekg(std::streamoff(8 * first));
  in.read(reinterpret_cast<char*>(n.data()), std::streamsize(8 * count));
  return n;
}

/// Bucket b is a file on rank b % ranks().
struct buckets {
  std::string path;
  std::string name(std::size_t b) const { return path + ".bucket" + std::to_string(b); }
  void add(std::size_t b, const numbers& more) {
    std::ofstream out(name(b), std::ios::binary | std::ios::app);
    write(out, more);
  }
};

static bool sort_file(std::size_t count, std::size_t piece, const std::string& path) {
  const auto ranks = std::size_t(am::ranks()), me = std::size_t(am::rank());
  const std::size_t first = count * me / ranks, end = count * (me + 1) / ranks;
  const auto input =
      am::views::iota(std::size_t{0}, count) | am::views::transform([](std::size_t i) { return (i + 1) * 0x9e3779b97f4a7c15; });
  am::array<std::uint64_t> made(count);  // the input, for this example
  am::copy(input, made);
  am::write_binary(path, made.local());

  std::ifstream in(path, std::ios::binary);
  am::vector<std::uint64_t> sample(0);  // which numbers separate the buckets
  for (std::size_t i = first; i < end; i += piece / 64 + 1) sample.push_back(read(in, i, 1)[0]);
  am::fence();
  am::sort(sample);
  const std::size_t how_many = (count / piece / ranks + 1) * ranks;
  numbers splitters;
  for (std::size_t b = 1; b < how_many; ++b) splitters.push_back(sample[b * sample.size() / how_many]);

  if (me == 0) std::ofstream(path + ".sorted");  // an empty file
  am::distributed<buckets> files(buckets{path});
  for (std::size_t i = first; i < end; i += piece) {  // one piece in memory at a time
    std::vector<numbers> to(how_many);
    for (const std::uint64_t n : read(in, i, std::min(piece, end - i)))
      to[std::size_t(std::upper_bound(splitters.begin(), splitters.end(), n) - splitters.begin())].push_back(n);
    for (std::size_t b = 0; b < how_many; ++b)
      if (!to[b].empty()) am::async<&buckets::add>(files.on(am::rank_t(b % ranks)), b, to[b]);
  }
  am::fence();

  std::fstream out(path + ".sorted", std::ios::binary | std::ios::in | std::ios::out);
  std::size_t sorted = 0;
  for (std::size_t b = me; b < how_many; b += ranks) {  // one bucket in memory at a time
    const std::string name = files->name(b);
    const std::size_t size = std::filesystem::exists(name) ? std::size_t(std::filesystem::file_size(name)) / 8 : 0;
    std::size_t before = 0;
    for (std::size_t other = 0; const std::size_t n : am::all_gather(size)) before += other++ < me ? n : 0;
    std::ifstream bucket(name, std::ios::binary);
    numbers n = read(bucket, 0, size);
    std::sort(n.begin(), n.end());
    out.seekp(std::streamoff(8 * (sorted + before)));
    write(out, n);
    sorted += am::all_reduce(size, std::plus<>{});
    std::filesystem::remove(name);
  }
  out.close();
  am::barrier();

  am::vector<std::uint64_t> result(0);
  result.append(am::read_binary<std::uint64_t>(path + ".sorted").local());
  am::fence();
  const bool right = result.size() == count && am::is_sorted(result) && am::reduce(result) == am::reduce(made);
  am::print_on(0, "{} numbers in {} buckets: {}\n", count, how_many, right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "NUMBERS PIECE FILE", sort_file); }
