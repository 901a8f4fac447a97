// SPDX-License-Identifier: Apache-2.0
#include "guest_server.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/boot/job_search.hpp"
#include "armilla/boot/units.hpp"
#include "armilla/guest/circuit.hpp"
#include "armilla/guest/exposed_here.hpp"
#include "armilla/guest/far_part.hpp"
#include "armilla/guest/guest_state.hpp"
#include "armilla/guest/who_waits.hpp"

namespace armilla::run {
namespace {

using namespace armilla::detail;

constexpr std::uint64_t call_patience_ns = 10'000 * milli, look_for_drops_ns = 50 * milli;
constexpr std::uint64_t guest_reads_within_ns = 60'000 * milli;
constexpr int most_at_once = 64;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Of "armilla: rank 3: call: too many ..." the last.
std::string_view behind_operation(std::string_view what, std::string_view operation) {
  const std::size_t at = what.find(operation);
  return at == std::string_view::npos ? what : what.substr(at + operation.size());
}

struct under_way {
  std::shared_ptr<guest_line> line;
  std::shared_ptr<guest_answer> answer;
  bool dropped = false;
};

class guest_server {
 public:
  guest_server(std::string host, int socket, std::vector<std::shared_ptr<job_memory>> memories)
      : host_(std::move(host)), circuit_(socket) {
    for (auto& one : memories) jobs_.push_back(std::make_unique<guest_state>(std::move(one)));
  }
  void run();

 private:
  void begin(circuit_frame frame);
  void answer(const circuit_head& question, guest_outcome how, std::span<const std::byte> body);
  void serve(const circuit_frame& frame) noexcept;
  std::vector<std::byte> do_as_asked(const circuit_frame& frame, guest_outcome& how);
  std::vector<std::byte> call(const circuit_frame& frame, guest_outcome& how);
  void await(std::uint64_t number, guest_line& line, guest_answer& one);
  std::string why_late(const far_lateness& what);
  void drop(std::uint64_t number);
  guest_state& job_of(rank_t r);
  std::vector<rank_t> ranks_here() const;
  std::vector<far_part> parts() const;
  found_part place_of(rank_t r, const far_place& where);
  std::vector<std::byte> read(rank_t r, const far_place& where);
  void write(rank_t r, std::span<const std::byte> body);

  std::string host_;
  circuit circuit_;
  std::vector<std::unique_ptr<guest_state>> jobs_;  // mostly one; several where ranks share no memory
  std::mutex sending_, lock_;
  std::condition_variable changed_;
  int running_ = 0;
  std::map<std::uint64_t, under_way> calls_;
};

// Each question has a thread of its own: a call may take as long as it likes.
void guest_server::run() {
  for (;;) {
    pollfd socket{circuit_.socket(), POLLIN, 0};
    poll(&socket, 1, -1);
    const bool there = circuit_.receive();
    while (auto frame = circuit_.next()) begin(std::move(*frame));
    if (!there) return;
  }
}

void guest_server::begin(circuit_frame frame) {
  if (frame.head.what == circuit_head::drop) return drop(frame.head.number);
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return running_ < most_at_once; });
  ++running_;
  std::thread([this, one = std::move(frame)] { serve(one); }).detach();
}

void guest_server::answer(const circuit_head& question, guest_outcome how, std::span<const std::byte> body) {
  const std::lock_guard lock(sending_);
  circuit_.send({question.number, circuit_head::answer, question.rank, std::uint32_t(how), 0, 0}, body,
                now_ns() + guest_reads_within_ns);
}

void guest_server::serve(const circuit_frame& frame) noexcept try {
  guest_outcome how = guest_outcome::answered;
  try {
    const auto body = do_as_asked(frame, how);
    answer(frame.head, how, body);
  } catch (const rank_lost& why) {
    answer(frame.head, guest_outcome::lost, bytes_of(why.cause()));
  } catch (const limit_error& why) {
    answer(frame.head, guest_outcome::limit, bytes_of(behind_operation(why.what(), "call: ")));
  } catch (const timeout_error& why) {
    answer(frame.head, guest_outcome::timeout, bytes_of(behind_operation(why.what(), "call: ")));
  } catch (const std::exception& why) {
    answer(frame.head, guest_outcome::usage, bytes_of(behind_operation(why.what(), "exposed: ")));
  }
  const std::lock_guard lock(lock_);
  --running_;
  changed_.notify_one();
} catch (...) {  // no memory: the guest hears that the way is broken
  _exit(EXIT_FAILURE);
}

std::vector<std::byte> guest_server::do_as_asked(const circuit_frame& frame, guest_outcome& how) {
  const rank_t r = frame.head.rank;
  switch (frame.head.what) {
    case circuit_head::hosts: return circuit_bytes(far_ranks{host_, ranks_here()});
    case circuit_head::call: return call(frame, how);
    case circuit_head::exposed: return circuit_bytes(parts());
    case circuit_head::read: return read(r, from_circuit<far_place>(frame.body));
    case circuit_head::write: return write(r, frame.body), std::vector<std::byte>();
    case circuit_head::waits: {
      std::vector<far_waits> all;
      for (const auto& job : jobs_)
        for (far_waits& each : waits_here(job->memory())) all.push_back(std::move(each));
      return circuit_bytes(all);
    }
    case circuit_head::late: return circuit_bytes(why_late(from_circuit<far_lateness>(frame.body)));
    default: throw_usage("call", fmt::format("a guest asks for {}, which this version does not know", frame.head.what));
  }
}

std::vector<rank_t> guest_server::ranks_here() const {
  std::vector<rank_t> all;
  for (const auto& job : jobs_)
    for (rank_t r = 0; r < job->memory().ranks(); ++r)
      if (job->is_here(r)) all.push_back(r);
  return all;
}

guest_state& guest_server::job_of(rank_t r) {
  for (const auto& job : jobs_)
    if (r >= 0 && r < job->memory().ranks() && job->is_here(r)) return *job;
  throw_usage("call", fmt::format("rank {} does not run on {}, or has not begun yet", r, host_));
}

// --- calls ---

std::vector<std::byte> guest_server::call(const circuit_frame& frame, guest_outcome& how) {
  auto asked = from_circuit<far_call>(frame.body);
  const auto line = job_of(frame.head.rank).line(frame.head.rank);
  const auto one = line->ask({guest_request(asked.request), asked.name, asked.signature, asked.hash, std::move(asked.message)},
                             call_patience_ns);
  {
    const std::lock_guard lock(lock_);
    calls_[frame.head.number] = {line, one, false};
  }
  try {
    await(frame.head.number, *line, *one);
  } catch (...) {
    const std::lock_guard lock(lock_);
    calls_.erase(frame.head.number);
    throw;
  }
  const std::lock_guard lock(lock_);
  calls_.erase(frame.head.number);
  how = one->outcome;
  return std::move(one->bytes);
}

// Until the answer is there, or none is wanted any more.
void guest_server::await(std::uint64_t number, guest_line& line, guest_answer& one) {
  while (!line.wait(one, now_ns() + look_for_drops_ns)) {
    const std::lock_guard lock(lock_);
    if (!calls_[number].dropped) continue;
    line.drop(one);
    return;
  }
}

void guest_server::drop(std::uint64_t number) {
  const std::lock_guard lock(lock_);
  if (const auto found = calls_.find(number); found != calls_.end()) found->second.dropped = true;
}

std::string guest_server::why_late(const far_lateness& what) {
  under_way late;
  {
    const std::lock_guard lock(lock_);
    if (const auto found = calls_.find(what.number); found != calls_.end()) late = found->second;
  }
  if (late.line == nullptr) return fmt::format("the reply is on its way from {}", host_);
  return fmt::format("{} (on {})", late.line->why_late(*late.answer, what.seconds), host_);
}

// --- what is exposed ---

std::vector<far_part> guest_server::parts() const {
  std::vector<far_part> all;
  for (const auto& job : jobs_)
    for (const found_part& one : find_parts(job->memory())) all.push_back(packed(one.part));
  return all;
}

found_part guest_server::place_of(rank_t r, const far_place& where) {
  auto found = find_part(job_of(r).memory(), r, where.name);
  if (found.empty()) throw_usage("exposed", fmt::format("rank {} exposes no '{}' any more", r, where.name));
  refuse_table(found.front().part);
  check_place(found.front().part, where.offset, where.bytes);
  return std::move(found.front());
}

std::vector<std::byte> guest_server::read(rank_t r, const far_place& where) {
  const found_part place = place_of(r, where);
  std::vector<std::byte> bytes(where.bytes);
  if (!job_of(r).memory().read(place.offset + where.offset, bytes.data(), bytes.size()))
    throw_limit("exposed", fmt::format("{} bytes of '{}' of rank {} cannot be read", where.bytes, where.name, r));
  return bytes;
}

void guest_server::write(rank_t r, std::span<const std::byte> body) {
  decoder in(body.data(), body.size());
  const auto where = in.get<far_place>();
  if (in.remaining() != where.bytes) throw_decode(r, "exposed", "a guest writes fewer bytes than it says, or more");
  found_part place = place_of(r, where);
  map_part(job_of(r).memory(), place);
  if (where.bytes != 0) std::memcpy(place.part.data + where.offset, in.position(), where.bytes);
}

}  // namespace

int serve_guest(const std::vector<std::string>& words) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::shared_ptr<job_memory>> memories;
  for (const std::string& file : std::span(words).subspan(2)) {
    auto one = std::make_shared<job_memory>(getpid(), std::atoi(file.c_str()));
    if (one->valid()) memories.push_back(std::move(one));
  }
  guest_server(words[0], std::atoi(words[1].c_str()), std::move(memories)).run();
  _exit(EXIT_SUCCESS);  // with whatever is under way
}

}  // namespace armilla::run
