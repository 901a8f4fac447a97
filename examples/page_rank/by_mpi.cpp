// SPDX-License-Identifier: Apache-2.0
// The vertices of a graph that count most, by PageRank and MPI: edges go to the rank of the vertex that they lead to, and each
// round all ranks learn all shares.
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

struct edge {
  std::uint32_t from, to;
};
using entry = std::pair<double, std::uint32_t>;

/// This rank's lines of the file: those that begin in its share.
std::string read_share(const char* path, int rank, int ranks) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    if (rank == 0) std::fprintf(stderr, "cannot open %s\n", path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  const MPI_Offset begin = size * rank / ranks, end = size * (rank + 1) / ranks, longest = 256;
  const MPI_Offset from = begin > 0 ? begin - 1 : 0, to = std::min(size, end + longest);
  std::string text(std::size_t(to - from), '\0');
  MPI_File_read_at(file, from, text.data(), int(to - from), MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  const std::size_t last = text.find('\n', std::size_t(std::max<MPI_Offset>(end - from - 1, 0)));
  if (last != std::string::npos) text.resize(last + 1);
  if (begin > 0) text.erase(0, text.find('\n') + 1);
  return text;
}

std::vector<edge> parse(const std::string& text) {
  std::vector<edge> edges;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const char *p = text.data() + at, *const stop = text.data() + end;
    edge e{};
    const auto number = [&](std::uint32_t& into) {
      while (p < stop && (*p == ' ' || *p == '\t')) ++p;
      const auto [next, error] = std::from_chars(p, stop, into);
      p = next;
      return error == std::errc{};
    };
    if (p < stop && *p != '#' && *p != '%' && number(e.from) && number(e.to)) edges.push_back(e);
    at = end + 1;
  }
  return edges;
}

/// Edges at the rank of the vertex that they lead to, each once and without loops.
std::vector<edge> bring_together(const std::vector<edge>& mine, std::uint32_t block, int ranks) {
  const auto all_ranks = std::size_t(ranks);
  std::vector<int> out(all_ranks), out_at(all_ranks), in(all_ranks), in_at(all_ranks);
  for (const edge& e : mine) out[e.to / block] += 2;
  for (std::size_t r = 1; r < all_ranks; ++r) out_at[r] = out_at[r - 1] + out[r - 1];
  std::vector<edge> dealt(mine.size());
  std::vector<int> next = out_at;
  for (const edge& e : mine) {
    dealt[std::size_t(next[e.to / block] / 2)] = e;
    next[e.to / block] += 2;
  }
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t r = 1; r < all_ranks; ++r) in_at[r] = in_at[r - 1] + in[r - 1];
  std::vector<edge> come(std::size_t(in_at.back() + in.back()) / 2);
  MPI_Alltoallv(dealt.data(), out.data(), out_at.data(), MPI_UINT32_T, come.data(), in.data(), in_at.data(), MPI_UINT32_T,
                MPI_COMM_WORLD);
  const auto key = [](const edge& e) { return std::uint64_t(e.to) << 32 | e.from; };
  std::sort(come.begin(), come.end(), [&](const edge& a, const edge& b) { return key(a) < key(b); });
  come.erase(std::unique(come.begin(), come.end(), [&](const edge& a, const edge& b) { return key(a) == key(b); }), come.end());
  come.erase(std::remove_if(come.begin(), come.end(), [](const edge& e) { return e.from == e.to; }), come.end());
  return come;
}

/// How many edges leave each vertex, on all ranks.
std::vector<std::uint32_t> degrees_of(const std::vector<edge>& mine, std::size_t vertices) {
  std::vector<std::uint32_t> degree(vertices);
  for (const edge& e : mine) ++degree[e.from];
  MPI_Allreduce(MPI_IN_PLACE, degree.data(), int(vertices), MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
  return degree;
}

std::vector<double> rank_pages(const std::vector<edge>& mine, std::size_t vertices, std::uint32_t block, int rank, int ranks) {
  constexpr double damping = 0.85;
  const std::vector<std::uint32_t> degree = degrees_of(mine, vertices);
  const std::size_t first = std::min<std::size_t>(vertices, std::size_t(block) * std::size_t(rank)),
                    end = std::min<std::size_t>(vertices, first + block);
  std::vector<double> weight(vertices, 1.0 / double(vertices)), next(end - first);
  std::vector<int> sizes, places;
  for (int r = 0; r < ranks; ++r) {
    places.push_back(int(std::min<std::size_t>(vertices, std::size_t(block) * std::size_t(r))));
    sizes.push_back(int(std::min<std::size_t>(vertices, std::size_t(block) * std::size_t(r + 1))) - places.back());
  }
  for (int round = 0; round < 100; ++round) {
    double lost = 0, change = 0;
    for (std::size_t v = 0; v < vertices; ++v) lost += degree[v] == 0 ? weight[v] : 0;
    std::fill(next.begin(), next.end(), (1 - damping + damping * lost) / double(vertices));
    for (const edge& e : mine) next[e.to - first] += damping * weight[e.from] / degree[e.from];
    for (std::size_t k = 0; k < next.size(); ++k) change += std::abs(next[k] - weight[first + k]);
    MPI_Allgatherv(next.data(), int(next.size()), MPI_DOUBLE, weight.data(), sizes.data(), places.data(), MPI_DOUBLE,
                   MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (change < 1e-6) break;
  }
  return weight;
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
  std::vector<edge> mine = parse(read_share(argv[1], rank, ranks));
  std::uint32_t vertices = 0;
  for (const edge& e : mine) vertices = std::max({vertices, e.from + 1, e.to + 1});
  MPI_Allreduce(MPI_IN_PLACE, &vertices, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
  const std::uint32_t block = std::max(1U, (vertices + std::uint32_t(ranks) - 1) / std::uint32_t(ranks));
  mine = bring_together(mine, block, ranks);
  std::uint64_t edges = mine.size();
  MPI_Allreduce(MPI_IN_PLACE, &edges, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const std::vector<double> weight = rank_pages(mine, vertices, block, rank, ranks);
  const double time = MPI_Wtime() - start;
  double sum = 0;
  std::vector<entry> best;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    sum += weight[v];
    best.emplace_back(-weight[v], v);
  }
  std::sort(best.begin(), best.end());
  const bool right = std::abs(sum - 1) < 1e-9;
  if (rank == 0) {
    for (std::size_t k = 0; k < std::min<std::size_t>(10, best.size()); ++k)
      std::printf("%8u %.6g\n", best[k].second, -best[k].first);
    std::printf("%u vertices and %lu edges in %.3f s, weight %g: %s\n", vertices, (unsigned long)edges, time, sum,
                right ? "right" : "WRONG");
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
