// SPDX-License-Identifier: Apache-2.0
// A program whose ranks wait as its first argument says. Driven by diagnosis_test.py.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/remote_channel.hpp>

#include "tests/compute_for.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

std::string scene;

struct locks {
  am::mutex first, second;
  am::sync_var<int> never;
};
locks& mine() {
  static thread_local locks all;
  return all;
}

int wait_for_ever() { return mine().never.read(); }
std::vector<int> list_for_ever() { return {mine().never.read()}; }
int answer_slowly() {
  am::sleep_for(1500ms);
  return 7;
}
struct absent_part {
  int value() { return 1; }
};

void lock_crosswise() {
  auto one = am::spawn([] {
    const std::lock_guard hold(mine().first);
    am::yield();
    const std::lock_guard both(mine().second);
  });
  auto other = am::spawn([] {
    const std::lock_guard hold(mine().second);
    am::yield();
    const std::lock_guard both(mine().first);
  });
  one.join();
  other.join();
}

// What comes out depends on which rank comes first.
std::uint64_t& hash() {
  static thread_local std::uint64_t value = 1;
  return value;
}
void mix(int from) { hash() = hash() * 1'000'003 + std::uint64_t(from) + 1; }
int mix_and_ask(int from) {
  mix(from);
  am::call(am::rank_t(from), [] {}).get();  // others come meanwhile
  mix(from);
  return from;
}

int wait_for(am::future<int> f) { return f.get(); }
int wait_by_steps(am::future<int> f) {
  for (std::uint64_t n = 0; !f.ready(); ++n) am::poll({.bodies = n % 3});
  return f.get();
}

template <auto Wait>
void work_in_any_order() {
  for (int i = 0; i < 20; ++i) {
    am::async<&mix>(0, int(am::rank()));
    if (i % 4 == 0) usleep(useconds_t((getpid() + int(am::rank()) * 7 + i) % 13) * 50);
    am::flush();
    Wait(am::call<&mix_and_ask>(0, int(am::rank())));
  }
  am::fence();
  if (am::rank() == 0) std::printf("%llx\n", static_cast<unsigned long long>(hash()));
}

// Results whose memory two ranks may fill together.
void take_long_results() {
  std::vector<double> buffer(1 << 19);
  double sum = 0;
  for (int i = 0; am::rank() == 0 && i < 50; ++i) {
    am::call_into(
        am::ranks() - 1, std::span<double>(buffer), [](double x) { return std::vector<double>(1 << 19, x); }, double(i))
        .get();
    sum += am::call(0, [](double x) { return x; }, buffer.back()).get();
  }
  am::fence();
  if (am::rank() == 0) std::printf("%g\n", sum);
}

void exchange_parts(std::size_t part) {
  const std::vector<int> in(part * std::size_t(am::ranks()));
  std::vector<int> out(in.size());
  am::world().all_to_all(std::span<const int>(in), std::span<int>(out));
}

void work() {
  const am::rank_t me = am::rank(), last = am::ranks() - 1;
  std::optional<am::distributed<absent_part>> object;
  if (me == 0) std::puts("here"), std::fflush(stdout);
  // these never end
  if (scene == "sync_var") am::spawn([] { mine().never.read(); }).join();
  if (scene == "channel") {
    am::remote_channel<int> jobs(0, 4, {last}, am::named("jobs"));
    if (me == 0) jobs.pop();
    mine().never.read();
  }
  if (scene == "left_fiber") am::spawn([] { mine().never.read(); }).detach();
  if (scene == "crosswise") lock_crosswise();
  if (scene == "call" && me == 0) am::call<&wait_for_ever>(last).get();
  std::array<int, 4> buffer{};
  if (scene == "call_into" && me == 0) am::call_into<&list_for_ever>(last, std::span(buffer)).get();
  if (scene == "when_any" && me == 0) {
    std::vector<am::future<std::span<int>>> one;
    one.push_back(am::call_into<&list_for_ever>(last, std::span(buffer)));
    am::when_any(std::move(one)).get();
  }
  if (scene == "then" && me == 0) am::call<&wait_for_ever>(last).then([](int n) { return n; }).get();
  if (scene == "many" && me == 0) {
    for (int i = 0; i < 99; ++i) am::async<&wait_for_ever>(last);
    am::call<&wait_for_ever>(last).get();
  }
  if (scene == "one_way_call" && me == 0) am::async<&wait_for_ever>(last);
  if (scene == "barrier" && me != last) am::barrier();
  if (scene == "barrier" && me == last) am::wait_for_message();
  if (scene == "absent" && me != last) am::barrier();
  if (scene == "absent" && me == last) mine().never.read();
  if (scene == "exchange" && me != last) exchange_parts(32);
  if (scene == "exchange" && me == last) am::wait_for_message();
  // these do
  if (scene == "sleep") am::sleep_for(1500ms);
  if (scene == "sleep_long") am::sleep_for(70s);
  if (scene == "slow_answer" && me == 0) std::printf("%d\n", am::call<&answer_slowly>(last).get());
  if (scene == "slow_body" && me == 0) am::async<&answer_slowly>(last);
  if (scene == "safe_body" && me == 0) am::call(last, am::safe([] { usleep(1'500'000); })).get();
  if (scene == "wait_for" && me == 0) {
    auto f = am::call<&wait_for_ever>(last);
    std::puts(f.wait_for(1500ms) ? "answered" : "late");
    am::async(last, [] { mine().never = 1; });
  }
  if (scene == "compute" && me == last) compute_for(1500ms);
  if (scene == "compute_long" && me == last) compute_for(10s);
  if (scene == "pause" && me == last) usleep(1'500'000);
  if (scene == "pause_long" && me == last)
    for (int i = 0; i < 100; ++i) usleep(100'000);  // a signal ends one of them
  if (scene == "read" && me == 0) {
    char word[64] = "";
    if (std::scanf("%63s", word) == 1) std::puts(word);
  }
  if (scene == "outside") {
    const am::outside_event soon;
    am::counter done;
    std::thread helper([&] {
      std::this_thread::sleep_for(1500ms);
      __atomic_fetch_add(reinterpret_cast<std::uint64_t*>(&done), 1, __ATOMIC_RELEASE);
      kill(getpid(), SIGUSR1);  // wakes what sleeps
    });
    done.wait(1);
    helper.join();
  }
  if (scene == "busy" && me == last) {
    const auto end = std::chrono::steady_clock::now() + 1500ms;
    while (std::chrono::steady_clock::now() < end) am::poll();
  }
  am::barrier();
  if (me == 0) std::puts("done");
}

}  // namespace

int main(int argc, char** argv) {
  scene = argc > 1 ? argv[1] : "";
  if (scene == "serve") {
    return am::run_main(argc, argv, [] {
      std::puts("here"), std::fflush(stdout);
      usleep(1'500'000);
      am::sleep_for(1000ms);
      std::puts("done");
    });
  }
  if (scene == "serve_for_ever") return am::run_main(argc, argv, [] { mine().never.read(); });
  if (scene == "order") return am::run(argc, argv, work_in_any_order<&wait_for>);
  if (scene == "order_by_steps") return am::run(argc, argv, work_in_any_order<&wait_by_steps>);
  if (scene == "long_results") return am::run(argc, argv, take_long_results);
  return am::run(argc, argv, work);
}
