// SPDX-License-Identifier: Apache-2.0
// Small programs whose result depends on an order that docs/spec/order.md does not promise, and their correct twins:
// `orders NAME wrong|right`, on three ranks. Usually both print the same.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>
namespace am = armilla;

namespace {

thread_local long value = 0;
thread_local int exit_code = 0;
thread_local std::vector<int> notes;

void add(long n) { value += n; }
void twice() { value *= 2; }
void note(int n) { notes.push_back(n); }
long ten_times(long n) { return 10 * n; }

void missing_fence(bool right) {
  am::async(0, &add, 1);
  right ? am::fence() : am::barrier();
  if (am::rank() == 0) am::outcome(value);
}

void early_find(bool right) {
  am::unordered_map<int, int> ages;
  if (am::rank() == 1)
    for (int key = 0; key < 10; ++key) ages.insert(key, key);
  right ? am::fence() : am::barrier();
  int found = 0;
  for (int key = 0; key < 10; ++key) found += ages.find(key).get().has_value();
  am::outcome(found);
}

void read_before_arrival(bool right) {
  const auto p = am::allocate<long>(1);
  *p = 42;
  const auto all = am::all_gather(p);
  long there = 0;
  am::get(there, all[std::size_t((am::rank() + 1) % am::ranks())]);
  if (right) am::sync_memory();
  am::barrier();
  am::outcome(there);
  am::sync_memory();
}

void flag_without_order(bool right) {
  const auto p = am::broadcast(am::rank() == 1 ? am::allocate<long>(2) : am::global_ptr<long>(), 1);
  if (am::rank() == 1) p[0] = p[1] = 0;
  am::barrier();
  if (am::rank() == 0) {
    am::put(p, 42L);
    if (right) am::sync_memory();
    p[1] = 1;
  }
  if (am::rank() == 1) {
    while (p[1] == 0) am::poll();
    am::outcome(long(*p));
  }
  am::sync_memory();
}

// Rank 0's value is 6 or 3.
long add_and_double(bool right) {
  if (am::rank() == 1) am::async(0, &add, 3);
  if (right) am::fence();
  if (am::rank() == 2) am::async(0, &twice);
  am::fence();
  return value;
}

void calls_that_do_not_commute(bool right) {
  const long sum = add_and_double(right);
  if (am::rank() == 0) am::outcome(sum);
}

void lost_update(bool right) {
  const auto p = am::broadcast(am::rank() == 0 ? am::allocate<long>(1) : am::global_ptr<long>(), 0);
  if (am::rank() == 0) *p = 0;
  am::barrier();
  if (right)
    am::atomic_fetch_add(p, 1L);
  else
    *p = *p + 1;
  am::barrier();
  if (am::rank() == 0) am::outcome(long(*p));
}

void find_then_insert(bool right) {
  am::unordered_map<int, int> count;
  if (right)
    count.update(7, 1, std::plus<>{});
  else if (const std::optional<int> before = count.find(7).get())
    count.insert_or_assign(7, *before + 1);
  else
    count.insert_or_assign(7, 1);
  am::fence();
  am::outcome(count.find(7).get().value_or(0));
}

void chain_of_calls(bool right) {
  if (am::rank() == 0) {
    if (right)
      am::call(2, &note, 1).get();
    else
      am::async(2, &note, 1);
    am::async(1, [] { am::async(2, &note, 2); });
  }
  am::fence();
  if (am::rank() == 2) am::outcome(notes);
}

void reply_not_awaited(bool right) {
  if (am::rank() == 0) {
    am::future<long> first = am::call(1, &ten_times, 1L), second = am::call(2, &ten_times, 2L);
    long sum = second.get();
    if (right || first.ready()) sum += first.get();
    am::outcome(sum);
  }
  am::barrier();
}

void fibers_that_share_a_variable(bool right) {
  if (am::rank() == 0) {
    long last = 0;
    const auto ask = [&](am::rank_t r) {
      const long got = am::call(r, &ten_times, long(r)).get();
      last = right ? std::max(last, got) : got;
    };
    am::par([&] { ask(1); }, [&] { ask(2); });
    am::outcome(last);
  }
  am::barrier();
}

// ---- what is compared: no mistakes of their own ----

void in_output(bool right) {
  const long sum = add_and_double(right);
  std::printf("rank %d took %lld ns\n", am::rank(), (long long)am::clock::now().time_since_epoch().count());
  if (am::rank() == 0) std::printf("sum %ld\n", sum);
}

void in_exit_code(bool right) {
  if (add_and_double(right) == 3) exit_code = 4;
}

/// Rank 0 starts another job, which is not one of the exploration: its ranks do not take turns with these.
void a_job_of_a_rank(bool) {
  if (am::rank() == 0) exit_code = std::system(std::getenv("ANOTHER_JOB")) == 0 ? 0 : 5;
  am::barrier();
}

constexpr struct {
  std::string_view name;
  void (*run)(bool right);
} scenes[] = {
#define SCENE(name) {#name, &name}
    SCENE(missing_fence),
    SCENE(early_find),
    SCENE(read_before_arrival),
    SCENE(flag_without_order),
    SCENE(calls_that_do_not_commute),
    SCENE(lost_update),
    SCENE(find_then_insert),
    SCENE(chain_of_calls),
    SCENE(reply_not_awaited),
    SCENE(fibers_that_share_a_variable),
#undef SCENE
    {"in_output", &in_output},
    {"in_exit_code", &in_exit_code},
    {"a_job_of_a_rank", &a_job_of_a_rank},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view name = argv[1], how = argv[2];
  return am::run(argc, argv, [&] {
    for (const auto& scene : scenes)
      if (scene.name == name) scene.run(how == "right");
    return exit_code;
  });
}
