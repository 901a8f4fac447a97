// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

// Errors that nothing asks for, and that no fence or agreement follows: the end of the job is the last that can tell them. Each
// scene leaves one error with the text "nobody asked", or one that names what was written.
namespace left {

namespace am = armilla;

inline void fall() { throw std::logic_error("nobody asked"); }

inline int fall_with_a_value() {
  fall();
  return 1;
}

// Of a type that the library throws, too.
inline void fall_as_usage_error() { throw am::usage_error("test", "nobody asked"); }

struct falls_when_made {
  falls_when_made() { fall(); }
};

inline am::rank_t next_rank() { return (am::rank() + 1) % am::ranks(); }

/// Its end causes an error on another rank: by a call without reply, or by one whose reply comes back to this rank.
template <auto Fall, bool Asks>
struct falls_when_destroyed {
  ~falls_when_destroyed() {
    if (Asks)
      (void)am::call(next_rank(), Fall);
    else
      am::async(next_rank(), Fall);
  }
};

template <class T>
void keep_one() {
  static const am::remote<T> kept = am::create<T>(next_rank()).get();
}

inline void hop(int left) {
  if (left == 0) return fall();
  am::async(next_rank(), hop, left - 1);
}

inline am::task<void> fall_late() {
  co_await am::call(am::rank(), [] {});
  fall();
}

inline am::task<void> fall_at_once() {
  fall();
  co_return;
}

inline void of_futures(std::string_view scene) {
  static am::future<void> kept;
  const am::rank_t next = next_rank();
  if (scene == "future") (void)am::call(next, fall);
  if (scene == "usage") (void)am::call(next, fall_as_usage_error);
  if (scene == "kept_future") kept = am::call(next, fall);
  if (scene == "replaced_future") {
    kept = am::call(next, fall);
    kept.wait();
    kept = am::call(next, [] {});
  }
  if (scene == "then") (void)am::make_future(1).then([](int) { fall(); });
  if (scene == "then_behind") (void)am::call(next, fall).then([] {});
  if (scene == "then_inside") (void)am::call(next, [] {}).then([next] { return am::call(next, fall); });
  if (scene == "when_all") (void)am::when_all(am::call(next, fall_with_a_value), am::call(next, [] { return 2; }));
}

inline void of_fibers(std::string_view scene) {
  static am::fiber<void> kept;
  if (scene == "fiber") am::spawn(fall).detach();
  if (scene == "late_fiber") {
    am::spawn([] {
      am::sleep_for(std::chrono::milliseconds(50));
      fall();
    }).detach();
  }
  if (scene == "kept_fiber") kept = am::spawn(fall);
  if (scene == "task") fall_at_once().start();
  if (scene == "late_task") fall_late().start();
}

inline void of_one_way_calls(std::string_view scene) {
  const am::rank_t next = next_rank();
  if (scene == "one_way_call") am::async(next, fall);
  if (scene == "batch") {
    const am::batch together;
    am::async(next, fall);
  }
  if (scene == "last_hop") am::async(next, hop, 20);
  if (scene == "object") (void)am::create<falls_when_made>(next);
  // They live until all ranks have ended their functions.
  if (scene == "destroyed") keep_one<falls_when_destroyed<&fall, false>>();
  if (scene == "destroyed_usage") keep_one<falls_when_destroyed<&fall_as_usage_error, false>>();
  if (scene == "destroyed_future") keep_one<falls_when_destroyed<&fall, true>>();
}

// All members come here.
inline void of_members(std::string_view scene, const am::team& members, bool me) {
  const auto fall_here = [me] { me ? fall() : void(); };
  const std::size_t many = 8 * std::size_t(members.size());
  if (scene == "collective") (void)members.collective_async([fall_here](const am::team&) { fall_here(); });
  if (scene == "nowait") {
    am::vector<int> x(many, 0, am::on(members));
    am::for_each(am::nowait, x, [fall_here](int&) { fall_here(); });
  }
  if (scene == "visit") {
    am::array<long> x(many, 0L, am::on(members));
    if (me) x.visit(many - 1, [](long&) { fall(); });
  }
  if (scene == "map") {  // whose one-way calls are still held back when it is destroyed
    am::unordered_map<long, long> x(members);
    for (long key = 0; me && key < long(many); ++key) x.insert(key, 0), x.visit(key, [](long&) { fall(); });
  }
}

// To memory that only its owner knows to be closed.
inline void of_writes(std::string_view scene, bool me) {
  static long place[2] = {0, 0};
  static am::counter arrived;
  const auto theirs = am::all_gather(am::to_global(&place[0]));
  const auto counters = am::all_gather(am::to_global(&arrived));
  const std::size_t next = std::size_t(next_rank());
  if (!me) return;
  if (scene == "put") am::put(theirs[next], 5L);
  if (scene == "store") am::store(theirs[next], 5L);
  if (scene == "add") am::atomic_add(theirs[next], 5L);
  if (scene == "signal") counters[next].signal();
  if (scene == "event") {
    am::event there;
    am::put(theirs[next], 5L, there);
  }
  if (scene == "failed_event") {
    am::event there;
    am::put(theirs[next], 5L, there);
    while (!there.ready()) am::poll();
  }
}

inline void leave_an_error(std::string_view scene, bool me) {
  constexpr std::string_view writes = "write_", half = "half_";
  if (scene.starts_with(writes)) return of_writes(scene.substr(writes.size()), me);
  if (scene.starts_with(half)) { return of_members(scene.substr(half.size()), am::world().split(am::rank() % 2), me); }
  of_members(scene, am::world(), me);
  if (!me) return;
  of_futures(scene);
  of_fibers(scene);
  of_one_way_calls(scene);
}

}  // namespace left
