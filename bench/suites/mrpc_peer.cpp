// SPDX-License-Identifier: Apache-2.0
// armilla-bench-peer: the other program of suite mrpc. It shares no code with armilla-bench but the harness; it answers.
#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "bench/harness/worker.hpp"
#include "bench/suites/mrpc_api.hpp"
#include "bench/suites/parts.hpp"

namespace bench {
namespace {

using namespace suites;

thread_local long ran = 0;
thread_local long words = 0;
thread_local std::vector<double> held(20, 0.0);
thread_local am::mutex* lock_of_rank = nullptr;
thread_local am::global_ptr<double> place;

void word0() { ++ran; }
void word1(long a) { ++ran, words += a; }
void word2(long a, long b) { ++ran, words += a - b; }
// A body that lets others go first is a fiber.
void threaded() {
  am::yield();
  ++ran;
}
void excluding() {
  am::yield();
  const std::lock_guard lock(*lock_of_rank);
  ++ran;
}

/// Whatever the row: rank 0 calls, the others answer until it has come to its barrier.
double answer_calls(row_context& c) {
  return taken_apart(c, [](long) {});
}

void provide_all() {
  place = am::allocate<double>(20);
  for (int i = 0; i < 20; ++i) place.local()[i] = i;
  am::provide<mrpc_api::word0, &word0>();
  am::provide<mrpc_api::word1, &word1>();
  am::provide<mrpc_api::word2, &word2>();
  am::provide<mrpc_api::word0_threaded, &threaded>();
  am::provide<mrpc_api::word0_atomic, &excluding>();
  am::provide<mrpc_api::take_count>([] { return std::exchange(ran, 0L); });
  am::provide<mrpc_api::take_words>([] { return std::exchange(words, 0L); });
  am::provide<mrpc_api::place>([] { return place; });
  am::provide<mrpc_api::put>(
      [](const std::vector<double>& v) { std::copy_n(v.begin(), std::min<std::size_t>(v.size(), 20), held.begin()); });
  am::provide<mrpc_api::get>([] { return held; });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const std::string coordinator = argc > 1 ? argv[1] : "";
  return armilla::run(argc, argv, [&coordinator] {
    armilla::mutex mine;
    bench::lock_of_rank = &mine;
    bench::provide_all();
    armilla::barrier();
    bench::row_table rows;
    for (const char* name : bench::mrpc_api::rows) rows.push_back({name, bench::answer_calls});
    bench::serve(coordinator, armilla::rank(), armilla::ranks(), rows);
  });
}
