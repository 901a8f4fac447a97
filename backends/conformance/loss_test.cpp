// SPDX-License-Identifier: Apache-2.0
/// armilla-network-loss LIBRARY.so told|silent [INTERFACES]: three ranks without a launcher. One sleeps until something comes;
/// then one is killed, and the others learn it where the network can know it (told), go on, and come to an end. Exit code 0: all
/// is as promised.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "backends/conformance/together.hpp"

namespace {

using armilla::detail::no_rank;
using conformance::network;
using conformance::rank_t;
using clock_type = std::chrono::steady_clock;

constexpr rank_t ranks = 3;
constexpr rank_t victim = 2;
constexpr std::uint64_t mark = 4711;

class member : public conformance::together {
 public:
  member(const char* library, const char* interfaces, rank_t rank, conformance::common& all) : together(rank, ranks, all) {
    open(library, interfaces, ranks);
  }

  void sleep_and_wake() {
    if (net_->descriptor() < 0) fail("no descriptor");
    if (net_->holds()) std::memcpy(memory_.base, &mark, sizeof mark);
    const rank_t next = (rank_ + 1) % ranks;
    send(next);  // connects
    wait_for(1, false);
    meet(1);
    if (rank_ == 0) {
      usleep(200000);
      send(1);
    } else if (rank_ == 1) {
      wait_for(1, true);
      send(victim);
    } else {
      wait_for(1, true);
    }
    if (rank_ == 0 && net_->holds()) theirs_ = net_->reach(victim, 0);
    meet(2);
  }

  void lose(bool told) {
    if (rank_ == victim) raise(SIGKILL);
    std::vector<std::byte> room(1 << 20);
    const std::uintptr_t out = net_->send_bulk(victim, 1, room.data(), room.size());
    std::vector<std::byte> target(1 << 20);
    const std::uintptr_t in = net_->receive_bulk(victim, 2, target.data(), target.size());
    if (told) {
      until("the loss is told", [&] {
        poll_once();
        const network::loss lost = net_->lost();
        if (lost.rank != no_rank && lost.rank != victim) fail("another rank is lost");
        return lost.rank == victim;
      });
      until("transfers are over", [&, over_out = false, over_in = false]() mutable {
        poll_once();
        over_out = over_out || net_->done(out);
        over_in = over_in || net_->done(in);
        return over_out && over_in;
      });
    }
    for (int i = 0; i < 20; ++i) send(victim);
    for (int i = 0; i < 100; ++i) send(1 - rank_);
    wait_for(100, false);
    ++all_.met[3];
    until("the other came", [&] {
      poll_once();
      return all_.met[3] == ranks - 1;
    });
    if (net_->holds()) look_at_the_dead();
    const auto start = clock_type::now();
    net_->finish();
    if (clock_type::now() - start > std::chrono::seconds(2)) fail("the end takes long");
    delete net_;
  }

 private:
  /// What rank 0 has mapped before stays; rank 1 maps it now, if it still can.
  void look_at_the_dead() {
    if (rank_ == 0 && theirs_ == nullptr) fail("the memory of a living rank is not reached");
    if (rank_ == 1) theirs_ = net_->reach(victim, 0);
    if (theirs_ != nullptr && std::memcmp(theirs_, &mark, sizeof mark) != 0) fail("the memory of the lost rank is another");
  }

  std::byte* theirs_ = nullptr;

  void wait_for(int frames, bool asleep) {
    int slept = 0;
    until("frames come", [&] {
      if (came_ >= frames) return true;
      if (poll_once() || !asleep || !net_->arm()) return false;
      pollfd what{net_->descriptor(), POLLIN, 0};
      slept += ::poll(&what, 1, 5000) > 0;
      return false;
    });
    came_ -= frames;
    // Connecting takes some wakes; more would be a descriptor that is always readable.
    if (asleep && (slept == 0 || slept > 1000)) fail("the descriptor is no help");
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  conformance::common& all = conformance::common_memory();
  pid_t processes[ranks];
  for (rank_t rank = 0; rank < ranks; ++rank) {
    processes[rank] = fork();
    if (processes[rank] != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    member me(argv[1], argc == 4 ? argv[3] : "", rank, all);
    me.sleep_and_wake();
    me.lose(std::strcmp(argv[2], "told") == 0);
    std::exit(0);
  }
  int failures = 0;
  for (rank_t rank = 0; rank < ranks; ++rank) {
    int status = 0;
    waitpid(processes[rank], &status, 0);
    const bool good =
        rank == victim ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    failures += good ? 0 : 1;
    if (!good) std::fprintf(stderr, "rank %d ended with status %d\n", rank, status);
  }
  return failures;
}
