// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/failure_record.hpp"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "armilla/base/core/error_text.hpp"
#include "armilla/error.hpp"

// Model: tests/models/order/losses.rs
// Model: tests/models/protocols/end.pml
namespace armilla::detail {

bool record_failure(job_block& job, rank_t rank, failure_kind kind, int code, std::string_view text) noexcept {
  failure_record& record = job.failure;
  std::uint32_t unused = 0;
  if (!record.stage.compare_exchange_strong(unused, 1, std::memory_order_relaxed)) return false;
  record.rank = rank;
  record.kind = kind;
  record.code = code;
  record.after_loss = job.losses.begun.load(std::memory_order_relaxed) != 0 ? 1 : 0;
  const std::size_t n = std::min(text.size(), sizeof record.text - 1);
  std::memcpy(record.text, text.data(), n);
  record.text[n] = 0;
  record.stage.store(2, std::memory_order_release);
  if (job.supervisor > 0) kill(job.supervisor, SIGCHLD);  // "look at your children": it reads the note then
  return true;
}

void record_current_exception(job_block& job, rank_t rank) noexcept {
  failure_kind kind = failure_kind::exception;
  std::string place;  // where an error of Armilla arose: a further line
  try {
    throw;
  } catch (const error& e) {
    if (e.code() == errc::rank_lost) kind = failure_kind::secondary;
    if (place = place_of(e); !place.empty()) place.insert(0, "\n  ");
  } catch (...) {}
  try {
    const exception_text thrown = describe_current_exception();
    record_failure(job, rank, kind, 1, thrown.type_name + ": " + thrown.text + place);
  } catch (...) { record_failure(job, rank, failure_kind::exception, 1, "no memory left to describe it"); }
}

}  // namespace armilla::detail
