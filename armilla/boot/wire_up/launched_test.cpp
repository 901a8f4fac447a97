// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launched.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"

namespace {

using namespace armilla::detail;
using armilla::rank_t;

constexpr std::size_t board_bytes = 64 * 1024;

/// What the processes of one test share.
struct table {
  pthread_barrier_t all;
  std::byte board[board_bytes];
};

table* make_table(unsigned ranks) {
  void* const place = mmap(nullptr, sizeof(table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const shared = new (place) table;
  pthread_barrierattr_t kind;
  pthread_barrierattr_init(&kind);
  pthread_barrierattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->all, &kind, ranks);
  return shared;
}

/// A launcher's bootstrap, between the children of this process.
class table_bootstrap final : public bootstrap {
 public:
  table_bootstrap(table& shared, rank_t rank, rank_t ranks) : shared_(shared), rank_(rank), ranks_(ranks) {}
  const char* name() const noexcept override { return "a table"; }
  rank_t rank() const noexcept override { return rank_; }
  rank_t ranks() const noexcept override { return ranks_; }
  bool exchange(const void* mine, void* all, std::size_t bytes) override {
    const auto n = std::size_t(ranks_) * bytes;
    if (n > board_bytes) return false;
    std::memcpy(shared_.board + std::size_t(rank_) * bytes, mine, bytes);
    meet();
    std::memcpy(all, shared_.board, n);
    return meet();
  }
  bool meet() override {
    pthread_barrier_wait(&shared_.all);
    return true;
  }
  const char* error() const noexcept override { return ""; }
  [[noreturn]] void abort(int code) override {
    kill(0, SIGTERM);
    _exit(code);
  }
  void finish() override {}

 private:
  table& shared_;
  rank_t rank_, ranks_;
};

// Each rank is a child; what it finds wrong it tells by its exit code.
void in_ranks(rank_t ranks, const std::function<void(rank_t)>& before, const std::function<int(const launch&)>& look) {
  table* const shared = make_table(unsigned(ranks));
  for (rank_t r = 0; r < ranks; ++r)
    if (fork() == 0) {
      options settings;
      settings.segment = 1 << 20;
      before(r);
      table_bootstrap others(*shared, r, ranks);
      const launch self = join_launched(others, settings, "");
      const int found = look(self);
      self.job->rank[self.rank].stage = rank_stage::finished;  // else its end would be a loss to its neighbours
      others.meet();
      _exit(found);
    }
  for (rank_t r = 0; r < ranks; ++r) {
    int status = 0;
    wait(&status);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  munmap(shared, sizeof(table));
}

std::atomic<std::uint32_t>& counter_of(const launch& self) { return self.job->mains_done; }

TEST(launched, ranks_of_one_host_share_its_memory) {
  in_ranks(
      4, [](rank_t) {},
      [](const launch& self) {
        if (!self.host_of.empty() || self.places != 4 || self.programs.size() != 1) return 1;
        counter_of(self).fetch_add(1);
        self.started->meet();
        return counter_of(self) == 4 && self.pid_of(self.rank) == getpid() ? 0 : 2;
      });
}

TEST(launched, who_cannot_have_the_memory_is_a_host_of_its_own) {
  if (geteuid() != 0) GTEST_SKIP() << "namespaces of networks are root's";
  in_ranks(
      4,
      [](rank_t r) {
        if (r >= 2 && unshare(CLONE_NEWNET) != 0) _exit(3);
      },
      [](const launch& self) {
        if (self.host_of != std::vector<std::uint32_t>{0, 0, 1, 2}) return 1;
        counter_of(self).fetch_add(1);
        self.started->meet();
        const bool far = self.far(self.rank == 0 ? 2 : 0);
        return counter_of(self) == (self.rank < 2 ? 2u : 1u) && far == (self.rank != 1) &&
                       self.pid_of(self.rank == 2 ? 3 : 2) == 0
                   ? 0
                   : 2;
      });
}

}  // namespace
