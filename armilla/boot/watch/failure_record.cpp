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

namespace {

// The first failure alone is recorded. True: this is it, and `fill` follows.
bool begin(failure_record& record) noexcept {
  std::uint32_t unused = 0;
  return record.stage.compare_exchange_strong(unused, 1, std::memory_order_relaxed);
}

void fill(job_block& job, rank_t rank, failure_kind kind, int code, std::string_view text) noexcept {
  failure_record& record = job.failure;
  record.rank = rank;
  record.kind = kind;
  record.code = code;
  record.after_loss = job.losses.begun.load(std::memory_order_relaxed) != 0 ? 1 : 0;
  const std::size_t n = std::min(text.size(), sizeof record.text - 1);
  std::memcpy(record.text, text.data(), n);
  constexpr std::string_view cut = " ...";  // what is cut shows it
  if (n != text.size()) std::memcpy(record.text + n - cut.size(), cut.data(), cut.size());
  record.text[n] = 0;
  record.stage.store(2, std::memory_order_release);
  if (job.supervisor > 0) kill(job.supervisor, SIGCHLD);  // "look at your children": it reads the note then
}

}  // namespace

bool record_failure(job_block& job, rank_t rank, failure_kind kind, int code, std::string_view text) noexcept {
  if (!begin(job.failure)) return false;
  fill(job, rank, kind, code, text);
  return true;
}

void record_current_exception(job_block& job, rank_t rank) noexcept {
  if (!begin(job.failure)) return;  // before the place is looked for, which takes so long that errors of other ranks follow
  failure_kind kind = failure_kind::exception;
  try {
    const exception_text thrown = describe_current_exception();
    std::string text = thrown.type_name + ": " + thrown.text;
    try {
      throw;
    } catch (const error& e) {
      if (e.code() == errc::rank_lost) kind = failure_kind::secondary;
      if (const std::string place = place_of(e); !place.empty()) text.append("\n  ").append(place);
    } catch (...) {}
    fill(job, rank, kind, 1, text);
  } catch (...) { fill(job, rank, kind, 1, "no memory left to describe it"); }
}

}  // namespace armilla::detail
