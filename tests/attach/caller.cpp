// SPDX-License-Identifier: Apache-2.0
// A guest, with or without manners: caller JOB RANK WHAT. Driven by attach_test.py.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <string_view>
#include <vector>

#include <armilla/boot/guest_mailbox.hpp>
#include <armilla/boot/job_search.hpp>
#include <armilla/guest/guest_call.hpp>

#include "serve_api.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

void say(const char* text) {
  std::printf("%s\n", text);
  std::fflush(stdout);
}

void flood(const am::guest_rank& rank) {
  for (bool first = true;; first = false) {
    std::vector<am::guest_reply<double>> all;
    for (int i = 0; i < 16; ++i) all.push_back(am::call<serve_api::half>(rank, i));
    for (auto& each : all) each.get();
    if (first) say("begun");
  }
}

void ask_for_much(const am::guest_rank& rank) {
  for (bool first = true;; first = false) {
    if (am::call<serve_api::numbers>(rank, 300'000).get().size() != 300'000) return say("short");
    if (first) say("begun");
  }
}

// A mailbox full of nonsense, whose bits are set again and again.
void write_nonsense(const am::guest& job, am::rank_t r) {
  using namespace am::detail;
  for (const auto& memory : find_jobs()) {
    if (memory->process() != job.process() || !memory->write_control()) continue;
    const auto box = mapped_mailbox::make();
    control_block& rank = control_of(memory->job(), r);
    rank.guests[0] = guest_place{getpid(), box->file(), 1}.word();
    std::mt19937_64 random(4711);
    for (const auto end = std::chrono::steady_clock::now() + 500ms; std::chrono::steady_clock::now() < end;) {
      for (guest_slot& slot : (*box)->slot) {
        for (std::size_t at = 0; at < sizeof slot; at += 8) {
          const std::uint64_t word = random() >> (random() & 63);
          std::memcpy(reinterpret_cast<char*>(&slot) + at, &word, sizeof word);
        }
        slot.request = guest_request(random() & 3);
        slot.message_bytes &= 0xfff;
        slot.state = guest_slot::asked;
      }
      (*box)->asked = ~0u;
      rank.called = ~0u;
      wake(rank);
      if ((random() & 15) == 0) rank.guests[random() & 7] = random() >> (random() & 63);
    }
    for (auto& place : rank.guests) place = 0;
  }
  say("done");
}

void play(const am::guest& job, am::rank_t r, std::string_view what) {
  const am::guest_rank rank = job.on(r);
  if (what == "once") {
    std::printf("%g\n", am::call<serve_api::half>(rank, 3).get(60s));
  } else if (what == "impatient") {
    std::printf("%g\n", am::call<serve_api::half>(rank, 3).get(100ms));
  } else if (what == "wrong") {
    std::printf("%g\n", double(am::call<serve_api::half_of_float>(rank, 3).get()));
  } else if (what == "nap") {
    auto long_one = am::call<serve_api::nap>(rank, 20'000);
    am::call<serve_api::half>(rank, 1).get();  // behind which the other one has begun
    say("begun");
    long_one.get(60s);
  } else if (what == "fork") {
    am::call<serve_api::half>(rank, 1).get();
    const pid_t child = fork();
    if (child == 0) std::exit(0);  // behind main the parent's guest is destroyed here
    waitpid(child, nullptr, 0);
    std::printf("%g\n", am::call<serve_api::half>(rank, 3).get());
  } else if (what == "flood") {
    flood(rank);
  } else if (what == "much") {
    ask_for_much(rank);
  } else if (what == "nonsense") {
    write_nonsense(job, r);
  }
}

}  // namespace

int main(int, char** argv) try {
  static const am::guest job = am::attach(argv[1]);
  play(job, am::rank_t(std::atoi(argv[2])), argv[3]);
} catch (const std::exception& why) {
  std::printf("%s\n", why.what());
  return 1;
}
