// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/tell_loss.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "armilla/base/core/error_text.hpp"
#include "armilla/base/values/put_text.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/error.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/protocols/end.pml
namespace armilla::detail {

static constexpr std::string_view after_the_loss = " after the loss of rank ";

std::string cause_of_secondary_loss(rank_t first, std::string_view call) {
  const std::string where = call.empty() ? std::string() : " in " + std::string(call);
  return "ended" + where + std::string(after_the_loss) + std::to_string(first);
}

rank_t first_of_secondary_loss(std::string_view cause) noexcept {
  const std::size_t at = cause.rfind(after_the_loss);
  if (!cause.starts_with("ended") || at == std::string_view::npos) return no_rank;
  const char *const begin = cause.data() + at + after_the_loss.size(), *const end = cause.data() + cause.size();
  rank_t first = no_rank;
  const auto read = std::from_chars(begin, end, first);
  return read.ec == std::errc() && read.ptr == end ? first : no_rank;
}

void tell_change(job_block& job) noexcept {
  job.epoch.fetch_add(1, std::memory_order_seq_cst);
  job.locals.each([&](rank_t r) { wake(control_of(job, r)); });
}

// The teller counts up and then wakes; a sleeper says that it sleeps and then looks at the count: one of them sees the other.
// Of two tellers at once both write a record, and the first one counts.
void tell_loss(job_block& job, rank_t first, rank_t last, std::string_view cause, std::string_view host) noexcept {
  bool known = true;
  for (rank_t r = first; known && r <= last; ++r) known = job.why_left(r) != nullptr;
  if (known) return;
  const std::uint32_t mine = job.departures_begun.fetch_add(1, std::memory_order_relaxed);
  departure& e = job.departures[mine % membership::most_departures];
  e.complete.store(0, std::memory_order_relaxed);
  e.first = first;
  e.last = last;
  e.life = job.life(first).number;
  put_text(e.host, host);
  put_text(e.cause, cause);
  e.complete.store(mine + 1, std::memory_order_release);
  for (rank_t r = first; r <= last; ++r) {
    const rank_life life = job.life(r);
    if (life.now == presence::living) job.change(r, life, {life.number, presence::lost});
  }
  tell_change(job);
}

void tell_loss(job_block& job, rank_t first, rank_t last, std::string_view cause) noexcept {
  char host[sizeof departure::host] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  tell_loss(job, first, last, cause, host);
}

// Of another host the end of a rank that was lost for that reason may be heard of before the reason.
static rank_t first_loss(const job_block& job) noexcept {
  const departure& first = job.departures[0];
  if (first.complete.load(std::memory_order_acquire) == 0) return no_rank;
  const rank_t behind_it = first_of_secondary_loss({first.cause, strnlen(first.cause, sizeof first.cause)});
  return behind_it != no_rank ? behind_it : first.first;
}

// The rank whose loss is behind the present exception; no_rank: none. Where ranks go on, the first loss may be long ago.
static rank_t loss_behind_exception(const job_block& job) {
  if (job.goes_on == 0) return first_loss(job);
  try {
    throw;
  } catch (const rank_lost& why) { return why.rank(); } catch (...) {
    return no_rank;
  }
}

// Which call has thrown the present exception that a rank is lost: its text begins with it. Empty: another exception.
static std::string call_that_waited(rank_t rank) {
  try {
    throw;
  } catch (const rank_lost& why) {
    const std::string text = without_prefix(why.what(), rank);
    return text.substr(0, std::min(text.find(": "), text.size()));
  } catch (...) { return {}; }
}

void tell_own_loss(job_block& job, rank_t rank) noexcept try {
  ending mine;
  mine.kind = ending::how::exception;
  if (const rank_t before = loss_behind_exception(job); before != no_rank)
    return tell_loss(job, rank, rank, cause_of_secondary_loss(before, call_that_waited(rank)));
  const exception_text thrown = describe_current_exception();
  const std::string text = in_one_line(thrown, rank);
  mine.text = text.substr(0, text.find('\n'));
  tell_loss(job, rank, rank, cause_of(mine));
} catch (...) { tell_loss(job, rank, rank, "ended by an exception"); }

}  // namespace armilla::detail
