// SPDX-License-Identifier: Apache-2.0
// Containers named by their handles in bodies.
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next_rank() { return (am::rank() + 1) % am::ranks(); }

using numbers = am::array<int>;
using texts = am::array<std::string>;

static_assert(std::is_trivially_copyable_v<numbers::handle_type>);
static_assert(std::is_trivially_copyable_v<am::bag<std::string>::handle_type>);
static_assert(std::is_trivially_copyable_v<am::graph<int>::handle_type>);

template <class... C>
constexpr bool are_sent_by_handle = ((am::detail::verdict_of<C>.why == am::detail::refusal::named_object) && ...);
static_assert(are_sent_by_handle<numbers, am::vector<std::string>, am::bag<int>, am::list<int>, am::graph<>, am::matrix<double>,
                                 am::sparse_matrix<double>, am::map<int, int>, am::unordered_map<int, int>, am::bitmap,
                                 am::disjoint_set, am::work_queue<int>, am::remote_channel<int>>);

void add_to_own(numbers::handle_type h, int by) {
  for (int& e : h->local()) e += by;
}

}  // namespace

RANK_TEST(a_body_reaches_the_part_of_an_array_by_its_handle_as_soon_as_it_is_made) {
  for (int round = 0; round < 100; ++round) {
    numbers x(std::size_t(am::ranks()) * 3);
    for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, &add_to_own, x.handle(), int(am::rank()) + 1);
    am::fence();
    for (const int e : x.local()) EXPECT_EQ(e, int(am::ranks() * (am::ranks() + 1) / 2));
    am::barrier();
  }
}

RANK_TEST(a_handle_names_an_array_wherever_it_moves) {
  numbers a(10);
  const numbers::handle_type of_a = a.handle();
  auto kept = std::make_unique<numbers>(std::move(a));
  EXPECT(of_a.operator->() == kept.get());
  numbers b(5);
  const numbers::handle_type of_b = b.handle();
  am::swap(*kept, b);
  EXPECT(&*of_a == &b && &*of_b == kept.get());
  b.resize(20);
  EXPECT_EQ(of_a->size(), 20U);
  EXPECT_THROWS_SAYING(am::usage_error, "has been moved from", static_cast<void>(a.handle()));
  am::barrier();
}

RANK_TEST(elements_of_other_ranks_are_set_by_a_handle_in_a_body) {
  numbers x(am::ranks());
  texts y(am::ranks());
  const auto body = [](numbers::handle_type n, texts::handle_type t, am::rank_t from) {
    n->set(std::size_t(from), int(from) + 1);
    t->set(std::size_t(from), std::to_string(from));
  };
  am::async(next_rank(), body, x.handle(), y.handle(), am::rank());
  am::fence();
  for (am::rank_t r = 0; r < am::ranks(); ++r) {
    EXPECT_EQ(x.get(std::size_t(r)).get(), int(r) + 1);
    EXPECT_EQ(y.get(std::size_t(r)).get(), std::to_string(r));
  }
  am::barrier();
}

RANK_TEST(vectors_bags_and_lists_grow_where_a_body_runs) {
  am::vector<int> v(0);
  am::bag<std::string> b;
  am::list<int> l;
  const auto body = [](am::vector<int>::handle_type to_v, am::bag<std::string>::handle_type to_b, am::list<int>::handle_type to_l,
                       int x) {
    to_v->push_back(x);
    to_b->push(std::to_string(x));
    to_l->push_local(x);
  };
  for (int k = 0; k < 3; ++k) am::async(next_rank(), body, v.handle(), b.handle(), l.handle(), 10 * int(am::rank()) + k);
  am::fence();
  const int from = int((am::rank() + am::ranks() - 1) % am::ranks());
  EXPECT_EQ(v.size(), 3U * std::size_t(am::ranks()));
  EXPECT_EQ(b.size(), v.size());
  EXPECT_EQ(v.local()[2], 10 * from + 2);
  EXPECT_EQ(b.local()[0], std::to_string(10 * from));
  EXPECT_EQ(l.local_size(), 3U);
  EXPECT_EQ(l.local().front(), 10 * from);
  am::barrier();
}

RANK_TEST(matrices_bitmaps_sets_and_graphs_are_named_by_handles) {
  const auto n = std::size_t(am::ranks());
  am::matrix<int> m({n, 2});
  am::bitmap bits(n);
  am::disjoint_set sets(n);
  am::graph<int> g(n, std::vector<am::edge>{{am::vertex_id(am::rank()), 0}}, {.keep_loops = true});
  const auto body = [](am::matrix<int>::handle_type cells, am::bitmap::handle_type b, am::disjoint_set::handle_type s,
                       am::graph<int>::handle_type edges, std::size_t i) {
    (*cells)(i, 1) = int(i) + 5;
    b->set(i);
    s->unite(0, i);
    edges->values().set(i, int(edges->rank_of(i)));
  };
  am::async(next_rank(), body, m.handle(), bits.handle(), sets.handle(), g.handle(), std::size_t(am::rank()));
  am::fence();
  EXPECT_EQ(am::reduce(m), int(n * (n - 1) / 2 + 5 * n));
  EXPECT_EQ(bits.count(), n);
  EXPECT_EQ(sets.num_sets(), 1U);
  for (const am::vertex_id v : g.local()) EXPECT_EQ(g.values().get(v).get(), int(am::rank()));
  am::bitmap moved(std::move(bits));
  EXPECT(&*moved.handle() == &moved);
  am::barrier();
}

// The next rank may still be in the call when the body of this one comes there.
template <class X, class Change>
int lost_writes(std::size_t n, Change change) {
  int lost = 0;
  for (int i = 1; i <= 20; ++i) {
    X x(n);
    change(x);
    am::async(next_rank(), am::to_completion([](typename X::handle_type h, int value) { h->local()[0] = value; }), x.handle(), i);
    am::fence();
    lost += x.local()[0] != i;
  }
  return lost;
}

RANK_TEST(what_is_written_by_a_handle_outlives_the_call_that_moves_elements) {
  const auto n = std::size_t(am::ranks());
  EXPECT_EQ(lost_writes<numbers>(n, [&](numbers& x) { x.resize(2 * n); }), 0);
  EXPECT_EQ(lost_writes<numbers>(n, [](numbers& x) { x.redistribute(am::cyclic(1)); }), 0);
  const auto grow = [](am::vector<int>& v) {
    v.push_back(-1);
    am::fence();
  };
  EXPECT_EQ(lost_writes<am::vector<int>>(n, grow), 0);
  am::barrier();
}

RANK_TEST(handles_work_in_teams_and_are_refused_elsewhere) {
  const am::team half = am::world().split(am::rank() % 2, am::rank());
  numbers x(std::size_t(half.size()), am::on(half));
  am::async(half.world_rank((half.rank() + 1) % half.size()), &add_to_own, x.handle(), 3);
  am::fence();
  EXPECT_EQ(x.local()[0], 3);
  if (am::rank() == 0 && am::ranks() > 1)
    EXPECT_THROWS_SAYING(am::remote_error, "no part of the container",
                         am::call(1, [](numbers::handle_type h) { return h->size(); }, x.handle()).get());
  am::barrier();
}

RANK_TEST(a_handle_of_an_ended_container_names_nothing) {
  numbers::handle_type name;
  EXPECT_THROWS_SAYING(am::usage_error, "no part of the container", static_cast<void>(name->size()));
  {
    const numbers x(3);
    name = x.handle();
    EXPECT_EQ(name->size(), 3U);
    am::fence();
  }
  EXPECT_THROWS_SAYING(am::usage_error, "it has ended there", static_cast<void>(name->size()));
  EXPECT_THROWS_SAYING(am::usage_error, "has been moved from", static_cast<void>(numbers().handle()));
  am::barrier();
}

// What is moved goes on, and what it was moved from refuses each verb.
RANK_TEST(a_container_that_was_moved_from_says_so) {
  const char* const moved = "has been moved from";
  am::work_queue<int> jobs;
  const am::work_queue<int> more = std::move(jobs);
  EXPECT_THROWS_SAYING(am::usage_error, moved, jobs.push(1));
  EXPECT_THROWS_SAYING(am::usage_error, moved, jobs.process([](int) {}));
  EXPECT_THROWS_SAYING(am::usage_error, moved, jobs.clear_local());
  am::list<int> line;
  am::list<int> other = std::move(line);
  EXPECT_THROWS_SAYING(am::usage_error, moved, line.push_back(1));
  EXPECT_THROWS_SAYING(am::usage_error, moved, line.push_local(1));
  EXPECT_THROWS_SAYING(am::usage_error, moved, line.for_each_in_order([](int) {}));
  am::priority_queue<int> best;
  am::priority_queue<int> best_now = std::move(best);
  EXPECT_THROWS_SAYING(am::usage_error, moved, best.push(1));
  EXPECT_THROWS_SAYING(am::usage_error, moved, static_cast<void>(best.pop()));
  am::disjoint_set sets(10);
  const am::disjoint_set sets_now = std::move(sets);
  EXPECT_THROWS_SAYING(am::usage_error, moved, static_cast<void>(sets.num_sets()));
  am::vector<int> x(10);
  const am::vector<int> y = std::move(x);
  EXPECT_THROWS_SAYING(am::usage_error, "for_each: it has no ranks: it was moved from", am::for_each(x, [](int) {}));
  EXPECT_THROWS_SAYING(am::usage_error, "sort: it has no ranks: it was moved from", am::sort(x));
  best_now.push(am::rank());
  other.push_local(7);
  am::fence();
  EXPECT_EQ(best_now.size(), std::size_t(am::ranks()));
  EXPECT_EQ(other.size(), std::size_t(am::ranks()));
  EXPECT_EQ(sets_now.num_sets(), 10U);
  EXPECT_EQ(y.size(), 10U);
  best = std::move(best_now);
  EXPECT_EQ(best.pop().get().has_value(), true);
  am::barrier();
}
