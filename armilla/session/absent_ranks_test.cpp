// SPDX-License-Identifier: Apache-2.0
// What a rank keeps of ranks that it never talks to. One rank of a job is started, on a host of its own; there are no others.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/host_memory.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/fabric/testing/scripted_network.hpp"
#include "armilla/session/session_state.hpp"

namespace armilla::detail {
namespace {

/// All others are where they should be, and say what this rank says.
class absent_ranks final : public bootstrap {
 public:
  explicit absent_ranks(rank_t places) : places_(places) {}
  const char* name() const noexcept override { return "none"; }
  rank_t rank() const noexcept override { return 0; }
  rank_t ranks() const noexcept override { return places_; }
  bool exchange(const void* mine, void* all, std::size_t bytes) override {
    for (rank_t r = 0; r < places_; ++r) std::memcpy(static_cast<std::byte*>(all) + std::size_t(r) * bytes, mine, bytes);
    return true;
  }
  bool meet() override { return true; }
  const char* error() const noexcept override { return ""; }
  [[noreturn]] void abort(int code) override { std::_Exit(code); }
  void finish() override {}

 private:
  rank_t places_;
};

job_block& make_job(rank_t places, const options& settings) {
  const host_layout layout = layout_for(places, 1, settings);
  auto& job = *reinterpret_cast<job_block*>(map_host_memory(create_host_memory(layout), layout.total()));
  job.magic = job_block::good_magic;
  job.version = job_block::good_version;
  job.places = std::uint32_t(places);
  job.locals.count = 1;
  job.ring_bytes = layout.ring_bytes;
  job.segment_bytes = layout.segment_bytes;
  job.supervisor = job_block::launched;
  job.cores = job.processors = job.program_count = 1;
  return job;
}

// Of this process: private pages that have been written.
std::size_t bytes_written() {
  std::FILE* const all = std::fopen("/proc/self/smaps_rollup", "r");
  if (all == nullptr) return 0;
  char line[256];
  std::size_t kib = 0;
  while (std::fgets(line, sizeof line, all) != nullptr)
    if (std::sscanf(line, "Anonymous: %zu kB", &kib) == 1) break;
  std::fclose(all);
  return kib * 1024;
}

// By what a rank knows when it starts, and by its layers; it is the only one of its host.
std::size_t bytes_taken(rank_t places) {
  options settings;
  settings.segment = 64 << 20;
  settings.ranks = places;
  settings.pin = pin_kind::none;
  scripted_network net(8192);
  absent_ranks others(places);
  job_block& job = make_job(places, settings);
  const std::size_t before = bytes_written();
  launch self = describe_launch(job, 0, settings);
  self.started = &others;
  self.beyond = &net;
  self.host_of.resize(std::size_t(places));
  std::iota(self.host_of.begin(), self.host_of.end(), 0U);
  const auto* const rank = new session_state(self);  // it ends with the process: the others do not come to its end
  (void)rank;
  return bytes_written() - before;
}

// In a process of its own: what another job has given back would be used again.
std::size_t measured(rank_t places) {
  int pipes[2];
  if (pipe(pipes) != 0) return ~std::size_t{0};
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t taken = bytes_taken(places);
    std::_Exit(::write(pipes[1], &taken, sizeof taken) == ssize_t(sizeof taken) ? 0 : 1);
  }
  close(pipes[1]);
  std::size_t taken = ~std::size_t{0};
  (void)!::read(pipes[0], &taken, sizeof taken);
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return taken;
}

// Sanitizers fill what is allocated.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_shadow = true;
#elif defined(__has_feature)
constexpr bool has_shadow = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool has_shadow = false;
#endif

TEST(absent_ranks, take_no_more_than_a_cache_line_each) {
  if (has_shadow) GTEST_SKIP() << "a sanitizer writes to what is allocated";
  if (std::getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "the emulator's own tables would be measured, too";
  constexpr rank_t few = 1024, many = 65536;
  const std::size_t with_few = measured(few), with_many = measured(many);
  ASSERT_LT(with_many, std::size_t{1} << 30);
  const double each = (double(with_many) - double(with_few)) / (many - few);
  RecordProperty("bytes", std::to_string(each));
  std::printf("%.1f bytes for each rank of the job\n", each);
  EXPECT_LE(each, 64.0);
  EXPECT_GE(each, 4.0) << "something is not measured: a team has a list of its members";
}

}  // namespace
}  // namespace armilla::detail
