// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "armilla/base/core/throw_place.hpp"
#include "armilla/base/values/types.hpp"

/// Every error that Armilla raises derives from `armilla::error`, and its text always reads
/// `armilla: rank R: OPERATION: what happened (values); what to do`.
///
/// There are few kinds. They differ in what the caller can do:
///
/// | type            | the caller can                                                     |
/// |-----------------|--------------------------------------------------------------------|
/// | `usage_error`   | correct the program: an argument, an option or an order is wrong    |
/// | `remote_error`  | handle what a called function threw on another rank                 |
/// | `rank_lost`     | continue without that rank, or end                                  |
/// | `limit_error`   | send less, or raise the option that the text names                  |
/// | `timeout_error` | wait again                                                          |
/// | `decode_error`  | nothing: bytes from another rank contradict themselves              |
///
/// An error also knows where in the program it arose, `where()`: the innermost function on the stack that is the user's own. The
/// report of an error that ends a job shows it. Code that catches an error may print it:
///
///     try {
///       am::fence();
///     } catch (const am::error& e) { std::fprintf(stderr, "%s\n  %s\n", e.what(), e.where().c_str()); }
namespace armilla {

namespace detail {
struct call_stack;
struct error_places;
}  // namespace detail

/// The kinds of errors, for code that compares `std::error_code`s.
enum class errc { usage = 1, remote, rank_lost, limit, timeout, decode };

const std::error_category& error_category() noexcept;
std::error_code make_error_code(errc kind) noexcept;

/// A rank that is not known or does not exist.
inline constexpr rank_t no_rank = -1;

/// The base of all errors. `code()` has the kind. Copying does not throw.
class [[gnu::visibility("default")]] error : public std::system_error {
 public:
  error(errc kind, const char* operation, std::string_view text);
  const char* what() const noexcept override { return text_.what(); }

  /// Returns where in the user's program the error arose: "heat.cpp:42, in step(double)", or "in step(double)+0x1c" if the
  /// program was compiled without -g. Returns an empty string if that is not known, as in a program without symbols, or in
  /// Python. For a `remote_error` it is the call that failed; `remote_error::thrown_at` has the other rank's place. Cost: up to
  /// 100 ms the first time, as it reads the program's file.
  std::string where() const;

 private:
  friend struct detail::error_places;
  std::runtime_error text_;  // a string whose copy cannot throw
  std::shared_ptr<const detail::call_stack> calls_;
};

/// A mistake of the caller. The text says what to do instead.
class [[gnu::visibility("default")]] usage_error : public error {
 public:
  usage_error(const char* operation, std::string_view text) : error(errc::usage, operation, text) {}
};

/// A function that was called on another rank, or on this one, threw an exception.
class [[gnu::visibility("default")]] remote_error : public error {
 public:
  /// `thrower`: the rank on which the function ran; `type_name`: the readable type of what it threw; `text`: its what();
  /// `from`: where it threw that.
  remote_error(rank_t thrower, const char* operation, std::string_view type_name, std::string_view text,
               const detail::throw_place& from = {});

  rank_t rank() const noexcept { return rank_; }
  const char* type_name() const noexcept { return type_name_.what(); }
  const char* text() const noexcept { return body_text_.what(); }

  /// Returns where the function threw, on `rank()`, in the form of `where()`. If that rank runs another program, returns the
  /// program's name and the address: "in worker+0x1234", for `addr2line -Cfe worker 0x1234`. Returns an empty string if the place
  /// is not known. Cost: as `where()`.
  std::string thrown_at() const;

 private:
  friend struct detail::error_places;
  rank_t rank_;
  std::runtime_error type_name_, body_text_;
  std::shared_ptr<const detail::throw_place> from_;  // null: not known
};

/// A rank of the job has ended or cannot be reached, so calls to it get no reply. Unless ARMILLA_ON_LOSS says otherwise, the job
/// is about to end; docs/guide/death.md says when, and what throws this.
class [[gnu::visibility("default")]] rank_lost : public error {
 public:
  /// `cause`: what follows "rank 2", such as "was killed by signal 9 (SIGKILL)". `host`: where it ran; empty: not known.
  rank_lost(rank_t lost, const char* operation, std::string_view cause, std::string_view host = {});

  rank_t rank() const noexcept { return rank_; }
  const char* cause() const noexcept { return cause_.what(); }
  const char* host() const noexcept { return host_.what(); }

 private:
  rank_t rank_;
  std::runtime_error cause_, host_;
};

/// A limit was reached: memory, the size of a message, the backlog of a sender. The text names the option that changes it.
class [[gnu::visibility("default")]] limit_error : public error {
 public:
  limit_error(const char* operation, std::string_view text) : error(errc::limit, operation, text) {}
};

/// A wait with a time limit ended before what it waited for.
class [[gnu::visibility("default")]] timeout_error : public error {
 public:
  timeout_error(const char* operation, std::string_view text) : error(errc::timeout, operation, text) {}
};

/// Bytes from another rank contradict themselves. None of them reached your code.
class [[gnu::visibility("default")]] decode_error : public error {
 public:
  decode_error(rank_t sender, const char* operation, std::string_view text);
  rank_t rank() const noexcept { return rank_; }  ///< the sender, or `no_rank`

 private:
  rank_t rank_;
};

namespace detail {

// Out of line, so that a test on a hot path costs a compare and a jump. Each finds the rank that it names in `current`.
[[noreturn, gnu::cold]] void throw_usage(const char* operation, std::string_view text);
[[noreturn, gnu::cold]] void throw_limit(const char* operation, std::string_view text);
[[noreturn, gnu::cold]] void throw_timeout(const char* operation, std::string_view text);
[[noreturn, gnu::cold]] void throw_rank_lost(rank_t lost, const char* operation, std::string_view cause);
[[noreturn, gnu::cold]] void throw_decode(rank_t sender, const char* operation, std::string_view text);

/// `bad` is not a rank of this job, which has `ranks` of them.
[[noreturn, gnu::cold]] void throw_bad_rank(const char* operation, long long bad, rank_t ranks);

/// Where nothing can be thrown: prints the one message to stderr and aborts the process.
[[noreturn, gnu::cold]] void fatal(const char* operation, std::string_view text) noexcept;

/// What a caught exception says, ready to travel.
struct exception_text {
  std::string type_name;  ///< as written in C++
  std::string text;       ///< what(), or a sentence if it has none
  throw_place from;       ///< if it has passed a `passing`, or is an error of Armilla
};

/// Inside a `catch` only.
exception_text describe_current_exception();

/// A mangled name as written in C++, or itself.
std::string demangle(const char* mangled);

/// Throws unless `r` is one of `ranks` ranks.
inline void require_rank(const char* operation, rank_t r, rank_t ranks) {
  if (static_cast<std::uint32_t>(r) >= static_cast<std::uint32_t>(ranks)) [[unlikely]]
    throw_bad_rank(operation, r, ranks);
}

}  // namespace detail
}  // namespace armilla

template <>
struct std::is_error_code_enum<armilla::errc> : std::true_type {};
