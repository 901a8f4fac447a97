// SPDX-License-Identifier: Apache-2.0
#include "backends/conformance/forked.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace conformance {
namespace {

using armilla::rank_t;

constexpr std::size_t chunk = 16 * 1024;  // of each rank, at a time

struct common {  // what they exchange follows
  std::atomic<std::uint64_t> arrivals;
};

class forked_rank final : public armilla::detail::bootstrap {
 public:
  forked_rank(rank_t rank, rank_t ranks, common& all) : rank_(rank), ranks_(ranks), all_(all) {}

  const char* name() const noexcept override { return "forked"; }
  rank_t rank() const noexcept override { return rank_; }
  rank_t ranks() const noexcept override { return ranks_; }
  const char* error() const noexcept override { return "none"; }
  [[noreturn]] void abort(int code) override { _exit(code); }
  void finish() override {}

  bool meet() override {
    all_.arrivals.fetch_add(1);
    for (meetings_ += std::uint64_t(ranks_); all_.arrivals.load() < meetings_;) sched_yield();
    return true;
  }
  bool exchange(const void* mine, void* all, std::size_t bytes) override {
    for (std::size_t at = 0; at < bytes; at += chunk) {
      const std::size_t now = std::min(chunk, bytes - at);
      std::memcpy(place(rank_), static_cast<const std::byte*>(mine) + at, now);
      meet();
      for (rank_t r = 0; r < ranks_; ++r) std::memcpy(static_cast<std::byte*>(all) + std::size_t(r) * bytes + at, place(r), now);
      meet();
    }
    return true;
  }

 private:
  std::byte* place(rank_t r) const { return reinterpret_cast<std::byte*>(&all_ + 1) + std::size_t(r) * chunk; }

  rank_t rank_, ranks_;
  common& all_;
  std::uint64_t meetings_ = 0;
};

// One that fails takes the others along.
[[noreturn]] void await(const std::vector<pid_t>& ranks) {
  for (std::size_t left = ranks.size(); left != 0; --left) {
    int status = 0;
    wait(&status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    for (const pid_t each : ranks) kill(each, SIGKILL);
    _exit(1);
  }
  _exit(0);
}

}  // namespace

armilla::detail::bootstrap* fork_ranks(int ranks) {
  void* const memory =
      mmap(nullptr, sizeof(common) + std::size_t(ranks) * chunk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  common& all = *new (memory) common{};
  std::vector<pid_t> children;
  for (rank_t r = 0; r < ranks; ++r) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      return new forked_rank(r, ranks, all);
    }
    children.push_back(child);
  }
  await(children);
}

}  // namespace conformance
