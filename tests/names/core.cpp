// SPDX-License-Identifier: Apache-2.0
// The public names of armilla.hpp: each is used in a line that docs.names compiles, by the grammar of
// docs/adr/0014-one-grammar.md. docs.reference reports names that no line uses.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/post.hpp>

namespace am = armilla;
using namespace std::literals;

namespace names {

void work(const am::team&);
struct point {
  double x, y;
};
struct shape {
  virtual ~shape() = default;
  virtual double area() const { return 0; }
};
struct square : shape {
  static constexpr const char* wire_name = "square";
  double side = 1;
  template <class W>
  void define_type(W& t) {
    t.local(side);
  }
  double area() const override { return side * side; }
};
struct part {
  long n = 0;
  part() = default;
  explicit part(int k) : n(k) {}
  long add(long k) { return n += k; }
  long total() const { return n; }
  std::vector<double> row(int i) const { return std::vector<double>(std::size_t(i), 1.0); }
  using atomic_methods = am::atomic_list<&part::add>;
};
inline double f(double x) { return x; }
inline void say(int) {}
inline std::vector<double> numbers(int n) { return std::vector<double>(std::size_t(n)); }
inline void pong(am::sender, long) {}
inline void ping(am::sender from, long n) { am::reply<pong>(from, n + from.rank()); }
inline am::rank_t r = am::no_rank, root;
inline long value = 1;
inline const auto plus = std::plus<>{};
inline am::per_rank<long> hits;
inline am::per_rank<am::counter> arrived;
namespace api {
inline constexpr am::method<double(double)> step{"reference.step"};
inline constexpr am::method<am::remote<part>(int)> make{"reference.make"};
inline constexpr am::method<long(long)> add{"reference.add"};
}  // namespace api
inline int go(int argc, char** argv) {
  am::session job(argc, argv);
  return job.run([] {}) + job.run_main([] {});
}
template <class T>
void used(const T&) {}

// ---- Jobs ----

void jobs() {
  auto start_job = [](int argc, char** argv) { return am::run(argc, argv, [] {}); };        // every rank runs it
  auto start_main = [](int argc, char** argv) { return am::run_main(argc, argv, [] {}); };  // rank 0 runs it, the others answer
  auto start_solver = [](int argc, char** argv) {  // the program's words are the arguments: a file, and a number
    return am::run(argc, argv, "FILE STEPS", [](const std::string& file, int steps) { return !file.empty() && steps > 0; });
  };
  auto regions = [] { am::spmd([](int) { am::barrier(); }, 3); };  // under run_main: all ranks run it together
  auto own_main = [](int argc, char** argv) {
    am::session job(argc, argv);
    return job.run([] {}) + job.run_main([] {});
  };
  static_assert(am::rank_function<void (*)()>);  // what can be run
  const am::rank_t me = am::rank(), n = am::ranks();
  const std::string carries = am::fabric();  // "shm", "threads", "ucx" ...
  const std::uint32_t mine = am::this_program(), all = am::program_count();
  const std::string_view name = am::program_name(mine);
  const std::span<const am::rank_t> its_ranks = am::program_ranks(mine);
  am::print_on(0, "{} ranks of {} programs\n", n, all);  // rank 0 prints, the others do not
  const auto [rows, columns] = am::grid_dims<2>(n);      // of a process grid
  const am::clock::time_point start = am::clock::now();  // am::clock is a clock as std's are
  static_assert(am::clock::is_steady &&
                std::is_same_v<am::clock::duration, std::chrono::duration<am::clock::rep, am::clock::period>>);
  const double seconds = am::seconds_since(start);
}

// ---- Calls ----

void calls() {
  am::async(r, &f, 1.0), am::async<&f>(r, 1.0);      // one-way call
  am::future<double> answer = am::call(r, &f, 1.0);  // call
  am::future<double> named = am::call<&f>(r, 1.0);
  std::vector<double> room(10);
  am::future<std::span<double>> filled = am::call_into(r, std::span(room), &numbers, 5);
  am::future<double> early = am::call(r, am::to_completion<&f>(), 1.0);  // it never waits
  am::future<double> late = am::call(r, am::as_fiber<&f>(), 1.0);        // it is a fiber from the start
  am::async(r, am::urgent<&say>(), 1);                                   // leaves at once
  am::async(r, am::safe<&say>(), 1);                                     // may run while the rank computes
}

void calls_2() {
  const am::team half = am::world().split(am::rank() % 2);
  am::async_all(&say, 1), am::async_all<&say>(1), am::async_all(half, &say, 1);
  am::future<std::vector<double>> answers = am::call_all(&f, 1.0), of_half = am::call_all(half, &f, 1.0);
}

namespace calls_3 {
inline constexpr am::method<double(double)> half{"reference.half"};  // name and signature, in a header of both
}

void calls_4() {
  am::provide<api::step, &f>();  // in the program that has it
  am::async<api::step>(r, 1.0);
  am::future<double> answer = am::call<api::step>(r, 1.0);  // in any program
  am::withdraw<api::step>();
}

void calls_5() {
  const am::global_ptr<double> mine = am::allocate<double>(100);
  const am::exposure seen = am::expose("name", std::span<double>(mine.local(), 100));
}

void calls_6() {
  am::future<double> a = am::call(r, &f, 1.0), b = am::make_future(2.0);
  const bool there = a.valid() && a.ready() && a.wait_for(1s);
  a.wait();
  am::future<long> rounded = a.then([](double x) { return long(x); });
  const double x = b.get();
  std::vector<am::future<long>> many, others;
  am::future<std::vector<long>> all = am::when_all(std::move(many));
  auto first = am::when_any(std::move(others));
}

void calls_7() {
  am::poll();  // receives what has arrived
  am::poll({.bodies = 16, .time = 50us});
  am::flush();  // sends what is buffered
  am::wait_for_message();
  { am::batch together; }         // calls share messages
  { am::interruptible here; }     // under ARMILLA_PROGRESS_MODE=signal calls interrupt this scope
  { am::outside_event ends_it; }  // a wait in it may end from outside of the job
  const am::rank_executor here;   // for threads that are no ranks
  std::future<int> posted = here.post([] { return 1; }), on_1 = here.post(1, [](int x) { return x; }, 2);
  std::future<void> on_process = am::post([] {});
  am::set_aggregation(4096), am::set_aggregation(am::peer::network, 65536);
  const std::size_t bytes = am::aggregation(am::peer::host);
  am::set_poll_every(10);
  am::set_poll_budget({.bodies = am::poll_budget::unlimited, .time = am::poll_budget::unlimited_time});
  am::set_wait_mode(am::wait_mode::switching);
  am::request<ping>(r, 41L);  // active message; am::reply and am::sender in its handler
  auto handler = [](am::sender from, long n) { am::reply<pong>(from, n + from.rank()); };
}

// ---- Teams and collectives ----

void teams_and_collectives() {
  const am::team t = am::world(), half = t.split(am::rank() % 2), twin = t.dup();
  const am::made_at line =
      am::named("rows");  // a name for errors, and this line: for a team, a container or a distributed object
  const am::team rows = t.split(0, line);
  used(line.name()), used(line.where());
  const am::rank_t none = am::no_rank, my_number = t.rank(), size = t.size(), of_world = t.world_rank(0),
                   back = t.rank_of(of_world);
  const std::uint64_t id = t.id();
  const am::team left = t.survivors();  // the members that are not lost, where a job goes on without them
  am::on_loss([](am::rank_t lost) { am::print_on(0, "{}\n", lost); });  // runs here for each lost rank
  am::on_join([] { work(am::await_team()); });  // in main: what runs on a rank that comes into the running job
  const am::team grown = t.grow();              // the survivors, and new ranks
  const bool later = am::joined();              // whether this rank is one
  const am::team living = am::living();         // the ranks that fences and barriers of all are over
  am::barrier(), t.barrier();
  am::fence(), t.fence();                            // one-way calls, and what they cause, are done
  am::all_store_sync(), t.all_store_sync();          // stores are complete
  static_assert(am::combines<std::plus<>, double>);  // what an operation must be
}

void teams_and_collectives_2() {
  const am::team t = am::world();
  const std::vector<long> row(std::size_t(t.size()), 1);
  const long of_root = am::broadcast(value, root), same = t.broadcast(value, root);
  const long mine = t.scatter(row, root);
  const std::optional<long> sum = t.reduce(value, plus, root);
  const long total = am::all_reduce(value, plus), sum_here = t.all_reduce(value, plus);
  const std::vector<long> sums = am::all_reduce(am::each(row), plus);  // element by element
  const long strictly = am::all_reduce(value, am::in_order(plus));     // from the first member to the last, on any hosts
  const long column = am::reduce_scatter(row, plus), its = t.reduce_scatter(row, plus);
  const long until = t.inclusive_scan(value, plus), before = t.exclusive_scan(value, 0L, plus);
  const std::vector<long> on_root = t.gather(value, root), all = am::all_gather(value), everywhere = t.all_gather(value);
  const std::vector<long> joined = am::all_gather_v(row), together = t.all_gather_v(row);
  const std::vector<long> turned = am::all_to_all(row), back = t.all_to_all(row);
  const std::vector<std::vector<long>> parts(std::size_t(t.size())), exchanged = am::all_to_all_v(parts),
                                                                     again = t.all_to_all_v(parts);
}

void teams_and_collectives_3() {
  const am::team t = am::world();
  const auto n = std::size_t(t.size());
  std::vector<double> some(10), many(10 * n), others(10 * n);
  std::vector<std::size_t> counts(n, 10), come(n);
  am::broadcast(std::span(some), root), t.broadcast(std::span(some), root);
  t.scatter(many, std::span(some), root);
  t.reduce(std::span(some), plus, root);
  am::all_reduce(std::span(some), plus), t.all_reduce(std::span(some), plus);
  am::reduce_scatter(many, std::span(some), plus), t.reduce_scatter(many, std::span(some), plus);
  t.inclusive_scan(std::span(some), plus), t.exclusive_scan(std::span(some), 0.0, plus);
  t.gather(some, std::span(many), root);
  am::all_gather(some, std::span(many)), t.all_gather(some, std::span(many));
  std::vector<double> joined = am::all_gather_v(std::span<const double>(some), std::span(come));
  am::all_to_all(many, std::span(others)), t.all_to_all(many, std::span(others));
  joined = am::all_to_all_v(std::span<const double>(many), std::span<const std::size_t>(counts), std::span(come));
}

void teams_and_collectives_4() {
  const am::team t = am::world();
  std::vector<long> row(std::size_t(t.size()), 1), parts_of_root(row);
  am::future<void> met = am::barrier_async(), also = t.barrier_async();
  am::future<long> of_root = am::broadcast_async(value, root), here = t.broadcast_async(value, root);
  am::future<long> mine = t.scatter_async(row, root);
  am::future<std::optional<long>> sum = t.reduce_async(value, plus, root);
  am::future<long> total = am::all_reduce_async(value, plus), its = t.all_reduce_async(value, plus);
  am::future<long> column = am::reduce_scatter_async(row, plus), of_team = t.reduce_scatter_async(row, plus);
  am::future<long> until = t.inclusive_scan_async(value, plus), before = t.exclusive_scan_async(value, 0L, plus);
  am::future<std::vector<long>> on_root = t.gather_async(value, root), all = am::all_gather_async(value),
                                same = t.all_gather_async(value);
  am::future<std::vector<long>> joined = am::all_gather_v_async(row), together = t.all_gather_v_async(row);
  am::future<std::vector<long>> turned = am::all_to_all_async(row), back = t.all_to_all_async(row);
  auto parts = am::all_to_all_v_async(std::vector<std::vector<long>>(row.size()));
  auto again = t.all_to_all_v_async(std::vector<std::vector<long>>(row.size()));
  am::future<void> in_place = t.all_reduce_async(std::span(row), plus);
  am::future<long> any = am::collective_async([](const am::team& d) { return d.all_reduce(1L, plus); });
  am::future<long> of_its = t.collective_async([](const am::team& d) { return d.all_reduce(1L, plus); });
}

// ---- Memory ----

void memory() {
  const am::global_ptr<double> p = am::allocate<double>(100);  // in this rank's segment
  const am::global_ptr<point> one = am::create_global<point>(1.0, 2.0);
  double here = 0;
  const am::global_ptr<double> mine = am::to_global(&here);  // to any memory of this rank
  const am::rank_t owner = p.rank();
  const bool plain = p.is_local() || p.is_mapped();
  double* there = p.local();  // null where this rank cannot load and store it
  double x = *p;
  *p = x, p[7] += 1, one->*&point::x = 3;
  const am::global_ref<double>& target = p[1];  // what *p gives: target.get(), target.set(x)
  target.set(target.get());
  const auto bytes = am::reinterpret_pointer_cast<char>(p);
  const am::global_ptr<double> on_next = p.spread(1);  // the same place on the next rank
  am::destroy_global(one), am::deallocate(p);
}

void memory_2() {
  const am::global_ptr<double> p = am::allocate<double>(100);
  std::vector<double> some(10);
  const std::vector<std::size_t> places(10, 3);
  double x = 0;
  am::event done;
  const am::global_ptr<am::counter> signal = arrived.on(r);
  const am::strided<2> block{.extent = {2, 5}, .local = {5, 1}, .global = {10, 1}};
  am::get(x, p), am::get(some, p), am::get(some, p, done);
  am::put(p, 1.0), am::put(p, some), am::put(p, some, signal), am::put(p, some, done);
  am::get_strided(some.data(), p, block), am::put_strided(p, some.data(), block);
  am::get_indexed(some, p, places), am::put_indexed(p, some, places);
  am::sync_memory();
  am::store(p, 1.0), am::store(p, some, signal), am::store_strided(p, some.data(), block), am::store_indexed(p, some, places);
  am::all_store_sync();
  if (!done.ready()) done.wait();
  am::future<void> later = am::when_complete(done);
}

void memory_3() {
  arrived.on(r).signal(2);  // adds 2 to rank r's counter
  if (!arrived.local().try_wait(2)) arrived.local().wait(2);
  const std::uint64_t left = arrived.local().value();
  const am::source_counters from_each;  // a counter for each source
  from_each.on(r).signal();
  from_each.from(r).wait(), from_each.wait_all();
  const am::global_ptr<long> n = hits.on(r);
  long before = am::atomic_fetch_add(n, 1), expected = 0;
  am::atomic_add(n, 1), am::atomic_and(n, 7), am::atomic_or(n, 8), am::atomic_xor(n, 1);
  before = am::atomic_fetch_and(n, 7), before = am::atomic_fetch_or(n, 8), before = am::atomic_fetch_xor(n, 1);
  before = am::atomic_exchange(n, 5);
  const bool done = am::atomic_compare_exchange(n, expected, 3);
}

void memory_4() {
  static am::per_rank<int> count;  // static; ++count.local(); *count.on(r)
  ++count.local();
  const int of_r = *count.on(r);
  am::spread_array<double> a(1000), blocks = am::spread_array<double>::blocked(1000);
  a[17] = 2.5;
  for (double& e : a.local()) e = 0;              // this rank's
  const am::spread_ptr<double> walk = a.begin();  // a.end() does not compile, and says what to write
  const am::global_ptr<double> seventh = a.ptr(7), now = walk.global();
  double* const direct = walk.local();
  const std::size_t size = a.size() + a.block() + a.index_of_local(0) + std::size_t(a.rank_of(7)) + std::size_t(walk.rank());
  using no_loop = decltype(&am::spread_array<double>::end<float>);
  am::opened_memory open = am::open_memory(hits.on(am::rank()), 1, am::access_rights::read_write);
  open.close();
}

// ---- Objects ----

void objects() {
  am::distributed<part> h;                     // a part on every rank
  const am::object_ref<part> there = h.on(r);  // a name that can be sent
  am::async<&part::add>(there, 7L), am::async(there, &part::add, 7L), am::async(there, am::urgent<&part::add>(), 7L);
  am::future<long> total = am::call<&part::total>(there), of_one = am::call(there, am::to_completion<&part::total>());
  std::vector<double> room(10);
  am::future<std::span<double>> row = am::call_into<&part::row>(there, std::span(room), 5);
  row = am::call_into(there, std::span(room), am::as_fiber<&part::row>(), 5);
  am::async_all<&part::add>(h, 1L), am::async_all(h, &part::add, 1L);
  am::future<std::vector<long>> totals = am::call_all<&part::total>(h), same = am::call_all(h, &part::total);
  const long sum = h.members().all_reduce(h->total(), plus);
  part* const mine = there.local();
  const bool here = mine != nullptr && there.rank() == am::rank() && there.on(0) == h.on(0);
  using one_at_a_time = am::atomic_list<&part::add>;  // in a class: `using atomic_methods = ...`
}

void objects_2() {
  am::future<am::remote<part>> made = am::create<part>(r, 3);
  am::remote<part> s = made.get();
  am::async<&part::add>(s, 7L);
  am::future<long> total = am::call<&part::total>(s);
  part* const here = s.local();
  const am::remote<const part> seen = am::remote_cast<const part>(s);
  am::destroy(s);
  am::future<void> loaded = am::load_library(r, "libsolver.so");
  am::provide_class<api::make, part>(), am::provide<api::add, &part::add>();
  am::future<am::remote<part>> by_name = am::create<api::make>(r, 3);
}

void objects_3() {
  am::register_type<shape, square>("square");
  am::polymorphic<shape> value(std::make_unique<square>());
  std::unique_ptr<shape> out = value.release();
  const auto v = am::create_global<am::sync_var<int>>();
  am::future<void> written = am::write_sync_var(v, 1);
  am::future<int> read = am::read_sync_var(v);
}

// ---- Fibers ----

void fibers() {
  am::fiber<int> started = am::spawn([] { return 1; });
  const bool ended = started.joinable() && started.ready();
  started.wait();
  const int result = started.join();
  am::spawn([] {}).detach();
  am::par([] {}, [] {});
  am::parfor(0, 10, [](int) {});
  am::yield(), am::sleep_for(1ms);
  am::sync_var<int> v;
  v.write(3);
  const int once = v.read() + v.get();
  am::task<int> routine = [](int n) -> am::task<int> { co_return n; }(1);
  routine.start();
  const int from_task = routine.valid() && routine.ready() ? routine.get() : 0;
  am::fiber<int> of_task = am::spawn_task([](int n) -> am::task<int> { co_return n; }(1));
}

void fibers_2() {
  am::mutex m;
  m.lock(), m.unlock();
  const bool took = m.try_lock() && m.is_locked();
  am::shared_mutex s;
  s.lock(), s.unlock(), s.lock_shared(), s.unlock_shared();
  const bool both = s.try_lock() || s.try_lock_shared();
  am::condition_variable changed;
  changed.wait(m), changed.wait(m, [] { return true; }), changed.wait_for(m, 1ms), changed.wait_unlocked([] { return true; });
  changed.notify_one(), changed.notify_all();
  am::semaphore tickets(1);
  tickets.acquire(), tickets.release();
  const bool got = tickets.try_acquire() || tickets.try_acquire_for(1ms) || tickets.available() > 0;
  am::latch gate(2);
  gate.count_down(), gate.arrive_and_wait(), gate.wait();
  const bool open = gate.try_wait();
  am::channel<int> jobs(16);
  jobs.push(1);
  std::optional<int> job = jobs.pop(), maybe = jobs.try_pop();
  const bool sent = jobs.try_push(2) && !jobs.empty() && jobs.size() < jobs.capacity();
  jobs.close();
  const bool over = jobs.closed();
}

// ---- What can be sent ----

void what_can_be_sent() {
  static_assert(am::sendable<std::string> && am::sendable_value<int> && am::trivially_sendable<double>);
  static_assert(!am::sendable_as_bytes<std::string>);                  // set to true for a class of one's own
  static_assert(!am::sendable_as_container<std::string>);              // set to true for a container of another library
  static_assert(std::is_empty_v<am::sendable_as_parts<std::string>>);  // specialized for a class that one cannot change
  constexpr auto body = [](int x) { return x; };
  static_assert(am::sendable_closure<decltype(body)>);
  am::require_sendable<std::string>(), am::require_sendable_value<int>(), am::require_sendable_closure<decltype(body)>();
  static_assert(am::wire_name<int> == nullptr);  // a class's name between programs
  const std::array<double, 2> two{};
  am::future<std::size_t> bytes = am::call(
      r,
      [](const am::view<double>& v) {
        return v.size() + v.size_bytes() + std::size_t(v.end() - v.begin()) + std::size_t(v.data() != nullptr) + v.copy().size() +
               v.empty();
      },
      am::view<double>(two));
}

// ---- Errors ----

void errors() {
  try {
    am::call(r, &f, 1.0).get();
  } catch (const am::remote_error& e) {  // a function threw on another rank
    std::printf("%d %s %s\n", e.rank(), std::string(e.type_name()).c_str(), std::string(e.text()).c_str());
    std::puts(e.thrown_at().c_str());  // "heat.cpp:12, in read(int)"
  } catch (const am::rank_lost& e) {
    std::printf("%d %s %s\n", e.rank(), std::string(e.host()).c_str(), std::string(e.cause()).c_str());
  } catch (const am::decode_error& e) {  // bytes that no rank of this program sends
    std::printf("%d\n", e.rank());
  } catch (const am::usage_error&) {
  } catch (const am::limit_error&) {
  } catch (const am::timeout_error&) {
  } catch (const am::error& e) {  // the base of all
    const bool used_wrong = e.code() == am::make_error_code(am::errc::usage) && e.code().category() == am::error_category();
    std::puts(e.what());
    std::puts(e.where().c_str());  // "heat.cpp:42, in step(double)"
  }
}

// ---- Statistics ----

void statistics() {
  { const am::phase solving("solve"); }
  const am::statistics s = am::stats();
  const am::component_times& t = s.time;
  const double seconds =
      s.seconds + t.cpu + t.net + t.thread_management + t.thread_synchronisation + t.runtime + t.sum() + double(s.borders);
  for (const am::method_statistics& m : s.methods)
    std::printf("%s %g %g %zu\n", std::string(m.name).c_str(), double(m.messages + m.runs), double(m.bytes), m.sizes.size());
  am::show_progress();   // a bar on a terminal; ARMILLA_PROGRESS_BAR=1
  am::outcome(seconds);  // what armilla-run --explore compares
  for (const am::phase_statistics& p : am::phases())
    std::printf("%s %g\n", std::string(p.name).c_str(), double(p.times) + p.what.seconds);
}

}  // namespace names
