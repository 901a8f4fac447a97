// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/counter_table.hpp"

#include <iterator>

namespace armilla::detail {
namespace {

struct group {
  const char* heading;
  component part;
};
constexpr group messages{"messages", component::net}, waiting{"waiting", component::net}, teams{"teams", component::net},
    memory{"global memory", component::net}, calls{"calls", component::runtime}, threads{"threads", component::thread_mgmt},
    locks{"locks", component::thread_sync}, algorithms{"algorithms", component::cpu};

constexpr counter_row row(const char* name, std::uint64_t counters::* member, group g) {
  return {name, member, g.heading, g.part};
}

constexpr counter_row table[] = {
    row("frames_sent", &counters::frames_sent, messages),
    row("frames_received", &counters::frames_received, messages),
    row("bytes_sent", &counters::bytes_sent, messages),
    row("bytes_received", &counters::bytes_received, messages),
    row("bundles_received", &counters::bundles_received, calls),
    row("one_way_calls_sent", &counters::one_way_calls_sent, calls),
    row("one_way_calls_dropped", &counters::one_way_calls_dropped, calls),
    row("two_way_calls_sent", &counters::two_way_calls_sent, calls),
    row("replies_sent", &counters::replies_sent, calls),
    row("replies_abandoned", &counters::replies_abandoned, calls),
    row("remote_errors", &counters::remote_errors, calls),
    row("routed_sent", &counters::routed_sent, messages),
    row("routed_passed_on", &counters::routed_passed_on, messages),
    row("control_sent", &counters::control_sent, messages),
    row("control_bytes_sent", &counters::control_bytes_sent, messages),
    row("bulk_sent", &counters::bulk_sent, messages),
    row("bulk_bytes_sent", &counters::bulk_bytes_sent, messages),
    row("backlog_frames", &counters::backlog_frames, messages),
    row("backlog_bytes", &counters::backlog_bytes, messages),
    row("credit_stalls", &counters::credit_stalls, messages),
    row("holds", &counters::holds, messages),
    row("polls", &counters::polls, waiting),
    row("idle_polls", &counters::idle_polls, waiting),
    row("yields", &counters::yields, waiting),
    row("sleeps", &counters::sleeps, waiting),
    row("wakes_sent", &counters::wakes_sent, waiting),
    row("barriers", &counters::barriers, teams),
    row("fences", &counters::fences, teams),
    row("fence_rounds", &counters::fence_rounds, teams),
    row("collectives", &counters::collectives, teams),
    row("reads", &counters::reads, memory),
    row("writes", &counters::writes, memory),
    row("gets", &counters::gets, memory),
    row("get_bytes", &counters::get_bytes, memory),
    row("puts", &counters::puts, memory),
    row("put_bytes", &counters::put_bytes, memory),
    row("stores", &counters::stores, memory),
    row("store_bytes", &counters::store_bytes, memory),
    row("atomics", &counters::atomics, memory),
    row("cross_copies", &counters::cross_copies, memory),
    row("receive_buffers_reused", &counters::receive_buffers_reused, calls),
    row("receive_buffers_made", &counters::receive_buffers_made, calls),
    row("receive_buffers_returned", &counters::receive_buffers_returned, calls),
    row("stub_hits", &counters::stub_hits, calls),
    row("stub_misses", &counters::stub_misses, calls),
    row("client_calls", &counters::client_calls, calls),
    row("switches", &counters::switches, threads),
    row("fibers_made", &counters::fibers_made, threads),
    row("locks", &counters::locks, locks),
    row("contended_locks", &counters::contended_locks, locks),
    row("signals", &counters::signals, locks),
    row("algorithms", &counters::algorithms, algorithms),
    row("elements", &counters::elements, algorithms),
    row("elements_moved", &counters::elements_moved, algorithms),
    row("buffered_frames", &counters::buffered_frames, messages),
    row("buffered_ns", &counters::buffered_ns, messages),
};
static_assert(std::size(table) * sizeof(std::uint64_t) == sizeof(counters),
              "a counter without a row, or a row without a counter");

}  // namespace

std::span<const counter_row> counter_table() noexcept { return table; }

const char* name_of(component c) noexcept {
  constexpr const char* names[components] = {"cpu", "net", "thread management", "thread synchronisation", "runtime"};
  return names[unsigned(c)];
}

const char* short_name_of(component c) noexcept {
  constexpr const char* names[components] = {"cpu", "net", "thread_mgmt", "thread_sync", "runtime"};
  return names[unsigned(c)];
}

}  // namespace armilla::detail
