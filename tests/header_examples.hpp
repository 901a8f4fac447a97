// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the examples in the comments of public headers use without declaring it, for tools/check-docs: after the name of each
// header, the declarations for its examples. No program includes this file.

// map.hpp
inline std::vector<std::string> some_names;
inline std::vector<std::pair<std::string, long>> offers;
inline void show(const std::string&, long) {}

// vector.hpp
inline std::vector<int> candidates;
inline bool good(int) { return true; }

// bag.hpp
struct triangle {
  double area = 0;
};
struct face {
  triangle half() const { return {}; }
};
inline std::vector<face> faces;
inline bool good(const face&) { return true; }

// bitmap.hpp
inline std::size_t n = 1000, v = 17;
inline void visit(std::size_t) {}

// disjoint_set.hpp
inline std::size_t n = 1000;
inline std::vector<std::pair<std::size_t, std::size_t>> my_edges;

// keyed_disjoint_set.hpp
inline std::vector<std::pair<std::string, std::string>> my_matches;

// growing_graph.hpp
inline void use(am::vertex_id, double) {}

// queue.hpp
struct job {
  int number = 0;
};
inline void run(const job&) {}

// remote_channel.hpp
struct reading {
  double value = 0;
};
inline std::vector<reading> measure() { return std::vector<reading>(3); }
inline void store(const reading&) {}

// work_queue.hpp
struct node {
  int depth = 0;
  std::vector<node> children() const { return {}; }
};
inline node root;

// sparse_matrix.hpp
inline std::size_t n = 1000;
inline std::vector<am::matrix_entry<double>> my_entries;

// hdf5.hpp
extern am::matrix<double> heat;
extern am::vector<double> x;

// json_lines.hpp
inline void use(const std::string&, double) {}

// npy.hpp
extern am::vector<double> x;
extern am::matrix<double> heat;

// graph.hpp
inline void use(am::vertex_id, am::vertex_id) {}

// attention.hpp
inline void multiply_matrices() {}

// call_all.hpp
inline long load_of_this_rank() { return 0; }

// call_all_parts.hpp
struct histogram {
  long total() const;
};
extern am::distributed<histogram> h;

// call_into.hpp
inline std::size_t rows = 10;
inline std::vector<std::vector<double>> columns;
inline void use(double) {}

// channel.hpp
struct job {};
inline void run(const job&) {}

// collective_async.hpp
inline double mine = 1;
inline void compute() {}
inline void use(double) {}

// counter.hpp
extern am::global_ptr<double> q;
inline double value = 1;

// create.hpp
struct grid_data {};
inline grid_data data;
struct solver {
  explicit solver(const grid_data&) {}
  double step(double);
};

// remote.hpp
struct grid_data {};
inline grid_data data;
struct solver {
  explicit solver(const grid_data&) {}
  double step(double);
};

// distributed.hpp
struct histogram {
  explicit histogram(int) {}
  void add(int);
};
inline int bins = 10;
inline am::rank_t dest = 1;

// distribution.hpp
inline std::size_t n = 1000;
extern am::team half;

// each.hpp
inline std::vector<double> mine;

// event.hpp
inline std::vector<double> halo, column;
extern am::global_ptr<double> p, q;
extern am::strided<2> shape;
inline void compute_inside() {}

// exposed.hpp
inline void use(double) {}

// files.hpp
extern am::unordered_map<std::string, long> count;
inline void use(const std::string&, int, double) {}

// handle.hpp
extern am::array<int> x;
inline am::rank_t dest = 1;

// hints.hpp
struct tree {};
inline long search(int) { return 0; }
inline int root = 1;
inline void stop() {}
struct part {
  int meet();
};
extern am::distributed<part> h;

// join.hpp
inline std::vector<std::pair<std::string, long>> people_of;
inline std::vector<std::pair<std::string, std::string>> country_of;
struct order {
  long customer = 0;
};
struct customer {
  long number = 0;
};
inline std::vector<order> orders;
inline std::vector<customer> customers;
inline void show(const auto&...) {}

// library.hpp
namespace solver_api {
struct solver;
inline constexpr am::method<am::remote<solver>(int)> make{"demo.solver.make"};
inline constexpr am::method<double(double)> step{"demo.solver.step"};
}  // namespace solver_api
struct fast_solver {
  explicit fast_solver(int) {}
  double step(double);
};

// local_span.hpp
extern am::local_span<double, 2> tile;
extern am::local_span<double, 1> column;

// matrix_views.hpp
extern am::matrix<double> m;

// message.hpp
inline long answer = 0;

// method.hpp
inline double step(double x) { return x; }
inline am::rank_t rank = 1;

// named_object.hpp
struct fast_solver {
  explicit fast_solver(int) {}
  double step(double);
};
inline am::rank_t rank = 1;

// parfor.hpp
inline int n = 10;
inline std::vector<double> x(10);
extern std::vector<am::global_ptr<double>> remote;
inline void left() {}
inline void right() {}

// phase.hpp
inline int steps = 10;
inline void compute_forces() {}

// polymorphic.hpp
struct shape {
  virtual ~shape() = default;
  virtual double area() const = 0;
};
struct circle final : shape {
  double radius = 0;
  circle() = default;
  explicit circle(double r) : radius(r) {}
  double area() const override { return radius; }
  void define_type(auto& t) { t.local(radius); }
};
inline am::rank_t dest = 1;

// print.hpp
inline double seconds = 1;

// range.hpp
extern am::array<double> x;
inline void use(std::span<double>) {}

// rebalance.hpp
extern am::vector<double> x;

// run.hpp
inline int solve(const std::string&, int) { return 0; }

// session.hpp
inline void work() {}

// remote_sync.hpp
extern am::global_ptr<am::sync_var<int>> p;

// sort.hpp
struct person {
  int age = 0;
};
extern am::vector<double> x;
extern am::vector<person> people;

// spmd.hpp
inline std::size_t ask_for_size() { return 1; }
inline void fill_it(am::vector<double>&) {}

// stats.hpp
inline void step() {}

// steady_clock.hpp
inline void work() {}

// stencil.hpp
extern am::matrix<double> t, u;

// strided.hpp
inline std::size_t rows = 2, columns = 3;
inline std::ptrdiff_t leading = 4;
inline std::vector<double> mine(6);
extern am::global_ptr<double> p;

// sync_var.hpp
inline int compute() { return 1; }
inline void use(int) {}

// task.hpp
inline double position() { return 1; }

// team.hpp
inline double x = 1;
inline auto plus = std::plus<>{};
extern am::team t;

// top_k.hpp
extern am::unordered_map<std::string, long> count;
extern am::array<double> weights;
inline void show(const std::string&, long) {}
inline void show(std::size_t, double) {}

// view.hpp
inline std::vector<double> numbers;

// views.hpp
extern am::array<double> x;
inline double square(double e) { return e * e; }

// when_complete.hpp
inline std::vector<double> row;
extern am::global_ptr<double> p;
inline double add_up(const std::vector<double>&) { return 0; }

// transfer.hpp
extern am::global_ptr<double> p, q;
inline void compute() {}

// collectives.hpp
inline double error = 0.1;

// order.hpp
extern am::vector<double> prices;

// elementwise.hpp
extern am::vector<double> x, y;

// fold.hpp
extern am::vector<double> x;

// scan.hpp
extern am::vector<double> x, y;
extern am::vector<std::size_t> counts, offsets;

// search.hpp
extern am::vector<double> x;

// moves.hpp
extern am::vector<double> x;

// compaction.hpp
extern am::vector<double> x, y, v;

// gather.hpp
extern am::vector<double> x;

// by_key.hpp
inline void show(const std::string&, double) {}

// sorted_ranges.hpp
extern am::vector<double> a, b, out;

// query.hpp
extern am::vector<double> x;

// reproducible.hpp
extern am::vector<double> x;

// graph_views.hpp
extern am::graph<> g;

// atomic.hpp
extern am::global_ptr<long> next;

// poll.hpp
inline void compute() {}
inline bool done = false;
inline std::vector<am::future<int>> futures;

// graph_algorithms.hpp
extern am::graph<> g;
