// SPDX-License-Identifier: Apache-2.0
// An attached client, with or without manners: caller JOB RANK WHAT. Driven by attach_test.py.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <armilla/boot/visitors/client_mailbox.hpp>
#include <armilla/boot/visitors/job_search.hpp>
#include <armilla/client_call.hpp>
#include <armilla/exposed.hpp>
#include <armilla/exposed_map.hpp>

#include "serve_api.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

void say(const char* text) {
  std::printf("%s\n", text);
  std::fflush(stdout);
}

void flood(const am::client_rank& rank) {
  for (bool first = true;; first = false) {
    std::vector<am::client_reply<double>> all;
    for (int i = 0; i < 16; ++i) all.push_back(am::call<serve_api::half>(rank, i));
    for (auto& each : all) each.get();
    if (first) say("begun");
  }
}

void ask_for_much(const am::client_rank& rank) {
  for (bool first = true;; first = false) {
    if (am::call<serve_api::numbers>(rank, 300'000).get().size() != 300'000) return say("short");
    if (first) say("begun");
  }
}

// A mailbox full of nonsense, whose bits are set again and again.
void write_nonsense(const am::client& job, am::rank_t r) {
  using namespace am::detail;
  for (const auto& memory : find_jobs()) {
    if (memory->process() != job.process() || !memory->write_control()) continue;
    const auto box = mapped_mailbox::make();
    control_block& rank = control_of(memory->job(), r);
    rank.clients[0] = client_place{getpid(), box->file(), 1}.word();
    std::mt19937_64 random(4711);
    for (const auto end = std::chrono::steady_clock::now() + 500ms; std::chrono::steady_clock::now() < end;) {
      for (client_slot& slot : (*box)->slot) {
        for (std::size_t at = 0; at < sizeof slot; at += 8) {
          const std::uint64_t word = random() >> (random() & 63);
          std::memcpy(reinterpret_cast<char*>(&slot) + at, &word, sizeof word);
        }
        slot.request = client_request(random() & 3);
        slot.message_bytes &= 0xfff;
        slot.state = client_slot::asked;
      }
      (*box)->asked = ~0u;
      rank.called = ~0u;
      wake(rank);
      if ((random() & 15) == 0) rank.clients[random() & 7] = random() >> (random() & 63);
    }
    for (auto& place : rank.clients) place = 0;
  }
  say("done");
}

// All elements, of all hosts, before and after one of each part is written.
void sum_and_write(const am::client& job) {
  for (const double wanted : {-1.0, 0.0}) {
    double sum = 0;
    for (am::exposed_part& part : am::exposed(job, "numbers")) {
      part.fetch();
      for (const double x : part.span<double>()) sum += x;
      const double last = -double(part.rank);
      part.write((part.size() - 1) * sizeof last, std::as_bytes(std::span(&last, 1)));
    }
    std::printf("%.0f%s", sum, wanted < 0 ? " " : "\n");
  }
}

void look_up(const am::client& job) {
  const am::exposed_map<long, long> squares(job, "squares");
  long right = 0, there = 0;
  for (long i = 0; i < 20; ++i) right += squares.find(i) == i * i;
  squares.for_each([&](const auto&) { ++there; });
  std::printf("%ld of 20, %ld of %zu, %d beyond\n", right, there, squares.size(), squares.contains(1000));
}

// Answers of 1 and of 100 numbers, of many calls at once, and of threads.
void crowd(const am::client_rank& rank) {
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        auto many = am::call<serve_api::numbers>(rank, 100 * i);
        const double half = am::call<serve_api::half>(rank, i).get(60s);
        right += half == i / 2.0 && many.get(60s).size() == std::size_t(100 * i);
      }
    });
  threads.clear();
  std::printf("%d of 80\n", right.load());
}

// More than are under way at once, none of which is fetched before the last is begun.
void ask_many(const am::client_rank& rank) {
  std::vector<am::client_reply<double>> all;
  for (int i = 0; i < 500; ++i) all.push_back(am::call<serve_api::half>(rank, i));
  int right = 0;
  for (int i = 0; i < 500; ++i) right += all[std::size_t(i)].get(60s) == i / 2.0;
  std::printf("%d of 500\n", right);
}

// Calls that are taken back before the rank sees them, and what comes behind them.
void take_back(const am::client_rank& rank, std::string_view stop, std::string_view go_on) {
  am::call<serve_api::half>(rank, 1).get(60s);
  if (std::system(std::string(stop).c_str()) != 0) return say("not stopped");
  {
    std::vector<am::client_reply<void>> all;
    for (int i = 0; i < 16; ++i) all.push_back(am::call<serve_api::nap>(rank, 20'000));
  }
  std::this_thread::sleep_for(300ms);
  if (std::system(std::string(go_on).c_str()) != 0) return say("not continued");
  std::printf("%g\n", am::call<serve_api::half>(rank, 3).get(15s));
}

// A child of a fork takes no reply of its parent's.
void fork_between(const am::client_rank& rank) {
  auto mine = am::call<serve_api::half>(rank, 5);
  const pid_t child = fork();
  if (child == 0) {
    try {
      mine.get(1s);
    } catch (const am::limit_error&) { _exit(0); }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("%d %g\n", WEXITSTATUS(status), mine.get(15s));
}

void refuse(const am::client& job) {
  const auto parts = am::exposed(job, "numbers");
  for (const am::exposed_part& part : parts) try {
      std::byte some[16];
      part.read(part.size() * 8 - 8, some);
      say("read");
    } catch (const am::usage_error& why) { say(why.what()); }
  try {
    std::byte one[1];
    am::exposed(job).front().read(0, one);
    say("read");
  } catch (const am::usage_error& why) { say(why.what()); }
  try {
    if (parts.back().span<double>().data() != nullptr) say("there");
  } catch (const am::usage_error& why) { say(why.what()); }
}

void play(const am::client& job, am::rank_t r, std::string_view what, char** more) {
  const am::client_rank rank = job.on(r);
  if (what == "once") {
    std::printf("%g\n", am::call<serve_api::half>(rank, 3).get(60s));
  } else if (what == "impatient") {
    std::printf("%g\n", am::call<serve_api::half>(rank, 3).get(100ms));
  } else if (what == "wrong") {
    std::printf("%g\n", double(am::call<serve_api::half_of_float>(rank, 3).get()));
  } else if (what == "nap") {
    auto long_one = am::call<serve_api::nap>(rank, 5'000);
    am::call<serve_api::half>(rank, 1).get();  // behind which the other one has begun
    say("begun");
    long_one.get(60s);
  } else if (what == "fork") {
    am::call<serve_api::half>(rank, 1).get();
    const pid_t child = fork();
    if (child == 0) std::exit(0);  // behind main the parent's attached client is destroyed here
    waitpid(child, nullptr, 0);
    std::printf("%g\n", am::call<serve_api::half>(rank, 3).get());
  } else if (what == "flood") {
    flood(rank);
  } else if (what == "much") {
    ask_for_much(rank);
  } else if (what == "data") {
    sum_and_write(job);
  } else if (what == "keys") {
    look_up(job);
  } else if (what == "crowd") {
    crowd(rank);
  } else if (what == "many") {
    ask_many(rank);
  } else if (what == "take back") {
    take_back(rank, more[0], more[1]);
  } else if (what == "fork between") {
    fork_between(rank);
  } else if (what == "refused") {
    refuse(job);
  } else if (what == "waits") {
    std::printf("%s", job.who_waits().c_str());
  } else if (what == "nonsense") {
    write_nonsense(job, r);
  }
}

}  // namespace

int main(int, char** argv) try {
  static const am::client job = am::attach(argv[1]);
  play(job, am::rank_t(std::atoi(argv[2])), argv[3], argv + 4);
} catch (const std::exception& why) {
  std::printf("%s\n", why.what());
  return 1;
}
