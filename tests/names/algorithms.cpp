// SPDX-License-Identifier: Apache-2.0
// The algorithms: each is used in a line that docs.names compiles, by the grammar of docs/adr/0014-one-grammar.md.
// docs.reference reports names that no line uses.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;
using namespace std::literals;

namespace names {

template <class T>
void used(const T&) {}
inline am::vector<double> numbers() { return am::vector<double>(100, 1.0); }
inline const auto big = [](double e) { return e > 3; };

// ---- Elementwise ----

void elementwise() {
  am::vector<double> x = numbers(), y = numbers(), z = numbers();
  am::for_each(x, [](double& e) { e += 1; });
  am::for_each(am::nowait, x, [](double& e) { e += 1; });  // no agreement: an error comes at the next one
  am::for_each_n(x, 10, [](double& e) { e = 0; });
  am::for_each_index(x, [](std::size_t i, double& e) { e = double(i); });
  am::transform(x, y, [](double e) { return 2 * e; });  // from x to y
  am::transform(x, y, z, std::plus<>{});                // from x and y to z
  am::copy(x, y);                                       // in contiguous runs
  used(am::copy(am::views::filter(x, big), y));         // how many: of a range without a size
  am::copy_n(x, 10, y);
  am::fill(x, 1.0);
  am::fill_n(x, 10, 2.0);
  am::generate(x, [] { return 3.0; });  // each rank calls its own copy of the function
  am::generate_n(x, 10, [] { return 4.0; });
  am::iota(x, 0.0);
  am::replace(x, 1.0, 2.0);
  am::replace_if(x, big, 0.0);
  am::replace_copy(x, y, 1.0, 2.0);
  am::replace_copy_if(x, y, big, 0.0);
  am::swap_ranges(x, y);
  static_assert(std::is_same_v<decltype(am::nowait), const am::nowait_t>);
}

// ---- Folds ----

void folds() {
  const am::vector<double> x = numbers(), y = numbers();
  used(am::reduce(x));  // the sum
  used(am::reduce(x, 1.0, std::multiplies<>{}));
  used(am::transform_reduce(x, 0.0, std::plus<>{}, [](double e) { return e * e; }));
  used(am::transform_reduce(x, y, 0.0));  // the inner product
  used(am::inner_product(x, y));
  used(am::inner_product(x, y, 0.0, std::plus<>{}, std::minus<>{}));
  used(am::mean(x) + am::norm(x));
  used(am::min(x) + am::max(x) + am::minmax(x).first);
  used(am::min_element(x) + am::max_element(x, std::less<>{}, [](double e) { return -e; }));
  used(am::minmax_element(x));
  for (const auto& [index, element] : am::top_k(x, 3)) used(double(index) + element);
  used(am::histogram(x, 10, 0.0, 5.0));  // a std::vector of 10 counts
  used(am::accumulate(x, 0.0));
  used(am::reduce(am::reproducible, x) + am::inner_product(am::reproducible, x, y) + am::mean(am::reproducible, x) +
       am::norm(am::reproducible, x));
  used(am::transform_reduce(am::reproducible, x, 0.0, std::plus<>{}, [](double e) { return e * e; }));
  static_assert(std::is_same_v<decltype(am::reproducible), const am::reproducible_t>);
  used(am::fold_left(x, std::string(), [](std::string s, double e) { return s + std::to_string(e); }));
}

// ---- Searches ----

void searches() {
  const am::vector<double> x = numbers(), y = numbers();
  used(am::find(x, 3.0) + am::find_if(x, big) + am::find_if_not(x, big));
  used(am::find_last(x, 3.0) + am::find_last_if(x, big) + am::find_first_of(x, std::vector<double>{1, 2}));
  used(am::contains(x, 3.0));
  used(am::all_of(x, big) || am::any_of(x, big) || am::none_of(x, big));
  used(am::count(x, 3.0) + am::count_if(x, big));
  used(am::equal(x, y) || am::starts_with(x, y) || am::ends_with(x, y));
  used(am::mismatch(x, y));  // the first index at which they differ
  used(am::lexicographical_compare(x, y));
  used(am::adjacent_find(x) + am::is_sorted_until(x));
  used(am::is_sorted(x, std::greater<>{}) || am::is_partitioned(x, big));
  used(am::search(x, std::vector<double>{1, 2}) + am::find_end(x, y));  // a row of elements: the first, the last
  used(am::search_n(x, 3, 1.0));                                        // three ones in a row
  used(am::is_permutation(x, y));
  struct sample {
    double value;
    int of;
  };
  const am::vector<sample> s(100);
  used(am::find_if(s, big, &sample::value) + am::count_if(s, big, &sample::value));  // about what a projection gives
  used(am::equal(s, x, {}, &sample::value));                                         // of two ranges each has its own
  used(am::search(s, std::vector<double>{1, 2}, {}, &sample::value));
}

// ---- Scans ----

void scans() {
  am::vector<double> x = numbers(), y = numbers();
  am::inclusive_scan(x, y);
  am::inclusive_scan(x, y, std::plus<>{}, 10.0);
  am::exclusive_scan(x, y, 0.0);
  am::transform_inclusive_scan(x, y, std::plus<>{}, [](double e) { return e * e; });
  am::transform_exclusive_scan(x, y, 0.0, std::plus<>{}, [](double e) { return e * e; });
  am::partial_sum(x, x);  // in place
  am::inclusive_scan_by_key(am::views::iota(0, 100) | am::views::transform([](int i) { return i / 7; }), x,
                            y);  // each row of equal keys
  am::adjacent_difference(x, y);
}

// ---- Order ----

void order() {
  struct city {
    double people;
    int id;
  };
  am::vector<double> x = numbers();
  am::sort(x);
  am::sort(x, std::greater<>{});
  am::vector<city> cities(1000);
  am::sort(cities, {}, &city::id);                           // by a projection
  am::stable_sort(cities, std::greater<>{}, &city::people);  // equal ones stay in the order of their indices
  am::sort(am::views::slice(x, 10, 20));                     // a part, in place
  am::set_exchange_limit(64 << 20);                          // of texts and the like this rank sends 64 MiB at once
  am::set_exchange_limit(0);                                 // the default again
}

// ---- Keys, selections ----

void keys_selections() {
  am::vector<double> x = numbers(), y = numbers();
  am::sort_by_key(x, y);                                 // y goes with x
  const am::vector<std::size_t> order = am::argsort(x);  // x[order[i]] is the i-th
  am::nth_element(x, 10);
  am::partial_sort(x, 10, std::greater<>{});
  am::vector<double> best(10);
  used(am::partial_sort_copy(x, best, std::greater<>{}));  // how many
}

// ---- By key ----

void by_key() {
  const std::vector<std::pair<int, float>> sold = {{1, 0.5F}, {2, 1.5F}}, sent = {{1, 2.5F}};  // this rank's
  am::unordered_map<int, std::int64_t> often = am::count_by_key(sold, am::by_key);
  am::unordered_map<int, float> sums = am::reduce_by_key(sold, std::plus<>{});
  am::unordered_map<int, std::vector<float>> groups = am::group_by(sold);
  am::unordered_map<int, float> one_each = am::unique_by_key(sold);
  const std::vector<std::tuple<int, float, float>> both = am::join(sold, sent);
  const std::vector<std::pair<int, float>> with = am::semi_join(sold, sent), without = am::anti_join(sold, sent);
  const std::vector<std::tuple<int, float, std::optional<float>>> all_sold =
      am::left_join(sold, sent);  // empty where none was sent
  struct order {
    int number;
    float sum;
  };
  const std::vector<order> orders = {{1, 0.5F}};
  const auto matched = am::join(orders, sent, &order::number, &std::pair<int, float>::first);  // (key, order, pair)
  const std::vector<order> unsent = am::anti_join(orders, sent, &order::number, &std::pair<int, float>::first);
  const std::vector<std::pair<int, std::int64_t>> most = am::top_k(often, 10, am::by_value);
}

// ---- Moves ----

void moves() {
  am::vector<double> x = numbers(), y = numbers();
  am::reverse(x);
  am::reverse_copy(x, y);
  used(am::rotate(x, 10));  // where x[0] is now
  am::rotate_copy(x, 10, y);
  used(am::shift_left(x, 3));   // how many have moved
  used(am::shift_right(x, 3));  // the first that has moved
  am::shuffle(x, 42);           // by seed and size only
  am::vector<double> few(5);
  used(am::sample(x, few, 42));  // how many: 5
  x.redistribute(am::cyclic(4));
  x.rebalance();
}

// ---- Keeping some elements ----

void keeping_some_elements() {
  am::vector<double> x = numbers(), y = numbers(), z = numbers();
  used(am::copy_if(x, y, big) + am::remove_copy_if(x, y, big));  // how many are copied
  used(am::remove_copy(x, y, 3.0) + am::unique_copy(x, y));
  used(am::remove_if(x, big) + am::remove(x, 3.0) + am::unique(x));  // how many stay: x.size()
  used(am::partition(x, big) + am::stable_partition(x, big));        // the index of the first that is not big
  used(am::partition_copy(x, y, z, big).first);
  used(am::partition_point(x, big));
  const am::vector<double> some = am::pack(x, big);  // each element stays on its rank
  const am::vector<std::size_t> where = am::pack_index(x, big);
}

// ---- Ranges in order ----

void ranges_in_order() {
  const am::vector<double> x = numbers(), y = numbers();
  am::vector<double> z(200);
  am::merge(x, y, z);                                            // of equal elements those of x first
  am::inplace_merge(z, 100);                                     // z[0, 100) with z[100, 200)
  used(am::set_union(x, y, z) + am::set_intersection(x, y, z));  // how many
  used(am::set_difference(x, y, z) + am::set_symmetric_difference(x, y, z));
  used(am::includes(x, y));
  used(am::lower_bound(x, 3.0) + am::upper_bound(x, 3.0, std::less<>{}));
  used(am::equal_range(x, 3.0).first);
  used(am::binary_search(x, 3.0));
}

// ---- Lists of indices ----

void lists_of_indices() {
  am::vector<double> x = numbers();
  const std::vector<std::size_t> indices = {3, 1, 3};
  const std::vector<double> values = {0.5, 1.5, 2.5};
  used(am::gather(x, indices));
  std::vector<double> into(indices.size());
  am::gather(x, indices, into);
  am::barrier();
  am::scatter(x, indices, values);      // one of two values for one element wins
  am::scatter_add(x, indices, values);  // atomic: none is lost
  am::scatter_add(x, indices, 1);       // the same for all
  am::fence();
}

// ---- Stencils ----

void stencils() {
  am::matrix<double> t({100, 200}, am::grid(), am::halo(1)), u = t.like();
  for (int step = 0; step < 10; ++step) {
    am::stencil(t, u, [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4; });
    am::swap(t, u);
  }
  am::stencil(am::nowait, t, u, [](auto at) { return at(0, 0) + double(at.index(0)); });
  am::barrier();
}

// ---- Transposing ----

void transposing() {
  am::matrix<double> a({100, 200}), b({200, 100});
  am::transpose(a, b);  // b(j, i) = a(i, j)
}

// ---- Products of matrices and vectors ----

void products_of_matrices_and_vectors() {
  const am::sparse_matrix<double> a(100, 100, std::vector<am::matrix_entry<double>>());
  am::vector<double> x(100, a.column_distribution()), y(100, a.row_distribution()), dealt(100, am::cyclic());
  am::spmv(a, x, y);
  am::spmv(am::nowait, a, y, x);
  am::spmv(a, dealt, y);  // redistributes `dealt` first
  am::matrix<double> f({100, 200}), g({200, 50}), h({100, 50});
  am::gemm(f, g, h);            // h = f g
  am::gemm(2.0, f, g, 0.5, h);  // h = 2 f g + h / 2
  am::vector<double> of_columns(200), of_rows(100, am::cyclic());
  am::gemv(f, of_columns, of_rows);  // of_rows = f of_columns
  am::gemv(2.0, f, of_columns, 0.5, of_rows);
  am::axpy(2.0, x, y);                            // y += 2 x, of any ranges
  am::axpby(2.0, am::views::reverse(x), 0.5, y);  // y = 2 x backwards + y / 2
}

}  // namespace names
