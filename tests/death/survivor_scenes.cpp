// SPDX-License-Identifier: Apache-2.0
// Moments at which ranks that are left could wait for each other for ever: survivor_scenes SCENE. Driven by on_loss_test.py.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/keyed_disjoint_set.hpp>
#include <armilla/remote_channel.hpp>

namespace am = armilla;

namespace {

using namespace std::chrono_literals;

am::per_rank<am::counter> arrivals;

bool is_lost_in(auto&& operation) {
  try {
    operation();
  } catch (const am::rank_lost&) { return true; }
  return false;
}

void say_left(const am::team& t) {
  const int sum = t.all_reduce(1 << am::rank(), std::plus<>{});
  std::printf("rank %d of %d: %x\n", int(t.rank()), int(t.size()), unsigned(sum));
}

// Without a look for messages.
void compute_for(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {}
}

// The even ranks but rank 0 wait in a half without lost ranks for rank 0, which has heard of the loss and gives up the whole.
// `late`: they sleep from before rank 1 has come to the split, and may hear of all of that before they have made the half.
void half(bool late) {
  const bool waits = am::rank() % 2 == 0 && am::rank() != 0;
  const std::vector<pid_t> everyone = am::all_gather(getpid());
  const auto send = [everyone](int signal) {
    for (std::size_t r = 2; r < everyone.size(); r += 2) kill(everyone[r], signal);
  };
  if (late && am::rank() == 1) {
    compute_for(50ms);
    send(SIGSTOP);
  }
  const am::team all = am::world(), mine = all.split(am::rank() % 2);
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  if (waits && !is_lost_in([&] { mine.barrier(); })) std::printf("rank %d was not told\n", int(am::rank()));
  if (!waits) is_lost_in([&] { all.barrier(); });
  if (late && am::rank() == 0) std::thread([send] { std::this_thread::sleep_for(50ms), send(SIGCONT); }).detach();
  const am::team left = all.survivors();
  say_left(left);
  if (am::rank() % 2 == 0 && !is_lost_in([&] { mine.barrier(); })) std::printf("the half is not revoked\n");
  left.split(left.rank() % 2).barrier();
}

// Rank 0 waits for no other in the last collective, and has come to its end when rank 2 looks for those that are left.
void ended() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  is_lost_in([] { am::world().reduce(1, std::plus<>{}, 2); });
  if (am::rank() == 0) return;
  say_left(am::world().survivors());
}

// What was written to the lost rank before is no news behind the agreement, on the one rank that had written.
void written() {
  const auto places = am::all_gather(am::allocate<long>());
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  compute_for(50ms);
  if (am::rank() == 0) is_lost_in([&] { am::put(places[1], 5); });
  is_lost_in([] { am::barrier(); });
  const am::team left = am::world().survivors();
  if (is_lost_in([] { am::sync_memory(); })) std::printf("rank %d is told again\n", int(am::rank()));
  say_left(left);
}

// What a fence has completed is not lost with the rank where it lies; what nothing has completed is, and is told once.
void stored() {
  const auto places = am::all_gather(am::allocate<long>());
  const am::team others = am::world().split(am::rank() == 1);
  am::store(places[1], 5);
  am::fence();
  if (am::rank() == 1) {
    am::barrier();
    kill(getpid(), SIGKILL);
  }
  am::barrier();
  is_lost_in([] { arrivals.local().wait(); });
  if (is_lost_in([&] { others.all_store_sync(); })) std::printf("rank %d is told of good stores\n", int(am::rank()));
  is_lost_in([] { am::fence(); });
  say_left(am::world().survivors());
}

void stored_late() {
  const auto places = am::all_gather(am::allocate<long>());
  const am::team others = am::world().split(am::rank() == 1);
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  compute_for(50ms);
  is_lost_in([&] { am::store(places[1], 5); });
  int told = 0;
  for (int i = 0; i < 3; ++i) told += is_lost_in([&] { others.all_store_sync(); });
  is_lost_in([] { am::fence(); });
  std::printf("rank %d is told %d times\n", int(am::rank()), told);
}

// Rank 0 takes in stores of a lost rank into memory that is open no more: it refuses them to a rank that is not there.
void refused() {
  static long place = 0;
  std::optional<am::opened_memory> open;
  if (am::rank() == 0) open.emplace(am::open_memory(am::to_global(&place), 1, am::access_rights::write));
  const am::global_ptr<long> there = am::broadcast(am::to_global(&place), 0);
  am::barrier();
  if (am::rank() == 1) {
    for (int i = 0; i < 100; ++i) am::store(there, 5);
    am::flush();
    kill(getpid(), SIGKILL);
  }
  std::this_thread::sleep_for(300ms);
  if (open) open->close();
  for (int i = 0; i < 1000; ++i) am::poll();
  is_lost_in([] { am::fence(); });
  const am::team left = am::world().survivors();
  left.all_store_sync();
  say_left(left);
}

// What a handler of losses throws the next fence throws, or the end of the job.
void handler_throws() {
  am::on_loss([](am::rank_t) { throw std::logic_error("nobody asked"); });
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  is_lost_in([] { am::barrier(); });
  am::world().survivors().barrier();
}

void handler_throws_at_a_fence() {
  am::on_loss([](am::rank_t) { throw std::logic_error("nobody asked"); });
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  is_lost_in([] { am::barrier(); });
  const am::team left = am::world().survivors();
  try {
    left.fence();
  } catch (const am::remote_error& e) { std::printf("rank %d: %s: %s\n", int(am::rank()), e.type_name(), e.text()); }
  left.fence();
}

// Another call without a new loss takes nothing from the team that the first one gave.
void again() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  is_lost_in([] { am::barrier(); });
  const am::team first = am::world().survivors(), second = am::world().survivors();
  first.barrier();
  say_left(second);
}

// What any loss ends waits again when the ranks that are left have agreed.
void counted() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  if (!is_lost_in([] { arrivals.local().wait(1); })) std::printf("the counter was not ended\n");
  const am::team left = am::world().survivors();
  arrivals.on(left.world_rank((left.rank() + 1) % left.size())).signal();
  arrivals.local().wait(1);
  say_left(left);
}

am::per_rank<int> noted, passed_on;

void note() { ++*noted; }
void pass_on() {
  ++*noted;
  am::async((am::rank() + 1) % am::ranks() == 1 ? 2 : (am::rank() + 1) % am::ranks(), [] { ++*passed_on; });
}

// What a rank has sent before its death runs, and what that causes, before the others are told.
void published() {
  am::barrier();
  if (am::rank() == 1) {
    for (const am::rank_t to : {0, 2, 3})
      for (int i = 0; i < 1000; ++i) am::async(to, i % 2 == 0 ? note : pass_on);
    am::flush();
    kill(getpid(), SIGKILL);
  }
  if (!is_lost_in([] { am::fence(); })) std::printf("no fence was ended\n");
  std::printf("rank %d: %d and %d\n", int(am::rank()), *noted, *passed_on);
  am::fence();  // which is over among those that are left
}

// Rank 2 looks for the survivors of all, while the others are in a fence of all: the fence is given up.
void mixed() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  if (am::rank() != 2 && !is_lost_in([] { am::fence(); })) std::printf("the fence was over\n");
  if (am::rank() == 2) is_lost_in([] { am::call(1, [] { return 1; }).get(); });
  say_left(am::world().survivors());
  if (!is_lost_in([] { am::barrier(); })) std::printf("the barrier was over\n");
}

// Rank 2 waits in a half for rank 0, which has heard of the loss and meets with those that are left.
void half_and_fence() {
  const am::team mine = am::world().split(am::rank() % 2);
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  if (am::rank() == 2 && !is_lost_in([&] { mine.barrier(); })) std::printf("rank 2 was not told\n");
  if (!is_lost_in([] { am::barrier(); })) std::printf("the loss was not told\n");
  const am::team half = am::living().split(am::living().rank() % 2);
  if (am::rank() == 3) kill(getpid(), SIGKILL);
  if (am::rank() == 0) is_lost_in([&] { half.barrier(); });
  if (!is_lost_in([] { am::fence(); })) std::printf("the second loss was not told\n");
  say_left(am::living());
}

// One-way calls to a lost rank are dropped and counted, short and long ones.
void dropped() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  if (!is_lost_in([] { am::barrier(); })) std::printf("the loss was not told\n");
  for (int i = 0; i < 10; ++i) am::async(1, note);
  am::async(1, [](const std::vector<long>&) {}, std::vector<long>(100'000));
  am::async(1, am::urgent<&note>());
  if (!is_lost_in([] { am::call(1, note).get(); })) std::printf("a two-way call was sent\n");
  am::fence();
  std::printf("rank %d: %d\n", int(am::rank()), int(am::stats().one_way_calls_dropped));
}

// Rank 1 dies in a barrier that it has entered. Rank 2 comes late and passes it, for all have come; the others heard before.
void passed() {
  if (am::rank() == 1)
    std::thread([] {
      std::this_thread::sleep_for(20ms);
      kill(getpid(), SIGKILL);
    }).detach();
  if (am::rank() == 2) std::this_thread::sleep_for(150ms);
  const bool first = is_lost_in([] { am::barrier(); }), second = is_lost_in([] { am::barrier(); });
  std::printf("rank %d: %d %d\n", int(am::rank()), first, second);
  am::barrier();
}

// A body of the lost rank, which has a long argument, waits for what the loss will end.
void body_waits() {
  static am::sync_var<int> told;
  am::on_loss([](am::rank_t) { told.write(1); });
  if (am::rank() == 1) {
    const auto wait_for_loss = [](const std::vector<double>& v) {
      told.read();
      std::printf("the body of the lost rank goes on, with %zu\n", v.size());
    };
    am::async(0, wait_for_loss, std::vector<double>(400'000));
    am::flush();
    am::call(0, [] {}).get();
    kill(getpid(), SIGKILL);
  }
}

// A sender dies in the middle: what it had sent is popped, one pop throws, and the values of the other sender follow.
void channel_without_a_sender() {
  am::remote_channel<int> c(0, 4);
  if (am::rank() == 1) {
    for (int i = 0; i < 4; ++i) c.push(i);
    am::flush();
    kill(getpid(), SIGKILL);
  }
  if (am::rank() == 2) {
    for (int i = 0; i < 50; ++i) c.push(100);
    c.close();
  }
  int sum = 0, losses = 0;
  for (bool more = am::rank() == 0; more;)
    losses += is_lost_in([&] {
      const std::optional<int> i = c.pop();
      more = i.has_value();
      sum += i.value_or(0);
    });
  is_lost_in([] { am::fence(); });
  if (am::rank() == 0) std::printf("popped %d, told of %d losses\n", sum, losses);
}

// The receiver dies while one sender waits in a push, and another has a future.
void channel_without_a_receiver() {
  am::remote_channel<std::string> c(1, 2);
  if (am::rank() == 1) {
    c.pop();
    kill(getpid(), SIGKILL);
  }
  std::optional<am::future<bool>> last;
  const bool told = is_lost_in([&] {
    for (int i = 0; i < 3; ++i) c.push("value");
    if (am::rank() == 2) last = c.push_async("value");
    for (;;) c.push("value");
  });
  const bool fails = !last || is_lost_in([&] { last->get(); }), again = is_lost_in([&] { c.push("value"); });
  c.close();
  std::printf("rank %d: %d %d %d\n", int(am::rank()), told, fails, again);
  is_lost_in([] { am::fence(); });
}

// All ranks end by themselves at the same time: none is left before the first is known to be lost.
[[noreturn]] void all_throw() { throw std::runtime_error("each of us"); }

// Two neighbours die, and the keys of one of them are lost: the names of some sets are among them.
// The sets are recovered `times` times from that checkpoint.
void sets_without_their_names(int times) {
  am::keyed_disjoint_set<int> sets;
  sets.keep(1);
  for (int i = am::rank(); i < 200; i += am::ranks()) sets.unite(i, i % 60);
  am::fence();
  sets.compress();
  sets.checkpoint();
  if (am::rank() == 1 || am::rank() == 2) kill(getpid(), SIGKILL);
  while (am::living().size() > 2) is_lost_in([] { am::fence(); });
  const am::team left = am::world().survivors();
  auto back = sets.recover(left).container;
  while (--times > 0) back = back.recover(left).container;
  std::vector<int> keys;
  for (const auto& [key, parent] : back.local()) keys.push_back(key);
  int roots = 0, nameless = 0;
  for (const int key : keys) {
    const int name = back.find(key).get();
    roots += name == key;
    nameless += !back.contains(name).get();
  }
  const bool all_counted = left.all_reduce(roots, std::plus<>{}) == int(back.num_sets()) && back.size() < 200;
  std::printf("rank %d: %d %d\n", int(am::rank()), nameless, all_counted);
  left.fence();
}

// An agent of armilla-run --hosts dies, and its ranks with it. Those of the other agent hear it from their own.
void without_an_agent() {
  if (am::rank() == 0) kill(getppid(), SIGKILL);
  while (!is_lost_in([] { am::fence(); })) {}
  am::fence();
  say_left(am::living());
}

// What went to the lost rank, and what came from it, is not under way.
void stands_still() {
  static thread_local am::sync_var<int> never;
  for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, [] {});
  if (am::rank() == 1) am::flush(), kill(getpid(), SIGKILL);
  while (!is_lost_in([] { am::fence(); })) {}
  const am::team left = am::world().survivors();
  left.fence();
  if (am::rank() == 0) never.read();
  left.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scene = argc > 1 ? argv[1] : "";
  return am::run(argc, argv, [&] {
    am::barrier();
    if (scene == "half" || scene == "late_half") half(scene == "late_half");
    if (scene == "ended") ended();
    if (scene == "again") again();
    if (scene == "written") written();
    if (scene == "stored") stored();
    if (scene == "stored_late") stored_late();
    if (scene == "refused") refused();
    if (scene == "counted") counted();
    if (scene == "published") published();
    if (scene == "dropped") dropped();
    if (scene == "passed") passed();
    if (scene == "mixed") mixed();
    if (scene == "half_and_fence") half_and_fence();
    if (scene == "body_waits") body_waits();
    if (scene == "channel_without_a_sender") channel_without_a_sender();
    if (scene == "channel_without_a_receiver") channel_without_a_receiver();
    if (scene == "sets_without_their_names") sets_without_their_names(1);
    if (scene == "sets_recovered_twice") sets_without_their_names(2);
    if (scene == "all_throw") all_throw();
    if (scene == "handler_throws") handler_throws();
    if (scene == "handler_throws_at_a_fence") handler_throws_at_a_fence();
    if (scene == "without_an_agent") without_an_agent();
    if (scene == "stands_still") stands_still();
    return 0;
  });
}
