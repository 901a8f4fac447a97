// SPDX-License-Identifier: Apache-2.0
// Of element_types_test.cpp's program: compaction and moves.
#include "armilla/algorithm/element_types_test.hpp"

namespace element_types_test {

/// Erases what `by_standard` leaves behind the end, and gives what stays.
template <class T, class F>
auto shrunk(F by_standard) {
  return [by_standard](std::vector<T>& e) {
    e.erase(by_standard(e), e.end());
    return e.size();
  };
}

template <class T>
void check_compaction(ranges<T>& r) {
  const auto unwanted = [](const T& e) { return !wanted<T>(e); };
  r.expect_changed([&](auto& z) { return am::remove_if(z, wanted<T>); },
                   shrunk<T>([](auto& e) { return std::remove_if(e.begin(), e.end(), wanted<T>); }));
  r.expect_changed([&](auto& z) { return am::unique(z, coarsely_equal()); },
                   shrunk<T>([](auto& e) { return std::unique(e.begin(), e.end(), coarsely_equal()); }));
  r.expect_changed([&](auto& z) { return am::stable_partition(z, wanted<T>); },
                   [](auto& e) { return std::size_t(std::stable_partition(e.begin(), e.end(), wanted<T>) - e.begin()); });
  r.expect_written([&](auto& z) { am::copy_if(r.x, z, wanted<T>); },
                   [&](auto& e) { std::ranges::copy_if(r.a, e.begin(), wanted<T>); });
  r.expect_written([&](auto& z) { am::unique_copy(r.x, z); }, [&](auto& e) { std::ranges::unique_copy(r.a, e.begin()); });
  std::vector<T> yes(r.a.size()), no(r.a.size());
  std::ranges::partition_copy(r.a, yes.begin(), no.begin(), wanted<T>);
  am::vector<T> u = r.out(), v = r.dealt(std::vector<T>(r.a.size()));
  const auto counts = am::partition_copy(r.x, u, v, wanted<T>);
  EXPECT_EQ(counts.first + counts.second, r.a.size());
  EXPECT(elements_of(u) == yes && elements_of(v) == no);
  EXPECT(elements_of(am::pack(r.x, unwanted)) == ranges_test::kept_where_they_are(r.x, r.a, unwanted));
}

template <class T>
void check_moves(ranges<T>& r) {
  const std::size_t n = r.a.size(), k = r.d.below(n + 1);
  const auto at = [](auto& e, std::size_t i) { return e.begin() + std::ptrdiff_t(i); };
  r.expect_written([&](auto& z) { am::reverse_copy(r.x, z); }, [&](auto& e) { std::ranges::reverse_copy(r.a, e.begin()); });
  r.expect_written([&](auto& z) { am::rotate_copy(r.x, k, z); },
                   [&](auto& e) { std::rotate_copy(r.a.begin(), at(r.a, k), r.a.end(), e.begin()); });
  r.expect_changed([&](auto& z) { return am::reverse(z), 0; }, [](auto& e) { return std::ranges::reverse(e), 0; });
  r.expect_changed([&](auto& z) { return am::rotate(z, k); },
                   [&](auto& e) { return std::size_t(std::rotate(e.begin(), at(e, k), e.end()) - e.begin()); });
  r.expect_changed([&](auto& z) { return am::shift_left(z, k); },
                   [&](auto& e) {
                     if (k == n) return k == 0 ? n : 0;
                     std::copy(at(r.a, k), r.a.end(), e.begin());
                     return n - k;
                   });
  r.expect_changed([&](auto& z) { return am::shift_right(z, k); },
                   [&](auto& e) {
                     if (k == n) return k == 0 ? 0 : n;
                     std::copy(r.a.begin(), at(r.a, n - k), at(e, k));
                     return k;
                   });
  am::vector<T> shuffled = r.dealt(r.a);
  am::shuffle(shuffled, 7);
  std::vector<T> all = elements_of(shuffled), sorted = r.a;
  std::ranges::sort(all);
  std::ranges::sort(sorted);
  EXPECT(all == sorted);
}

template <class T>
void check_places(ranges<T>& r) {
  check_compaction(r);
  check_moves(r);
}
#if ARMILLA_TEST_ALL_TYPES
template void check_places(ranges<std::int8_t>&);
#endif
template void check_places(ranges<record>&);
template void check_places(ranges<std::string>&);

}  // namespace element_types_test
