// SPDX-License-Identifier: Apache-2.0
// The words of a text file that come most often, by MPI: each rank reads its share of the file and counts; counts go to the rank
// that the word's hash says, which adds them up; rank 0 gathers each rank's ten best.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/open_table.hpp"

namespace {

using text_hash = std::hash<std::string_view>;
using counts = open_table<std::string_view, std::int64_t, text_hash>;  // of words that lie elsewhere
using entry = std::pair<std::string, std::int64_t>;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The bytes of this rank's words, and how many bytes the file has. A word belongs to the rank in whose share it begins.
std::string read_share(const char* path, int rank, int ranks, long& file_size) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    if (rank == 0) std::fprintf(stderr, "cannot open %s\n", path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  file_size = size;
  const MPI_Offset begin = size * rank / ranks, end = size * (rank + 1) / ranks;
  MPI_Offset from = begin > 0 ? begin - 1 : 0, to = end;
  std::string text;
  const auto read_up_to = [&](MPI_Offset stop) {
    while (from < stop) {
      const int piece = int(std::min<MPI_Offset>(stop - from, 1 << 30));
      const std::size_t before = text.size();
      text.resize(before + std::size_t(piece));
      MPI_File_read_at(file, from, text.data() + before, piece, MPI_CHAR, MPI_STATUS_IGNORE);
      from += piece;
    }
  };
  read_up_to(to);
  while (to < size && !text.empty() && !is_space(text.back())) {  // the last word goes on behind the share
    to = std::min<MPI_Offset>(to + 1024, size);
    const std::size_t before = text.size();
    read_up_to(to);
    const auto stop = std::find_if(text.begin() + std::ptrdiff_t(before), text.end(), is_space);
    if (stop != text.end()) {
      text.erase(stop, text.end());
      break;
    }
  }
  if (begin > 0) {  // the first may have begun before it
    const auto first = std::find_if(text.begin(), text.end(), is_space);
    const auto behind = first - text.begin();
    text.erase(0, behind >= end - begin + 1 ? text.size() : std::size_t(behind));
  }
  MPI_File_close(&file);
  return text;
}

void count_words(std::string_view text, counts& into) {
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && is_space(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    if (at > begin) ++into[text.substr(begin, at - begin)];
  }
}

void pack(std::string& to, std::string_view word, std::int64_t n) {
  const auto length = std::uint32_t(word.size());
  to.append(reinterpret_cast<const char*>(&n), sizeof n);
  to.append(reinterpret_cast<const char*>(&length), sizeof length);
  to.append(word);
}

template <class Use>
void unpack(std::string_view from, Use use) {
  while (!from.empty()) {
    std::int64_t n;
    std::uint32_t length;
    std::memcpy(&n, from.data(), sizeof n);
    std::memcpy(&length, from.data() + sizeof n, sizeof length);
    from.remove_prefix(sizeof n + sizeof length);
    use(from.substr(0, length), n);
    from.remove_prefix(length);
  }
}

/// Every word's counts at the rank of its hash; the words lie in `in`.
counts bring_together(const counts& mine, int ranks, std::string& in) {
  const auto all_ranks = std::size_t(ranks);
  std::vector<std::string> parts(all_ranks);
  mine.each([&](std::string_view word, std::int64_t n) { pack(parts[text_hash{}(word) % all_ranks], word, n); });
  std::vector<int> out_sizes, out_places, in_sizes(all_ranks), in_places;
  std::string out;
  for (const std::string& part : parts) {
    out_places.push_back(int(out.size()));
    out_sizes.push_back(int(part.size()));
    out += part;
  }
  MPI_Alltoall(out_sizes.data(), 1, MPI_INT, in_sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int all = 0;
  for (const int size : in_sizes) {
    in_places.push_back(all);
    all += size;
  }
  in.resize(std::size_t(all));
  MPI_Alltoallv(out.data(), out_sizes.data(), out_places.data(), MPI_CHAR, in.data(), in_sizes.data(), in_places.data(), MPI_CHAR,
                MPI_COMM_WORLD);
  counts total(std::string_view{}, mine.size());
  unpack(in, [&](std::string_view word, std::int64_t n) { total[word] += n; });
  return total;
}

void keep_best(std::vector<entry>& all, std::size_t n) {
  std::sort(all.begin(), all.end(),
            [](const entry& a, const entry& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  if (all.size() > n) all.resize(n);
}

/// On rank 0: the best of all ranks.
std::vector<entry> best_of_all(const counts& mine, std::size_t n, int rank, int ranks) {
  std::vector<entry> best;
  mine.each([&](std::string_view word, std::int64_t times) { best.emplace_back(word, times); });
  keep_best(best, n);
  std::string out;
  for (const auto& [word, times] : best) pack(out, word, times);
  const int size = int(out.size());
  const auto all_ranks = std::size_t(ranks);
  std::vector<int> sizes(all_ranks), places(all_ranks);
  MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  int all = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    places[i] = all;
    all += sizes[i];
  }
  std::string in;
  if (rank == 0) in.resize(std::size_t(all));
  MPI_Gatherv(out.data(), size, MPI_CHAR, in.data(), sizes.data(), places.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  best.clear();
  unpack(in, [&](std::string_view word, std::int64_t times) { best.emplace_back(word, times); });
  keep_best(best, n);
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) {
    if (rank == 0) std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const double start = MPI_Wtime();
  long file_size = 0;
  const std::string text = read_share(argv[1], rank, ranks, file_size);
  counts mine{std::string_view{}};
  count_words(text, mine);
  std::int64_t words = 0;
  mine.each([&](std::string_view, std::int64_t n) { words += n; });
  std::string come;
  const counts total = bring_together(mine, ranks, come);
  std::int64_t sums[3] = {words, 0, std::int64_t(total.size())};  // words read, words counted, different ones
  total.each([&](std::string_view, std::int64_t n) { sums[1] += n; });
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const std::vector<entry> best = best_of_all(total, 10, rank, ranks);
  if (rank == 0) {
    for (const auto& [word, n] : best) std::printf("%10ld %s\n", long(n), word.c_str());
    std::printf("%ld words, %ld different ones, %.1f MB/s: %s\n", long(sums[0]), long(sums[2]),
                double(file_size) / (MPI_Wtime() - start) / 1e6, sums[0] == sums[1] ? "right" : "WRONG");
  }
  MPI_Finalize();
  return sums[0] == sums[1] ? 0 : 1;
}
