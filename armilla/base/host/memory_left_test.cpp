// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/memory_left.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

using namespace armilla::detail;

namespace {

/// A system's files as this test writes them.
class memory_left_test : public testing::Test {
 protected:
  memory_left_test() {
    std::string name = testing::TempDir() + "memory_left_XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~memory_left_test() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root_;
};

constexpr std::uint64_t kib = 1 << 10, mib = 1 << 20;
const std::string host = "MemTotal:       3200 kB\nMemFree:          10 kB\nMemAvailable:   1600 kB\nSwapFree:         64 kB\n";

}  // namespace

TEST_F(memory_left_test, without_the_systems_files_there_is_no_bound) { EXPECT_EQ(memory_left(root_), no_bound); }

TEST_F(memory_left_test, a_host_has_what_is_available_and_swap_but_for_a_part_of_32) {
  write("/proc/meminfo", host);
  EXPECT_EQ(memory_left(root_), (1600 - 100 + 64) * kib);
}

TEST_F(memory_left_test, a_full_host_has_nothing_left) {
  write("/proc/meminfo", "MemTotal: 3200 kB\nMemAvailable: 99 kB\n");
  EXPECT_EQ(memory_left(root_), 0U);
}

TEST_F(memory_left_test, the_tightest_group_around_the_process_counts) {
  write("/proc/meminfo", host);
  write("/proc/self/cgroup", "0::/jobs/one\n");
  write("/sys/fs/cgroup/jobs/one/memory.max", "max\n");
  write("/sys/fs/cgroup/jobs/one/memory.current", "5\n");
  EXPECT_EQ(memory_left(root_), (1600 - 100 + 64) * kib);
  write("/sys/fs/cgroup/jobs/memory.max", "1048576\n");
  write("/sys/fs/cgroup/jobs/memory.current", "524288\n");
  EXPECT_EQ(memory_left(root_), mib / 2 - mib / 32);
  write("/sys/fs/cgroup/jobs/memory.stat", "anon 7\ninactive_file 1024\n");
  EXPECT_EQ(memory_left(root_), mib / 2 - mib / 32 + kib);
}

TEST_F(memory_left_test, groups_of_version_1_count_and_a_container_sees_its_own_as_the_root) {
  write("/proc/meminfo", host);
  write("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/far/away\n3:cpuset:/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n");
  EXPECT_EQ(memory_left(root_), mib - mib / 32);
}

TEST(untouched_bytes, what_was_written_is_not_among_them) {
  constexpr std::uint64_t unit = 2 * mib;
  const int file = memfd_create("untouched", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 8 * unit), 0);
  auto* const begin = static_cast<std::byte*>(mmap(nullptr, 8 * unit, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  EXPECT_EQ(untouched_bytes(begin, 8 * unit), 8 * unit);
  begin[0] = begin[3 * unit + 5] = std::byte{1};
  EXPECT_EQ(untouched_bytes(begin, 8 * unit), 6 * unit);
  EXPECT_EQ(untouched_bytes(begin + 3 * unit + 5, 10), 0U);
  EXPECT_EQ(untouched_bytes(begin + unit + 5, 10), 10U);
  munmap(begin, 8 * unit);
  close(file);
}

TEST(memory_left, no_segment_is_raised_beyond_the_memory_of_the_host) {
  EXPECT_EQ(remedy_for_segment(100 * mib), "raise ARMILLA_SEGMENT (half of it is for objects of one rank)");
  EXPECT_NE(remedy_for_segment(std::uint64_t{1} << 50).find(" MiB of memory; ask for fewer elements"), std::string::npos);
}
