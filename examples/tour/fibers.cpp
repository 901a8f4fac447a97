// SPDX-License-Identifier: Apache-2.0
// Fibers, what they wait for, blocks and loops that overlap, and coroutines.
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/tour/expect.hpp"
namespace am = armilla;

namespace {

int square(int x) { return x * x; }

am::task<int> sum_of_squares(am::rank_t there, int n) {
  std::vector<am::future<int>> asked;
  for (int i = 1; i <= n; ++i) asked.push_back(am::call<&square>(there, i));
  int sum = 0;
  for (am::future<int>& answer : asked) sum += co_await answer;
  co_return sum;
}

void wait_for_each_other() {
  am::sync_var<int> v;
  am::fiber<int> reader = am::spawn([&] { return v + 1; });  // waits for the write
  v = 6;
  expect(reader.join() == 7, "a sync_var is written once and read by every fiber that waits");

  am::channel<std::string> words(2);
  auto writer = am::spawn([&] {
    for (const char* word : {"one", "two", "three"}) words.push(word);
    words.close();
  });
  std::string all;
  while (auto word = words.pop()) all += *word + " ";
  writer.join();
  expect(all == "one two three ", "a channel passes values in order");

  am::mutex lock;
  int inside = 0, most = 0;
  am::parfor(0, 5, [&](int) {
    const std::lock_guard hold(lock);
    most = ++inside > most ? inside : most;
    am::yield();  // others run, but not in here
    --inside;
  });
  expect(most == 1, "a mutex holds across waits");
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const am::rank_t next = (am::rank() + 1) % am::ranks();
    wait_for_each_other();

    int left = 0, right = 0;
    am::par([&] { left = am::call<&square>(next, 3).get(); }, [&] { right = am::call<&square>(next, 4).get(); });
    expect(left + right == 25, "two blocks, as if at once");

    auto numbers = am::allocate<double>(20);
    for (int i = 0; i < 20; ++i) numbers.local()[i] = i + 100.0 * am::rank();
    const am::global_ptr<double> far = am::all_gather(numbers)[std::size_t(next)];
    std::vector<double> x(20);
    am::parfor(0, 20, [&](int i) { x[std::size_t(i)] = far[i]; });  // the reads overlap where they need messages
    expect(x[19] == 19 + 100.0 * next, "a loop of remote reads");

    expect(sum_of_squares(next, 4).get() == 30, "a coroutine awaits answers");
    expect(am::call(
               next, [](am::rank_t back) { return sum_of_squares(back, 2).get(); }, am::rank())
                   .get() == 5,
           "a body may wait for a coroutine, and that for other ranks");

    am::sync_var<int> mine;
    const auto theirs = am::all_gather(am::to_global(&mine))[std::size_t(next)];
    am::future<int> asked = am::read_sync_var(theirs);  // waits at its owner, which goes on
    am::write_sync_var(theirs, 10 * next).get();
    expect(asked.get() == 10 * next, "a sync_var of another rank");

    am::fence();
    am::deallocate(numbers);
    if (am::rank() == 0) std::printf("fibers: all as expected\n");
  });
}
