// SPDX-License-Identifier: Apache-2.0
// What armilla.hpp declares, with arguments at their edges.
#include <mutex>
#include <span>
#include <vector>

#include "armilla/post.hpp"
#include "tests/arguments/edges.hpp"

namespace am = armilla;
using namespace std::chrono_literals;
using namespace edges;

namespace {

int one(int x) { return x; }
void nothing(int) {}
void on_message(am::sender, int) {}
int (*const no_one)(int) = nullptr;
void (*const no_nothing)(int) = nullptr;
constexpr const char* null_pointer = "the pointer is null";
const am::team none;
am::per_rank<long> words;

struct part {
  long n = 0;
  part() = default;
  explicit part(int k) : n(k) {}
  long add(long k) { return n += k; }
};
using seconds = std::chrono::duration<double>;

}  // namespace

EDGES(ranks_that_do_not_exist, request, call, async, call_into, create, print_on, per_rank::on, object_ref::on, distributed::on,
      load_library) {
  am::distributed<part> d(1);
  std::vector<int> room(3);
  each_bad_rank([&](am::rank_t r) {
    const std::string what = "rank " + std::to_string(r);
    REFUSED(what.c_str(), am::request<&on_message>(r, 1));
    REFUSED(what.c_str(), am::call(r, &one, 1));
    REFUSED(what.c_str(), am::call<&one>(r, 1));
    REFUSED(what.c_str(), am::async(r, &nothing, 1));
    REFUSED(what.c_str(), am::async<&nothing>(r, 1));
    REFUSED(what.c_str(), am::call_into(r, std::span(room), [] { return std::vector<int>(3); }));
    REFUSED(what.c_str(), am::create<part>(r, 1));
    REFUSED(what.c_str(), am::print_on(r, "x\n"));
    REFUSED(what.c_str(), long(*words.on(r)));
    REFUSED(what.c_str(), am::call<&part::add>(d.on(r), 1));
    REFUSED(what.c_str(), am::load_library(r, "x.so"));
  });
  am::barrier();
}

EDGES(functions_that_are_not_there, spawn, parfor, par, future::then, on_loss, collective_async, team::collective_async, call_all,
      async_all, to_completion, as_fiber, urgent, safe, post, rank_executor::post) {
  void (*const no_block)() = nullptr;
  REFUSED(no_function, am::spawn(no_block));
  REFUSED(no_function, am::spawn(std::function<void()>()));
  REFUSED(no_function, am::post(no_block));
  REFUSED(no_function, am::rank_executor().post(std::function<void()>()));
  REFUSED(no_function, am::rank_executor().post(0, no_one, 1));
  REFUSED(no_function, am::parfor(0, 3, no_nothing));
  REFUSED(no_function, am::parfor(0, 0, std::function<void(int)>()));
  std::vector<int> range(3);
  REFUSED(no_function, am::parfor(range, no_nothing));
  REFUSED(no_function, am::par([] {}, no_block));
  REFUSED(no_function, am::make_future(1).then(no_one));
  REFUSED(no_function, am::make_future(1).then(std::function<int(int)>()));
  void (*const no_handler)(am::rank_t) = nullptr;
  REFUSED(no_function, am::on_loss(no_handler));
  REFUSED(no_function, am::on_loss(std::function<void(am::rank_t)>()));
  REFUSED(no_function, am::collective_async(std::function<void(const am::team&)>()));
  REFUSED(no_function, am::world().collective_async(std::function<void(const am::team&)>()));
  for (const am::rank_t r : {am::rank_t(0), am::rank_t(am::ranks() - 1)}) {
    REFUSED("the function pointer is null", am::call(r, no_one, 1));
    REFUSED("the function pointer is null", am::async(r, no_nothing, 1));
  }
  REFUSED("the function pointer is null", am::call_all(no_one, 1));
  REFUSED("the function pointer is null", am::async_all(no_nothing, 1));
  REFUSED("the function pointer is null", am::to_completion(no_one));
  REFUSED("the function pointer is null", am::as_fiber(no_one));
  REFUSED("the function pointer is null", am::urgent(no_nothing));
  REFUSED("the function pointer is null", am::safe(no_nothing));
  REFUSED(no_team, am::call_all(none, &one, 1));
  REFUSED(no_team, am::async_all(none, &nothing, 1));
}

EDGES(functions_of_jobs, run, run_main, spmd, on_join) {
  void (*const no_block)() = nullptr;
  REFUSED(no_function, am::on_join(no_block));
  REFUSED(no_function, am::on_join(std::function<void()>()));
  EXPECT_NE(am::run(0, nullptr, [] {}), 0);  // a job in a job; functions that are null are in tests/start
  EXPECT_NE(am::run_main(0, nullptr, [] {}), 0);
  REFUSED("all ranks run already", am::spmd([] {}));
}

EDGES(spans_of_time, sleep_for, future::wait_for, semaphore::try_acquire_for, condition_variable::wait_for, seconds_since) {
  const auto waits_with = [](auto span) {
    am::sleep_for(span);
    am::semaphore s;
    am::mutex m;
    am::condition_variable cv;
    std::unique_lock lock(m);
    am::sync_var<int> later;
    auto waiting = am::spawn([&later] { later.read(); });
    auto pending = am::call(am::rank(), [] { am::sleep_for(1ms); });
    const bool any = s.try_acquire_for(span) || cv.wait_for(lock, span) || cv.wait_for(lock, span, [] { return false; }) ||
                     pending.wait_for(span);
    later.write(1);
    waiting.join();
    pending.get();
    return any;
  };
  EXPECT(!waits_with(seconds(not_a_number)));
  EXPECT(!waits_with(seconds(-infinite)));
  EXPECT(!waits_with(-1h));
  EXPECT(!waits_with(std::chrono::hours::min()));
  EXPECT(!waits_with(0s));
  const auto comes = [](auto span) {
    auto pending = am::call(am::rank(), [] { am::sleep_for(1ms); });
    const bool there = pending.wait_for(span);
    pending.get();
    return there;
  };
  EXPECT(comes(seconds(infinite)));
  EXPECT(comes(std::chrono::hours::max()));
  EXPECT_LT(am::seconds_since(am::clock::time_point::max()), 0);
  EXPECT_GT(am::seconds_since(am::clock::time_point::min()), 0);
}

EDGES(numbers_of_fibers, channel::channel, semaphore::semaphore, semaphore::release, latch::latch, latch::count_down,
      latch::arrive_and_wait, counter::wait, counter::try_wait) {
  REFUSED("a capacity of 0", am::channel<int>(0));
  REFUSED("is it a negative number?", am::channel<int>(most));
  REFUSED("was a negative number", am::semaphore(most));
  am::semaphore s;
  s.release(0);
  EXPECT(!s.try_acquire());
  am::latch over(0), l(1);
  over.wait();
  REFUSED("counted down by 2 but only 1 are left", l.count_down(2));
  REFUSED("only 1 are left", l.arrive_and_wait(most));
  am::counter c;
  c.wait(0);
  REFUSED("was a negative number", c.wait(most));
  EXPECT(!c.try_wait(most));
  REFUSED("the grain is less than 1", am::parfor(0, 5, [](int) {}, 0));
  REFUSED("the grain is less than 1", am::parfor(0, 5, [](int) {}, -1));
  int n = 0;
  am::parfor(highest - 3, highest, [&n](int) { ++n; }, highest);
  am::parfor(highest, lowest, [&n](int) { ++n; });
  EXPECT_EQ(n, 3);
}

EDGES(locks_that_are_not_held, condition_variable::wait, condition_variable::wait_unlocked) {
  am::mutex m;
  am::condition_variable cv;
  std::unique_lock not_held(m, std::defer_lock);
  std::unique_lock<am::mutex> of_none;
  EXPECT_THROWS(std::system_error, cv.wait(not_held));
  EXPECT_THROWS(std::system_error, cv.wait_for(of_none, 1ms));
  EXPECT_THROWS(std::bad_function_call, cv.wait_unlocked(std::function<bool()>()));
}

EDGES(futures_that_are_empty, when_all, when_any, spawn_task, sync_var::write) {
  am::future<int> empty;
  REFUSED("the future is empty", empty.get());
  REFUSED("the future is empty", empty.wait_for(1s));
  REFUSED("the future is empty", empty.then([](int) {}));
  EXPECT_EQ(am::when_all(std::vector<am::future<int>>()).get().size(), 0U);
  REFUSED("the future is empty", am::when_all(std::vector<am::future<int>>(2)).get());
  REFUSED("the future is empty", am::when_any(std::vector<am::future<int>>()).get());
  REFUSED("there is no coroutine", am::spawn_task(am::task<int>()).join());
  am::sync_var<int> written;
  written.write(1);
  REFUSED("it has been written before", written.write(2));
}

EDGES(settings, set_aggregation, aggregation, set_poll_every, set_wait_mode, set_poll_budget, poll, program_name, program_ranks) {
  REFUSED("99 is not one of the kinds; give one from 0 to 2", am::set_aggregation(am::peer(99), 4096));
  REFUSED("-1 is not one of the kinds; give one from 0 to 2", am::set_aggregation(am::peer(-1), 4096));
  REFUSED("99 is not one of the kinds; give one from 0 to 2", am::aggregation(am::peer(99)));
  REFUSED("2 is not one of the kinds; give one from 0 to 1", am::set_wait_mode(am::wait_mode(2)));
  const std::size_t before = am::aggregation();
  am::set_aggregation(most), am::set_aggregation(0);
  EXPECT_EQ(am::aggregation(), 0U);
  am::set_aggregation(before);
  am::set_poll_every(~0U), am::set_poll_every(0);
  am::poll_budget spent;
  spent.bodies = 0;
  REFUSED("let a poll begin one body at least", am::set_poll_budget(spent));
  REFUSED("program 4294967295 of a job with 1", am::program_name(~0U));
  REFUSED("program 1 of a job with 1", am::program_ranks(1));
}

EDGES(names_and_texts, print_on, error::error, usage_error::usage_error, limit_error::limit_error, rank_lost::rank_lost,
      remote_error::remote_error, decode_error::decode_error, timeout_error::timeout_error, make_error_code, phase::phase) {
  const char* const null = nullptr;
  if (am::rank() == 0) am::print_on(0, "{} {}\n", null, "");
  EXPECT(std::string(am::usage_error(null, "text").what()).ends_with(": : text"));
  EXPECT(std::string(am::usage_error("f", std::string_view("a\0b", 3)).what()).ends_with("f: a\\x00b"));
  for (const am::rank_t r : {lowest, am::no_rank, highest}) {
    EXPECT_EQ(am::rank_lost(r, null, "").rank(), r);
    EXPECT_NE(std::string(am::remote_error(r, null, "", "").what()), "");
    EXPECT_NE(std::string(am::decode_error(r, "", "").what()), "");
  }
  EXPECT_EQ(am::make_error_code(am::errc(99)).message(), "unknown error");
  const am::phase unnamed(""), null_name(nullptr);
}

EDGES(grids, grid_dims) {
  REFUSED("a grid of 0 ranks", am::grid_dims<2>(0));
  REFUSED("a grid of -2147483648 ranks", am::grid_dims<2>(lowest));
  EXPECT_EQ(am::grid_dims<2>(highest)[0], highest);
  REFUSED("by the given dimension -1", am::grid_dims<2>(6, {-1, 0}));
  REFUSED("by the given dimension 4", am::grid_dims<2>(6, {4, 0}));
  REFUSED("by the given dimension -2147483648", am::grid_dims<2>(6, {lowest, highest}));
}

EDGES(members_and_roots, team::world_rank, team::rank_of, team::split, team::broadcast, team::scatter, team::reduce, team::gather,
      broadcast, team::broadcast_async, team::reduce_async, team::gather_async, team::scatter_async, broadcast_async) {
  const am::team all = am::world();
  const auto p = std::size_t(all.size());
  each_bad_rank([&](am::rank_t r) {
    const std::string what = std::to_string(r) + " in a team of " + std::to_string(p);
    REFUSED(what.c_str(), all.world_rank(r));
    EXPECT_EQ(all.rank_of(r), am::no_rank);
    REFUSED(what.c_str(), all.broadcast(1, r));
    REFUSED(what.c_str(), am::broadcast(1, r));
    REFUSED(what.c_str(), all.broadcast(std::span<int>(), r));
    REFUSED(what.c_str(), all.scatter(std::vector<int>(p), r));
    REFUSED(what.c_str(), all.reduce(1, std::plus<>{}, r));
    REFUSED(what.c_str(), all.gather(1, r));
    REFUSED(what.c_str(), all.broadcast_async(1, r).get());
    REFUSED(what.c_str(), am::broadcast_async(1, r).get());
    REFUSED(what.c_str(), all.reduce_async(1, std::plus<>{}, r).get());
    REFUSED(what.c_str(), all.gather_async(1, r).get());
    REFUSED(what.c_str(), all.scatter_async(std::vector<int>(p), r).get());
  });
  EXPECT(!all.split(lowest));
  EXPECT_EQ(all.split(highest, lowest).size(), all.size());
}

EDGES(collectives_of_all_that_are_not_waited_for, all_reduce_async, all_gather_async, all_gather_v_async) {
  std::vector<int> in(3), out(7);
  std::vector<std::size_t> counts(9);
  int (*const no_sum)(int, int) = nullptr;
  REFUSED(no_function, am::all_reduce_async(1, no_sum).get());
  REFUSED(no_function, am::all_reduce_async(1, std::function<int(int, int)>()).get());
  REFUSED("go out and room for", am::all_gather_async(std::span<const int>(in), std::span(out)).get());
  REFUSED("9 values for a team of", am::all_gather_v_async(std::span<const int>(in), std::span(counts)).get());
  EXPECT_EQ(am::all_gather_v_async(std::vector<int>()).get().size(), 0U);
}

EDGES(operations_of_collectives, team::reduce, team::all_reduce, team::reduce_scatter, team::inclusive_scan,
      team::exclusive_scan) {
  int (*const no_sum)(int, int) = nullptr;
  const am::team& all = am::world();
  std::vector<int> each(std::size_t(all.size()));
  const std::span<int> data(each);
  REFUSED(no_function, all.reduce(1, no_sum, 0));
  REFUSED(no_function, all.reduce(data, no_sum, 0));
  REFUSED(no_function, all.all_reduce(1, no_sum));
  REFUSED(no_function, all.all_reduce(data, no_sum));
  REFUSED(no_function, all.reduce_scatter(each, no_sum));
  REFUSED(no_function, all.reduce_scatter(data, data.first(1), no_sum));
  REFUSED(no_function, all.inclusive_scan(1, no_sum));
  REFUSED(no_function, all.inclusive_scan(data, no_sum));
  REFUSED(no_function, all.exclusive_scan(1, 0, no_sum));
  REFUSED(no_function, all.exclusive_scan(data, 0, no_sum));
}

EDGES(teams_that_are_empty, team::reduce_scatter, team::inclusive_scan, team::exclusive_scan, team::all_reduce, team::all_gather,
      team::all_gather_v, team::all_to_all, team::all_to_all_v, team::all_reduce_async, team::all_gather_async,
      team::all_gather_v_async, team::all_to_all_async, team::all_to_all_v_async, team::inclusive_scan_async,
      team::exclusive_scan_async, team::reduce_scatter_async, distributed::distributed) {
  const std::plus<> plus;
  EXPECT_EQ(none.rank(), am::no_rank);
  EXPECT_EQ(none.size(), 0);
  REFUSED("there is no member 0 in a team of 0", none.world_rank(0));
  REFUSED(no_team, none.split(0));
  REFUSED(no_team, none.dup());
  REFUSED(no_team, none.survivors());
  REFUSED(no_team, none.grow());
  REFUSED(no_team, none.barrier());
  REFUSED(no_team, none.fence());
  REFUSED(no_team, none.broadcast(1));
  REFUSED(no_team, none.scatter(std::vector<int>(1)));
  REFUSED(no_team, none.reduce(1, plus));
  REFUSED(no_team, none.all_reduce(1, plus));
  REFUSED(no_team, none.reduce_scatter(std::vector<int>(1), plus));
  REFUSED(no_team, none.inclusive_scan(1, plus));
  REFUSED(no_team, none.exclusive_scan(1, 0, plus));
  REFUSED(no_team, none.gather(1));
  REFUSED(no_team, none.all_gather(1));
  REFUSED(no_team, none.all_gather_v(std::vector<int>(1)));
  REFUSED(no_team, none.all_to_all(std::vector<int>(1)));
  REFUSED(no_team, none.all_to_all_v(std::vector<std::vector<int>>(1)));
  REFUSED(no_team, none.barrier_async());
  REFUSED(no_team, none.all_reduce_async(1, plus));
  REFUSED(no_team, none.all_gather_async(1));
  REFUSED(no_team, none.all_gather_v_async(std::vector<int>(1)));
  REFUSED(no_team, none.all_to_all_async(std::vector<int>(1)));
  REFUSED(no_team, none.all_to_all_v_async(std::vector<std::vector<int>>(1)));
  REFUSED(no_team, none.inclusive_scan_async(1, plus));
  REFUSED(no_team, none.exclusive_scan_async(1, 0, plus));
  REFUSED(no_team, none.reduce_scatter_async(std::vector<int>(1), plus));
  REFUSED(no_team, am::distributed<part>(none, 1));
}

EDGES(counts_that_do_not_fit, all_gather_v, all_to_all, all_to_all_v, all_gather, reduce_scatter, all_to_all_async,
      all_to_all_v_async, reduce_scatter_async) {
  const auto p = std::size_t(am::ranks());
  std::vector<int> in(3), out(7);
  const std::span<const int> from(in);
  for (const std::size_t n : {std::size_t{0}, p + 1}) {
    const std::string what = std::to_string(n) + " values for a team of";
    REFUSED(what.c_str(), am::all_to_all(std::vector<int>(n)));
    REFUSED(what.c_str(), am::all_to_all_v(std::vector<std::vector<int>>(n)));
    REFUSED(what.c_str(), am::reduce_scatter(std::vector<int>(n), std::plus<>{}));
    REFUSED(what.c_str(), am::all_to_all_async(std::vector<int>(n)).get());
    REFUSED(what.c_str(), am::all_to_all_v_async(std::vector<std::vector<int>>(n)).get());
    REFUSED(what.c_str(), am::reduce_scatter_async(std::vector<int>(n), std::plus<>{}).get());
    std::vector<std::size_t> counts(n), got(p);
    REFUSED(what.c_str(), am::all_to_all_v(from, std::span<const std::size_t>(counts), std::span(got)));
    REFUSED(what.c_str(), am::all_gather_v(from, std::span(counts)));
  }
  std::vector<std::size_t> counts(p, 0), got(p);
  counts[0] = most;
  if (p > 1) counts[1] = 4;  // the sum is 3 without a check
  REFUSED("the counts add up to", am::all_to_all_v(from, std::span<const std::size_t>(counts), std::span(got)));
  REFUSED("go out and room for", am::all_gather(from, std::span(out)));
  REFUSED("go out and room for", am::all_to_all(from, std::span(out)));
  REFUSED("bytes are there for parts of", am::reduce_scatter(from, std::span(out), std::plus<>{}));
}

EDGES(references_that_are_null, destroy, remote_cast, read_sync_var, write_sync_var) {
  const am::remote<part> null;
  REFUSED("the reference is null", am::destroy(null));
  REFUSED("the reference is null", am::call<&part::add>(null, 1));
  REFUSED("the reference is null", am::async<&part::add>(null, 1));
  EXPECT(!am::remote_cast<part>(null));
  am::future<am::remote<part>> no_creation;
  REFUSED("the future is empty", am::call<&part::add>(no_creation, 1));
  REFUSED("rank -1 does not exist", am::read_sync_var(am::global_ptr<am::sync_var<int>>()));
  REFUSED("rank -1 does not exist", am::write_sync_var(am::global_ptr<am::sync_var<int>>(), 1));
}

EDGES(pointers_that_are_null, atomic_fetch_add, atomic_add, atomic_exchange, atomic_compare_exchange, atomic_fetch_and,
      atomic_fetch_or, atomic_fetch_xor, atomic_and, atomic_or, atomic_xor, get, put, store, get_strided, put_strided,
      get_indexed, put_indexed, store_strided, store_indexed, global_ptr::spread, global_ptr::signal, destroy_global,
      global_ref::set, open_memory, deallocate, to_global) {
  const am::global_ptr<long> p;
  const am::strided<1> shape{};
  long x[4] = {};
  std::vector<long> one_value(1);
  const std::size_t first = 0;
  const std::span<const std::size_t> indices(&first, 1);
  REFUSED(null_pointer, am::atomic_fetch_add(p, 1L));
  REFUSED(null_pointer, am::atomic_add(p, 1L));
  REFUSED(null_pointer, am::atomic_exchange(p, 1L));
  REFUSED(null_pointer, am::atomic_compare_exchange(p, x[0], 1L));
  REFUSED(null_pointer, am::atomic_fetch_and(p, 1L));
  REFUSED(null_pointer, am::atomic_fetch_or(p, 1L));
  REFUSED(null_pointer, am::atomic_fetch_xor(p, 1L));
  REFUSED(null_pointer, am::atomic_and(p, 1L));
  REFUSED(null_pointer, am::atomic_or(p, 1L));
  REFUSED(null_pointer, am::atomic_xor(p, 1L));
  REFUSED(null_pointer, am::get(x[0], p));
  REFUSED(null_pointer, am::put(p, 3L));
  REFUSED(null_pointer, am::store(p, 3L));
  REFUSED(null_pointer, am::get_strided(x, p, shape));
  REFUSED(null_pointer, am::put_strided(p, x, shape));
  REFUSED(null_pointer, am::store_strided(p, x, shape));
  REFUSED(null_pointer, am::get_indexed(one_value, p, indices));
  REFUSED(null_pointer, am::put_indexed(p, one_value, indices));
  REFUSED(null_pointer, am::store_indexed(p, one_value, indices));
  REFUSED(null_pointer, long(*p));
  REFUSED(null_pointer, long(p[3]));
  REFUSED(null_pointer, (*p).set(3));
  REFUSED(null_pointer, am::global_ptr<am::counter>().signal());
  REFUSED(null_pointer, am::open_memory(p, 3, am::access_rights{}));
  EXPECT(am::global_ptr<long>(am::to_global(static_cast<long*>(nullptr))) == nullptr);
  EXPECT(p.local() == nullptr);
  am::deallocate(p);
  am::destroy_global(p);
  const auto own = am::allocate<long>(4);
  REFUSED("no block that allocate returned begins there", am::deallocate(own + 1));
  REFUSED("is the number negative?", am::open_memory(own, most, am::access_rights{}));
  am::deallocate(own);
  REFUSED("was given back already", am::deallocate(own));
}

EDGES(spread_arrays, spread_array::ptr, spread_array::rank_of, spread_array::blocked, spread_array::spread_array) {
  const am::spread_array<int> a(10);
  for (const std::size_t i : {std::size_t{10}, half, most}) {
    REFUSED(std::to_string(i).c_str(), a.ptr(i));
    REFUSED(std::to_string(i).c_str(), a.rank_of(i));
    REFUSED(std::to_string(i).c_str(), int(a[i]));
  }
  EXPECT_EQ(am::spread_array<int>::blocked(0).size(), 0U);
  EXPECT_THROWS(am::limit_error, am::spread_array<int>::blocked(most));
}

namespace {

using bytes = std::span<const std::byte>;
am::per_rank<int> refusals, arrivals;

void on_bytes(am::sender, bytes b) { *arrivals += 1 + int(b.size()); }
void answer_with_what_is_not_there(am::sender to, int) {
  const std::byte here{};
  for (const bytes& bad : {bytes(static_cast<const std::byte*>(nullptr), 8), bytes(&here, half), bytes(&here, most)}) try {
      am::reply<&on_bytes>(to, bad);
    } catch (const am::usage_error&) { ++*refusals; }
  am::reply<&on_bytes>(to, bytes());
}

}  // namespace

EDGES(memory_that_is_not_there, view, view::view, reply, request) {
  int three[3] = {};
  const std::byte here{};
  const int* const null = nullptr;
  EXPECT_EQ(am::call(0, [](am::view<int> v) { return v.size(); }, am::view<int>(null, 0)).get(), 0U);
  EXPECT_EQ(am::call(0, [](am::view<int> v) { return v.size(); }, am::view(three)).get(), 3U);
  REFUSED("null is given as the memory of 5 elements", am::view<int>(null, 5));
  for (const std::size_t n : {half / 2, half, most}) REFUSED("are more than any memory holds", am::view<int>(three, n));
  EXPECT_THROWS_SAYING(am::error, "finds no room in this rank's segment",
                       am::async(0, [](am::view<int>) {}, am::view<int>(three, std::size_t{1} << 40)));
  REFUSED("null is given as the memory of 8 elements",
          am::request<&on_bytes>(0, bytes(static_cast<const std::byte*>(nullptr), 8)));
  for (const std::size_t n : {half, most}) REFUSED("are more than any memory holds", am::request<&on_bytes>(0, bytes(&here, n)));
  const am::rank_t last = am::ranks() - 1;
  am::request<&answer_with_what_is_not_there>(last, 1);
  am::fence();
  EXPECT_EQ(int(*refusals), am::rank() == last ? 3 * int(am::ranks()) : 0);
  EXPECT_EQ(int(*arrivals), 1);
}

EDGES(what_is_pushed_and_signalled, channel::push, source_counters::wait_all, when_complete) {
  am::channel<int> closed(1), full(1);
  closed.close();
  REFUSED("the channel is closed", closed.push(1));
  full.push(1);
  bool heard = false;
  auto waiting = am::spawn([&] {
    REFUSED("the channel is closed", full.push(2));
    heard = true;
  });
  am::yield();
  full.close();
  waiting.join();
  EXPECT(heard && full.pop() == 1 && !full.pop());
  const am::source_counters c;
  c.wait_all(0);
  REFUSED("was a negative number", c.wait_all(most));
  am::event e, other;
  am::when_complete(e).get();  // of nothing
  int x = 3;
  const auto own = am::allocate<int>(1);
  am::get(x, own, other);
  auto first = am::when_complete(other), second = am::when_complete(other);
  first.get(), second.get();
  EXPECT_EQ(x, 0);
  am::deallocate(own);
  am::barrier();
}
