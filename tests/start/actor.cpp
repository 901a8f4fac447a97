// SPDX-License-Identifier: Apache-2.0
// A program that does what its first argument says, on the rank that its second one names. Driven by start_test.py.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <armilla/armilla.hpp>

#include "armilla/boot/host/job_block.hpp"
#include "armilla/fabric/host_map.hpp"
#include "tests/start/left_errors.hpp"

namespace {

std::string scene;
armilla::rank_t star = 0;
int given = 0;  // a number
bool under_traffic = false;
std::atomic<bool> polls_no_more = false;  // the star, from here on: what comes is served by its progress thread, if it has one
std::atomic<bool> served = false;         // a callee runs that does not return, or not before this rank fails
std::atomic<bool> failing = false;        // it is about to

[[gnu::noinline]] int overflow_the_stack(volatile char* before) {
  volatile char frame[4096];
  frame[0] = before != nullptr ? before[0] : 'x';
  if (frame[0] != 'x') return 0;  // never, but the compiler shall not know
  return overflow_the_stack(frame) + frame[0];
}

void throw_where_nothing_may() noexcept {
  void (*volatile thrower)() = [] { throw std::logic_error("inside noexcept"); };
  thrower();
}

// What a child did and how it ended, in one line of the rank that forked it.
void tell_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) status = -1;
  std::printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  std::fflush(stdout);
}

// A child that comes back from here.
void fork_and_return() {
  std::fflush(stdout);
  if (const pid_t child = fork(); child != 0) tell_of(child);
}

// A child that does this and ends.
template <class F>
void fork_to(const F& what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return tell_of(child);
  try {
    what();
    std::puts("done");
  } catch (const armilla::error& e) { std::printf("refused: %s\n", e.what()); }
  std::fflush(stdout);
  _exit(0);
}

int shell(const char* command) { return WEXITSTATUS(std::system(command)); }

int say_by_pipe() {
  std::FILE* const pipe = popen("exit 4", "r");
  return WEXITSTATUS(pclose(pipe));
}

int spawned() {
  const char* arguments[] = {"sh", "-c", "exit 5", nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, const_cast<char**>(arguments), environ) != 0) return -1;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// The other ranks call and are called meanwhile; at the end all meet.
int fork_in_many_ways() {
  const auto place = armilla::allocate<long>(8);
  const bool me = armilla::rank() == star;
  if (scene == "fork_return" && me) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) return given;
    tell_of(child);
  }
  if (scene == "fork_throw" && me) {
    const pid_t child = fork();
    if (child == 0) throw std::runtime_error("a child's \x1b");
    tell_of(child);
  }
  if (scene == "fork_exit" && me) fork_to([] { std::exit(given); });
  if (scene == "fork_rank" && me) fork_to([] { (void)armilla::rank(); });
  if (scene == "fork_barrier" && me) fork_to([] { armilla::barrier(); });
  if (scene == "fork_call" && me) fork_to([] { armilla::call(0, [] {}).get(); });
  if (scene == "fork_run" && me) fork_to([] { armilla::spawn([] {}).join(); });
  if (scene == "fork_pointer" && me) fork_to([&] { place[0] = 1; });
  if (scene == "fork_memory" && me) fork_to([mine = place.local()] { *mine = 1; });
  if (scene == "fork_fiber" && me) armilla::spawn([] { fork_and_return(); }).join();
  if (scene == "fork_many" && me) {
    auto other = armilla::spawn([] { std::puts("other"); });
    armilla::spawn([] { fork_and_return(); }).join();
    other.join();
  }
  const armilla::rank_t next = (star + 1) % armilla::ranks();
  if (scene == "fork_two_way_call" && me) armilla::call(next, [] { return fork_and_return(), 1; }).get();
  if (scene == "fork_one_way_call" && me)
    for (int i = 0; i < 3; ++i) armilla::async(next, [] { fork_and_return(); });
  if (scene == "fork_programs" && me) std::printf("%d %d %d\n", shell("exit 3"), say_by_pipe(), spawned());
  armilla::fence();
  if (armilla::call((armilla::rank() + 1) % armilla::ranks(), [] { return 3; }).get() != 3) return 1;
  armilla::barrier();
  return 0;
}

void start_a_child() {
  if (fork() != 0) return;
  execlp("sleep", "sleep", "1000", static_cast<char*>(nullptr));
  _exit(127);
}

void print_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::string list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) list += (list.empty() ? "" : ",") + std::to_string(cpu);
  std::printf("rank %d on %s\n", int(armilla::rank()), list.c_str());
}

void wait_for_what_has_thrown() {
  armilla::async(1, [] { throw std::logic_error("the instance fell"); });
  armilla::sync_var<int>().get();
}

// Function instances are in collectives of all ranks when main has long ended.
void start_and_leave() {
  const auto meet = [] {
    armilla::call((armilla::rank() + 1) % armilla::ranks(), [] {}).get();
    const int sum = armilla::all_reduce(1, [](int a, int b) { return a + b; });
    armilla::barrier();
    std::printf("met %d\n", sum);
  };
  for (armilla::rank_t r = 0; r < armilla::ranks(); ++r) armilla::async(r, armilla::as_fiber(meet));
}

void print_programs() {
  std::string text = "rank " + std::to_string(armilla::rank()) + " runs " + std::to_string(armilla::this_program()) + ";";
  for (std::uint32_t p = 0; p < armilla::program_count(); ++p) {
    text += " " + std::string(armilla::program_name(p)) + " on";
    for (armilla::rank_t r : armilla::program_ranks(p)) text += " " + std::to_string(r);
    text += ";";
  }
  std::fputs((text + "\n").c_str(), stdout);  // in one write, even where a launcher's library has made stdout unbuffered
}

void drop_a_result_where_nothing_may_wait() {
  armilla::call(armilla::rank(), [] {})
      .then([] {
        static double buffer[1];
        (void)armilla::call_into(armilla::rank(), std::span<double>(buffer), [] { return std::array<double, 1>{}; });
      })
      .get();
}

// They are not joined. The second one calls a rank whose own code has ended.
void leave_fibers() {
  armilla::spawn([] {
    armilla::sleep_for(std::chrono::milliseconds(100));
    std::printf("fiber of %d\n", int(armilla::rank()));
    armilla::spawn([] {
      const auto next = (armilla::rank() + 1) % armilla::ranks();
      armilla::sleep_for(std::chrono::milliseconds(100));
      std::printf("fiber of %d after %d\n", int(armilla::rank()), int(armilla::call(next, [] { return armilla::rank(); }).get()));
    });
  }).detach();
}

// A call, a fence and a put, to segments and to a process's own memory.
void use_everything() {
  const armilla::rank_t next = (armilla::rank() + 1) % armilla::ranks();
  static thread_local long own[64];
  const auto segments = armilla::all_gather(armilla::allocate<long>(1000));
  const auto memory = armilla::all_gather(armilla::to_global(own));
  const std::vector<long> values(1000, armilla::rank());
  const int sum = armilla::call(next, [](int n) { return n + armilla::rank(); }, 40).get();
  armilla::put(segments[std::size_t(next)], values);
  armilla::sync_memory();
  memory[std::size_t(next)][63] = sum;
  armilla::async(next, [] { own[0] += 1; });
  armilla::fence();
  const bool right = own[0] == 1 && own[63] == 40 + armilla::rank() &&
                     segments[std::size_t(armilla::rank())][999] == (armilla::rank() + armilla::ranks() - 1) % armilla::ranks();
  std::printf("%s from %d of %d\n", right ? "hello" : "wrong", int(armilla::rank()), int(armilla::ranks()));
}

void call_in_turns() {
  const armilla::rank_t next = (armilla::rank() + 1) % armilla::ranks();
  bool right = true;
  for (int i = 0; i < 500; ++i) right = right && armilla::call(next, [](int n) { return n + 1; }, i).get() == i + 1;
  armilla::barrier();
  std::printf("%s from %d of %d\n", right ? "hello" : "wrong", int(armilla::rank()), int(armilla::ranks()));
}

// So large that the library asks how much of it is new memory.
void fill_a_large_container() {
  armilla::spread_array<long> all((std::size_t{64} << 20) / sizeof(long) * std::size_t(armilla::ranks()));
  all[std::size_t(armilla::rank())] = armilla::rank();
  armilla::fence();
  const long next = (armilla::rank() + 1) % armilla::ranks();
  std::printf("%s from %d of %d\n", all[std::size_t(next)] == next ? "hello" : "wrong", int(armilla::rank()),
              int(armilla::ranks()));
}

void hang() {
  for (;;) pause();
}

// The address of something that only another rank has, where the system puts nothing by itself.
void use_captured() {
  const armilla::rank_t from = (armilla::rank() + 1) % armilla::ranks();
  auto theirs = armilla::call(from, [] {
    void* const wanted = reinterpret_cast<void*>(std::uintptr_t{1} << 44);
    return std::uintptr_t(mmap(wanted, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  });
  *reinterpret_cast<volatile char*>(theirs.get()) = 1;
}

// In pieces, as a program does that buffers by itself.
void print_long_lines() {
  const std::string line = std::string(1, char('0' + armilla::rank())) + std::string(9998, 'x') + '\n';
  for (int i = 0; i < 50; ++i)
    for (std::size_t at = 0; at < line.size(); at += 2500)
      if (write(STDOUT_FILENO, line.data() + at, 2500) < 0) return;
}

void print_without_end() {
  for (;;) std::puts("a line");
}

void ask() {
  char word[64] = "";
  std::printf("what? ");
  std::fflush(stdout);
  if (std::scanf("%63s", word) == 1) std::printf("%s\n", word);
}

int perform() {
  if (scene == "throw") throw std::runtime_error("the sky falls");
  if (scene == "throw_bytes") throw std::runtime_error("red \x1b[31m\nand \xff");
  if (scene == "throw_int") throw 42;
  if (scene == "code") return 7;
  if (scene == "code_given") return given;
  if (scene == "exit_given") std::exit(given);
  if (scene == "exit0") std::exit(0);
  if (scene == "exit3") std::exit(3);
  if (scene == "_exit0") _exit(0);
  if (scene == "quick_exit") std::quick_exit(3);
  if (scene == "abort") std::abort();
  if (scene == "kill") kill(getpid(), SIGKILL);
  if (scene == "sent") raise(given);
  if (scene == "segv") *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = 1;
  if (scene == "code_there") *reinterpret_cast<volatile char*>(std::uintptr_t(&perform)) = 1;
  if (scene == "beyond") *reinterpret_cast<volatile int*>(std::uintptr_t{1} << 63) = 1;
  if (scene == "fiber_overflow") armilla::spawn([] { overflow_the_stack(nullptr); }).join();
  if (scene == "captured") use_captured();
  if (scene == "handled") signal(SIGSEGV, [](int) { _exit(9); });
  if (scene == "handled") *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = 1;
  if (scene == "overflow") return overflow_the_stack(nullptr);
  if (scene == "terminate") throw_where_nothing_may();
  if (scene == "filling") drop_a_result_where_nothing_may_wait();
  if (scene == "thread_throws") std::thread([] { throw std::logic_error("in a thread of mine"); }).join();
  if (scene == "child") start_a_child(), throw std::runtime_error("and leave a child");
  if (scene == "asks") ask();
  if (scene == "read") {
    char word[64] = "nothing";
    if (std::scanf("%63s", word) != 1) std::strcpy(word, "the end");
    std::printf("rank %d read %s\n", int(armilla::rank()), word);
  }
  return 0;
}

// The last rank fails, too, and stands still inside of its note. The star's loss is told, but it takes its time to end; the first
// rank ends at once because of that loss.
int fail_beside_another() {
  const bool last = armilla::rank() == armilla::ranks() - 1;
  if (last) armilla::detail::current->host->job().failure.stage = 1;
  armilla::barrier();
  if (last) hang();
  if (armilla::rank() != star) return armilla::barrier(), 0;
  std::atexit([] { usleep(200'000); });
  throw std::runtime_error("the sky falls");
}

// The others wait for the one that does it.
int perform_alone() {
  scene.resize(scene.find("_alone"));
  if (armilla::rank() == star) return perform();
  try {
    armilla::barrier();
  } catch (const armilla::rank_lost& e) {
    std::printf("%d heard: rank %d on %s %s\n", int(armilla::rank()), int(e.rank()), e.host(), e.cause());
    std::fflush(stdout);
    throw;
  }
  return 0;
}

// All do it, or all but the last one.
int perform_together() {
  armilla::barrier();
  if (scene == "misuse_together") armilla::detail::throw_usage("get", "the index is 9; give less");
  if (armilla::rank() == armilla::ranks() - 1) hang();
  if (scene == "throw_together") throw std::runtime_error("the sky falls");
  return 7;
}

// By the time this thread replies, the rank has destroyed its network, if it destroys that without waiting for it.
int reply_late() {
  served = true;
  while (!failing) {}
  usleep(150'000);
  return 1;
}

// Where ranks go on the last one is lost, and the star does not catch what its call throws.
int outlive_another(armilla::rank_t next) {
  const armilla::rank_t last = armilla::ranks() - 1;
  try {
    armilla::barrier();
    if (armilla::rank() == last) kill(getpid(), SIGKILL);
    while (true) (void)armilla::call(armilla::rank() == star ? last : next, [] { return 1; }).get();
  } catch (const armilla::rank_lost&) {
    if (armilla::rank() == star) throw;
  }
  return 0;
}

// The others have messages under way to the one that does it, and from it. Where it has a progress thread, that serves them.
int perform_under_traffic() {
  const armilla::rank_t next = (armilla::rank() + 1) % armilla::ranks();
  const auto add = armilla::safe([](long n) { return n + 1; });
  armilla::barrier();
  if (armilla::call(next, add, 4L).get() != 5) return 98;
  if (armilla::rank() == star) polls_no_more = true;
  if (armilla::rank() == star && scene == "served_exit") hang();
  if (armilla::rank() == star && scene == "throw_while_serving") {
    while (!served) {}
    throw std::runtime_error("the sky falls");
  }
  if (armilla::rank() == star && scene == "throw_before_reply") {
    while (!served) {}
    failing = true;
    throw std::runtime_error("the sky falls");
  }
  if (scene == "rank_lost") return outlive_another(next);
  if (armilla::rank() == star) return perform();
  if (scene == "throw_while_serving" || scene == "throw_before_reply") {
    while (!armilla::call(star, armilla::safe([] { return bool(polls_no_more); })).get()) {}
  }
  if (scene == "throw_before_reply") (void)armilla::call(star, armilla::safe(reply_late)).get();
  if (scene == "served_exit") armilla::async(star, armilla::safe([] { std::exit(3); }));
  if (scene == "throw_while_serving") armilla::async(star, armilla::safe([] { served = true, hang(); }));
  for (long sum = 0;; ++sum) (void)armilla::call(star, add, sum).get();
}

int act() {
  if (under_traffic) return perform_under_traffic();
  if (scene.starts_with("fork_")) return fork_in_many_ways();
  if (scene.ends_with("_alone")) return perform_alone();
  if (scene.ends_with("_together")) return perform_together();
  if (scene == "fail_beside_another") return fail_beside_another();
  if (scene == "hello") std::printf("hello from %d of %d\n", int(armilla::rank()), int(armilla::ranks()));
  if (scene == "late_use" && armilla::rank() == 1) usleep(50'000);
  if (scene == "use" || scene == "late_use") use_everything();
  if (scene == "calls") call_in_turns();
  if (scene == "large") fill_a_large_container();
  if (scene == "late" && armilla::rank() == star) usleep(1'500'000);
  if (scene == "fibers") leave_fibers();
  if (scene.starts_with("left_")) left::leave_an_error(scene.substr(5), armilla::rank() == star);
  if (scene == "processors") print_processors();
  if (scene == "programs") print_programs();
  if (scene == "stubborn") signal(SIGTERM, SIG_IGN), signal(SIGINT, SIG_IGN);
  if (scene == "partial") std::printf("no end of line"), std::fprintf(stderr, "complaint\n");
  if (scene == "long_lines") print_long_lines();
  if (scene == "flood") print_without_end();
  if (scene == "inherit")
    std::printf("descriptor is %s, variable %s\n", fcntl(3, F_GETFD) < 0 ? "gone" : "there",
                std::getenv("ARMILLA_INTERNAL_JOB") == nullptr ? "gone" : "there");
  if (scene == "hang" || scene == "stubborn") {
    std::printf("here\n");
    std::fflush(stdout);
    hang();
  }
  if (armilla::rank() == star) return perform();
  // The others wait for what never comes.
  if (scene == "throw" || scene == "code" || scene == "child") hang();
  return 0;
}

int in_a_session(int argc, char** argv) {
  armilla::session job(argc, argv);
  if (scene == "session_throw" && armilla::rank() == star) throw std::runtime_error("out of main");
  if (scene == "session_exit" && armilla::rank() == star) std::exit(0);
  if (scene == "session_fork" && armilla::rank() == star) {
    const pid_t child = fork();
    if (child == 0) return 6;
    tell_of(child);
  }
  if (scene == "session_given") return job.run([] { return given; });
  if (scene == "session_null") return job.run(static_cast<void (*)()>(nullptr));
  if (scene == "session_null_main") return job.run_main(std::function<void()>());
  if (scene.starts_with("session_left_")) {
    left::leave_an_error(scene.substr(13), armilla::rank() == star);
    return 0;
  }
  if (scene == "session_return" && armilla::rank() == star) return 5;
  if (scene == "session_fiber") {
    bool over = false;
    auto beside = armilla::spawn([&] {
      while (!over) armilla::yield();
    });
    const int code = job.run([] { armilla::barrier(); });
    over = true;
    beside.join();
    std::fputs("joined\n", stdout);
    return code;
  }
  return job.run([] { std::printf("hello from %d of %d\n", int(armilla::rank()), int(armilla::ranks())); });
}

int caught_outside(int argc, char** argv) {
  try {
    armilla::session job(argc, argv);
    if (armilla::rank() == star) throw std::runtime_error("caught outside");
  } catch (const std::runtime_error&) {}
  return 0;
}

// As some libraries do when they are loaded.
void wait_for_nothing() {
  while (true) pause();
}

}  // namespace

int main(int argc, char** argv) {
  scene = argc > 1 ? argv[1] : "hello";
  under_traffic = scene.starts_with("traffic_");
  if (under_traffic) scene.erase(0, scene.find('_') + 1);
  star = argc > 2 ? std::atoi(argv[2]) : 0;
  given = argc > 3 ? std::atoi(argv[3]) : 0;
  if (std::getenv("EARLY_SIGNS") != nullptr)
    setenv("PMIX_RANK", "0", 1), setenv("PMIX_NAMESPACE", "singleton", 1);  // as MPI_Init
  if (std::getenv("EARLY_THREAD") != nullptr) std::thread(wait_for_nothing).detach();
  if (scene == "before") return armilla::rank();
  if (scene == "never") return 0;
  if (scene == "session_caught") return caught_outside(argc, argv);
  if (scene.starts_with("session")) return in_a_session(argc, argv);
  if (scene == "run_main")
    return armilla::run_main(argc, argv, [] { std::printf("main on %d of %d\n", int(armilla::rank()), int(armilla::ranks())); });
  if (scene == "null") return armilla::run(argc, argv, static_cast<void (*)()>(nullptr));
  if (scene == "null_main") return armilla::run_main(argc, argv, std::function<void()>());
  if (scene == "lost_error") return armilla::run_main(argc, argv, wait_for_what_has_thrown);
  if (scene == "instances") return armilla::run_main(argc, argv, start_and_leave);
  if (scene == "main_throws") return armilla::run_main(argc, argv, [] { throw std::runtime_error("main fell"); });
  const int code = armilla::run(argc, argv, act);
  if (scene == "twice") return armilla::run(argc, argv, act);
  if (scene == "after") return armilla::rank();
  if (scene == "code_after") return 9;
  if (scene == "given_after") return given;
  return code;
}
