// SPDX-License-Identifier: Apache-2.0
// Deaths of ranks as the command line tells them, each RANK:HOW:WHEN:DELAY_US, WHEN `start`, `loss` or `end`: so long after the
// start, after the rank has heard of another's loss, or after its run() has ended.
#pragma once
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <armilla/armilla.hpp>

namespace deaths {

struct death {
  std::string how, when;
  long delay_us = 0;
};
inline std::vector<death> mine;  // that are to strike this rank
inline std::atomic<bool> to_throw = false;

inline void strike(const death& d) {
  std::thread([d] {
    std::this_thread::sleep_for(std::chrono::microseconds(d.delay_us));
    if (d.how == "kill") kill(getpid(), SIGKILL);
    if (d.how == "segv") *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = 1;
    if (d.how == "_exit") _exit(3);
    to_throw = true;
  }).detach();
}

inline void strike_at(const char* when) {
  for (const death& d : mine)
    if (d.when == when) strike(d);
}

/// From here on a loss does not end the job.
inline void tell_begun() { armilla::print_on(0, "begun\n"); }

/// Where all have begun, and deaths `start` count from. False: one that was quicker is lost in the very meeting.
inline bool begin() {
  bool whole = true;
  try {
    armilla::barrier();
  } catch (const armilla::rank_lost&) { whole = false; }
  tell_begun();
  strike_at("start");
  return whole;
}

/// Of the arguments from number `first` on those that are this rank's.
inline void read_arguments(int argc, char** argv, int first) {
  for (int i = first; i < argc; ++i) {
    std::istringstream text(argv[i]);
    std::string rank, delay;
    death d;
    std::getline(text, rank, ':');
    std::getline(text, d.how, ':');
    std::getline(text, d.when, ':');
    std::getline(text, delay, ':');
    d.delay_us = std::atol(delay.c_str());
    if (std::atoi(rank.c_str()) == armilla::rank()) mine.push_back(d);
  }
}

/// The rank has heard of a loss: for the first time, its death may be near.
inline void hear_of_loss() {
  strike_at("loss");
  std::erase_if(mine, [](const death& d) { return d.when == "loss"; });
}

/// The process is still there behind its part of the job.
inline void wait_for_death() {
  strike_at("end");
  for (const death& d : mine)
    while (d.when == "end") sleep(1);
}

/// A job `PROGRAM SEED STEPS DEATH...`, each rank of which does `live(seed, steps)`.
inline int run(int argc, char** argv, int (*live)(unsigned seed, long steps)) {
  if (argc < 3) return 98;
  const int code = armilla::run(argc, argv, [&] {
    read_arguments(argc, argv, 3);
    return live(unsigned(std::atoi(argv[1])), std::atol(argv[2]));
  });
  wait_for_death();
  return code;
}

inline void require(bool good, const std::string& what) {
  if (good) return;
  std::printf("rank %d WRONG: %s\n", int(armilla::rank()), what.c_str());
  std::fflush(stdout);
  throw std::logic_error(what);
}

}  // namespace deaths
