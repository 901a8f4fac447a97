// SPDX-License-Identifier: Apache-2.0
// Graph algorithms in the language of linear algebra, by SuiteSparse:GraphBLAS on two threads.

// The header of version 7 declares its functions as those of C++. What it includes itself comes first, so that this stays C++.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <complex>
extern "C" {
#include <GraphBLAS.h>
}

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "bench/baseline/by_one.hpp"
#include "bench/baseline/hand_graphs.hpp"

namespace bench::hand {
namespace {

void right(GrB_Info info) { verify(info == GrB_SUCCESS, "a call of GraphBLAS: " + std::to_string(int(info))); }

/// What is freed at the end of a block.
template <class T, GrB_Info (*drop)(T*)>
class owned {
 public:
  owned() = default;
  owned(owned&& other) noexcept : it_(std::exchange(other.it_, nullptr)) {}
  ~owned() { drop(&it_); }
  operator T() const { return it_; }
  T* out() { return &it_; }

 private:
  T it_ = nullptr;
};
using matrix = owned<GrB_Matrix, &GrB_Matrix_free>;
using vector = owned<GrB_Vector, &GrB_Vector_free>;

/// Started once in a process. Threads of OpenMP take the cores of the one that starts them.
void start_graphblas() {
  static const bool started = [] {
    right(GrB_init(GrB_NONBLOCKING));
    right(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, 2));
    return true;
  }();
  keep(started);
}

matrix matrix_of(const rows_of_graph& g, const GrB_Type& type, const std::vector<std::uint64_t>& begin,
                 const std::vector<std::uint64_t>& to) {
  matrix a;
  const GrB_Index n = g.size();
  std::vector<GrB_Index> rows(to.size());
  for (std::size_t v = 0; v < n; ++v)
    std::fill(rows.begin() + std::ptrdiff_t(begin[v]), rows.begin() + std::ptrdiff_t(begin[v + 1]), v);
  right(GrB_Matrix_new(a.out(), type, n, n));
  if (type == GrB_BOOL) {
    const auto ones = std::make_unique<bool[]>(to.size());
    std::fill_n(ones.get(), to.size(), true);
    right(GrB_Matrix_build_BOOL(a, rows.data(), to.data(), ones.get(), to.size(), GrB_LOR));
  } else {
    const std::vector<double> ones(to.size(), 1.0);
    right(GrB_Matrix_build_FP64(a, rows.data(), to.data(), ones.data(), to.size(), GrB_PLUS_FP64));
  }
  right(GrB_Matrix_wait(a, GrB_MATERIALIZE));
  return a;
}

/// Both forms of the graph of one size: which edges there are, and how often.
struct matrices {
  long size;
  matrix edges, counts;
  explicit matrices(const rows_of_graph& g)
      : size(long(g.size())),
        edges(matrix_of(g, GrB_BOOL, g.begin, {g.to.begin(), g.to.end()})),
        counts(matrix_of(g, GrB_FP64, g.begin, {g.to.begin(), g.to.end()})) {}
};
const matrices& matrices_of(const rows_of_graph& g) {
  static std::unique_ptr<const matrices> all;
  start_graphblas();
  if (!all || all->size != long(g.size())) all = std::make_unique<const matrices>(g);
  return *all;
}

/// A level goes out along the rows of its few vertices, or the many that are left look for one before them.
std::vector<std::int32_t> search(const rows_of_graph& g, vertex root) {
  const matrices& m = matrices_of(g);
  const GrB_Index n = g.size();
  vector level, front;
  right(GrB_Vector_new(level.out(), GrB_INT32, n));
  right(GrB_Vector_new(front.out(), GrB_BOOL, n));
  right(GrB_Vector_setElement_BOOL(front, true, root));
  GrB_Index found = 1;
  for (std::int32_t depth = 0; found != 0; ++depth) {
    right(GrB_Vector_assign_INT32(level, front, nullptr, depth, GrB_ALL, n, GrB_DESC_S));
    if (found < n / 20)
      right(GrB_vxm(front, level, nullptr, GxB_ANY_PAIR_BOOL, front, m.edges, GrB_DESC_RSC));
    else
      right(GrB_mxv(front, level, nullptr, GxB_ANY_PAIR_BOOL, m.edges, front, GrB_DESC_RSC));
    right(GrB_Vector_nvals(&found, front));
  }
  std::vector<std::int32_t> values(n), all(n, -1);
  std::vector<GrB_Index> places(n);
  GrB_Index reached = n;
  right(GrB_Vector_extractTuples_INT32(places.data(), values.data(), &reached, level));
  for (std::size_t k = 0; k < reached; ++k) all[places[k]] = values[k];
  return all;
}

std::vector<double> share_out(const rows_of_graph& g, int rounds) {
  const matrices& m = matrices_of(g);
  const GrB_Index n = g.size();
  vector rank, degree, share, dangling;
  for (vector* const v : {&rank, &degree, &share, &dangling}) right(GrB_Vector_new(v->out(), GrB_FP64, n));
  right(GrB_Vector_assign_FP64(rank, nullptr, nullptr, 1 / double(n), GrB_ALL, n, nullptr));
  right(GrB_Matrix_reduce_Monoid(degree, nullptr, nullptr, GrB_PLUS_MONOID_FP64, m.counts, nullptr));
  for (int round = 0; round < rounds; ++round) {
    double lost = 0;
    right(GrB_Vector_assign(dangling, degree, nullptr, rank, GrB_ALL, n, GrB_DESC_RSC));
    right(GrB_Vector_reduce_FP64(&lost, nullptr, GrB_PLUS_MONOID_FP64, dangling, nullptr));
    right(GrB_Vector_eWiseMult_BinaryOp(share, nullptr, nullptr, GrB_DIV_FP64, rank, degree, nullptr));
    right(GrB_Vector_apply_BinaryOp1st_FP64(share, nullptr, nullptr, GrB_TIMES_FP64, 0.85, share, nullptr));
    right(GrB_Vector_assign_FP64(rank, nullptr, nullptr, (0.15 + 0.85 * lost) / double(n), GrB_ALL, n, nullptr));
    right(GrB_mxv(rank, nullptr, GrB_PLUS_FP64, GrB_PLUS_TIMES_SEMIRING_FP64, m.counts, share, nullptr));
  }
  std::vector<double> all(n);
  std::vector<GrB_Index> places(n);
  GrB_Index known = n;
  right(GrB_Vector_extractTuples_FP64(places.data(), all.data(), &known, rank));
  verify(known == n, "ranks of all vertices");
  return all;
}

/// Pairs of neighbours below, counted where they are neighbours. What lies below is that of vertices in order of their edges.
std::uint64_t count_triangles(const rows_of_graph& g) {
  const matrices& m = matrices_of(g);
  const GrB_Index n = g.size();
  std::vector<GrB_Index> order(n);
  for (std::size_t v = 0; v < n; ++v) order[v] = v;
  std::sort(order.begin(), order.end(), [&](GrB_Index a, GrB_Index b) { return g.degree(vertex(a)) < g.degree(vertex(b)); });
  matrix sorted, low, high, found;
  for (matrix* const a : {&sorted, &low, &high}) right(GrB_Matrix_new(a->out(), GrB_BOOL, n, n));
  right(GrB_Matrix_new(found.out(), GrB_UINT64, n, n));
  right(GrB_Matrix_extract(sorted, nullptr, nullptr, m.edges, order.data(), n, order.data(), n, nullptr));
  right(GrB_Matrix_select_INT64(low, nullptr, nullptr, GrB_TRIL, sorted, -1, nullptr));
  right(GrB_Matrix_select_INT64(high, nullptr, nullptr, GrB_TRIU, sorted, 1, nullptr));
  right(GrB_mxm(found, low, nullptr, GxB_PLUS_PAIR_UINT64, low, high, GrB_DESC_ST1));
  std::uint64_t triangles = 0;
  right(GrB_Matrix_reduce_UINT64(&triangles, nullptr, GrB_PLUS_MONOID_UINT64, found, nullptr));
  return triangles;
}

double levels(row_context& c) {
  const both_cores use(c);
  const std::uint64_t root = root_of_graph(c.size);
  return by_threads(
      c, [&](const rows_of_graph& g) { return search(g, vertex(root)); },
      [&](const auto& edges, const auto& all) { verify(right_levels(edges, all, root), "bfs of GraphBLAS"); });
}
double ranks(row_context& c) {
  const both_cores use(c);
  return by_threads(
      c, [](const rows_of_graph& g) { return share_out(g, 10); },
      [](const auto&, const auto& all) { verify(right_ranks(all), "pagerank of GraphBLAS"); });
}
double triangles(row_context& c) {
  const both_cores use(c);
  return by_threads(
      c, [](const rows_of_graph& g) { return count_triangles(g); },
      [&](const auto&, std::uint64_t n) { verify((n == 0) == ((c.size & (c.size - 1)) != 0), "triangles of GraphBLAS"); });
}

}  // namespace

void add_graphblas(row_table& rows) {
  rows.insert(rows.end(), {{"graphblas_bfs", levels}, {"graphblas_pagerank", ranks}, {"graphblas_triangles", triangles}});
}

}  // namespace bench::hand
