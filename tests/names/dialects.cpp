// SPDX-License-Identifier: Apache-2.0
// The public names of the dialects: each is used in a line that docs.names compiles, by the grammar of
// docs/adr/0014-one-grammar.md. docs.reference reports names that no line uses.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/ccpp.hpp>
#include <armilla/dialect/mpcpp.hpp>
#include <armilla/dialect/splitc.hpp>
#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>
#include <armilla/dialect/stapl_containers.hpp>
#include <armilla/dialect/stapl_every_algorithm.hpp>
#include <armilla/dialect/stapl_pgraph.hpp>
#include <armilla/dialect/stapl_prange.hpp>

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

// ---- Split-C, CC++, MPC++ and STAPL ----

namespace split_c_cc_mpc_and_stapl {
namespace splitc = am::splitc;

inline void twice(int source, double x) {
  splitc::reply(source, +[](int, double) {}, 2 * x);
}
inline int plus(int a, int b) { return a + b; }

inline void use_splitc() {
  splitc::spread_array<double> A(std::size_t(4 * PROCS));  // double A[4 * PROCS]::
  splitc::spread_array<int, 1, 1> B(PROCS, 8);             // int B[PROCS]::[8]
  const splitc::spread<double*> sp = A;
  const splitc::global<double*> gp(sp + MYPROC);
  double x = *gp, y = gp[1];  // reads
  *gp = x;                    // writes
  x <<= *gp;                  // :=
  gp[1] <<= y;
  splitc::sync();
  *gp <<= splitc::store(x);  // :-
  splitc::store_sync(sizeof x);
  splitc::all_store_sync();
  double* const mine = splitc::tolocal(gp);
  const splitc::global<double*> theirs = splitc::toglobal(splitc::toproc(gp), mine);
  const splitc::spread<double*> line = splitc::tospread(MYPROC, mine);
  splitc::bulk_read(&y, theirs, sizeof y);  // bytes
  splitc::bulk_write(theirs, &y, sizeof y);
  splitc::bulk_get(&y, theirs, sizeof y);
  splitc::bulk_put(theirs, &x, sizeof x);
  splitc::sync();
  splitc::bulk_store(theirs, &x, sizeof x);
  splitc::store_sync(sizeof x);
  on_one B[0][3] = splitc::atomic(plus, PROCS - 1, 1, 2);
  on_proc(0) splitc::request(0, twice, 0.5);
  for_my_1D(i, 4 * PROCS) A[std::size_t(i)] = PROCSLOG;
  splitc::poll();
  splitc::barrier();
  const splitc::spread<void*> memory = splitc::all_spread_malloc(std::size_t(splitc::my_elements(PROCS)), sizeof(int));
  splitc::all_spread_free(memory);
  const int ints = splitc::all_bcast(1) + splitc::all_bcast_i(1) + splitc::all_reduce_to_one_add(1) +
                   splitc::all_reduce_to_all_add(1) + splitc::all_reduce_to_all_mult(1) + splitc::all_reduce_to_all_max(1) +
                   splitc::all_reduce_to_all_min(1) + splitc::all_reduce_to_all_and(1) + splitc::all_reduce_to_all_or(1) +
                   splitc::all_reduce_to_all_xor(1);
  const splitc::place<double> place = *gp;
  place <<= splitc::stored<double>{x};
  splitc::store_sync(sizeof x);
  const splitc::global_pointer<double> global_one = gp;  // what global<double *> names
  const splitc::spread_pointer<double> spread_one = sp;
  const double doubles = splitc::all_bcast_d(1) + splitc::all_reduce_to_all_dadd(1) + splitc::all_reduce_to_all_dmult(1) +
                         splitc::all_reduce_to_all_dmax(1) + splitc::all_reduce_to_one_dmin(1);
  std::printf("%d %g %g %d\n", ints, doubles, splitc::get_seconds(),
              int(bool(line)) + int(bool(global_one)) + int(bool(spread_one)));
}
}  // namespace split_c_cc_mpc_and_stapl

namespace split_c_cc_mpc_and_stapl_2 {
namespace ccpp = am::ccpp;

struct figure {
  figure() = default;
  explicit figure(double a) : side(a) {}
  double area() const { return side * side; }
  double scale(double by) { return side *= by; }
  double scale(double by, int times) { return side *= by * times; }
  double side = 1;

  struct methods : ccpp::methods<figure> {  // what -> reaches
    rpc<&figure::area> area{this};
    rpc<ccpp::overload<double(double)>(&figure::scale), ccpp::overload<double(double, int)>(&figure::scale)> scale{this};
    field<&figure::side> side{this};
  };
};
static_assert(ccpp::has_methods<figure>);

struct plugin {
  struct methods : ccpp::methods<plugin> {};
};
inline constexpr am::method<am::remote<plugin>()> make_plugin{"plugin.make"};

inline double use_ccpp() {
  const ccpp::proc_t placement("libplugin.so", r);
  if (placement.host == 1) ccpp::delete_object(ccpp::new_object<make_plugin>(ccpp::proc_t(placement.executable, 1)));
  ccpp::global<figure*> gp = ccpp::new_object<figure>(r, 2.0);
  const ccpp::object_ptr<figure> same = gp;
  const double area = gp->area() + same->scale(2) + gp->scale(2, 3) + gp->side;
  const am::remote<figure> object = gp->object();
  const ccpp::object_value<figure>& whole = *gp;
  whole = figure(whole.get().area());
  ccpp::delete_object(gp);
  ccpp::sync_var<int> v;
  const ccpp::sync_ptr<int> p = am::to_global(&v);
  const ccpp::sync_ref<int>& what_p_gives = *p;
  what_p_gives = 3;
  const ccpp::sync_var<int> copy = v;
  std::string text;
  const ccpp::value_ptr<std::string> to_text = am::to_global(&text);  // global<std::string*>
  const ccpp::value_ref<std::string>& what_it_gives = *to_text;
  what_it_gives = "text";
  return area + copy + double(what_it_gives.get().size());
}
}  // namespace split_c_cc_mpc_and_stapl_2

namespace split_c_cc_mpc_and_stapl_3 {
struct tally {
  void add(int n) { sum += n; }
  int total() const { return sum; }
  void most(const int& input, int& output) { output = std::max(input, output); }
  std::atomic<int> sum = 0;  // non_atomic requests add to it
};
struct tally_task : stapl::parallel_task {
  void execute() override { stapl::async_rmi(0, this, &tally_task::add, 1); }
  void add(int n) { sum += n; }
  int sum = 0;
};

inline int use_stapl() {
  tally mine;
  const stapl::rmi_object<tally> registered(&mine, stapl::non_atomic);  // or (&mine), where all requests are atomic
  const int dest = (stapl::get_node_id() + 1) % stapl::get_num_nodes();
  stapl::async_rmi(dest, &mine, &tally::add, 3);
  stapl::broadcast_rmi(&mine, &tally::add, 1);
  const stapl::non_atomic_request beside = stapl::non_atomic;
  stapl::async_rmi(beside, dest, &mine, &tally::add, 3);  // may run beside its node
  stapl::rmi_fence(stapl::fence_shape::flat);             // or fence_shape::binary, fence_shape::hypercube
  int largest = 0;
  stapl::collect_rmi(&mine, &tally::most, mine.total(), largest);
  auto handle = stapl::nonblocking_sync_rmi(dest, &mine, &tally::total);
  stapl::rmi_poll();
  stapl::set_poll_every(16), stapl::set_aggregation_factor(128);
  tally_task task;
  stapl::execute_parallel_task(&task);  // task.execute()
  stapl::parallel_task& base = task;
  base.execute();
  stapl::pvector<int> v(100), w(100), both(200);
  const stapl::pvector_reference<int> third = v[3];
  third = 4;
  stapl::pvector<std::vector<int>> rows(100);
  const stapl::pvector<std::vector<int>>::reference row = rows[5];
  row.push_back(6);  // on its node: rows.push_back_to(5, 6)
  if (rows.owner(5) == stapl::get_node_id()) rows.push_back_to(5, 7), rows.local_element(5, "use").push_back(8);
  const double mean = am::mean(v.elements());
  stapl::rmi_fence();
  stapl::p_sort(v), stapl::p_copy(v, w), stapl::p_merge(v, w, both);
  stapl::p_for_each(w, [](int& x) { ++x; });
  const stapl::communicator half = am::world().split(stapl::get_node_id() % 2);
  if (stapl::get_num_nodes(half) > 1)
    stapl::async_rmi(half, 1, &mine, &tally::add, stapl::get_node_id(half));  // any word, to some nodes
  stapl::rmi_fence(half);
  stapl::plist<int> l;
  const stapl::plist<int>::place p = l.push_anywhere(1);
  const stapl::plist_reference<int> first = l[p];  // read and written as third
  first = 2, l.push_back(3), l.erase(l.insert(p, 0));
  stapl::pset<int> s;
  s.insert(1), s.erase(2);
  stapl::pmap<int, double> m;
  m.insert(1, 2.0), m.update(1, 0.5), m[3] = 4.0, m.erase(2);
  const stapl::pmap_reference<int, double, std::less<>> of_three = m[3];
  stapl::pgraph<int> g(10);
  g.add_edge(1, 2, 30), g.erase_edge(2, 1), g.add_vertices(2);
  stapl::rmi_fence();
  const double found =
      of_three + m.find(1).value_or(0) + double(s.contains(1) && m.contains(1)) + double(std::list<int>(l).size());
  if (g.owner(1) == stapl::get_node_id() && found > 0) l.clear(), s.clear(), m.clear();  // by one node, for all
  const stapl::prange scope(v, 10, 90, 4);
  const stapl::prange<stapl::pvector<int>>::subrange part = scope[3];
  std::size_t sizes =
      l.size() + s.size() + m.size() + g.size() + g.edges() + g.neighbours(1).size() + scope.size() + part.size() + part.first();
  for (const int x : l.local()) sizes += std::size_t(x + part[0] + part.owner());
  stapl::p_fill(scope, int(sizes));  // p_ and the name of every algorithm
  static_assert(stapl::pcontainer<stapl::pvector<int>> && std::is_same_v<stapl::element_of<decltype(v)>, int>);
  const std::vector<int> all(v);
  const int sums = stapl::p_accumulate(w) + stapl::p_inner_product(v, w) + int(stapl::p_find(v, 4).value_or(0));
  if (mine.sum == 0) stapl::rmi_wait();
  return int(mean) + sums + all[0] + handle.get() + stapl::sync_rmi(dest, &mine, &tally::total);
}
}  // namespace split_c_cc_mpc_and_stapl_3

namespace split_c_cc_mpc_and_stapl_4 {
namespace mpcpp = am::mpcpp;

inline int add(int a, int b) { return a + b; }
struct adder {
  int add(int n) { return n; }
};
static_assert(mpcpp::member_function<decltype(&adder::add)>);

inline void use_mpcpp(mpcpp::GlobalPtr<adder> gp) {
  int sum;
  mpcpp::invoke(sum, r, add, 3, 4), mpcpp::invoke<&adder::add>(gp, 1);
  mpcpp::Sync<int> later;
  mpcpp::ainvoke(later, r, add, 5, 6);
  const int first = later.peek() + later.read();
  if (later.length() == 0) later.write(1);
  later.fail(std::make_exception_ptr(1));
  mpcpp::Barrier meeting(1);
  meeting.arrive();
  mpcpp::Reduction<int, std::plus<>> total(1);
  sum = total.arrive(3);
}
}  // namespace split_c_cc_mpc_and_stapl_4

}  // namespace names
