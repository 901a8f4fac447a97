// SPDX-License-Identifier: Apache-2.0
// Containers go back to their last checkpoint, on the team of those that are left: here of all. What happens when ranks die is in
// tests/death. Run with ARMILLA_ON_LOSS=continue.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/container/container.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::team left() { return am::world().survivors(); }

/// Keeps x, changes it by `change`, and goes back.
template <class Container, class Change>
auto there_and_back(Container& x, Change change) {
  x.keep(1);
  x.checkpoint(7);
  change(x);
  am::fence();
  auto back = x.recover(left());
  EXPECT_EQ(back.mark, 7U);
  EXPECT(back.gone.empty());
  EXPECT(back.container.members() != am::world() && back.container.members().size() == am::ranks());
  return std::move(back.container);
}

template <class Array>
void set_to(Array& x, int factor) {
  am::for_each_index(x, [factor](std::size_t i, double& e) { e = double(i) * factor; });
}
template <class Array>
bool is_by(const Array& x, std::size_t n, int factor) {
  bool good = x.size() == n;
  for (std::size_t k = 0; k < x.local().size(); ++k) good = good && x.local()[k] == double(x.index_of_local(k)) * factor;
  return good;
}

/// Takes all that this rank's heap has.
class full_heap {
 public:
  full_heap() {
    for (std::size_t bytes = std::size_t{1} << 40; bytes >= 4096; bytes /= 2) try {
        for (;;) taken_.push_back(am::allocate<char>(bytes));
      } catch (const am::limit_error&) {}
  }
  ~full_heap() {
    for (const auto& each : taken_) am::deallocate(each);
  }
  full_heap(const full_heap&) = delete;

 private:
  std::vector<am::global_ptr<char>> taken_;
};

}  // namespace

RANK_TEST(arrays_go_back_to_their_last_checkpoint) {
  for (const am::distribution& d : {am::blocks(), am::cyclic(3)})
    for (const std::size_t n : {0, 1, 2, 1000}) {
      am::array<double> x(n, d);
      set_to(x, 1);
      const am::array<double> y = there_and_back(x, [](auto& c) { set_to(c, 2); });
      EXPECT(is_by(y, n, 1) && y.placement() == x.placement());
      EXPECT(is_by(x, n, 2));
    }
}

RANK_TEST(the_last_of_several_checkpoints_counts_whatever_its_size) {
  am::array<double> x(100);
  x.keep(am::ranks() + 5);
  for (int k = 1; k <= 9; ++k) {
    x.resize(std::size_t(k % 5 * 200));
    set_to(x, k);
    x.checkpoint(std::uint64_t(k));
    const auto back = x.recover(left());
    EXPECT(is_by(back.container, std::size_t(k % 5 * 200), k));
    EXPECT_EQ(back.mark, std::uint64_t(k));
  }
}

RANK_TEST(a_container_that_is_recovered_is_kept_as_before) {
  am::vector<double> x(500);
  set_to(x, 1);
  x.keep(2);
  x.checkpoint(1);
  am::team t = left();
  x = std::move(x.recover(t).container);
  set_to(x, 3);
  t = t.survivors();
  auto back = x.recover(t);  // it has a checkpoint already
  EXPECT(is_by(back.container, 500, 1) && back.mark == 1);
  x = std::move(back.container);
  set_to(x, 4);
  x.push_back(double(x.size() + std::size_t(am::rank())) * 4);
  x.checkpoint(2);
  back = x.recover(t.survivors());
  EXPECT_EQ(back.mark, 2U);
  EXPECT_EQ(back.container.size(), 500U + std::size_t(am::ranks()));
}

RANK_TEST(one_way_calls_before_a_checkpoint_are_in_it) {
  am::array<int> x(static_cast<std::size_t>(am::ranks()));
  x.keep(1);
  x.set(std::size_t((am::rank() + 1) % am::ranks()), 5);
  x.checkpoint();
  const auto back = x.recover(left());
  EXPECT_EQ(am::count(back.container, 5), std::size_t(am::ranks()));
}

RANK_TEST(texts_go_back) {
  for (const am::distribution& d : {am::blocks(), am::cyclic(2)}) {
    am::vector<std::string> x(300, d);
    am::for_each_index(x, [](std::size_t i, std::string& e) { e.assign(i, 'x'); });
    const am::vector<std::string> y = there_and_back(x, [](auto& c) { am::fill(c, std::string("new")); });
    for (std::size_t k = 0; k < y.local().size(); ++k) EXPECT_EQ(y.local()[k], std::string(y.index_of_local(k), 'x'));
  }
}

RANK_TEST(matrices_go_back_and_are_cut_as_before) {
  am::matrix<int> x({40, 30}, am::grid({am::ranks(), 1}), am::halo(2));
  am::for_each_index(x, [](std::size_t i, int& e) { e = int(i); });
  const am::matrix<int> y = there_and_back(x, [](auto& m) { am::fill(m, 0); });
  EXPECT(y.blocks(0) == am::ranks() && y.blocks(1) == 1 && y.local().halo_before(0) == 2);
  bool good = true;
  am::for_each_index(y, [&](std::size_t i, int e) { good = good && e == int(i); });
  EXPECT(good);
}

RANK_TEST(what_is_kept_stays_with_the_name_when_elements_are_swapped) {
  am::array<double> x(200), y(200);
  am::matrix<double> a({9, 9}), b({9, 9});
  x.keep(1), a.keep(1);
  set_to(y, 2), am::fill(b, 2.0);
  swap(x, y), swap(a, b);
  x.checkpoint(1), a.checkpoint(1);
  EXPECT(is_by(x.recover(left()).container, 200, 2));
  const auto back = a.recover(left());
  EXPECT_EQ(am::reduce(back.container), 162.0);
}

RANK_TEST(raw_takes_elements_as_they_are) {
  am::array<double> x(300, am::cyclic());
  am::matrix<double> m({20, 20});
  x.keep(1);
  set_to(x, 1);
  x.checkpoint();
  set_to(x, 2), am::fill(m, 3.0);
  const auto back = x.recover(left(), am::raw);
  EXPECT(is_by(back.container, 300, 2) && back.gone.empty());
  const auto cells = m.recover(left(), am::raw);
  EXPECT_EQ(am::reduce(cells.container), 1200.0);
  am::barrier();
}

RANK_TEST(a_checkpoint_without_room_leaves_the_one_before) {
  am::array<double> x(300'000);
  x.keep(1);
  set_to(x, 1);
  x.checkpoint(1);
  set_to(x, 2);
  {
    am::barrier();
    std::optional<full_heap> full;
    if (am::rank() == am::ranks() - 1) full.emplace();
    EXPECT_THROWS_SAYING(am::limit_error, "raise ARMILLA_SEGMENT", x.checkpoint(2));
    am::barrier();
  }
  EXPECT(is_by(x.recover(left()).container, 300'000, 1));
  x.checkpoint(2);
  EXPECT(is_by(x.recover(left()).container, 300'000, 2));
}

RANK_TEST(memory_of_what_was_recovered_before_comes_back) {
  am::array<double> x(std::size_t(am::ranks()) << 18);  // 2 MiB a rank, of 32: ARMILLA_SEGMENT
  x.keep(1);
  x.checkpoint(1);
  am::team t = am::world();
  for (int k = 0; k < 40; ++k) {
    t = t.survivors();
    x = std::move(x.recover(t).container);
    x.checkpoint(std::uint64_t(k));
  }
}

RANK_TEST(what_cannot_be_recovered_is_refused) {
  am::array<double> x(100);
  am::unordered_map<int, int> m;
  const am::team t = left();
  EXPECT_THROWS_SAYING(am::usage_error, "call x.keep(1)", x.checkpoint());
  EXPECT_THROWS_SAYING(am::usage_error, "call x.keep(1)", x.recover(t));
  EXPECT_THROWS_SAYING(am::usage_error, "call x.keep(1)", m.recover(t));
  EXPECT_THROWS_SAYING(am::usage_error, "0 copies; give 1 or more", x.keep(0));
  x.keep(1), m.keep(1);
  EXPECT_THROWS_SAYING(am::usage_error, "no checkpoint of the container was whole", x.recover(t));
  EXPECT_THROWS_SAYING(am::usage_error, "no checkpoint of the container was whole", m.recover(t));
  x.checkpoint(1);
  EXPECT_THROWS_SAYING(am::usage_error, "give x.members().survivors()", x.recover(am::world()));
  EXPECT_THROWS_SAYING(am::usage_error, "give x.members().survivors()", x.recover(t.dup()));
  EXPECT_THROWS_SAYING(am::usage_error, "give x.members().survivors()", x.recover(am::team()));
  if (am::ranks() > 1)
    EXPECT_THROWS_SAYING(am::usage_error, "all members give the same", x.checkpoint(std::uint64_t(am::rank())));
  am::array<double> y = std::move(x);
  EXPECT_THROWS_SAYING(am::usage_error, "has been moved from", x.recover(t));
  EXPECT_EQ(y.recover(t).mark, 1U);
}
