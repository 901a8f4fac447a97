// SPDX-License-Identifier: Apache-2.0
// Results that land in the caller's buffer; run once more where the kernel's copies are refused and where nothing is mapped.
#include <array>
#include <coroutine>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

// The same with a buffer in the segment and with one in private memory.
template <class T, class F>
void in_both_memories(std::size_t n, F f) {
  const auto segment = am::allocate<T>(n);
  f(std::span<T>(segment.local(), n));
  am::barrier();
  am::deallocate(segment);
  std::vector<T> heap(n);
  f(std::span<T>(heap));
  am::barrier();
}

std::vector<double> counting(std::size_t n) {
  std::vector<double> v(n);
  std::iota(v.begin(), v.end(), am::rank() * 1000.0);
  return v;
}

class table {
 public:
  table() { std::iota(rows_.begin(), rows_.end(), am::rank() * 100); }
  std::span<const int> rows(int from, int count) const { return {rows_.data() + from, std::size_t(count)}; }
  const std::vector<int>& all() const { return rows_; }

 private:
  std::vector<int> rows_ = std::vector<int>(50);
};

RANK_TEST(a_result_lands_in_the_callers_buffer) {
  for (const std::size_t n :
       {std::size_t(0), std::size_t(1), std::size_t(20), std::size_t(3000), std::size_t(131072), std::size_t(300'001)})
    in_both_memories<double>(n + 2, [&](std::span<double> buffer) {
      buffer[n] = -1;
      auto f = am::call_into(next(), buffer, [](std::size_t count) { return counting(count); }, n);
      const std::span<double> got = f.get();
      EXPECT(!f.valid());
      EXPECT_EQ(got.size(), n);
      EXPECT(got.data() == buffer.data());
      EXPECT(std::vector<double>(got.begin(), got.end()) == [&] {
        std::vector<double> expected(n);
        std::iota(expected.begin(), expected.end(), next() * 1000.0);
        return expected;
      }());
      EXPECT_EQ(buffer[n], -1.0);
    });
}

RANK_TEST(whatever_is_contiguous_can_be_the_result) {
  in_both_memories<int>(60, [](std::span<int> buffer) {
    EXPECT_EQ(am::call_into(next(), buffer, [] { return std::array{1, 2, 3}; }).get()[2], 3);
    EXPECT_EQ(am::call_into(next(), buffer,
                            [] {
                              static const std::vector<int> kept(7, 9);
                              return std::span(kept);
                            })
                  .get()
                  .size(),
              7U);
    EXPECT_EQ(am::call_into(next(), buffer,
                            []() -> const std::array<int, 2>& {
                              static const std::array kept{4, 5};
                              return kept;
                            })
                  .get()[1],
              5);
    // A view argument lives as long as the call.
    EXPECT_EQ(am::call_into(
                  next(), buffer, [](const am::view<int>& v) { return std::span<const int>(v); }, am::view(std::array{6, 7}))
                  .get()[0],
              6);
  });
}

std::vector<char> letters(int n) { return std::vector<char>(std::size_t(n), 'x'); }

RANK_TEST(functions_and_members_fill_buffers) {
  in_both_memories<char>(5, [](std::span<char> buffer) {
    EXPECT_EQ(am::call_into<&letters>(next(), buffer, 3).get().size(), 3U);
    EXPECT_EQ(am::call_into(next(), buffer, &letters, 4).get()[3], 'x');
  });
  am::distributed<table> parts;  // a call may come before the part exists
  in_both_memories<int>(50, [&](std::span<int> buffer) {
    EXPECT_EQ(am::call_into<&table::rows>(parts.on(next()), buffer, 10, 5).get()[4], next() * 100 + 14);
    EXPECT_EQ(am::call_into<&table::all>(parts.on(next()), buffer).get().size(), 50U);
    const am::remote<table> object = am::create<table>(next()).get();
    EXPECT_EQ(am::call_into<&table::rows>(object, buffer, 0, 50).get()[49], next() * 100 + 49);
    EXPECT_EQ(am::call_into(parts.on(next()), buffer, am::as_fiber<&table::rows>(), 10, 5).get()[4], next() * 100 + 14);
    EXPECT_EQ(am::call_into(object, buffer, am::as_fiber<&table::rows>(), 0, 50).get()[49], next() * 100 + 49);
  });
  am::fence();
}

RANK_TEST(a_result_that_is_too_long_is_an_error_that_names_both_sizes) {
  in_both_memories<double>(10, [](std::span<double> buffer) {
    buffer[0] = 5;
    const auto call = [&](std::size_t n) { return am::call_into(next(), buffer, [](std::size_t m) { return counting(m); }, n); };
    EXPECT_THROWS_SAYING(am::remote_error, "11 elements (88 bytes)", call(11).get());
    EXPECT_THROWS_SAYING(am::remote_error, "room for 10 (80 bytes)", call(100'000).get());
    EXPECT_EQ(buffer[0], 5.0);
    EXPECT_EQ(call(10).get().size(), 10U);
  });
}

RANK_TEST(a_reply_that_claims_more_elements_than_the_buffer_has_is_an_error) {
  std::array<int, 3> buffer{};
  const auto promised = am::detail::promise<std::span<int>>::make("test");
  auto f = promised.get_future();
  promised.target->asked.buffer = buffer.data();
  promised.target->asked.room = buffer.size();
  am::detail::buffer_part<int>{5}.complete(*promised.target, 0);
  EXPECT_THROWS_SAYING(am::decode_error, "rank 0 says that it put 5 elements into a buffer of 3", f.get());
}

RANK_TEST(the_buffer_of_a_call_costs_no_more_operations_than_the_call) {
  std::array<int, 3> buffer{};
  auto f = am::call_into(next(), std::span(buffer), [] { return std::array{1, 2, 3}; });  // of a fixed extent
  int under_way = 0;
  // Memory operations are of the bodies that fill the buffers of other ranks.
  am::detail::current_head->out->pending.each([&](const am::detail::pending_op& op) {
    under_way += int(op.is_two_way_call() || op.reply_handler == am::detail::no_handler);
  });
  EXPECT_EQ(under_way, 1);
  f.get();
}

RANK_TEST(the_first_of_several_buffers_is_told_by_when_any) {
  std::array<int, 3> one{}, two{};
  std::vector<am::future<std::span<int>>> both;
  both.push_back(am::call_into(next(), std::span<int>(one), [] { return std::array{1, 2, 3}; }));
  both.push_back(am::call_into(next(), std::span<int>(two), []() -> std::array<int, 3> {
    am::call(am::rank(), [] {}).get();
    return {4, 5, 6};
  }));
  const auto [which, part] = am::when_any(std::move(both)).get();
  EXPECT_EQ(part.data(), (which == 0 ? one : two).data());
  EXPECT_EQ(part[0], which == 0 ? 1 : 4);
  am::fence();  // the other buffer is written until then
}

RANK_TEST(what_the_body_throws_arrives_at_get) {
  std::array<int, 4> buffer{};
  EXPECT_THROWS_SAYING(am::remote_error, "not today", am::call_into(next(), std::span<int>(buffer), []() -> std::vector<int> {
                                                        throw std::runtime_error("not today");
                                                      }).get());
  EXPECT_THROWS(am::usage_error, am::call_into(am::ranks(), std::span<int>(buffer), [] { return std::vector<int>(); }).get());
}

RANK_TEST(the_handle_waits_for_the_other_side) {
  in_both_memories<double>(20'000, [](std::span<double> buffer) {
    {
      auto dropped = am::call_into(
          next(), buffer,
          [](am::rank_t asker) {
            am::call(asker, [] {}).get();  // a body that waits first
            return counting(20'000);
          },
          am::rank());
      EXPECT(dropped.valid());
    }
    EXPECT_EQ(buffer[19'999], next() * 1000.0 + 19'999);
    auto first = am::call_into(next(), buffer, [] { return counting(5); });
    first = am::call_into(next(), buffer.subspan(10), [] { return counting(6); });
    EXPECT_EQ(buffer[4], next() * 1000.0 + 4);
    auto moved = std::move(first);
    EXPECT(!first.valid());
    moved.wait();
    EXPECT(moved.ready());
    EXPECT_EQ(moved.get().size(), 6U);
  });
}

RANK_TEST(many_results_are_under_way_at_a_time) {
  constexpr std::size_t calls = 20, each = 5000;
  in_both_memories<double>(calls * each, [](std::span<double> buffer) {
    std::vector<am::future<std::span<double>>> all;
    for (std::size_t i = 0; i < calls; ++i)
      all.push_back(am::call_into(
          am::rank_t((am::rank() + int(i)) % am::ranks()), buffer.subspan(i * each, each),
          [](double v) { return std::vector<double>(each, v); }, double(i)));
    for (std::size_t i = 0; i < calls; ++i) EXPECT_EQ(all[i].get()[each - 1], double(i));
  });
}

RANK_TEST(bodies_fill_buffers_too) {
  const int sum = am::call(
                      next(),
                      [](am::rank_t asker) {
                        std::array<int, 3> mine{};
                        int total = 0;
                        for (int v : am::call_into(asker, std::span<int>(mine), [] { return std::array{1, 2, 3}; }).get())
                          total += v;
                        return total;
                      },
                      am::rank())
                      .get();
  EXPECT_EQ(sum, 6);
}

// A coroutine of a user's own type, whose frame may be destroyed while it waits.
struct abandoned {
  struct promise_type {
    abandoned get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};
abandoned await_and_count(am::future<std::span<int>> filled, int& resumed) {
  (void)co_await filled;
  ++resumed;
}

RANK_TEST(a_coroutine_that_is_destroyed_while_it_awaits_a_buffer_is_not_resumed) {
  std::vector<int> buffer(10);
  int resumed = 0;
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  await_and_count(am::call_into(next, std::span<int>(buffer), [] { return std::vector<int>(10, 1); }), resumed).frame.destroy();
  EXPECT_EQ(buffer, std::vector<int>(10, 1));  // the future waited, for the buffer is the caller's again
  am::barrier();
  am::poll();
  EXPECT_EQ(resumed, 0);
}

}  // namespace
