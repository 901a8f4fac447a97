// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/loss_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "armilla/base/core/error_text.hpp"
#include "armilla/base/values/put_text.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/life.hpp"
#include "armilla/boot/watch/ending.hpp"
#include "armilla/error.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

/// Of a rank whose record has been written over: it was lost that many losses ago.
const loss_record forgotten{.complete = 1, .first = 0, .last = 0, .life = 0, .host = "", .cause = "was lost"};

/// Of a place that is kept for a rank that joins.
const loss_record not_there{.complete = 1, .first = 0, .last = 0, .life = 0, .host = "", .cause = "has not joined the job yet"};

}  // namespace

std::string cause_of_secondary_loss(rank_t first, std::string_view call) {
  const std::string where = call.empty() ? std::string() : " in " + std::string(call);
  return "ended" + where + " after the loss of rank " + std::to_string(first);
}

const loss_record* find_loss(const job_block& job, rank_t r) noexcept {
  const rank_life life = life_of(job, r);
  if (life.now == presence::living) return nullptr;
  if (!was_taken(job, r)) return &not_there;
  const loss_record* found = nullptr;
  for (const loss_record& e : job.losses.entry) {
    const std::uint32_t number = e.complete.load(std::memory_order_acquire);
    if (number == 0 || r < e.first || e.last < r || e.life != life.number) continue;
    if (found == nullptr || number < found->complete.load(std::memory_order_relaxed)) found = &e;
  }
  return found != nullptr ? found : &forgotten;
}

void tell_change(job_block& job) noexcept {
  job.losses.count.fetch_add(1, std::memory_order_seq_cst);
  job.locals.each([&](rank_t r) { wake(control_of(job, r)); });
}

// The teller counts up and then wakes; a sleeper says that it sleeps and then looks at the count: one of them sees the other.
// Of two tellers at once both write a record, and the first one counts.
void tell_loss(job_block& job, rank_t first, rank_t last, std::string_view cause, std::string_view host) noexcept {
  loss_log& log = job.losses;
  bool known = true;
  for (rank_t r = first; known && r <= last; ++r) known = find_loss(job, r) != nullptr;
  if (known) return;
  const std::uint32_t mine = log.begun.fetch_add(1, std::memory_order_relaxed);
  loss_record& e = log.entry[mine % loss_log::room];
  e.complete.store(0, std::memory_order_relaxed);
  e.first = first;
  e.last = last;
  e.life = life_of(job, first).number;
  put_text(e.host, host);
  put_text(e.cause, cause);
  e.complete.store(mine + 1, std::memory_order_release);
  for (rank_t r = first; r <= last; ++r) {
    const rank_life life = life_of(job, r);
    if (life.now == presence::living) change_life(job, r, life, {life.number, presence::lost});
  }
  tell_change(job);
}

void tell_loss(job_block& job, rank_t first, rank_t last, std::string_view cause) noexcept {
  char host[sizeof loss_record::host] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  tell_loss(job, first, last, cause, host);
}

// The rank whose loss is behind the present exception; no_rank: none. Where ranks go on, the first loss may be long ago.
static rank_t loss_behind_exception(const job_block& job) {
  const loss_record& first = job.losses.entry[0];
  if (job.goes_on == 0) return first.complete.load(std::memory_order_acquire) != 0 ? first.first : no_rank;
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
  const std::string text = without_prefix(thrown.text, rank);
  mine.text = thrown.type_name + ": " + text.substr(0, text.find('\n'));
  tell_loss(job, rank, rank, cause_of(mine));
} catch (...) { tell_loss(job, rank, rank, "ended by an exception"); }

}  // namespace armilla::detail
