// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/error.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "armilla/base/context.hpp"
#include "armilla/base/escaped.hpp"
#include "armilla/base/options.hpp"

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

std::string compose(const char* operation, std::string_view text) {
  std::string all = "armilla: ";
  if (detail::current != nullptr) all.append("rank ").append(std::to_string(detail::current->rank)).append(": ");
  return all.append(operation).append(": ").append(detail::escaped(text));
}

std::string remote_text(rank_t thrower, std::string_view type_name, std::string_view text) {
  std::string all = "rank " + std::to_string(thrower) + " threw ";
  return all.append(type_name).append(" (").append(text).append("); catch it there, or catch armilla::remote_error here");
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
    : std::system_error(make_error_code(kind)), text_(compose(operation, text)) {}

remote_error::remote_error(rank_t thrower, const char* operation, std::string_view type_name, std::string_view text)
    : error(errc::remote, operation, remote_text(thrower, type_name, text)),
      rank_(thrower),
      type_name_(std::string(type_name)),
      body_text_(std::string(text)) {}

rank_lost::rank_lost(rank_t lost, const char* operation, std::string_view cause, std::string_view host)
    : error(errc::rank_lost, operation, lost_text(lost, cause, host)),
      rank_(lost),
      cause_(std::string(cause)),
      host_(std::string(host)) {}

decode_error::decode_error(rank_t sender, const char* operation, std::string_view text)
    : error(errc::decode, operation, decode_text(sender, text)), rank_(sender) {}

namespace detail {

void throw_usage(const char* operation, std::string_view text) { throw usage_error(operation, text); }
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

std::string demangle(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 && name != nullptr ? name.get() : mangled;
}

exception_text describe_current_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  exception_text said{type != nullptr ? demangle(type->name()) : "an unknown type", "no text: it is no std::exception"};
  try {
    throw;
  } catch (const std::exception& e) { said.text = e.what(); } catch (...) {
    // No handler for its type: the name has to do.
  }
  return said;
}

}  // namespace detail
}  // namespace armilla
