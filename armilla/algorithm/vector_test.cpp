// SPDX-License-Identifier: Apache-2.0
// Arrays and vectors against a std::vector: operations of all ranks at once, a fence between phases. A part of array_test.cpp's
// program.
#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "armilla/algorithm/algorithm.hpp"
#include "armilla/algorithm/ranges_test.hpp"
#include "armilla/gather.hpp"
#include "armilla/spawn.hpp"

namespace am = armilla;

namespace {

using ranges_test::dice;

/// Of 24 bytes: no load or store takes it in one piece.
struct three {
  long a = 0, b = 0, c = 0;
  bool operator==(const three&) const = default;
};
void make(long n, long& e) { e = n; }
void make(long n, three& e) { e = {n, -n, 2 * n}; }
void make(long n, std::string& e) { e.assign(std::size_t(n % 40), char('a' + n % 26)); }

/// A vector and what it must hold. All members draw alike, so that each knows what the others say. In one phase an element has
/// one rank that changes it in one way, or additions of all.
template <class T>
class random_verbs {
 public:
  random_verbs(dice& d, const am::team& t)
      : dice_(d), team_(t), all_(d.below(60)), x_(all_.size(), d.distribution(all_.size(), t)) {}

  void run() {
    for (int phase = 0; phase < 10; ++phase) {
      say(draw_verbs());
      stage();
      team_.fence();
      compare();
      deal_anew();
      compare();
    }
  }

 private:
  enum class verb : unsigned { writes, sets, scatters, adds, adds_listed, reads };
  struct said {
    std::size_t index;
    verb what;
    am::rank_t by;
    long n;
    T value;
  };

  std::vector<said> draw_verbs() {
    std::vector<said> verbs(all_.size());
    for (std::size_t i = 0; i < verbs.size(); ++i) {
      verbs[i] = {i, verb(dice_.below(6)), am::rank_t(dice_.below(std::size_t(team_.size()))), long(dice_.below(1000)), T{}};
      if (!std::is_same_v<T, long> && (verbs[i].what == verb::adds || verbs[i].what == verb::adds_listed))
        verbs[i].what = verb::sets;
      make(verbs[i].n, verbs[i].value);
    }
    return verbs;
  }

  /// Each member in an order of its own.
  void say(std::vector<said> verbs) {
    for (const said& v : verbs) expect_of(v);
    std::shuffle(verbs.begin(), verbs.end(), std::mt19937(unsigned(verbs.size()) * 8 + unsigned(team_.rank())));
    std::vector<std::size_t> scattered, added;
    std::vector<T> values;
    for (const said& v : verbs) {
      if (v.what == verb::reads) EXPECT(T(x_[v.index]) == all_[v.index] && x_.get(v.index).get() == all_[v.index]);
      if (v.what == verb::adds_listed) added.push_back(v.index);
      if constexpr (std::is_same_v<T, long>)
        if (v.what == verb::adds) am::atomic_add(x_.ptr(v.index), v.n + team_.rank());
      if (v.by != team_.rank()) continue;
      if (v.what == verb::writes) {
        x_[v.index] = v.value;
        EXPECT(T(x_[v.index]) == v.value);
      }
      if (v.what == verb::sets) x_.set(v.index, v.value);
      if (v.what == verb::scatters) scattered.push_back(v.index), values.push_back(v.value);
    }
    am::scatter(x_, scattered, values);
    if constexpr (std::is_same_v<T, long>) am::scatter_add(x_, added, 5);
  }
  void expect_of(const said& v) {
    T& e = all_[v.index];
    if (v.what == verb::writes || v.what == verb::sets || v.what == verb::scatters) e = v.value;
    if constexpr (std::is_same_v<T, long>) {
      const long members = team_.size();
      if (v.what == verb::adds) e += members * v.n + members * (members - 1) / 2;
      if (v.what == verb::adds_listed) e += 5 * members;
    }
  }

  /// Behind the verbs, before their fence.
  void stage() {
    if (!x_.placement().linear()) return;
    std::vector<T> grown;
    for (am::rank_t m = 0, next = 0; m < team_.size(); ++m) {
      for (std::size_t k = 0; k < x_.placement().count(m); ++k) grown.push_back(all_[std::size_t(next++)]);
      std::vector<T> more(dice_.below(3) == 0 ? dice_.below(9) : 0);
      for (T& e : more) make(long(dice_.below(1000)), e);
      grown.insert(grown.end(), more.begin(), more.end());
      if (m != team_.rank() || more.empty()) continue;
      x_.push_back(more.front());
      x_.append(std::span<const T>(more).subspan(1));
    }
    all_ = std::move(grown);
  }

  void deal_anew() {
    switch (dice_.below(6)) {
      case 0: {
        const std::size_t n = dice_.below(90);
        x_.resize(n);
        all_.resize(n);
        break;
      }
      case 1: x_.redistribute(dice_.distribution(all_.size(), team_)); break;
      case 2: x_.rebalance(); break;
      case 3: {
        am::vector<T> other = x_.clone();
        swap(x_, other);
        break;
      }
      case 4: keep_some(); break;
      default: x_.redistribute(am::blocks());
    }
  }
  void keep_some() {
    if (!x_.placement().linear()) return;
    std::vector<T> kept;
    std::size_t mine = 0;
    for (std::size_t m = 0, first = 0; m < std::size_t(team_.size()); ++m) {
      const std::size_t had = x_.placement().count(am::rank_t(m)), n = had - dice_.below(std::min<std::size_t>(had, 4));
      for (std::size_t k = 0; k < n; ++k) kept.push_back(all_[first + k]);
      if (am::rank_t(m) == team_.rank()) mine = n;
      first += had;
    }
    x_.keep_local(mine);
    all_ = std::move(kept);
  }

  void compare() {
    if (!EXPECT_EQ(x_.size(), all_.size())) return;
    for (std::size_t k = 0; k < x_.local().size(); ++k) EXPECT(x_.local()[k] == all_[x_.index_of_local(k)]);
    std::vector<std::size_t> asked(all_.size());
    std::iota(asked.begin(), asked.end(), std::size_t{0});
    EXPECT(am::gather(x_, asked) == all_);
    team_.barrier();
  }

  dice& dice_;
  am::team team_;
  std::vector<T> all_;
  am::vector<T> x_;
};

template <class T>
void say_random_verbs() {
  ranges_test::for_random_teams(3, [](dice& d, const am::team& t) { random_verbs<T>(d, t).run(); });
}

}  // namespace

RANK_TEST(random_verbs_of_all_ranks_leave_what_the_standard_vector_would_hold) { say_random_verbs<long>(); }
RANK_TEST(random_verbs_on_elements_that_are_longer_than_a_word) { say_random_verbs<three>(); }
RANK_TEST(random_verbs_on_elements_in_memory_of_their_own) { say_random_verbs<std::string>(); }

// A container leaves its parts to its team, which gives them back when it meets again. The other fibers' teams meet, too, in
// between.
RANK_TEST(fibers_of_several_teams_make_vectors_and_let_them_go) {
  const am::team teams[] = {am::world().dup(), am::world().dup(), am::world().split(am::rank() % 2)};
  std::vector<am::fiber<void>> fibers;
  for (const am::team& t : teams)
    fibers.push_back(am::spawn([&t] {
      for (int i = 0; i < 40; ++i) {
        am::vector<long> v(64, am::on(t, am::blocks()));
        am::fill(v, i);
        am::vector<long> dealt(64, am::on(t, am::cyclic(2)));
        am::copy(v, dealt);
        EXPECT_EQ(am::reduce(dealt, 0L, std::plus<>{}), 64L * i);
      }
    }));
  for (auto& f : fibers) f.join();
  am::barrier();
}
