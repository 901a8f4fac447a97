// SPDX-License-Identifier: Apache-2.0
// What the STAPL paper prints. What stands between the marks is compared with the files of listings/, token by token.
#include <algorithm>
#include <barrier>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using std::vector;

std::vector<int> numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> all(n);
  for (int& x : all) x = int(random() % 100000);
  return all;
}
std::vector<int> all_of(const std::vector<int>& mine) { return am::world().all_gather_v(mine); }
std::vector<int> sorted(std::vector<int> all) {
  std::sort(all.begin(), all.end());
  return all;
}

am::per_rank<std::vector<int>> of_this_rank;

namespace in_parallel {

// p_sort {
struct p_sort : public stapl::parallel_task {
  int *input, size;
  p_sort(int* i, int s) : input(i), size(s) {}

  void execute() {
    int p = stapl::get_num_nodes();
    int id = stapl::get_node_id();
    stapl::pvector<int> globalSplitters(p - 1);
    stapl::pvector<vector<int>> buckets(p);

    if (id < p - 1) globalSplitters[id] = input[size / 2];
    std::vector<int> splitters(globalSplitters);
    std::sort(splitters.begin(), splitters.end());

    for (int i = 0; i < size; i++) {
      int dest = int(std::upper_bound(splitters.begin(), splitters.end(), input[i]) - splitters.begin());
      stapl::async_rmi(dest, &buckets, &stapl::pvector<vector<int>>::push_back, input[i]);
    }
    stapl::rmi_fence();

    sort(buckets[id].begin(), buckets[id].end());
    // }
    of_this_rank->assign(buckets[id].begin(), buckets[id].end());
    // p_sort {
  }
};
// }

}  // namespace in_parallel

namespace by_threads {

using lock = std::mutex;

void collect(const vector<vector<int>>& buckets, int* into) {
  for (const vector<int>& each : buckets) into = std::copy(each.begin(), each.end(), into);
}

// shared memory {
void sort(int* input, int size) {
  int p = 3;
  std::vector<int> splitters(p - 1);
  std::vector<vector<int>> buckets(p);
  std::vector<lock> locks(p);

  for (int i = 0; i < p - 1; i++) splitters[i] = input[size / p * (i + 1)];

  std::sort(splitters.begin(), splitters.end());
  std::barrier<> meeting(p);
  const auto barrier = [&] { meeting.arrive_and_wait(); };
  std::vector<std::thread> threads;
  for (int t = 0; t < p; ++t)
    threads.emplace_back([&, t] {
      int id = t;
      for (int i = size / p * id; i < (id + 1 == p ? size : size / p * (id + 1)); i++) {
        int dest = int(std::upper_bound(splitters.begin(), splitters.end(), input[i]) - splitters.begin());
        locks[dest].lock();
        buckets[dest].push_back(input[i]);
        locks[dest].unlock();
      }
      barrier();

      sort(buckets[id].begin(), buckets[id].end());
    });
  for (std::thread& each : threads) each.join();
  collect(buckets, input);
}
// }

}  // namespace by_threads

namespace by_messages {

// The calls that the paper names, of one number each.
constexpr int all_processes = 0;
am::per_rank<std::deque<int>> arrived;
am::per_rank<bool> all_sent;

void Gather(const int* sample, int, vector<int>& splitters, int) {
  const vector<int> samples = sorted(am::world().all_gather(*sample));
  splitters.assign(samples.begin() + 1, samples.end());
}
void Send(int x, int, int dest, int) {
  am::async(dest, [](int received) { arrived->push_back(received); }, x);
}
bool probe() {
  if (!*all_sent) am::fence();
  *all_sent = true;
  return !arrived->empty();
}
void Recv(int* into, int) {
  *into = arrived->front();
  arrived->pop_front();
}

// message passing {
void sort(int* input, int localSize) {
  int p = am::ranks();
  std::vector<int> splitters(p - 1);
  std::vector<int> bucket;

  int sample = input[localSize / 2];
  Gather(&sample, 1, splitters, all_processes);

  for (int i = 0; i < localSize; i++) {
    int dest = int(std::upper_bound(splitters.begin(), splitters.end(), input[i]) - splitters.begin());
    Send(input[i], 1, dest, all_processes);
  }
  while (probe()) {
    int tmp;
    Recv(&tmp, 1);
    bucket.push_back(tmp);
  }

  sort(bucket.begin(), bucket.end());
  *of_this_rank = bucket;
}
// }

}  // namespace by_messages

namespace one_element {

template <class T>
class pvector {
 public:
  pvector(int n, T (*element)(int)) : n_(n), first_(begin_of(stapl::get_node_id())), mine_(filled(element)), object_(this) {}
  T operator[](const int index);

 private:
  int begin_of(int node) const { return int(long(n_) * node / stapl::get_num_nodes()); }
  int owner(int index) const {
    int node = 0;
    while (index >= begin_of(node + 1)) ++node;
    return node;
  }

  std::vector<T> filled(T (*element)(int)) const {
    std::vector<T> mine;
    for (int i = first_; i < begin_of(stapl::get_node_id() + 1); ++i) mine.push_back(element(i));
    return mine;
  }

  int n_, first_;
  std::vector<T> mine_;
  stapl::rmi_object<pvector> object_;
};

// dereference {
template <class T>
T pvector<T>::operator[](const int index) {
  if (owner(index) == stapl::get_node_id())
    return mine_[index - first_];
  else
    return stapl::sync_rmi(owner(index), this, &pvector<T>::operator[], index);
}
// }

}  // namespace one_element

struct adder {
  int add(int n) { return sum += n; }
  void larger(const int& input, int& output) { output = std::max(input, output); }
  int sum = 0;
};

constexpr std::size_t each = 2000;

}  // namespace

RANK_TEST(sample_sort_as_a_parallel_task) {
  std::vector<int> mine = numbers(each, unsigned(am::rank() + 1));
  const std::vector<int> whole = sorted(all_of(mine));
  std::sort(mine.begin(), mine.end());
  in_parallel::p_sort task(mine.data(), int(mine.size()));
  stapl::execute_parallel_task(&task);
  EXPECT(all_of(*of_this_rank) == whole);
}

RANK_TEST(sample_sort_by_shared_memory) {
  std::vector<int> mine = numbers(each, unsigned(am::rank() + 1));
  const std::vector<int> whole = sorted(mine);
  by_threads::sort(mine.data(), int(mine.size()));
  EXPECT(mine == whole);
}

RANK_TEST(sample_sort_by_message_passing) {
  std::vector<int> mine = numbers(each, unsigned(am::rank() + 1));
  const std::vector<int> whole = sorted(all_of(mine));
  by_messages::sort(mine.data(), int(mine.size()));
  EXPECT(all_of(*of_this_rank) == whole);
}

RANK_TEST(an_element_of_another_node_is_asked_for) {
  one_element::pvector<double> v(37, [](int i) { return 1.5 * i; });
  for (int i = 0; i < 37; ++i) EXPECT_EQ(v[i], 1.5 * i);
  stapl::rmi_fence();
}

RANK_TEST(the_four_forms_of_rmi) {
  adder object;
  const stapl::rmi_object<adder> registered(&object);
  adder* localObjPtr = &object;
  const int destNode = (stapl::get_node_id() + 1) % stapl::get_num_nodes();
  const auto method = &adder::add;
  const auto combine = &adder::larger;
  const int arg1 = 2;
  int rtn, output = -1;
  const int input = stapl::get_node_id();
  // prototypes {
  stapl::async_rmi(destNode, localObjPtr, method, arg1);
  rtn = stapl::sync_rmi(destNode, localObjPtr, method, arg1);
  stapl::broadcast_rmi(localObjPtr, method, arg1);
  stapl::collect_rmi(localObjPtr, combine, input, output);
  // }
  EXPECT(rtn >= 4);
  stapl::rmi_fence();
  EXPECT_EQ(object.sum, 4 + 2 * stapl::get_num_nodes());
  EXPECT_EQ(output, stapl::get_num_nodes() - 1);
}
