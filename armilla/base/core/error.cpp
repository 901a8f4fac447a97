// SPDX-License-Identifier: Apache-2.0
#include "armilla/error.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <typeinfo>
#include <vector>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/base/core/error_text.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/core/own_memory.hpp"
#include "armilla/base/core/required_function.hpp"
#include "armilla/base/values/escaped.hpp"
#include "armilla/base/values/limits.hpp"

namespace armilla {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "armilla"; }
  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
      case errc::usage: return "wrong use";
      case errc::remote: return "a body threw on another rank";
      case errc::rank_lost: return "a rank was lost";
      case errc::limit: return "a limit was reached";
      case errc::timeout: return "time is over";
      case errc::decode: return "bad bytes from another rank";
    }
    return "unknown error";
  }
};

constexpr std::string_view prefix = "armilla: ";
constexpr std::string_view further_line = "\n  ";
constexpr std::size_t most_lines = 4, innermost_lines = 2,
                      outermost_lines = 1;  // a report adds two: where it arose, and where it was thrown
constexpr const char* advice = "catch it there, or catch armilla::remote_error here";

std::string prefix_of(rank_t r) { return "rank " + std::to_string(r) + ": "; }

rank_t rank_here() noexcept { return detail::current != nullptr ? detail::current->rank : no_rank; }

// A chain of errors is a whole message already.
std::string compose(errc kind, const char* operation, std::string_view text) {
  if (operation == nullptr) operation = "";
  if (kind == errc::remote && text.starts_with(prefix)) return std::string(text);
  std::string all(prefix);
  if (detail::current != nullptr) all.append(prefix_of(rank_here()));
  return all.append(operation).append(": ").append(detail::escaped(detail::without_prefix(text, rank_here())));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end; !text.empty(); text.remove_prefix(std::min(text.size(), end + further_line.size()))) {
    end = std::min(text.find(further_line), text.size());
    lines.push_back(detail::escaped(text.substr(0, end)));
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  const std::size_t between = lines.size() > most_lines ? lines.size() - innermost_lines - outermost_lines : 0;
  std::string all(prefix);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (between != 0 && i == innermost_lines) {
      all.append(further_line).append(std::to_string(between)).append(" lines more");
      i += between;
    }
    all.append(i == 0 ? "" : further_line).append(lines[i]);
  }
  return all;
}

// An error of Armilla that was thrown on by rank after rank: a line each, the innermost first. `before`: what stands in front of
// its text, "element 3: ".
std::string chain(rank_t thrower, const char* operation, std::string_view type_name, std::string_view before,
                  std::string_view text) {
  std::vector<std::string> lines = lines_of(text);
  const std::string here = detail::current != nullptr ? prefix_of(rank_here()) : "";
  const std::string place = here + operation + ": " + std::string(before);
  const bool of_here = !here.empty() && !lines.empty() && lines.back().starts_with(here);
  if (!of_here)
    lines.push_back(place + "rank " + std::to_string(thrower) + " threw this " + std::string(type_name) + "; " + advice);
  else if (!lines.back().starts_with(place))  // not: sort: sort:
    lines.back().replace(0, here.size(), place);
  return joined(lines);
}

std::string remote_text(rank_t thrower, const char* operation, std::string_view type_name, std::string_view text) {
  if (operation == nullptr) operation = "";
  const std::size_t at = text.find(prefix);
  const bool ours = type_name.starts_with("armilla::") && (at == 0 || (at != text.npos && text.starts_with("element ")));
  if (ours) return chain(thrower, operation, type_name, text.substr(0, at), text.substr(at + prefix.size()));
  std::string all = "rank " + std::to_string(thrower) + " threw ";
  all.append(type_name);
  if (!text.empty()) all.append(" (").append(text).append(")");
  return all.append("; ").append(advice);
}

std::string lost_text(rank_t lost, std::string_view cause, std::string_view host) {
  std::string all = "rank " + std::to_string(lost);
  if (!host.empty()) all.append(" on ").append(host);
  const bool goes_on = detail::current != nullptr && detail::current->settings != nullptr &&
                       detail::current->settings->on_loss != detail::loss_use::end;
  return all.append(" ").append(cause).append(goes_on ? "; the job goes on without it"
                                                      : "; the job is about to end: save what you need");
}

std::string decode_text(rank_t sender, std::string_view text) {
  std::string all = sender == no_rank ? std::string("bytes from another rank") : "bytes from rank " + std::to_string(sender);
  return all.append(": ").append(text).append("; both ranks must run the same build");
}

}  // namespace

const std::error_category& error_category() noexcept {
  static const category instance;
  return instance;
}

std::error_code make_error_code(errc kind) noexcept { return {static_cast<int>(kind), error_category()}; }

error::error(errc kind, const char* operation, std::string_view text)
    : std::system_error(make_error_code(kind)),
      text_(compose(kind, operation, text)),
      calls_(std::make_shared<const detail::call_stack>(detail::take_call_stack())) {}

std::string error::where() const { return detail::own_frame(*calls_); }

std::string detail::place_of_current_exception() {
  const std::exception_ptr thrown = std::current_exception();
  try {
    std::rethrow_exception(thrown);
  } catch (const remote_error& e) {
    const std::string here = at_own_frame(e.where()), there = at_own_frame(e.thrown_at());
    if (there.empty()) return here;
    return here + std::string(here.empty() ? "" : further_line) + "rank " + std::to_string(e.rank()) + " threw " + there;
  } catch (const error& e) { return at_own_frame(e.where()); } catch (...) {
    const call_stack* const calls = calls_of_throw(thrown);
    return calls != nullptr ? at_own_frame(own_frame(*calls)) : "";
  }
}

const detail::call_stack& detail::error_places::own(const error& e) noexcept { return *e.calls_; }

detail::throw_place detail::error_places::other(const remote_error& e) noexcept {
  return e.from_ != nullptr ? *e.from_ : throw_place{};
}

remote_error::remote_error(rank_t thrower, const char* operation, std::string_view type_name, std::string_view text,
                           const detail::throw_place& from)
    : error(errc::remote, operation, remote_text(thrower, operation, type_name, text)),
      rank_(thrower),
      type_name_(std::string(type_name)),
      body_text_(std::string(text)),
      from_(from.module != 0 ? std::make_shared<const detail::throw_place>(from) : nullptr) {}

std::string remote_error::thrown_at() const { return from_ != nullptr ? detail::own_frame(*from_) : ""; }

rank_lost::rank_lost(rank_t lost, const char* operation, std::string_view cause, std::string_view host)
    : error(errc::rank_lost, operation, lost_text(lost, cause, host)),
      rank_(lost),
      cause_(std::string(cause)),
      host_(std::string(host)) {}

decode_error::decode_error(rank_t sender, const char* operation, std::string_view text)
    : error(errc::decode, operation, decode_text(sender, text)), rank_(sender) {}

namespace detail {

void throw_usage(const char* operation, std::string_view text) { throw usage_error(operation, text); }
void throw_no_function(const char* operation) {
  throw_usage(operation, "the function is a null pointer, or an empty std::function; pass a function");
}
void throw_no_memory(const char* operation, const void* first, std::size_t n) {
  throw_usage(operation, first == nullptr
                             ? "null is given as the memory of " + std::to_string(n) + " elements; pass memory that holds them"
                             : std::to_string(n) + " elements are more than any memory holds" +
                                   (looks_negative(n) ? " (is the number negative?)" : "") + "; pass as many as there are");
}
void throw_limit(const char* operation, std::string_view text) { throw limit_error(operation, text); }
void throw_timeout(const char* operation, std::string_view text) { throw timeout_error(operation, text); }
void throw_rank_lost(rank_t lost, const char* operation, std::string_view cause) { throw rank_lost(lost, operation, cause); }
void throw_decode(rank_t sender, const char* operation, std::string_view text) { throw decode_error(sender, operation, text); }

void throw_bad_rank(const char* operation, long long bad, rank_t ranks) {
  if (bad == no_rank)
    throw usage_error(operation, "rank -1 does not exist (ranks of this job: " + std::to_string(ranks) +
                                     "): it stands for no rank, as in a pointer or reference that was made by default");
  throw usage_error(operation, "rank " + std::to_string(bad) + " does not exist (ranks of this job: " + std::to_string(ranks) +
                                   "); give a rank from 0 to " + std::to_string(ranks - 1));
}

void fatal(const char* operation, std::string_view text) noexcept {
  // No allocation: memory may be what went wrong.
  char line[1024], plain[1024];
  const int shown = static_cast<int>(escape_into(plain, sizeof plain, text));
  const int n = current != nullptr
                    ? std::snprintf(line, sizeof line, "armilla: rank %d: %s: %.*s\n", current->rank, operation, shown, plain)
                    : std::snprintf(line, sizeof line, "armilla: %s: %.*s\n", operation, shown, plain);
  const std::size_t length = n < 0                                       ? 0
                             : static_cast<std::size_t>(n) < sizeof line ? static_cast<std::size_t>(n)
                                                                         : sizeof line - 1;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line, length);
  std::abort();
}

std::string without_prefix(std::string_view text, rank_t here) {
  const std::string own = prefix_of(here);
  std::string all(text);
  for (std::size_t at = 0; (at = all.find("armilla: rank ", at)) != std::string::npos;) {
    const std::size_t end = all.find_first_not_of("0123456789", at + prefix.size() + 5);
    if (end == std::string::npos || all.compare(end, 2, ": ") != 0) {
      at += prefix.size();
      continue;
    }
    all.erase(at, prefix.size());
    if (all.compare(at, own.size(), own) == 0) all.erase(at, own.size());
  }
  return all.starts_with(prefix) ? all.substr(prefix.size()) : all;
}

std::string in_one_line(const exception_text& thrown, rank_t here) {
  if (thrown.text == thrown.type_name) return thrown.type_name;
  return thrown.type_name + ": " + without_prefix(thrown.text, here);
}

std::string demangle(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 && name != nullptr ? name.get() : mangled;
}

exception_text describe_current_exception() {
  const throw_place from = place_of_throw(std::current_exception());
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type != nullptr && *type == typeid(consequence)) type = &typeid(usage_error);
  exception_text said{type != nullptr ? demangle(type->name()) : "an unknown type", "no text: it is no std::exception", from};
  try {
    throw;
  } catch (const std::exception& e) { said.text = text_of(e); } catch (...) {
    // No handler for its type: the name has to do.
  }
  return said;
}

}  // namespace detail
}  // namespace armilla
