// SPDX-License-Identifier: Apache-2.0
// The commonest mistakes, a few lines each, as a user makes them: `mistakes NAME`. What finds them is in mistakes_test.py.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>
#include <armilla/remote_channel.hpp>
namespace am = armilla;

namespace {

am::rank_t other() { return (am::rank() + 1) % am::ranks(); }
volatile long seen = 0;  // what is read is used

// ---- order ----

void barrier_for_fence_array() {
  am::vector<long> hits(100);
  for (std::size_t i = 0; i < 100; ++i) hits.update(i, 1, std::plus<>{});
  am::barrier();  // a fence was needed
  for (const long n : hits.local()) seen += n;
}

void barrier_for_fence_map() {
  am::unordered_map<long, long> count;
  for (long key = 0; key < 100; ++key) count.insert_or_visit(key, 1, [](long& n) { ++n; });
  am::barrier();
  for (const auto& [key, n] : count.local()) seen += n;
}

void nothing_before_local() {
  am::vector<long> hits(100);
  for (std::size_t i = 0; i < 100; ++i) hits.update(i, 1, std::plus<>{});
  for (const long n : hits.local()) seen += n;
}

void nothing_before_an_element_of_local() {
  am::vector<long> hits(100);
  const auto mine = hits.local();
  for (std::size_t i = 0; i < 100; ++i) hits.update(i, 1, std::plus<>{});
  seen += mine[3];
}

void only_others_before_local() {
  am::vector<long> hits(100);
  for (std::size_t i = 0; i < 50; ++i) hits.update(50 * std::size_t(other()) + i, 1, std::plus<>{});
  for (const long n : hits.local()) seen += n;
}

void nothing_before_a_remote_read() {
  am::vector<long> hits(2);
  hits.update(std::size_t(other()), 1, std::plus<>{});
  seen += hits[std::size_t(other())];
}

void nothing_before_an_algorithm() {
  am::vector<long> hits(100);
  for (std::size_t i = 0; i < 50; ++i) hits.update(50 * std::size_t(other()) + i, 1, std::plus<>{});
  seen += am::reduce(hits);
}

void nothing_before_an_algorithm_over_a_map() {
  am::unordered_map<long, long> count;
  for (long key = 0; key < 100; ++key) count.update(key, 1, std::plus<>{});
  seen += am::transform_reduce(count, 0L, std::plus<>{}, [](const auto& each) { return each.second; });
}

void nothing_before_size() {
  am::vector<long> found(0);
  found.push_back(am::rank());
  seen += long(found.size());
}

void nothing_before_size_of_a_map() {
  am::unordered_map<long, long> count;
  for (long key = 0; key < 100; ++key) count.update(key, 1, std::plus<>{});
  seen += long(count.size());
}

void nothing_before_resize() {
  am::vector<long> hits(100);
  for (std::size_t i = 0; i < 100; ++i) hits.update(i, 1, std::plus<>{});
  hits.resize(1000);
}

void nothing_before_a_file() {
  am::vector<std::pair<int, long>> found(0);
  found.push_back({am::rank(), 1});
  const std::string path = "/tmp/armilla-mistakes-" + std::to_string(am::broadcast(getpid(), 0)) + ".csv";
  am::write_csv(path, found);
  if (am::rank() == 0) std::filesystem::remove(path);
}

void barrier_after_push_back() {
  am::vector<long> found(0);
  found.push_back(am::rank());
  am::barrier();  // a fence was needed
  for (const long n : found.local()) seen += n;
}

am::per_rank<long> got;
void barrier_for_fence_per_rank() {
  for (int i = 0; i < 1000; ++i) am::async(other(), [](long n) { got.local() += n; }, 1L);
  am::barrier();  // a fence was needed
  seen += got.local();
}

// ---- indices ----

void index_of_container() {
  am::vector<double> x(1000);
  x[5000] = 1;
}

void index_of_local() {
  am::vector<double> x(1000);
  x.local()[1000] = 1;
}

void stencil_beyond_its_halo() {
  am::matrix<double> now({16, 16}, {}, am::halo(1)), next({16, 16}, {}, am::halo(1));
  am::stencil(now, next, [](auto at) { return at(-2, 0) + at(2, 0); });
}

void stencil_without_a_halo() {
  am::matrix<double> now({16, 16}), next({16, 16});
  am::stencil(now, next, [](auto at) { return at(-1, 0) + at(1, 0); });
}

void local_cell_beyond_the_halo() {
  am::matrix<double> now({16, 16}, am::grid(), am::halo(1));
  const auto mine = now.local();
  seen += mine(0, -2) < 0 ? 1 : 0;
}

void rank_that_does_not_exist() {
  am::async(am::ranks(), [] {});
}

void rank_of_a_team() {
  const am::team half = am::world().split(am::rank() % 2, am::rank());
  am::async(half.rank(), [] { seen = 1; });  // means half.world_rank(half.rank())
}

struct sum_of_team {
  long sum = 0;
  void add() { sum += 1; }
};

void rank_of_a_team_for_an_object_of_it() {
  const am::team half = am::world().split(am::rank() % 2, am::rank());
  const am::distributed<sum_of_team> sum(half);
  am::async<&sum_of_team::add>(sum.on(half.rank()));
}

// ---- lifetime ----

void container_that_was_moved_from() {
  am::vector<double> x(1000);
  const am::vector<double> y = std::move(x);
  x[3] = 1;
}

void span_of_a_container_that_has_ended() {
  std::optional<am::vector<double>> x(std::in_place, 1000);
  const std::span<double> mine = x->local();
  x.reset();
  am::barrier();
  am::vector<double> y(1000);  // may get the same memory
  mine[0] = 1;
}

void span_from_before_the_elements_moved() {
  am::vector<double> x(1000);
  const std::span<double> mine = x.local();
  x.resize(100'000);
  am::vector<double> y(1000);  // may get the memory
  seen += long(mine[0]);
}

void handle_of_a_container_that_has_ended() {
  std::optional<am::unordered_map<long, long>> count(std::in_place);
  const auto handle = count->handle();
  count.reset();
  am::fence();
  handle->insert(1, 1);
}

void reference_in_a_call() {
  long sum = 0;
  am::async(other(), [&sum] { sum += 1; });  // `sum` is of this rank
  am::fence();
}

// ---- global memory ----

void write_past_an_allocation() {
  const am::global_ptr<int> p = am::allocate<int>(10);
  p[10] = 1;
  am::fence();
  am::deallocate(p);
}

void write_before_an_allocation() {
  const am::global_ptr<int> p = am::allocate<int>(10);
  p[-1] = 1;
  am::fence();
  am::deallocate(p);
}

void write_past_by_a_plain_pointer() {
  const am::global_ptr<int> p = am::allocate<int>(10);
  p.local()[10] = 1;
  am::fence();
  am::deallocate(p);
}

void pointer_that_was_freed() {
  const am::global_ptr<int> p = am::allocate<int>(10);
  am::deallocate(p);
  *p = 1;
}

void freed_twice() {
  const am::global_ptr<int> p = am::allocate<int>(10);
  am::deallocate(p);
  am::deallocate(p);
}

// ---- collectives ----

void collective_of_some_ranks() {
  if (am::rank() == 0) am::barrier();
  am::fence();
}

void different_roots() { seen = am::broadcast(1L, am::rank()); }

void values_that_nobody_pops() {
  am::remote_channel<int> results(0, 1000, am::named("results"));
  if (am::rank() != 0) {
    for (int i = 0; i < 100; ++i) results.push(i);
    results.close();
  }
  am::fence();
}

int call_itself(int times) { return times == 0 ? 0 : am::call(am::rank(), call_itself, times - 1).get() + 1; }

// It ends, unlike a user's.
void function_that_calls_itself() {
  if (am::rank() == 0 && am::call(0, call_itself, 51'000).get() != 51'000) std::abort();
}

struct scene {
  const char* name;
  void (*play)();
};
constexpr scene scenes[] = {
#define SCENE(name) {#name, name}
    SCENE(barrier_for_fence_array),
    SCENE(barrier_for_fence_map),
    SCENE(barrier_for_fence_per_rank),
    SCENE(nothing_before_local),
    SCENE(nothing_before_an_element_of_local),
    SCENE(only_others_before_local),
    SCENE(nothing_before_a_remote_read),
    SCENE(nothing_before_an_algorithm),
    SCENE(nothing_before_an_algorithm_over_a_map),
    SCENE(nothing_before_size),
    SCENE(nothing_before_size_of_a_map),
    SCENE(nothing_before_resize),
    SCENE(nothing_before_a_file),
    SCENE(barrier_after_push_back),
    SCENE(index_of_container),
    SCENE(index_of_local),
    SCENE(stencil_beyond_its_halo),
    SCENE(stencil_without_a_halo),
    SCENE(local_cell_beyond_the_halo),
    SCENE(rank_that_does_not_exist),
    SCENE(rank_of_a_team),
    SCENE(rank_of_a_team_for_an_object_of_it),
    SCENE(container_that_was_moved_from),
    SCENE(span_of_a_container_that_has_ended),
    SCENE(span_from_before_the_elements_moved),
    SCENE(handle_of_a_container_that_has_ended),
    SCENE(reference_in_a_call),
    SCENE(write_past_an_allocation),
    SCENE(write_before_an_allocation),
    SCENE(write_past_by_a_plain_pointer),
    SCENE(pointer_that_was_freed),
    SCENE(freed_twice),
    SCENE(collective_of_some_ranks),
    SCENE(different_roots),
    SCENE(function_that_calls_itself),
    SCENE(values_that_nobody_pops),
};

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [&] {
    for (const scene& each : scenes)
      if (argc == 2 && std::string(argv[1]) == each.name) return each.play(), 0;
    return 2;
  });
}
