// SPDX-License-Identifier: Apache-2.0
// A program whose last rank calls other collectives than the rest, as its first argument says. Driven by diagnosis_test.py.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

struct scene {
  const char* name;
  void (*most)();
  void (*last)();
};

void nothing() {}
void barrier() { am::barrier(); }
void barrier_of_a_part() {
  const am::team part = am::world().split(am::rank() < 2 ? 0 : 1);
  if (am::rank() == 0 || am::rank() == 2) part.barrier();
}
void sum_of_ints() { am::all_reduce(1, std::plus<>{}); }
void sum_of_doubles() { am::all_reduce(1.0, std::plus<>{}); }
void sum_of_unsigneds() { am::all_reduce(1u, std::plus<>{}); }

template <int Root>
void broadcast() {
  am::world().broadcast(1, Root);
}
template <std::size_t N>
void broadcast_span() {
  std::vector<int> some(N);
  am::world().broadcast(std::span(some), 0);
}
template <std::size_t N>
void exchange() {
  std::vector<int> in(std::size_t(am::ranks()) * N), out(in.size());
  am::all_to_all(std::span<const int>(in), std::span(out));
}

std::vector<double> added(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
template <int Root>
void long_sum() {
  am::world().reduce(std::vector<double>(5000, 1.0), added, Root);
}
template <int Root>
void sum() {
  am::world().reduce(1.0, std::plus<>{}, Root);
}
void sort_some() {
  am::array<int> x(10'000);
  am::iota(x, 0);
  am::sort(x, std::greater<>{});
}
void sort_a_part() {
  const am::team part = am::world().split(am::rank() < 2 ? 0 : 1);
  am::array<int> x(10'000, am::on(part));
  if (am::rank() == 0 || am::rank() == 2) am::sort(x);
}
void scan_some() {
  am::array<int> x(1000), y(1000);
  am::inclusive_scan(x, y);
}
void fill_some() {
  am::array<int> x(1000), y(1000);
  am::fill(x, 1);
}
struct celsius {
  double degrees = 0;
};
struct fahrenheit {
  double degrees = 0;
};
struct first_whole {
  long n = 0;
  double x = 0;
};
struct first_part {
  double x = 0;
  long n = 0;
};
template <class T>
void gather() {
  am::all_gather(T());
}
template <class Container>
void make() {
  Container x(10);
  am::fence();
}
template <class Container>
void make_without_size() {
  Container x;
  am::fence();
}
template <class T>
void make_matrix() {
  am::matrix<T> x({8, 8});
}
template <class T>
void make_sparse_matrix() {
  am::sparse_matrix<T> x(8, 8, std::vector<am::matrix_entry<T>>());
}
template <class E>
struct edge_with {
  std::uint32_t from, to;
  E weight;
};
template <class E>
void make_graph() {
  am::graph<void, E> g(8, std::vector<edge_with<E>>());
}
template <bool First>
void sort_one_of_two() {
  am::vector<double> x(100, 1.0);
  am::vector<long> y(100, 1L);
  if constexpr (First)
    am::sort(x);
  else
    am::sort(y);
}
/// Calls f() with two containers or with two others, as ranks do.
template <bool First, class F>
void use_one_of_two(F f) {
  std::vector<am::matrix_entry<double>> of_doubles;
  std::vector<am::matrix_entry<float>> of_floats;
  const am::sparse_matrix<double> a(16, 16, of_doubles);
  const am::sparse_matrix<float> b(16, 16, of_floats);
  am::array<double> x(16), y(16);
  am::array<float> v(16), w(16);
  am::matrix<double> m({16, 16}), n({16, 16}), o({16, 16});
  am::matrix<float> p({16, 16}), q({16, 16}), r({16, 16});
  if constexpr (First)
    f(a, x, y, m, n, o);
  else
    f(b, v, w, p, q, r);
}
template <bool First>
void copy_one_of_two() {
  use_one_of_two<First>([](auto&, auto& x, auto& y, auto&, auto&, auto&) { am::copy(x, y); });
}
template <bool First>
void include_one_of_two() {
  use_one_of_two<First>([](auto&, auto& x, auto& y, auto&, auto&, auto&) { am::includes(x, y); });
}
template <bool First>
void sample_one_of_two() {
  use_one_of_two<First>([](auto&, auto& x, auto& y, auto&, auto&, auto&) { am::sample(x, y, 3); });
}
template <bool First>
void gemv_one_of_two() {
  use_one_of_two<First>([](auto&, auto& x, auto& y, auto& m, auto&, auto&) { am::gemv(m, x, y); });
}
template <bool First>
void gemm_one_of_two() {
  use_one_of_two<First>([](auto&, auto&, auto&, auto& m, auto& n, auto& o) { am::gemm(m, n, o); });
}
template <bool First>
void spmv_one_of_two() {
  use_one_of_two<First>([](auto& a, auto& x, auto& y, auto&, auto&, auto&) { am::spmv(a, x, y); });
}
template <bool First>
void transpose_one_of_two() {
  use_one_of_two<First>([](auto&, auto&, auto&, auto& m, auto& n, auto&) { am::transpose(m, n); });
}
void long_gather() { am::all_gather(std::vector<int>(5000)); }

// ---- collectives with a root, where roots differ ----

int wanted_case = 0, cases = 0;

// `reads`: whether this member reads anything of another one that names another root. Then it returns nothing.
template <class F>
void with_other_root(bool reads, F f) {
  if (cases++ != wanted_case) return;
  f();
  if (reads) std::puts("returned");
}

template <class T>
void with_other_roots(const T& value) {
  const am::team t = am::world();
  const am::rank_t last = am::ranks() - 1, me = am::rank();
  const auto any = [](const T& a, const T&) { return a; };
  const std::vector<T> each(std::size_t(am::ranks()), value);
  for (const bool own : {false, true}) {  // whether the last one and the others name themselves, or each other
    const am::rank_t root = (me == last) == own ? last : 0;
    const bool is_root = me == root, from_other = !own && (me == last || me == 0);
    with_other_root(from_other, [&] { t.broadcast(value, root); });
    with_other_root(from_other, [&] { t.scatter(each, root); });
    with_other_root(is_root, [&] { t.reduce(value, any, root); });
    with_other_root(is_root, [&] { t.gather(value, root); });
  }
}

// What comes from a member with another root is not written to the caller's memory.
void array_with_other_roots(std::size_t n) {
  const am::rank_t last = am::ranks() - 1, root = am::rank() == last ? 0 : last;
  std::vector<int> data(n, int(am::rank()));
  try {
    with_other_root(am::rank() == last || am::rank() == 0, [&] { am::broadcast(std::span(data), root); });
  } catch (const am::usage_error&) {
    if (data != std::vector<int>(n, int(am::rank()))) std::puts("written");
    throw;
  }
}

void one_of_all_roots() {
  with_other_roots<int>(1);
  with_other_roots<std::array<long, 50>>({});
  with_other_roots<std::string>("some");
  with_other_roots<std::vector<double>>(std::vector<double>(20'000, 1.0));
  for (const std::size_t n : {2, 500, 100'000}) array_with_other_roots(n);
}

const scene scenes[] = {
    {"kinds", barrier, sum_of_ints},
    {"fence", barrier, [] { am::fence(); }},
    {"types", sum_of_ints, sum_of_doubles},
    {"signs", sum_of_ints, sum_of_unsigneds},
    {"roots", broadcast<0>, broadcast<1>},
    {"lengths", broadcast_span<2>, broadcast_span<4>},
    {"long_lengths", broadcast_span<5000>, broadcast_span<5001>},
    {"parts", exchange<4>, exchange<8>},
    {"short_parts", exchange<32>, exchange<33>},
    {"long_roots", long_sum<0>, long_sum<1>},
    {"long_kinds", barrier, long_gather},
    {"order", [] { sum<0>(), long_sum<0>(); }, [] { long_sum<0>(), sum<0>(); }},
    {"more_barriers", barrier, nothing},
    {"fewer_barriers", nothing, barrier},
    {"more_sums", sum_of_ints, nothing},
    {"more_sums_to_others", nothing, sum<0>},
    {"more_long_sums", long_sum<0>, nothing},
    {"more_long_sums_to_others", nothing, long_sum<0>},
    {"more_gathers", nothing, long_gather},
    {"more_exchanges", exchange<32>, nothing},
    {"algorithms", scan_some, fill_some},
    {"algorithm_alone", [] { sort_some(); },
     [] {
       am::array<int> x(10'000);
       am::iota(x, 0);
     }},
    {"structures", gather<first_whole>, gather<first_part>},
    {"classes", gather<celsius>, gather<fahrenheit>},
    {"vectors", make<am::vector<double>>, make<am::vector<long>>},
    {"vectors_of_classes", make<am::vector<celsius>>, make<am::vector<fahrenheit>>},
    {"vectors_of_texts", make<am::vector<double>>, make<am::vector<std::string>>},
    {"matrices", make_matrix<float>, make_matrix<int>},
    {"sparse_matrices", make_sparse_matrix<double>, make_sparse_matrix<long>},
    {"graphs", make_graph<double>, make_graph<long>},
    {"maps", make_without_size<am::unordered_map<long, int>>, make_without_size<am::unordered_map<double, int>>},
    {"values_of_maps", make_without_size<am::map<long, float>>, make_without_size<am::map<long, int>>},
    {"queues", make_without_size<am::work_queue<long>>, make_without_size<am::work_queue<double>>},
    {"lists", make_without_size<am::list<long>>, make_without_size<am::list<double>>},
    {"sorts", sort_one_of_two<true>, sort_one_of_two<false>},
    {"copies", copy_one_of_two<true>, copy_one_of_two<false>},
    {"inclusions", include_one_of_two<true>, include_one_of_two<false>},
    {"samples", sample_one_of_two<true>, sample_one_of_two<false>},
    {"gemvs", gemv_one_of_two<true>, gemv_one_of_two<false>},
    {"gemms", gemm_one_of_two<true>, gemm_one_of_two<false>},
    {"spmvs", spmv_one_of_two<true>, spmv_one_of_two<false>},
    {"transposes", transpose_one_of_two<true>, transpose_one_of_two<false>},
    {"other_next", [] { barrier(), barrier(), sum_of_ints(); }, [] { barrier(), sum_of_ints(); }},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  if (wanted == "part") return am::run(argc, argv, [] { barrier_of_a_part(); });
  if (wanted == "sort_a_part") return am::run(argc, argv, [] { sort_a_part(); });
  for (const scene& s : scenes)
    if (wanted == s.name)
      return am::run(argc, argv, [&s] {
        am::barrier();
        am::rank() == am::ranks() - 1 ? s.last() : s.most();
      });
  if (wanted == "other_roots") {
    wanted_case = std::atoi(argv[2]);
    return am::run(argc, argv, one_of_all_roots);
  }
  if (wanted != "list") return 2;
  for (const scene& s : scenes) std::puts(s.name);
  return 0;
}
