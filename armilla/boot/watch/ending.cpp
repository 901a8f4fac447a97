// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/ending.hpp"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "armilla/base/core/error_text.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/watch/address_fault.hpp"
#include "armilla/boot/watch/failure_record.hpp"

namespace armilla::detail {
namespace {

// That of an error of Armilla may have several lines.
std::string text_of(const ending& e) {
  return escaped(without_prefix(e.text, e.first), e.text.starts_with("armilla::") ? "\n" : "");
}

std::string cause_text(const ending& e) {
  switch (e.kind) {
    case ending::how::exception: return "ended by an exception: " + text_of(e);
    case ending::how::code: return fmt::format("exited with code {}", e.code);
    case ending::how::exited: return fmt::format("ended with code {} before its run() ended", e.code);
    case ending::how::signal:
      return fmt::format("was killed by signal {} ({}){}{}", e.code, signal_name(e.code), e.core ? ", core dumped" : "",
                         e.out_of_memory ? ", its control group ran out of memory" : "");
    case ending::how::lost: return e.text;
    case ending::how::start: return "could not start: " + text_of(e);
    case ending::how::never_joined:
      return fmt::format("exited with code {} and never joined the job; it must call armilla::run, run_main or make a session",
                         e.code);
    case ending::how::not_started: return fmt::format("could not be started: {}", strerror(e.code));
  }
  return "ended";
}

std::string who(const ending& e) {
  const std::string ranks =
      e.first == e.last ? fmt::format("rank {}", e.first) : fmt::format("one of the ranks {} to {}", e.first, e.last);
  const std::string where = e.host.empty() ? "" : " on " + e.host;
  return e.pid > 0 ? fmt::format("{}{} ({}, pid {})", ranks, where, e.program, e.pid)
                   : fmt::format("{}{} ({})", ranks, where, e.program);
}

ending::how kind_of(failure_kind kind) noexcept {
  switch (kind) {
    case failure_kind::exception:
    case failure_kind::secondary: return ending::how::exception;
    case failure_kind::code: return ending::how::code;
    case failure_kind::signal: return ending::how::signal;
    case failure_kind::start: return ending::how::start;
    case failure_kind::lost: return ending::how::lost;
    default: return ending::how::exited;
  }
}

}  // namespace

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : fmt::format("SIGRTMIN+{}", number - SIGRTMIN);
}

std::string cause_of(const ending& e) { return cause_text(e); }

std::string sentence(const ending& e) { return who(e) + " " + cause_text(e); }

std::string report_of(std::string sentence, std::string_view outcome) {
  std::string all = "armilla: " + std::move(sentence);
  const std::size_t last = all.rfind('\n');
  const bool place = last != all.npos && (all.compare(last, 6, "\n  at ") == 0 || all.compare(last, 6, "\n  in ") == 0);
  return all.insert(place ? last : all.size(), fmt::format("; {}", outcome));
}

std::string hint_of(const ending& e, job_block& job) {
  const bool one_rank = e.first == e.last && job.locals.holds(e.first);
  return e.kind == ending::how::signal && e.code == SIGSEGV && one_rank ? text_of_fault(job, e.first) : "";
}

int exit_code(const ending& e) noexcept {
  switch (e.kind) {
    case ending::how::signal: return 128 + e.code;
    case ending::how::not_started: return 127;
    case ending::how::exception:
    case ending::how::lost:
    case ending::how::start: return 1;
    default: return e.code != 0 ? exit_code(e.code) : 1;
  }
}

int exit_code(int code) noexcept { return code == 0 || (code & 0xff) != 0 ? code & 0xff : 1; }

ending from_record(const job_block& job) {
  const failure_record& record = job.failure;
  ending e;
  e.kind = kind_of(record.kind);
  e.code = record.code;
  e.text = text_of_failure(job);
  const bool known = record.rank >= 0 && std::uint32_t(record.rank) < job.places;
  e.first = known ? record.rank : 0;
  e.last = known ? record.rank : rank_t(job.places) - 1;
  const rank_record& first = job.rank[e.first];
  e.pid = first.pid.load(std::memory_order_relaxed);
  e.program = job.program_names[first.program % job_block::max_programs];
  return e;
}

void say(const std::string& line) noexcept {
  const std::string all = escaped(line, "\n\t") + "\n";  // lists of waits have several lines
  [[maybe_unused]] const auto written = write(STDERR_FILENO, all.data(), all.size());
}

}  // namespace armilla::detail
