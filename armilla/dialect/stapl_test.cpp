// SPDX-License-Identifier: Apache-2.0
// STAPL's words, each as the paper uses it.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

int next() { return (stapl::get_node_id() + 1) % stapl::get_num_nodes(); }
int before() { return (stapl::get_node_id() + stapl::get_num_nodes() - 1) % stapl::get_num_nodes(); }

struct counter {
  virtual ~counter() = default;
  void add(int n) { sum += n; }
  void add(const std::string& text) { texts.push_back(text); }
  int total() const { return sum; }
  virtual int kind() const { return 1; }
  void pass_on(int hops) {
    ++sum;
    if (hops > 1) stapl::async_rmi(next(), this, &counter::pass_on, hops - 1);
  }
  void fail() { throw am::usage_error("counter::fail", "asked to"); }
  void first_of(const int& found, int& result) {
    if (result < 0) result = found;
  }

  int sum = 0;
  std::vector<std::string> texts;
};
/// What may be called beside its node.
struct tally {
  void add(int n) { sum += n; }
  int total() const { return sum; }
  std::atomic<int> sum = 0;
};
struct double_counter : counter {
  int kind() const override { return 2; }
};

}  // namespace

RANK_TEST(one_way_calls_and_two_way_calls_reach_the_objects_of_other_nodes) {
  counter mine;
  const stapl::rmi_object<counter> registered(&mine);
  stapl::async_rmi(next(), &mine, static_cast<void (counter::*)(int)>(&counter::add), 5);
  stapl::async_rmi(next(), &mine, static_cast<void (counter::*)(const std::string&)>(&counter::add), std::string("five"));
  stapl::rmi_fence();
  EXPECT_EQ(mine.sum, 5);
  EXPECT_EQ(mine.texts, std::vector<std::string>{"five"});
  mine.sum += stapl::get_node_id();
  stapl::rmi_fence();
  EXPECT_EQ(stapl::sync_rmi(next(), &mine, &counter::total), 5 + next());
  auto handle = stapl::nonblocking_sync_rmi(next(), &mine, &counter::total);
  while (!handle.ready()) stapl::rmi_poll();
  EXPECT_EQ(handle.get(), 5 + next());
  EXPECT_THROWS_SAYING(am::remote_error, "asked to", stapl::sync_rmi(next(), &mine, &counter::fail));
  stapl::rmi_fence();
}

RANK_TEST(virtual_methods_are_those_of_the_other_node_s_object) {
  counter plain;
  double_counter twice;
  counter& mine = stapl::get_node_id() % 2 == 0 ? plain : twice;
  const stapl::rmi_object<counter> registered(&mine);
  EXPECT_EQ(stapl::sync_rmi(next(), &mine, &counter::kind), next() % 2 == 0 ? 1 : 2);
  stapl::rmi_fence();
}

RANK_TEST(an_object_that_is_not_registered_is_refused) {
  counter mine;
  EXPECT_THROWS_SAYING(am::usage_error, "is not registered on this node", stapl::sync_rmi(next(), &mine, &counter::total));
  {
    const stapl::rmi_object<counter> registered(&mine);
    EXPECT_EQ(stapl::sync_rmi(next(), &mine, &counter::total), 0);
    stapl::rmi_fence();
  }
  EXPECT_THROWS_SAYING(am::usage_error, "is not registered on this node",
                       stapl::async_rmi(next(), &mine, static_cast<void (counter::*)(int)>(&counter::add), 1));
}

RANK_TEST(broadcasts_reach_all_and_answers_are_collected_in_the_order_of_nodes) {
  counter mine;
  const stapl::rmi_object<counter> registered(&mine);
  stapl::broadcast_rmi(&mine, static_cast<void (counter::*)(int)>(&counter::add), stapl::get_node_id() + 1);
  stapl::rmi_fence();
  const int p = stapl::get_num_nodes();
  EXPECT_EQ(mine.sum, p * (p + 1) / 2);
  int found = -1;
  stapl::collect_rmi(&mine, &counter::first_of, stapl::get_node_id() == 0 && p > 1 ? -1 : 10 + stapl::get_node_id(), found);
  EXPECT_EQ(found, p > 1 ? 11 : 10);
}

RANK_TEST(slaves_wait_at_the_fence_while_the_master_signals) {
  counter mine;
  const stapl::rmi_object<counter> registered(&mine);
  if (stapl::get_node_id() == 0)
    for (int i = 0; i < 100; ++i)
      stapl::async_rmi(i % stapl::get_num_nodes(), &mine, static_cast<void (counter::*)(int)>(&counter::add), 1);
  stapl::rmi_fence();
  const int all = am::all_reduce(mine.sum, std::plus<>{});
  EXPECT_EQ(all, 100);
}

RANK_TEST(a_fence_has_the_shape_that_is_asked_for) {
  counter mine;
  const stapl::rmi_object<counter> registered(&mine);
  const stapl::communicator turned = am::world().split(0, -stapl::get_node_id());
  constexpr stapl::fence_shape shapes[] = {stapl::fence_shape::binary, stapl::fence_shape::flat, stapl::fence_shape::hypercube};
  int expected = 0;
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 3; ++i) stapl::async_rmi(next(), &mine, &counter::pass_on, 5);
    if (round % 2 == 0)
      stapl::rmi_fence(shapes[round % 3]);
    else
      stapl::rmi_fence(turned, shapes[round % 3]);
    expected += 3 * 5;
    EXPECT_EQ(mine.sum, expected);
    stapl::rmi_fence();
  }
}

RANK_TEST(requests_that_need_not_be_atomic_reach_their_objects) {
  tally mine;
  const stapl::rmi_object<tally> registered(&mine, stapl::non_atomic);
  stapl::rmi_fence();  // all have theirs
  for (int i = 1; i <= 100; ++i) stapl::async_rmi(stapl::non_atomic, next(), &mine, &tally::add, i);
  EXPECT_EQ(stapl::sync_rmi(stapl::non_atomic, next(), &mine, &tally::total), 5050);  // in order
  stapl::rmi_fence();
  EXPECT_EQ(mine.sum.load(), 5050);
  counter other;
  const stapl::rmi_object<counter> atomic(&other);
  EXPECT_THROWS_SAYING(am::usage_error, "not registered for non_atomic requests",
                       stapl::async_rmi(stapl::non_atomic, 0, &other, &counter::pass_on, 1));
  EXPECT_THROWS(am::usage_error, stapl::async_rmi(stapl::non_atomic, stapl::get_num_nodes(), &mine, &tally::add, 1));
  stapl::rmi_fence();
}

RANK_TEST(such_requests_run_while_a_node_with_a_progress_thread_computes) {
  tally mine;
  const stapl::communicator reversed = am::world().split(0, -stapl::get_node_id());
  const stapl::rmi_object<tally> registered(reversed, &mine, stapl::non_atomic);
  stapl::rmi_fence();
  const int behind = (stapl::get_node_id(reversed) + 1) % stapl::get_num_nodes();
  stapl::async_rmi(stapl::non_atomic, reversed, behind, &mine, &tally::add, 7);
  am::flush();
  if (const char* mode = std::getenv("ARMILLA_PROGRESS_MODE"); mode != nullptr && std::string(mode) == "thread")
    while (mine.sum.load() == 0) std::this_thread::yield();  // without a look of this node
  stapl::rmi_fence(reversed);
  EXPECT_EQ(mine.sum.load(), 7);
  stapl::rmi_fence();
}

RANK_TEST(a_request_that_came_before_the_wait_is_not_missed) {
  counter mine;
  const stapl::rmi_object<counter> registered(&mine);
  stapl::rmi_fence();
  for (int round = 0; round < 50; ++round) {
    stapl::async_rmi(next(), &mine, static_cast<void (counter::*)(int)>(&counter::add), 1);
    am::flush();
    if (round % 2 == 0)
      while (mine.sum <= round) stapl::rmi_poll();  // it has run before the wait
    stapl::rmi_wait();
    EXPECT(mine.sum >= round + 1);
    am::barrier();
  }
  stapl::rmi_fence();
}

RANK_TEST(one_way_calls_leave_when_the_factor_is_reached) {
  counter mine;
  const stapl::rmi_object<counter> registered(&mine);
  am::set_aggregation(1 << 14);
  stapl::set_aggregation_factor(8);
  if (stapl::get_node_id() == 0)
    for (int i = 0; i < 8; ++i) stapl::async_rmi(next(), &mine, static_cast<void (counter::*)(int)>(&counter::add), 1);
  if (next() != 0 && before() == 0)
    while (mine.sum < 8) stapl::rmi_poll();  // no fence and no flush of node 0: eight are a bundle
  am::barrier();
  EXPECT_THROWS_SAYING(am::usage_error, "give 0 or more", stapl::set_aggregation_factor(-1));
  EXPECT_THROWS_SAYING(am::usage_error, "-1 calls; give 0 or more", stapl::set_poll_every(-1));
  stapl::set_aggregation_factor(0);
  am::set_aggregation(4096);
  stapl::rmi_fence();
}

namespace {

struct ring : stapl::parallel_task {
  void execute() override {
    token = -1;
    if (stapl::get_node_id() == 0) stapl::async_rmi(next(), this, &ring::pass, 1);
  }
  void pass(int hops) {
    token = hops;
    if (hops < 3 * stapl::get_num_nodes()) stapl::async_rmi(next(), this, &ring::pass, hops + 1);
  }
  int token = -1;
};

}  // namespace

RANK_TEST(tasks_call_each_other_by_this) {
  ring task;
  stapl::execute_parallel_task(&task);
  const int p = stapl::get_num_nodes();
  EXPECT_EQ(task.token, stapl::get_node_id() == 0 ? 3 * p : 2 * p + stapl::get_node_id());
}

RANK_TEST(a_request_that_came_before_its_object_may_call_others_through_it) {
  counter mine;
  std::optional<stapl::rmi_object<counter>> registered;
  if (stapl::get_node_id() != 0) registered.emplace(&mine);
  if (stapl::get_node_id() == 1) stapl::async_rmi(0, &mine, &counter::pass_on, 2);
  am::flush();
  am::barrier();
  for (int i = 0; i < 100; ++i) stapl::rmi_poll();  // it is there, as a rule
  if (stapl::get_node_id() == 0) registered.emplace(&mine);
  stapl::rmi_fence();
  EXPECT_EQ(mine.sum, stapl::get_num_nodes() > 1 && stapl::get_node_id() < 2 ? 1 : 0);
  stapl::rmi_fence();
}

RANK_TEST(a_pvector_is_read_written_grown_and_copied) {
  const std::size_t p = std::size_t(stapl::get_num_nodes()), n = 10 * p + 3;
  stapl::pvector<int> v(n);
  for (std::size_t i = 0; i < n; ++i)
    if (int(i % p) == stapl::get_node_id()) v[i] = int(3 * i);
  stapl::rmi_fence();
  EXPECT_EQ(int(v[n - 1]), int(3 * (n - 1)));
  stapl::rmi_fence();
  v.push_back(-1 - stapl::get_node_id());
  stapl::rmi_fence();
  EXPECT_EQ(v.size(), n + p);
  std::vector<int> all(v);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all[0], -int(p));
  EXPECT_EQ(all[p], 0);
  EXPECT_EQ(all.back(), int(3 * (n - 1)));
}

RANK_TEST(a_pvector_of_vectors_grows_where_its_elements_lie) {
  const int p = stapl::get_num_nodes(), id = stapl::get_node_id();
  stapl::pvector<std::vector<int>> buckets{std::size_t(p)};
  for (int dest = 0; dest < p; ++dest) buckets[std::size_t(dest)].push_back(100 * id + dest);
  stapl::async_rmi(next(), &buckets, &stapl::pvector<std::vector<int>>::push_back, -1 - id);
  stapl::rmi_fence();
  std::sort(buckets[std::size_t(id)].begin(), buckets[std::size_t(id)].end());
  const std::vector<int> mine(buckets[std::size_t(id)].begin(), buckets[std::size_t(id)].end());
  EXPECT_EQ(mine.size(), std::size_t(p + 1));
  EXPECT_EQ(mine[0], -1 - before());
  EXPECT_EQ(mine.back(), 100 * (p - 1) + id);
  if (p > 1) EXPECT_THROWS_SAYING(am::usage_error, "its insides are seen only there", buckets[std::size_t(next())].begin());
  stapl::rmi_fence();
}

RANK_TEST(algorithms_have_the_paper_s_names) {
  stapl::pvector<int> v(100), w(100);
  for (std::size_t i = 0; i < 100; ++i)
    if (v.owner(i) == stapl::get_node_id()) v[i] = int((i * 37) % 100);
  stapl::rmi_fence();
  stapl::p_sort(v);
  const std::vector<int> sorted(v);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[i], int(i));
  EXPECT_EQ(stapl::p_find(v, 42).value(), 42U);
  EXPECT(!stapl::p_find(v, 420));
  stapl::p_copy(v, w);
  stapl::p_for_each(w, [](int& x) { x *= 2; });
  EXPECT_EQ(stapl::p_accumulate(w), 9900);
  EXPECT_EQ(stapl::p_inner_product(v, w, 0L), 656700L);
  stapl::pvector<int> both(200);
  stapl::p_merge(v, w, both);
  const std::vector<int> merged(both);
  EXPECT(std::is_sorted(merged.begin(), merged.end()));
  EXPECT_EQ(std::accumulate(merged.begin(), merged.end(), 0), 9900 + 4950);
}
