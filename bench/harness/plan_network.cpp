// SPDX-License-Identifier: Apache-2.0
// Suite network: two ranks of one host, between which a network carries everything; and two hosts with two ranks each.
#include "bench/harness/plan.hpp"

namespace bench {
namespace {

constexpr worker_kind over_mpi = worker_kind::over_mpi, over_ucx = worker_kind::over_ucx, over_tcp = worker_kind::over_ucx_tcp,
                      mpi = worker_kind::mpi, ucx = worker_kind::ucx, ucx_tcp = worker_kind::ucx_tcp;
constexpr long round_trips = 500;  // short samples: there are more in which no other process came between
constexpr long megabyte = 1 << 20;
constexpr double bandwidth = 1 / 0.95;  // times: 0.95 of the bandwidth or more

/// A job that mixes shared memory inside a host with a network between them, against the same job over that network alone.
void add_mixed(std::vector<spec>& t, const std::string& ending, worker_kind mixed, worker_kind pure) {
  const auto row = [&](const char* name, const char* of, const char* unit, long size, long iterations, double limit) {
    t.push_back({.name = name + ending,
                 .suite = "network",
                 .row = of,
                 .unit = unit,
                 .size = size,
                 .iterations = iterations,
                 .baselines = {{pure, of, limit}},
                 .ranks = 4,
                 .runs = 11,
                 .worker = mixed});
  };
  row("mixed_histogram", "histogram_async", "ns/update", 0, 1'000'000, 1 / 1.25);
  row("mixed_em3d_bulk", "em3d_bulk", "ns/edge", 40, 100, 1);
}

/// A read or an atomic operation at a rank that computes and polls every 10 ms: with a progress thread, and beside it without; or
/// both without, over a network that needs nothing of the rank.
void add_computing(std::vector<spec>& t, const std::string& network, worker_kind attended, worker_kind polled, double limit) {
  const auto without = [&](const char* of) {
    return attended == polled ? std::vector<baseline>{} : std::vector<baseline>{{polled, of}};
  };
  const auto row = [&](const std::string& name, const char* of, long size, double limit_ns, std::vector<baseline> beside) {
    t.push_back({.name = network + "_computing_" + name,
                 .suite = "network",
                 .row = of,
                 .size = size,
                 .iterations = 50,
                 .baselines = std::move(beside),
                 .limit_value = limit_ns,
                 .runs = 7,
                 .worker = attended});
  };
  row("get_8", "attention_get", 8, limit, without("attention_get"));
  row("get_4k", "attention_get_many", 4096, limit, without("attention_get_many"));
  row("fetch_add", "attention_fetch_add", 8, limit, without("attention_fetch_add"));
  std::vector<baseline> beside = without("attention_get_many");
  beside.insert(beside.begin(), {{polled, "polling_get_many", 1.2}, {polled, "get_stream", 0, 10}});
  row("get_1m", "attention_get_many", megabyte, 0, beside);
}

}  // namespace

void add_network(std::vector<spec>& t) {
  const auto row = [&](const char* name, const char* of, worker_kind who, long iterations, std::vector<baseline> beside) {
    t.push_back({.name = name,
                 .suite = "network",
                 .row = of,
                 .iterations = iterations,
                 .baselines = std::move(beside),
                 .runs = 21,
                 .worker = who});
    return &t.back();
  };
  row("mpi_am_rtt", "am_rtt", over_mpi, round_trips, {{mpi, "mpi_ring_rtt", 1.25}, {mpi, "mpi_rtt"}});
  row("mpi_am_oneway", "am_oneway", over_mpi, 20'000, {{mpi, "mpi_ring_oneway", 1.2}});
  row("mpi_call_empty", "call_empty", over_mpi, round_trips, {{mpi, "mpi_rtt", 1.8}});
  spec* const histogram = row("mpi_histogram", "histogram_long_buffers", over_mpi, 10'000'000, {{mpi, "mpi_histogram", 1.2}});
  histogram->unit = "ns/update";
  histogram->runs = 11;
  row("mpi_bw_1m", "argument_stream", over_mpi, 20, {{mpi, "mpi_bulk", bandwidth}})->size = megabyte;
  row("mpi_get_1m", "get_stream", over_mpi, 10, {{mpi, "mpi_bulk"}})->size = megabyte;
  row("mpi_fence_idle", "fence_idle", over_mpi, round_trips, {{mpi, "mpi_barrier", 2.3}});
  row("mpi_fence_busy", "fence_busy", over_mpi, round_trips, {{mpi, "mpi_barrier", 4}});
  row("ucx_am_rtt", "am_rtt", over_ucx, round_trips, {{ucx, "ucx_am", 1.25}});
  row("ucx_tcp_am_rtt", "am_rtt", over_tcp, 100, {{ucx_tcp, "ucx_am", 1.15}});
  row("ucx_bw_1m", "argument_stream", over_ucx, 20, {{ucx, "ucx_bulk", bandwidth}})->size = megabyte;
  row("ucx_get_1m", "get_stream", over_ucx, 10, {{ucx, "ucx_bulk"}, {ucx, "ucx_get"}})->size = megabyte;
  row("ucx_get_64k", "get_stream", over_ucx, 100, {{ucx, "ucx_get"}})->size = megabyte / 16;
  row("ucx_tcp_get_1m", "get_stream", over_tcp, 10, {{ucx_tcp, "ucx_get"}})->size = megabyte;
  for (const auto& [name, who] : {std::pair{"peer_bytes", over_mpi}, std::pair{"peer_bytes_ucx", over_ucx}}) {
    spec* const peers = row(name, "peer_memory", who, 1, {});
    peers->unit = "KiB";
    peers->limit_value = 192;
    peers->ranks = 8;
    peers->runs = 1;
  }
  for (const auto& [name, who] : {std::pair{"peer_first", over_mpi}, std::pair{"peer_first_ucx", over_ucx}}) {
    spec* const once = row(name, "peer_first", who, 1, {});
    once->unit = "KiB";
    once->ranks = 8;
    once->runs = 1;
  }
  add_computing(t, "mpi", worker_kind::over_mpi_thread, over_mpi, 0);
  add_computing(t, "ucx", over_ucx, over_ucx, 20'000);
  add_computing(t, "ucx_tcp", worker_kind::over_ucx_tcp_thread, over_tcp, 100'000);
  add_mixed(t, "", worker_kind::hosts_mixed_mpi, worker_kind::hosts_mpi);
  add_mixed(t, "_ucx", worker_kind::hosts_mixed_ucx, worker_kind::hosts_ucx);
}

}  // namespace bench
