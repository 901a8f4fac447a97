// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/failure_record.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/error_text.hpp"
#include "armilla/base/values/put_text.hpp"
#include "armilla/error.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/protocols/end.pml
namespace armilla::detail {

namespace {

// What an exception says, without the numbers of the rank that says it: ranks that fail alike say the same.
std::string comparable(std::string_view text, rank_t rank) {
  std::string all = without_prefix(text, rank);
  const std::string own = "\n  rank " + std::to_string(rank) + ": ";
  for (std::size_t at = 0; (at = all.find(own, at)) != all.npos; ++at) all.replace(at, own.size(), "\n  ");
  return all;
}

// Another rank was first. Those of a collective call fail at the same moment: it may still be writing.
void note_if_the_same(job_block& job, rank_t rank, failure_kind kind, int code, std::string_view text) {
  if (rank < 0 || std::uint32_t(rank) >= job.places || (kind != failure_kind::exception && kind != failure_kind::code)) return;
  const failure_record& first = job.failure;
  for (int ms = 0; !first.complete() && ms < 100; ++ms) usleep(1000);
  if (!first.complete() || first.rank == rank || first.kind != kind || first.code != code) return;
  char own[sizeof first.text];  // cut as that is
  put_text(own, text);
  if (comparable(own, rank) != comparable(first.text, first.rank)) return;
  job.same_failure[rank / 64].fetch_or(std::uint64_t{1} << rank % 64, std::memory_order_relaxed);
}

// A child that has ended, and that nobody has waited for, still takes signals.
bool is_alive(pid_t process) noexcept {
  siginfo_t how{};
  if (waitid(P_PID, id_t(process), &how, WEXITED | WNOHANG | WNOWAIT) == 0) return how.si_pid == 0;
  return kill(process, 0) == 0;
}

// Where ranks are threads nothing else orders them: the rank that caused this may still be on its way out of its functions.
void await_cause(const job_block& job) noexcept {
  constexpr int most_ms = 1000;
  for (int ms = 0; ms < most_ms && job.failure.stage.load(std::memory_order_relaxed) == 0; ++ms) usleep(1000);
}

bool record(job_block& job, rank_t rank, failure_kind kind, int code, std::string_view text, bool place_follows) noexcept {
  failure_record& first = job.failure;
  std::uint32_t unused = 0;
  if (!first.stage.compare_exchange_strong(unused, 1, std::memory_order_relaxed)) {
    try {
      note_if_the_same(job, rank, kind, code, text);
    } catch (...) {}  // no memory: it is not listed
    return false;
  }
  first.rank = rank;
  first.kind = kind;
  first.code = code;
  first.after_loss = job.departures_begun.load(std::memory_order_relaxed) != 0 ? 1 : 0;
  put_text(first.text, text);
  first.search.store(place_follows ? 1 : 0, std::memory_order_relaxed);
  first.stage.store(2, std::memory_order_release);
  if (job.supervisor > 0) kill(job.supervisor, SIGCHLD);  // "look at your children": it reads the note then
  return true;
}

std::string place_on_stack() { return at_own_frame(own_frame(take_call_stack())); }

template <class F>
void find_place(job_block& job, rank_t rank, F place) noexcept {
  failure_record& first = job.failure;
  if (!first.complete() || first.rank != rank || first.search.load(std::memory_order_relaxed) != 1) return;
  try {
    put_text(first.place, place());
  } catch (...) {}  // no memory: the report does without
  first.search.store(2, std::memory_order_release);
}

}  // namespace

bool record_failure(job_block& job, rank_t rank, failure_kind kind, int code, std::string_view text) noexcept {
  return record(job, rank, kind, code, text, false);
}

void record_current_exception(job_block& job, rank_t rank) noexcept {
  failure_kind kind = failure_kind::exception;
  try {
    throw;
  } catch (const consequence&) {
    kind = failure_kind::secondary;
    await_cause(job);
  } catch (const error& e) {
    if (e.code() == errc::rank_lost) kind = failure_kind::secondary;
  } catch (...) {}
  try {
    const exception_text said = describe_current_exception();
    record(job, rank, kind, 1, in_one_line(said, rank), true);
  } catch (...) { record(job, rank, kind, 1, "no memory left to describe it", true); }
}

bool record_exit(job_block& job, rank_t rank, int code) noexcept {
  return record(job, rank, failure_kind::exited, code, "", true);
}

void record_place(job_block& job, rank_t rank, bool in_terminate) noexcept {
  find_place(job, rank, [in_terminate] {
    const std::string known = place_of_current_exception();
    return known.empty() && in_terminate ? place_on_stack() : known;
  });
}

void record_place_of_exit(job_block& job, rank_t rank) noexcept { find_place(job, rank, place_on_stack); }

std::string text_of_failure(const job_block& job) {
  const failure_record& first = job.failure;
  const bool known = first.rank >= 0 && std::uint32_t(first.rank) < job.places;
  const pid_t process = known ? job.rank[first.rank].pid.load(std::memory_order_relaxed) : 0;
  constexpr int most_ms = 20'000;  // it takes 100 ms of a core, of which a crowded host gives few
  for (int ms = 0; ms < most_ms && first.search.load(std::memory_order_acquire) == 1 && process > 0 && is_alive(process); ++ms)
    usleep(1000);
  std::string text = first.text;
  if (first.search.load(std::memory_order_acquire) == 2 && first.place[0] != 0) text.append("\n  ").append(first.place);
  return text;
}

std::vector<rank_t> ranks_with_the_same_failure(const job_block& job) {
  std::vector<rank_t> ranks;
  for (rank_t r = 0; r < rank_t(job.places); ++r)
    if ((job.same_failure[r / 64].load(std::memory_order_relaxed) >> r % 64 & 1) != 0) ranks.push_back(r);
  return ranks;
}

}  // namespace armilla::detail
