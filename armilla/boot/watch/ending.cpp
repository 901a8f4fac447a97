// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/ending.hpp"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "armilla/base/core/error_text.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/boot/watch/address_fault.hpp"
#include "armilla/boot/watch/failure_record.hpp"

namespace armilla::detail {
namespace {

// "\n  rank 3 threw at heat.cpp:12", which stands last.
std::size_t start_of_other_place(std::string_view text) {
  const std::size_t last = std::min(text.rfind('\n'), text.size());
  const std::string_view line = text.substr(last);
  const std::string_view behind = line.substr(std::min(line.find_first_not_of("0123456789", 8), line.size()));
  const bool place = line.starts_with("\n  rank ") && (behind.starts_with(" threw at ") || behind.starts_with(" threw in "));
  return place ? last : text.size();
}

// "\n  at heat.cpp:42", in front of it.
std::size_t start_of_own_place(std::string_view text) {
  text = text.substr(0, start_of_other_place(text));
  const std::size_t last = std::min(text.rfind('\n'), text.size());
  const std::string_view line = text.substr(last);
  return line.starts_with("\n  at ") || line.starts_with("\n  in ") ? last : text.size();
}

// That of an error of Armilla may have several lines.
std::string text_of(const ending& e) {
  const std::string text = without_prefix(e.text, e.first);
  const std::size_t place = start_of_own_place(text);
  return escaped(text.substr(0, place), e.text.starts_with("armilla::") ? "\n" : "") + escaped(text.substr(place), "\n");
}

bool runs_python(const ending& e) {
  const std::string_view path = e.program, name = path.substr(path.rfind('/') + 1);
  return name.starts_with("python") || name.ends_with(".py");
}

std::string cause_text(const ending& e) {
  switch (e.kind) {
    case ending::how::exception: return "ended by an exception: " + text_of(e);
    case ending::how::code: return fmt::format("exited with code {}", e.code);
    case ending::how::exited: return fmt::format("ended with code {} before its run() ended{}", e.code, escaped(e.text, "\n"));
    case ending::how::signal:
      return fmt::format("was killed by signal {} ({}){}{}", e.code, signal_name(e.code), e.core ? ", core dumped" : "",
                         e.out_of_memory ? ", its control group ran out of memory" : "");
    case ending::how::lost: return e.text;
    case ending::how::start: return "could not start: " + text_of(e);
    case ending::how::never_joined:
      return fmt::format("exited with code {} and never joined the job; it must {}", e.code,
                         runs_python(e) ? "import armilla, and use it" : "call armilla::run, run_main or make a session");
    case ending::how::not_started: return fmt::format("could not be started: {}", strerror(e.code));
  }
  return "ended";
}

std::vector<rank_t> all_ranks_of(const ending& e) {
  std::vector<rank_t> ranks = e.same;
  for (rank_t r = e.first; r <= e.last; ++r) ranks.push_back(r);
  std::ranges::sort(ranks);
  return ranks;
}

// "ranks 0-3, 7"
std::string list_of(const std::vector<rank_t>& ranks) {
  std::string all = "ranks ";
  for (std::size_t i = 0, end; i < ranks.size(); i = end) {
    for (end = i + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1; ++end) {}
    all += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
    if (end - i > 1) all += fmt::format("-{}", ranks[end - 1]);
  }
  return all;
}

std::string who(const ending& e) {
  const std::string ranks = !e.same.empty()     ? list_of(all_ranks_of(e))
                            : e.first == e.last ? fmt::format("rank {}", e.first)
                                                : fmt::format("one of the ranks {} to {}", e.first, e.last);
  const std::string where = e.host.empty() ? "" : " on " + e.host;
  return e.pid > 0 && e.same.empty() ? fmt::format("{}{} ({}, pid {})", ranks, where, e.program, e.pid)
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

const char* name_of(ending::how kind) {
  switch (kind) {
    case ending::how::exception: return "exception";
    case ending::how::code:
    case ending::how::exited: return "exit";
    case ending::how::signal: return "signal";
    case ending::how::lost: return "lost";
    default: return "start";
  }
}

// Read here, as what speaks may be a supervisor, a rank or an agent, and may speak because the options are wrong.
bool as_json() noexcept {
  const char* const how = std::getenv("ARMILLA_ERRORS");
  return how != nullptr && std::string_view(how) == "json";
}

using nlohmann::json;

std::string dumped(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace); }

// Schema: docs/guide/debugging.md.
json object_of(const ending& e) {
  json object = {{"event", "failure"},   {"kind", name_of(e.kind)},      {"ranks", all_ranks_of(e)}, {"program", e.program},
                 {"code", exit_code(e)}, {"certain", e.first == e.last}, {"message", sentence(e)}};
  if (e.pid > 0 && e.same.empty()) object["pid"] = e.pid;
  if (!e.host.empty()) object["host"] = e.host;
  if (e.kind == ending::how::signal) object["signal"] = signal_name(e.code);
  const auto without_at = [](std::string line) { return line.starts_with("at ") ? line.substr(3) : line; };
  if (e.kind == ending::how::exited && e.text.starts_with("\n  ")) object["place"] = without_at(e.text.substr(3));
  if (e.kind != ending::how::exception) return object;
  const std::string text = text_of(e);
  const std::size_t place = start_of_own_place(text), other = start_of_other_place(text), type = std::min(text.find(": "), place);
  object["type"] = text.substr(0, type);
  object["text"] = text.substr(std::min(type + 2, place), place - std::min(type + 2, place));
  if (place < other) object["place"] = without_at(text.substr(place + 3, other - place - 3));
  if (other < text.size()) object["thrown_at"] = without_at(text.substr(text.find(" threw ", other) + 7));
  return object;
}

}  // namespace

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : fmt::format("SIGRTMIN+{}", number - SIGRTMIN);
}

// For other ranks, whose errors have places of their own.
std::string cause_of(const ending& e) {
  if (e.kind != ending::how::exited) return cause_text(e);
  ending without_place = e;
  without_place.text.clear();
  return cause_text(without_place);
}

std::string sentence(const ending& e) { return who(e) + " " + cause_text(e); }

std::string account_of(const ending& e) { return as_json() ? dumped(object_of(e)) : sentence(e); }

std::string report_of(std::string account, std::string_view outcome, std::string_view hint) {
  if (as_json()) {
    json object = account.starts_with('{') ? json::parse(account, nullptr, false) : json();
    if (!object.is_object()) object = {{"event", "failure"}, {"message", account}};
    if (!outcome.empty()) object["outcome"] = outcome;
    if (!hint.empty()) object["hint"] = hint.substr(std::min(hint.find_first_not_of("\n "), hint.size()));
    return dumped(object);
  }
  std::string all = "armilla: " + std::move(account);
  if (!outcome.empty()) all.insert(start_of_own_place(all), fmt::format("; {}", outcome));
  return all.append(hint);
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
  const std::string text = escaped(line, "\n\t");  // lists of waits have several lines
  const std::string all = (!as_json() || text.starts_with('{') ? text : dumped({{"event", "message"}, {"message", text}})) + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, all.data(), all.size());
}

}  // namespace armilla::detail
