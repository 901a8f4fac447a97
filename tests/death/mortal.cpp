// SPDX-License-Identifier: Apache-2.0
// A job under traffic of which one rank dies: mortal CLOCK HOW VICTIM SEED DELAY_US. CLOCK: a file that all ranks map, where the
// one that dies writes when. The others print what they caught and how long after that. HOW `none`: none does by
// itself, and VICTIM says how many ranks a host has. Driven by death_test.py and cut_test.py.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <armilla/armilla.hpp>

namespace {

using namespace std::chrono_literals;

struct death_clock {
  std::atomic<std::int64_t> died;
  std::atomic<std::int64_t> pid;    // of the one that is to die
  std::atomic<std::int64_t> heard;  // HOW `none`: a bit for each rank that has heard of a loss
};
death_clock* the_clock = nullptr;
std::string how;
armilla::rank_t victim = 0;
unsigned seed = 0;
long delay_us = 0;
std::atomic<bool> time_is_up = false;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

void map_clock(const char* name) {
  const int file = open(name, O_RDWR);
  if (file < 0) std::exit(99);
  void* const place = mmap(nullptr, sizeof(death_clock), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (place == MAP_FAILED) std::exit(99);
  the_clock = static_cast<death_clock*>(place);
}

// On a thread of its own, so that it comes at any moment.
void die() {
  std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
  the_clock->died.store(now());
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "segv") *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = 1;
  if (how == "abort") std::abort();
  if (how == "_exit") _exit(3);
  if (how == "_exit0") _exit(0);
  time_is_up = true;  // the rank itself does it
}

void die_if_it_is_time() {
  if (!time_is_up) return;
  the_clock->died.store(now());
  if (how == "exit") std::exit(0);
  if (how == "throw") throw std::runtime_error("had enough");
}

armilla::per_rank<long> counts;

long work(long n) { return n + 1; }
long nested(armilla::rank_t next, long n) { return armilla::call(next, work, n).get(); }
std::size_t length(const std::vector<long>& v) { return v.size(); }

class traffic {
 public:
  traffic()
      : mine_(seed * 1000 + unsigned(armilla::rank())),
        common_(seed),
        longs_(armilla::all_gather(armilla::allocate<long>(longest))) {}

  void step() {
    for (int i = int(common_() % 12); i-- > 0;) to_somebody();
    if (armilla::rank() == victim) die_if_it_is_time();
    pending_.clear();
    together();
  }

 private:
  static constexpr std::size_t longest = 100'000;

  armilla::rank_t anybody() { return armilla::rank_t(mine_() % unsigned(armilla::ranks())); }

  void to_somebody() try {
    const armilla::rank_t r = anybody();
    const auto n = long(mine_() % 1000);
    switch (mine_() % 11) {
      case 0: armilla::call(r, work, n).get(); break;
      case 1: armilla::async(r, [](long) {}, n); break;
      case 2: pending_.push_back(armilla::call(r, work, n)); break;
      case 3: armilla::call(r, nested, anybody(), n).get(); break;
      case 4:
        for (int i = 0; i < 50; ++i) armilla::put(counts.on(r), n);
        armilla::sync_memory();
        break;
      case 5: armilla::atomic_fetch_add(counts.on(r), n + *counts.on(r)); break;
      case 6: armilla::call(r, length, std::vector<long>(std::size_t(n) * 40)).get(); break;
      case 7:
        for (int i = 0; i < 200; ++i) armilla::async(r, [](long) {}, n);
        break;
      case 8: pending_.push_back(armilla::call(r, [](const std::vector<long>& v) { return long(v.size()); }, long_one_)); break;
      case 9: armilla::put(longs_[std::size_t(r)], std::span<const long>(long_one_).first(std::size_t(n) * 100)); break;
      default: beside(r, n); break;
    }
  } catch (const armilla::remote_error& e) {  // a body lost a rank: this one hears of it by itself
    if (std::string(e.type_name()) != "armilla::rank_lost") throw;
  }

  // Several fibers wait at a time.
  static void beside(armilla::rank_t r, long n) {
    armilla::parfor(0, 8, [&](int i) { armilla::call((r + i) % armilla::ranks(), work, n).get(); });
  }

  void together() {
    switch (common_() % 7) {
      case 0: armilla::fence(); break;
      case 1: armilla::barrier(); break;
      case 2: armilla::all_reduce(1L, std::plus<>{}); break;
      case 3: armilla::all_gather(long(armilla::rank())); break;
      case 4: {
        std::vector<long> all(std::size_t(common_() % 4000));
        armilla::world().broadcast(std::span<long>(all), armilla::rank_t(common_() % unsigned(armilla::ranks())));
        break;
      }
      case 5: {
        armilla::future<long> later = armilla::all_reduce_async(1L, std::plus<>{});
        armilla::barrier();
        later.get();
        break;
      }
      default: std::this_thread::sleep_for(std::chrono::microseconds(common_() % 50)); break;
    }
  }

  std::mt19937 mine_, common_;
  std::vector<armilla::future<long>> pending_;
  std::vector<armilla::global_ptr<long>> longs_;  // memory of each rank for long writes
  const std::vector<long> long_one_ = std::vector<long>(longest);
};

// What comes later throws at once, too.
bool refused(auto&& operation) {
  const std::int64_t from = now();
  try {
    operation();
  } catch (const armilla::rank_lost& e) { return now() - from < 100'000'000; }
  return false;
}

std::string later() {
  std::string wrong;
  if (!refused([] { armilla::call(victim, work, 1L).get(); })) wrong += " call";
  if (!refused([] { armilla::async(victim, [] {}); })) wrong += " async";
  if (!refused([] { armilla::barrier(); })) wrong += " barrier";
  if (!refused([] { armilla::fence(); })) wrong += " fence";
  if (!refused([] { armilla::barrier_async().get(); })) wrong += " barrier_async";
  return wrong.empty() ? "" : "; not refused later:" + wrong;
}

// The end of a rank that has heard of a loss is a loss to those that have not: it serves them until all ranks of its host have
// heard of the same.
void await_neighbours(armilla::rank_t ranks_a_host) {
  const auto of_host = [&](armilla::rank_t r) { return r / ranks_a_host == armilla::rank() / ranks_a_host; };
  std::int64_t wanted = 0;
  for (armilla::rank_t r = 0; r < armilla::ranks(); ++r) wanted |= of_host(r) ? std::int64_t{1} << r : 0;
  the_clock->heard.fetch_or(std::int64_t{1} << armilla::rank());
  const std::int64_t patience_until = now() + 10'000'000'000;  // then the test says which did not hear
  while ((the_clock->heard.load() & wanted) != wanted && now() < patience_until) try {
      armilla::poll();
    } catch (const armilla::rank_lost&) {}  // the next one
}

int live() {
  const armilla::rank_t ranks_a_host = victim;
  std::thread end;
  if (armilla::rank() == victim || how == "none") {
    the_clock->pid.store(getpid());
    if (how != "none" && how != "outside") end = std::thread(die);
  }
  try {
    for (traffic t;;) t.step();
  } catch (const armilla::rank_lost& e) {
    if (how == "none") victim = e.rank();
    const std::int64_t us = (now() - the_clock->died.load()) / 1000;
    std::printf("rank %d lost %d after %ld us: %s%s\n", int(armilla::rank()), int(e.rank()), long(us), e.what(), later().c_str());
    std::fflush(stdout);
    if (how == "none") await_neighbours(ranks_a_host);
  } catch (const std::exception& e) {
    if (armilla::rank() != victim || how == "none") std::printf("rank %d caught instead: %s\n", int(armilla::rank()), e.what());
    std::fflush(stdout);
    if (end.joinable()) end.join();
    throw;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 98;
  map_clock(argv[1]);
  how = argv[2];
  victim = std::atoi(argv[3]);
  seed = unsigned(std::atoi(argv[4]));
  delay_us = std::atol(argv[5]);
  return armilla::run(argc, argv, live);
}
