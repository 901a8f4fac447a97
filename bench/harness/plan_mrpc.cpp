// SPDX-License-Identifier: Apache-2.0
// Suites fiber and mrpc.
#include "bench/harness/plan.hpp"

namespace bench {
namespace {

constexpr worker_kind hand = worker_kind::hand, mpi = worker_kind::mpi, armilla = worker_kind::armilla,
                      by_message = worker_kind::by_message, timed = worker_kind::timed, programs = worker_kind::programs,
                      programs_timed = worker_kind::programs_timed;

#ifdef ARMILLA_BENCH_BOOST_FIBER
constexpr bool have_boost_fiber = true;
#else
constexpr bool have_boost_fiber = false;
#endif

/// MRPC, table 3.
struct named_row {
  const char* name;
  const char* by_hand;  ///< the same in MPI
  long bytes;           ///< that it sends, or asks for
  paper_row figures;
};
constexpr named_row table_3[] = {
    {"word0_simple", "mpi_rtt", 0, {67, 55, 4, 0, 0, 10, 8}},
    {"word0", "mpi_rtt", 0, {77, 55, 12, 1, 0, 15, 10}},
    {"word1", "mpi_write", 8, {94, 70, 12, 1, 0, 15, 12}},
    {"word2", "mpi_write", 16, {95, 70, 12, 1, 0, 15, 13}},
    {"word0_threaded", "mpi_rtt", 0, {87, 55, 21, 2, 1, 10, 11}},
    {"word0_atomic", "mpi_rtt", 0, {88, 55, 21, 2, 1, 14, 12, 56, 53, 3}},
    {"gp_read", "mpi_read", 8, {92, 55, 21, 2, 1, 10, 16, 57, 53, 4}},
    {"gp_write", "mpi_write", 8, {92, 55, 21, 2, 1, 10, 16, 57, 53, 4}},
    {"bulk_write_40", "mpi_write", 160, {154, 70, 21, 2, 1, 10, 63, 74, 70, 4}},
    {"bulk_read_40", "mpi_read", 160, {177, 70, 21, 2, 1, 10, 86, 75, 70, 5}},
    {"prefetch_20", "mpi_prefetch_20", 0, {35.4, 5.3, 21, 2, 1, 10, 9.1, 12.1, 6.2, 5.9}},
};

/// What stands beside a row of the table, beyond its timed self: the same on mapped memory, the same as Split-C has it, the
/// row that it is judged by.
std::vector<baseline> beside(const std::string& name) {
  if (name == "gp_read" || name == "gp_write") return {{armilla, name, 0, 20'000}};
  if (name == "bulk_write_40") return {{by_message, "split_write_40"}};
  if (name == "bulk_read_40") return {{by_message, "split_read_40"}};
  if (name == "prefetch_20") return {{by_message, "gp_read", 0.35}, {by_message, "split_prefetch_20"}};
  if (name == "word0_simple") return {};
  if (name == "word0_threaded") return {{armilla, "word0_simple", 1.2}};
  return {{armilla, "word0_simple"}};
}

void add_table_3(std::vector<spec>& t) {
  for (const named_row& one : table_3) {
    const std::string name = one.name;
    spec s{.name = name,
           .suite = "mrpc",
           .row = name,
           .size = one.bytes,
           .iterations = name == "prefetch_20" ? 300 : 3000,
           .runs = 15};
    s.worker = by_message;
    s.paper = one.figures;
    s.baselines = beside(name);
    s.baselines.insert(s.baselines.end(), {{mpi, one.by_hand, name == "prefetch_20" ? 1.0 : 0}, {timed, name}});
    t.push_back(s);
    if (name == "word0_simple") continue;  // in another program every body may wait: see call_mpmd
    s.name += "_mpmd";
    s.worker = programs;
    s.baselines = {{by_message, name}, {mpi, one.by_hand}, {programs_timed, name}};
    t.push_back(s);
  }
}

}  // namespace

void add_fiber(std::vector<spec>& t) {
  const auto add = [&](const char* name, double limit, const char* boost, std::vector<baseline> others) {
    spec s{.name = name, .suite = "fiber", .row = name, .iterations = 100'000, .limit_value = limit};
    if (have_boost_fiber) s.baselines.push_back({hand, boost, 0, 20'000});
    s.baselines.insert(s.baselines.end(), others.begin(), others.end());
    t.push_back(s);
  };
  add("fiber_switch", 8, "boost_fiber_switch", {{hand, "pthread_switch", 0, 2000}});
  add("fiber_spawn_join", 30, "boost_fiber_create_join", {{hand, "pthread_create_join", 0, 100}});
  add("fiber_mutex", 5, "boost_fiber_mutex", {{hand, "pthread_mutex"}});
  add("sync_var", 10, "boost_fiber_promise", {});
}

void add_mrpc(std::vector<spec>& t) {
  add_table_3(t);
  const auto add = [&](const char* name, std::vector<baseline> others, long size = 0) -> spec& {
    t.push_back({.name = name, .suite = "mrpc", .row = name, .size = size, .iterations = 3000, .baselines = std::move(others)});
    return t.back();
  };
  add("call_may_wait", {{armilla, "call_to_completion", 1.05}});
  spec& two = add("call_mpmd", {{armilla, "call_may_wait", 1.03}, {mpi, "mpi_rtt", 0.75}});
  two.worker = programs;
  two.limit_x = 1.75;
  add("call_waits_once", {{armilla, "call_waits_not", 0, 0, 120}});
  add("call_atomic", {{armilla, "call_method", 1.1}});
  add("outstanding_64", {{armilla, "call_empty", 0.25}}).iterations = 20'000;
  add("arg_span20", {{armilla, "call_empty", 1.25}});
  add("arg_vec20", {{armilla, "call_empty", 1.45}}).row = "call_vec20";
  add("result_vec20", {{armilla, "call_empty", 1.45}}, 160).row = "result_vec";
  spec& long_result = add("result_vec_1m", {{armilla, "memcpy"}, {armilla, "result_private"}}, 1 << 20);
  long_result.row = "result_vec";
  long_result.iterations = 20;
  spec& cold = add("call_cold", {{programs, "call_mpmd", 0, 0, 5000}});
  cold.worker = programs;
  cold.iterations = 1000;
  spec& bytes = add("waiting_body_bytes", {}, 10'000);
  bytes.unit = "B";
  bytes.iterations = 1;
  bytes.limit_value = 20 * 1024;
  bytes.runs = 2;  // seconds each: every body's stack is mapped
  spec& get = add("attention_get", {{worker_kind::interrupted, "attention_get"}});
  get.worker = worker_kind::with_thread;
  get.iterations = 100;
  get.limit_value = 50'000;
  get.runs = 5;
  spec& cost = add("attention_cost", {{worker_kind::with_thread, "work_undisturbed", 1.02}});
  cost.row = "work_under_reads";
  cost.worker = worker_kind::with_thread;
  cost.unit = "ms";
  cost.iterations = 20;
  cost.runs = 11;
#ifdef ARMILLA_BENCH_BLAS
  // dgemm's own time divided by 0.88, and that of polling by 1.3.
  const auto multiply = [&](const char* name, worker_kind kind, std::vector<baseline> others) {
    spec& mm = add(name, std::move(others));
    mm.row = "mm";
    mm.worker = kind;
    mm.unit = "ms";
    mm.iterations = 1;
    mm.runs = 11;
  };
  multiply("mm_poll", by_message, {{by_message, "mm_alone"}});
  multiply("mm_thread", worker_kind::with_thread, {{by_message, "mm", 1 / 1.3}, {by_message, "mm_alone", 1 / 0.88}});
  multiply("mm_signal", worker_kind::interrupted, {{by_message, "mm", 1 / 1.3}, {by_message, "mm_alone", 1 / 0.88}});
#endif
}

}  // namespace bench
