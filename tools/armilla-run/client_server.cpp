// SPDX-License-Identifier: Apache-2.0
#include "client_server.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <list>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/values/clock.hpp"
#include "armilla/boot/host/units.hpp"
#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/client/circuit.hpp"
#include "armilla/client/client_state.hpp"
#include "armilla/client/exposed_here.hpp"
#include "armilla/client/rank_line.hpp"
#include "armilla/client/remote_part.hpp"
#include "armilla/client/who_waits.hpp"
#include "armilla/error.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;

constexpr std::uint64_t look_at_ranks_ns = 50 * milli;  // whether they still live
constexpr std::uint64_t shortest_nap_ns = 20'000, longest_nap_ns = milli;
constexpr std::size_t most_calls = 256;                             // an attached client asks for 64 at most
constexpr std::size_t most_waiting = 4 << 20, most_read = 4 << 20;  // bytes

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Of "armilla: exposed: there is no ..." what stands behind the operation.
std::string_view behind_operation(std::string_view what) {
  for (const std::string_view operation : {"call: ", "exposed: ", "who_waits: ", "client: ", "attach: "})
    if (const std::size_t at = what.find(operation); at != std::string_view::npos) return what.substr(at + operation.size());
  return what;
}

/// A call of the attached client: it waits for room at the rank, or for its reply.
struct under_way {
  circuit_head head;
  remote_call asked;
  std::shared_ptr<rank_line> line;
  std::shared_ptr<client_answer> answer;  // null: it has not left
};

/// One thread, which waits for nothing but the socket: what ranks have replied it looks for, at first often, then each
/// millisecond.
class client_server {
 public:
  client_server(std::string host, int socket, std::vector<std::shared_ptr<job_memory>> memories)
      : host_(std::move(host)), circuit_(socket) {
    for (auto& one : memories) jobs_.push_back(std::make_unique<client_state>(std::move(one)));
  }
  void run();

 private:
  bool takes_in() const { return circuit_.waiting() < most_waiting && !circuit_.has_next(); }
  void wait_for_events();
  void take(circuit_frame& frame);
  void answer(const circuit_head& two_way_call, client_outcome how, std::span<const std::byte> body);
  void answer_failure(const circuit_head& two_way_call, const std::exception_ptr& reason);
  std::vector<std::byte> do_as_asked(const circuit_frame& frame);
  std::vector<remote_waits> waits();
  void begin_call(const circuit_frame& frame);
  bool advance(under_way& one, bool look_at_rank);
  void advance_calls();
  std::string why_late(const remote_lateness& what);
  void drop(std::uint64_t number);
  client_state& job_of(rank_t r);
  std::vector<rank_t> ranks_here() const;
  std::vector<remote_part> parts() const;
  found_part place_of(rank_t r, const exposed_bytes& where);
  std::vector<std::byte> read(rank_t r, const exposed_bytes& where);
  void write(rank_t r, std::span<const std::byte> body);

  std::string host_;
  circuit circuit_;
  std::vector<std::unique_ptr<client_state>> jobs_;  // mostly one; several where ranks share no memory
  std::list<under_way> calls_;
  std::uint64_t nap_ns_ = shortest_nap_ns, looked_ns_ = 0;
};

void client_server::run() {
  for (;;) {
    wait_for_events();
    const bool there = !takes_in() || circuit_.receive();
    while (circuit_.waiting() < most_waiting) {
      auto frame = circuit_.next();
      if (!frame) break;
      take(*frame);
    }
    advance_calls();
    if (!circuit_.flush() || !there) return;
  }
}

// An attached client that asks and does not read is not read either.
void client_server::wait_for_events() {
  const bool writes = circuit_.waiting() != 0, has_work = !calls_.empty() || circuit_.has_next();
  pollfd socket{circuit_.socket(), short((takes_in() ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0};
  const timespec nap{0, long(nap_ns_)};
  const bool came = ppoll(&socket, 1, has_work ? &nap : nullptr, nullptr) > 0;
  nap_ns_ = came ? shortest_nap_ns : std::min(2 * nap_ns_, longest_nap_ns);
}

void client_server::take(circuit_frame& frame) try {
  nap_ns_ = shortest_nap_ns;
  if (frame.head.what == circuit_head::drop) return drop(frame.head.number);
  if (frame.head.what == circuit_head::call) return begin_call(frame);
  answer(frame.head, client_outcome::answered, do_as_asked(frame));
} catch (...) { answer_failure(frame.head, std::current_exception()); }

void client_server::answer(const circuit_head& two_way_call, client_outcome how, std::span<const std::byte> body) {
  if (body.size() > circuit_head::most_bytes)
    throw_limit("call", fmt::format("{} bytes are more than come from another host at once, which is {}", body.size(),
                                    circuit_head::most_bytes));
  circuit_.post({two_way_call.number, circuit_head::answer, two_way_call.rank, std::uint32_t(how), 0, 0}, body);
}

void client_server::answer_failure(const circuit_head& two_way_call, const std::exception_ptr& reason) {
  try {
    std::rethrow_exception(reason);
  } catch (const rank_lost& why) {
    answer(two_way_call, client_outcome::lost, bytes_of(why.cause()));
  } catch (const limit_error& why) {
    answer(two_way_call, client_outcome::limit, bytes_of(behind_operation(why.what())));
  } catch (const std::exception& why) { answer(two_way_call, client_outcome::usage, bytes_of(behind_operation(why.what()))); }
}

std::vector<std::byte> client_server::do_as_asked(const circuit_frame& frame) {
  const rank_t r = frame.head.rank;
  switch (frame.head.what) {
    case circuit_head::hosts: return circuit_bytes(remote_ranks{host_, ranks_here()});
    case circuit_head::exposed: return circuit_bytes(parts());
    case circuit_head::read: return read(r, from_circuit<exposed_bytes>(frame.body));
    case circuit_head::write: return write(r, frame.body), std::vector<std::byte>();
    case circuit_head::waits: return circuit_bytes(waits());
    case circuit_head::late: return circuit_bytes(why_late(from_circuit<remote_lateness>(frame.body)));
    default:
      throw_usage("call", fmt::format("an attached client asks for {}, which this version does not know", frame.head.what));
  }
}

// "rank 2 (./solver, pid 10): ...": the process is one of this host.
std::vector<remote_waits> client_server::waits() {
  std::vector<remote_waits> all;
  for (const auto& job : jobs_)
    for (remote_waits& each : waits_here(job->memory())) {
      if (const std::size_t end = each.text.find(')'); end != std::string::npos) each.text.insert(end, " on " + host_);
      all.push_back(std::move(each));
    }
  return all;
}

std::vector<rank_t> client_server::ranks_here() const {
  std::vector<rank_t> all;
  for (const auto& job : jobs_)
    for (rank_t r = 0; r < job->memory().ranks(); ++r)
      if (job->is_here(r)) all.push_back(r);
  return all;
}

client_state& client_server::job_of(rank_t r) {
  for (const auto& job : jobs_)
    if (r >= 0 && r < job->memory().ranks() && job->is_here(r)) return *job;
  throw_usage("call", fmt::format("rank {} does not run on {}, or has not begun yet", r, host_));
}

// --- calls ---

void client_server::begin_call(const circuit_frame& frame) {
  if (calls_.size() >= most_calls) throw_limit("call", fmt::format("{} calls are under way on {}", calls_.size(), host_));
  calls_.push_back({frame.head, from_circuit<remote_call>(frame.body), nullptr, nullptr});
}

// True: it is over, and answered.
bool client_server::advance(under_way& one, bool look_at_rank) try {
  if (one.answer == nullptr) {
    if (one.line == nullptr) one.line = std::static_pointer_cast<rank_line>(job_of(one.head.rank).line(one.head.rank));
    if (one.line->has_room())
      one.answer = one.line->ask(
          {client_request(one.asked.request), one.asked.name, one.asked.signature, one.asked.hash, std::move(one.asked.message)},
          0);
  }
  const auto is_there = [&] { return one.answer != nullptr && one.line->ready(*one.answer); };
  if (!is_there() && look_at_rank) try {
      one.line->check_line(one.asked.name);
    } catch (const error&) {
      if (!is_there()) throw;  // else it came just before the end
    }
  if (!is_there()) return false;
  answer(one.head, one.answer->outcome, one.answer->bytes);
  return true;
} catch (...) {
  answer_failure(one.head, std::current_exception());
  return true;
}

void client_server::advance_calls() {
  const std::uint64_t now = now_ns();
  const bool look_at_ranks = now >= looked_ns_ + look_at_ranks_ns;
  if (look_at_ranks) looked_ns_ = now;
  std::erase_if(calls_, [&](under_way& one) { return circuit_.waiting() < most_waiting && advance(one, look_at_ranks); });
}

// What has begun goes on, and is not waited for.
void client_server::drop(std::uint64_t number) {
  const auto found = std::ranges::find(calls_, number, [](const under_way& one) { return one.head.number; });
  if (found == calls_.end()) return;
  if (found->answer != nullptr) found->line->drop(*found->answer);
  calls_.erase(found);
}

std::string client_server::why_late(const remote_lateness& what) {
  const auto late = std::ranges::find(calls_, what.number, [](const under_way& one) { return one.head.number; });
  if (late == calls_.end()) return fmt::format("the reply is on its way from {}", host_);
  if (late->answer != nullptr) return fmt::format("{} (on {})", late->line->why_late(*late->answer, what.seconds), host_);
  return fmt::format("'{}' of rank {} has not begun within {:.1f} s: calls before it have not ended (on {})", late->asked.name,
                     late->head.rank, what.seconds, host_);
}

// --- what is exposed ---

std::vector<remote_part> client_server::parts() const {
  std::vector<remote_part> all;
  for (const auto& job : jobs_)
    for (const found_part& one : find_parts(job->memory())) all.push_back(packed(one.part));
  return all;
}

found_part client_server::place_of(rank_t r, const exposed_bytes& where) {
  auto found = find_part(job_of(r).memory(), r, where.name);
  if (found.empty()) throw_usage("exposed", fmt::format("rank {} exposes no '{}' any more", r, where.name));
  refuse_table(found.front().part);
  check_place(found.front().part, where.offset, where.bytes);
  return std::move(found.front());
}

std::vector<std::byte> client_server::read(rank_t r, const exposed_bytes& where) {
  const found_part place = place_of(r, where);
  if (where.bytes > most_read) throw_limit("exposed", fmt::format("{} bytes at once; {} are read", where.bytes, most_read));
  std::vector<std::byte> bytes(where.bytes);
  if (!job_of(r).memory().read(place.offset + where.offset, bytes.data(), bytes.size()))
    throw_limit("exposed", fmt::format("{} bytes of '{}' of rank {} cannot be read", where.bytes, where.name, r));
  return bytes;
}

void client_server::write(rank_t r, std::span<const std::byte> body) {
  decoder in(body.data(), body.size());
  const auto where = in.get<exposed_bytes>();
  if (in.remaining() != where.bytes) throw_decode(r, "exposed", "an attached client writes fewer bytes than it says, or more");
  found_part place = place_of(r, where);
  map_part(job_of(r).memory(), place);
  if (where.bytes != 0) std::memcpy(place.part.data + where.offset, in.position(), where.bytes);
}

}  // namespace

int serve_client(const std::vector<std::string>& words) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::shared_ptr<job_memory>> memories;
  for (const std::string& file : std::span(words).subspan(2)) {
    auto one = std::make_shared<job_memory>(getpid(), std::atoi(file.c_str()));
    if (one->valid()) memories.push_back(std::move(one));
  }
  client_server(words[0], std::atoi(words[1].c_str()), std::move(memories)).run();
  _exit(EXIT_SUCCESS);  // with whatever is under way
}

}  // namespace armilla::run
