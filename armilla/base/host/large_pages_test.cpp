// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/large_pages.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/values/types.hpp"
#include "tests/large_pages.hpp"

namespace armilla::detail {
namespace {

/// Shared memory of 40 large pages, as that of segments.
class shared_memory {
 public:
  shared_memory() : file_(memfd_create("large_pages_test", MFD_CLOEXEC)) {
    EXPECT_EQ(ftruncate(file_, off_t(bytes)), 0);
    range_ = mmap(nullptr, bytes + large_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    auto* const place = reinterpret_cast<void*>(align_up(reinterpret_cast<std::uintptr_t>(range_), large_page));
    begin = static_cast<std::byte*>(mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, 0));
  }
  ~shared_memory() {
    munmap(range_, bytes + large_page);
    close(file_);
  }
  shared_memory(const shared_memory&) = delete;

  /// What the kernel has given of it.
  std::size_t given() const {
    struct stat about{};
    fstat(file_, &about);
    return std::size_t(about.st_blocks) * 512;
  }

  static constexpr std::size_t bytes = 40 * large_page;
  std::byte* begin = nullptr;

 private:
  int file_;
  void* range_;
};

std::vector<std::size_t> asked;
template <int Error>
int refuse(void*, std::size_t bytes, int) {
  asked.push_back(bytes);
  errno = Error;
  return -1;
}

TEST(large_pages, are_given_for_whole_ones_inside_and_for_no_byte_more) {
  if (!large_pages_test::kernel_has_them()) GTEST_SKIP() << "this kernel gives none for shared memory";
  const shared_memory m;
  EXPECT_EQ(take_large_pages(m.begin + 4096, 9 * large_page), 8U);
  EXPECT_EQ(m.given(), 8 * large_page);
}

TEST(large_pages, leave_what_is_there) {
  const shared_memory m;
  m.begin[2 * large_page] = std::byte{42};
  m.begin[4 * large_page + 12345] = std::byte{43};
  const std::size_t taken = take_large_pages(m.begin, least_in_large_pages);
  EXPECT_EQ(m.begin[2 * large_page], std::byte{42});
  EXPECT_EQ(m.begin[4 * large_page + 12345], std::byte{43});
  EXPECT_EQ(taken, large_pages_test::ask_kernel().agrees ? 7U : 0U) << "the piece whose first page is there stays as it is";
}

TEST(large_pages, are_not_asked_for_in_short_ranges) {
  asked.clear();
  const shared_memory m;
  EXPECT_EQ(take_large_pages(m.begin, least_in_large_pages - 1, refuse<EINVAL>), 0U);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(m.given(), 0U);
}

TEST(large_pages, are_asked_for_once_where_the_kernel_has_none) {
  asked.clear();
  const shared_memory m;
  EXPECT_EQ(take_large_pages(m.begin, shared_memory::bytes, refuse<EINVAL>), 0U);
  EXPECT_EQ(asked, std::vector{most_asked_at_once});
  EXPECT_LE(m.given(), 16U * 64 * 1024) << "a small page each";
  std::memset(m.begin, 1, large_page);
  EXPECT_EQ(m.given() / large_page, 1U);
}

TEST(large_pages, are_asked_for_again_behind_some_that_are_busy) {
  asked.clear();
  const shared_memory m;
  EXPECT_EQ(take_large_pages(m.begin, shared_memory::bytes, refuse<EAGAIN>), 0U);
  EXPECT_EQ(asked, (std::vector{most_asked_at_once, most_asked_at_once, 8 * large_page}));
}

}  // namespace
}  // namespace armilla::detail
