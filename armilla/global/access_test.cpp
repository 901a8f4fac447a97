// SPDX-License-Identifier: Apache-2.0
// Reading and writing through global pointers; run as it is, with cross-memory copies refused, and with all by messages.
#include <armilla/base/core/options.hpp>
#include <armilla/error.hpp>
#include <armilla/fabric/host_map.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

struct point {
  int x;
  double y;
  const long z;
};
struct triple {
  char c[3];
};

am::per_rank<am::global_ptr<point>> shared_point;
am::per_rank<am::global_ptr<std::uint64_t>> words;
am::per_rank<am::global_ptr<triple>> odd;

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
am::rank_t previous() { return (am::rank() + am::ranks() - 1) % am::ranks(); }
bool checked() { return am::detail::checked; }

// Counts how often it is destroyed.
struct mourned {
  int* deaths;
  ~mourned() { ++*deaths; }
};

// Two variables of which the first has the higher address. The other one is gone before any rank runs.
struct marked {
  int value = 42;
};
struct backwards {
  using variable = am::per_rank<marked>;

  backwards() {
    new (place(1)) variable;
    (new (place(0)) variable)->~variable();
  }
  ~backwards() { left().~variable(); }
  variable& left() { return *std::launder(static_cast<variable*>(place(1))); }

 private:
  void* place(std::size_t i) { return memory_ + i * sizeof(variable); }
  alignas(variable) std::byte memory_[2 * sizeof(variable)];
} in_reverse;

// Every rank offers `mine`; the pointer of the next rank comes back.
template <class T>
am::global_ptr<T> offer(am::per_rank<am::global_ptr<T>>& board, am::global_ptr<T> mine) {
  board.local() = mine;
  am::barrier();
  return *board.on(next());
}

}  // namespace

RANK_TEST(a_segment_is_read_and_written_from_other_ranks) {
  const auto mine = am::allocate<std::uint64_t>(8);
  for (int i = 0; i < 8; ++i) mine[i] = std::uint64_t(am::rank() * 100 + i);
  const auto p = offer(words, mine);
  EXPECT_EQ(p.rank(), next());
  for (int i = 0; i < 8; ++i) EXPECT_EQ(p[i], std::uint64_t(next() * 100 + i));
  am::barrier();
  *(p + 3) = 7000u + unsigned(am::rank());
  am::barrier();
  EXPECT_EQ(mine.local()[3], 7000u + unsigned(previous()));
  am::barrier();
  am::deallocate(mine);
}

RANK_TEST(members_are_reached_one_by_one) {
  const auto mine = am::create_global<point>(1, 2.5, long(am::rank()));
  const auto p = offer(shared_point, mine);
  EXPECT_EQ(p->*&point::z, long(next()));
  p->*& point::x = 10 + am::rank();
  p->*& point::y *= 2;
  const point whole = *p;
  EXPECT_EQ(whole.x, 10 + am::rank());
  EXPECT_EQ(whole.y, 5.0);
  am::barrier();
  EXPECT_EQ(mine.local()->x, 10 + previous());
  am::destroy_global(mine);
}

RANK_TEST(an_object_in_global_memory_is_destroyed_once) {
  int deaths = 0;
  const auto mine = am::create_global<mourned>(&deaths);
  EXPECT_EQ(deaths, 0);
  am::destroy_global(mine);
  EXPECT_EQ(deaths, 1);
}

RANK_TEST(a_variable_of_each_rank_stays_when_another_one_goes) {
  EXPECT_EQ(in_reverse.left().local().value, 42);
  am::barrier();
  in_reverse.left().local().value = am::rank();
  am::barrier();
  EXPECT_EQ(in_reverse.left().on(next())->*&marked::value, next());
  am::barrier();
}

RANK_TEST(objects_of_any_size_travel_whole) {
  triple on_stack{{'a', 'b', char('0' + am::rank())}};
  const auto p = offer(odd, am::to_global(&on_stack));
  const triple t = *p;
  EXPECT_EQ(t.c[2], char('0' + next()));
  am::barrier();
  *p = triple{{'x', 'y', 'z'}};
  am::barrier();
  EXPECT_EQ(on_stack.c[0], 'x');
}

RANK_TEST(private_memory_is_reached_by_its_address) {
  std::vector<std::uint64_t> heap(1000, std::uint64_t(am::rank()));
  const auto p = offer(words, am::to_global(heap.data()));
  EXPECT_EQ(p.rank(), next());
  EXPECT_EQ(p.is_local(), am::ranks() == 1);
  EXPECT_EQ(p[999], std::uint64_t(next()));
  p[17] = 4711;
  p[18] += 3;
  am::barrier();
  EXPECT_EQ(heap[17], 4711u);
  EXPECT_EQ(heap[18], std::uint64_t(am::rank() + 3));
}

RANK_TEST(a_reference_assigns_through) {
  const auto mine = am::allocate<std::uint64_t>(2);
  mine[0] = 5u;
  mine[1] = 6u;
  const auto p = offer(words, mine);
  p[1] = p[0];
  EXPECT_EQ(p[1], 5u);
  std::uint64_t old = p[0]++;
  EXPECT_EQ(old, 5u);
  EXPECT_EQ(--p[0], 5u);
  p[0] <<= 2;
  p[0] |= 1;
  EXPECT_EQ(*p, 21u);
  EXPECT(&p[1] == p + 1);
  am::barrier();
  am::deallocate(mine);
}

RANK_TEST(a_pointer_knows_where_it_can_be_loaded_from) {
  const auto mine = am::allocate<std::uint64_t>(1);
  const auto p = offer(words, mine);
  EXPECT(mine.is_local() && mine.is_mapped());
  if (p.is_mapped()) {
    *p.local() = 12;
    EXPECT_EQ(*p, 12u);
  }
  EXPECT(am::global_ptr<int>().local() == nullptr);
  EXPECT(am::to_global(mine.local()) == mine);
  EXPECT(am::to_global(static_cast<int*>(nullptr)) == nullptr);
  am::barrier();
  am::deallocate(mine);
}

// The inline path: also on several hosts, where only some of the ranks are mapped.
RANK_TEST(ranks_beside_this_one_on_its_host_are_loaded_from_directly) {
  const auto mine = am::allocate<std::uint64_t>(1);
  const auto p = offer(words, mine);
  const bool beside = next() == am::rank() || next() == am::rank() + 1;
  const bool mapped = am::detail::current->host->segment[std::size_t(next())] != nullptr;
  if (beside) EXPECT_EQ(am::detail::direct<8>(p.address()) != nullptr, mapped);
  am::barrier();
  am::deallocate(mine);
}

RANK_TEST(null_is_an_error) {
  const am::global_ptr<int> p;
  EXPECT_THROWS_SAYING(am::usage_error, "read: the pointer is null", int(*p));
  EXPECT_THROWS_SAYING(am::usage_error, "write: the pointer is null", *p = 1);
  EXPECT_THROWS_SAYING(am::usage_error, "null", p[2] = 1);
}

RANK_TEST(a_rank_out_of_range_is_an_error) {
  using namespace am::detail;
  const am::global_ptr<int> beyond(global_address::make(memory_kind::segment, am::ranks(), 65536));
  const am::global_ptr<int> negative(global_address::make(memory_kind::segment, -7, 65536));
  const am::global_ptr<int> other(global_address::make(memory_kind::process, am::ranks(), 65536));
  EXPECT_THROWS_SAYING(am::usage_error, "read", int(*beyond));
  EXPECT_THROWS_SAYING(am::usage_error, "-7", int(*negative));
  EXPECT_THROWS_SAYING(am::usage_error, "write", *other = 1);
  EXPECT_THROWS_SAYING(am::usage_error, "per_rank::on", words.on(am::ranks()));
}

RANK_TEST(an_address_that_is_not_aligned_is_an_error) {
  const auto mine = am::allocate<std::uint64_t>(2);
  const auto bytes = am::reinterpret_pointer_cast<char>(mine) + 3;
  EXPECT_THROWS_SAYING(am::usage_error, "not aligned", int(*am::reinterpret_pointer_cast<int>(bytes)));
  EXPECT_THROWS_SAYING(am::usage_error, "not aligned", *am::reinterpret_pointer_cast<double>(bytes + 1) = 1.0);
  am::deallocate(mine);
}

bool far(am::rank_t r) { return am::detail::current->host->far[std::size_t(r)]; }

RANK_TEST(freed_memory_is_an_error) {
  const auto mine = am::allocate<std::uint64_t>(4);
  const auto p = offer(words, mine);
  am::barrier();
  am::deallocate(mine);
  am::barrier();
  if (checked()) {
    EXPECT_THROWS_SAYING(am::usage_error, "freed", std::uint64_t(*p));
    EXPECT_THROWS_SAYING(am::usage_error, "freed",
                         (am::put(p, 1u), am::sync_memory()));  // at sync_memory, if its owner has to say so
  }
  EXPECT_THROWS_SAYING(am::usage_error, "given back already", am::deallocate(mine));
  am::barrier();
  const auto again = am::allocate<std::uint64_t>(4);
  EXPECT_EQ(again.address().offset, mine.address().offset);
  EXPECT_THROWS_SAYING(am::usage_error, "given back already", am::deallocate(mine));
  am::barrier();
  if (checked()) EXPECT_THROWS_SAYING(am::usage_error, "freed", *p = 1u);
  am::barrier();
  am::deallocate(again);
}

RANK_TEST(an_access_beyond_its_block_is_an_error) {
  const auto mine = am::allocate<std::uint64_t>(4);
  if (checked()) EXPECT_THROWS_SAYING(am::usage_error, "the pointer", mine[4] = 1u);
  if (checked()) EXPECT_THROWS(am::usage_error, mine[-1] = 1u);
  if (am::ranks() > 1) {
    const am::global_ptr<int> wild(am::detail::global_address::make(am::detail::memory_kind::process, next(), 64));
    if (!am::detail::current->host->threads && am::detail::current->settings->cross_copy &&
        !am::detail::current->settings->access_by_message)
      EXPECT_THROWS_SAYING(am::usage_error, "no memory there", int(*wild));
  }
  am::deallocate(mine);
}

RANK_TEST(blocks_go_back_from_any_rank) {
  const auto mine = am::allocate<std::uint64_t>(100);
  const auto p = offer(words, mine);
  am::barrier();
  am::deallocate(p);
  am::barrier();
  EXPECT_THROWS_SAYING(am::usage_error, "given back already", am::deallocate(mine));
  am::barrier();
}

RANK_TEST(only_what_allocate_returned_can_be_given_back) {
  int variable = 0;
  EXPECT_THROWS_SAYING(am::usage_error, "does not point into a segment", am::deallocate(am::to_global(&variable)));
  const auto mine = am::allocate<std::uint64_t>(100);
  EXPECT_THROWS_SAYING(am::usage_error, "no block", am::deallocate(mine + 2));
  EXPECT_THROWS_SAYING(am::usage_error, "no block", am::deallocate(words.on(am::rank())));
  am::deallocate(mine);
  am::deallocate(am::global_ptr<int>());
}

RANK_TEST(memory_has_an_end) {
  EXPECT_THROWS_SAYING(am::limit_error, "this host has ", am::allocate<char>(std::size_t{1} << 60));
  EXPECT_THROWS(am::limit_error, am::allocate<double>(~std::size_t{0} / 4));
}

RANK_TEST(a_handler_cannot_wait_for_remote_memory) {
  std::uint64_t variable = 5;
  const auto p = offer(words, am::to_global(&variable));
  const bool waits = am::ranks() > 1 && (am::detail::current->settings->access_by_message || far(next()) ||
                                         (!am::detail::current->host->threads && !am::detail::current->settings->cross_copy));
  ++am::detail::current_head->body_depth;
  if (waits)
    EXPECT_THROWS_SAYING(am::usage_error, "may not wait", std::uint64_t(*p));
  else
    EXPECT_EQ(*p, 5u);
  --am::detail::current_head->body_depth;
  am::barrier();
}

RANK_TEST(a_body_may_wait_for_remote_memory) {
  std::uint64_t variable = 5;
  const auto use = [](am::global_ptr<std::uint64_t> back) {
    const std::uint64_t before = *back;
    *back = before + 10;
    return before + am::atomic_fetch_add(back, 1);
  };
  EXPECT_EQ(am::call(next(), use, am::to_global(&variable)).get(), 20u);
  EXPECT_EQ(variable, 16u);
  am::fence();
}

// Of 20 iterations the 1st, 2nd, 4th, 8th, 16th and the last one send what is open; the scheduler's loop, whose turn may come in
// between, once more.
RANK_TEST(reads_of_a_parallel_loop_travel_together) {
  constexpr int n = 20;
  const auto mine = am::allocate<std::uint64_t>(n);
  for (int i = 0; i < n; ++i) mine[i] = std::uint64_t(i);
  const auto p = offer(words, mine);
  am::barrier();
  if (am::rank() == 0) {
    std::uint64_t x[n]{};
    const auto before = am::stats().frames_sent;
    am::parfor(0, n, [&](int i) { x[i] = p[i]; });
    EXPECT_LE(am::stats().frames_sent - before, 7U);
    for (int i = 0; i < n; ++i) EXPECT_EQ(x[i], std::uint64_t(i));
  }
  am::barrier();
  am::deallocate(mine);
}

// Blocks do different things: what one asks for does not wait for the next one's end.
RANK_TEST(what_a_block_asks_for_leaves_at_its_wait) {
  const auto mine = am::allocate<std::uint64_t>(1);
  *mine = std::uint64_t(am::rank());
  const auto p = offer(words, mine);
  am::barrier();
  if (am::rank() == 0) {
    const auto sent = [] { return am::stats().frames_sent; };
    const auto before = sent();
    const auto read = [&] { EXPECT_EQ(*p, std::uint64_t(next())); };
    decltype(sent()) at_last = 0;
    am::par(read, read, read, [&] { at_last = sent(); });
    const bool waits = sent() != before;
    EXPECT(!waits || at_last - before >= 3);
  }
  am::barrier();
  am::deallocate(mine);
}
