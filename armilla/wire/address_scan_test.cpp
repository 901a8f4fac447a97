// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/address_scan.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

int in_image;

template <class F>
bool holds_address(const F& closure) {
  return scan_for_addresses(&closure, sizeof closure);
}

TEST(scan, finds_addresses_of_stack_heap_and_image) {
  int on_stack = 0;
  const auto in_heap = std::make_unique<int>();
  const auto large = std::make_unique<char[]>(1 << 22);
  EXPECT_TRUE(holds_address([p = &on_stack] { return p; }));
  EXPECT_TRUE(holds_address([&on_stack] { return on_stack; }));
  EXPECT_TRUE(holds_address([n = 1, p = in_heap.get()] { return p + n; }));
  EXPECT_TRUE(holds_address([p = large.get() + (1 << 21)] { return p; }));
  EXPECT_TRUE(holds_address([p = &in_image] { return p; }));
  EXPECT_TRUE(holds_address([f = &holds_address<int>] { return f; }));
}

TEST(scan, lets_numbers_pass) {
  EXPECT_FALSE(holds_address([a = 1, b = -1, c = 1e300, d = 0.1] { return a + b + c + d; }));
  EXPECT_FALSE(holds_address([n = std::uint64_t{1} << 33, m = ~std::uint64_t{0}, z = std::uint64_t{0}] { return n + m + z; }));
  EXPECT_FALSE(holds_address([](int i) { return i; }));
}

TEST(scan, refuses_a_closure_that_holds_one) {
  const int* p = &in_image;
  EXPECT_THROW(refuse_addresses("async", &p, sizeof p), usage_error);
}

TEST(scan, what_lies_between_captures_counts_for_nothing) {
  const auto closure = [narrow = 'a', wide = 1.0] { return narrow + wide; };
  using kind = decltype(closure);
  alignas(kind) std::byte bytes[sizeof closure];
  std::memcpy(bytes, &closure, sizeof closure);
  const void* const address = bytes;
  std::memcpy(bytes + 1, reinterpret_cast<const std::byte*>(&address) + 1, sizeof address - 1);  // where `narrow` ends
  EXPECT_TRUE(scan_for_addresses(bytes, sizeof bytes));
  EXPECT_NO_THROW(refuse_addresses("async", *reinterpret_cast<kind*>(bytes)));
}

TEST(scan, an_option_switches_it_off) {
  options settings;
  settings.checked = false;
  context mine;
  mine.settings = &settings;
  set_current(&mine);
  const int* p = &in_image;
  EXPECT_NO_THROW(refuse_addresses("async", &p, sizeof p));
  set_current(nullptr);
}

}  // namespace
}  // namespace armilla::detail
