// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using text_var = am::sync_var<std::string>;

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

RANK_TEST(a_read_waits_at_the_owner_which_goes_on) {
  const auto mine = am::create_global<text_var>();
  const auto theirs = am::all_gather(mine)[std::size_t(next())];
  auto asked = am::read_sync_var(theirs);
  EXPECT_EQ(am::call(next(), [] { return 5; }).get(), 5);  // it answers although a body waits there
  am::barrier();
  EXPECT(!asked.ready());
  am::barrier();
  *mine.local() = "from " + std::to_string(am::rank());
  EXPECT_EQ(asked.get(), "from " + std::to_string(next()));
  EXPECT_EQ(am::read_sync_var(theirs).get(), "from " + std::to_string(next()));
  am::barrier();
  am::destroy_global(mine);
}

RANK_TEST(any_rank_writes_once) {
  am::sync_var<int> v;
  am::sync_var<void> event;
  const auto all = am::all_gather(am::to_global(&v));
  const auto events = am::all_gather(am::to_global(&event));
  am::write_sync_var(all[std::size_t(next())], 10 + am::rank()).get();
  EXPECT_EQ(v.read(), 10 + (am::rank() + am::ranks() - 1) % am::ranks());
  am::write_sync_var(events[std::size_t(next())]).get();
  event.read();
  am::barrier();
  EXPECT_THROWS_SAYING(am::remote_error, "written before", am::write_sync_var(all[std::size_t(next())], 1).get());
  am::barrier();
}

RANK_TEST(many_readers_wait_at_one_owner) {
  am::sync_var<int> v;
  const auto at = am::all_gather(am::to_global(&v))[0];
  std::vector<am::future<int>> asked;
  for (int i = 0; i < 100; ++i) asked.push_back(am::read_sync_var(at));
  am::barrier();
  if (am::rank() == am::ranks() - 1) am::write_sync_var(at, 3).get();
  for (auto& f : asked) EXPECT_EQ(f.get(), 3);
  EXPECT_EQ([](auto p) -> am::task<int> { co_return co_await am::read_sync_var(p); }(at).get(), 3);
  am::barrier();
}

RANK_TEST(pointers_to_nothing_are_refused) {
  EXPECT_THROWS(am::usage_error, am::read_sync_var(am::global_ptr<am::sync_var<int>>()).get());
}

}  // namespace
