// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "armilla/boot/host/job_block.hpp"

namespace armilla::detail {

/// How a process of the job ended: what its ranks noted, or else what its exit status tells.
struct ending {
  enum class how { exception, code, exited, signal, start, never_joined, not_started, lost };
  how kind = how::exited;
  rank_t first = 0, last = 0;  ///< the ranks it may have been; one, if known
  std::string program;
  std::string host;  ///< empty: this one
  int pid = 0;
  int code = 0;       ///< exit code, signal number or errno
  bool core = false;  ///< a core file was written
  bool out_of_memory =
      false;                 ///< killed by signal 9, and the kernel has killed processes of this control group for want of memory
  std::string text;          ///< of an exception, or why it could not join
  std::vector<rank_t> same;  ///< other ranks that ended in the same way
};

/// "was killed by signal 11 (SIGSEGV)".
std::string cause_of(const ending& how);

/// "rank 2 (./hello, pid 123) was killed by signal 11 (SIGSEGV)"; "ranks 0-3 (./hello) ended by an exception: ...".
std::string sentence(const ending& how);

/// The same for `report_of`, which may be told on another host: the sentence, or with ARMILLA_ERRORS=json an object of it.
std::string account_of(const ending& how);

/// "armilla: rank 1 (...) ...; the job was stopped", of an account and what follows from it. Where an error arose stays the last
/// line, but for `hint`. With ARMILLA_ERRORS=json an object.
std::string report_of(std::string account, std::string_view outcome = "the job was stopped", std::string_view hint = "");

/// One more line, if the rank has noted which kind of wrong address ended it (address_fault.hpp); else "".
std::string hint_of(const ending& how, job_block& job);

/// What the job's first process shall exit with; never 0.
int exit_code(const ending& how) noexcept;

/// What a process that fails with `code` exits with: the 8 bits that the system keeps, and 1 where these are 0. Of 0: 0.
int exit_code(int code) noexcept;

/// "SIGSEGV".
std::string signal_name(int number);

/// Reads a note that is complete.
ending from_record(const job_block& job);

/// Writes `line` and a line feed to stderr, in one piece; with ARMILLA_ERRORS=json an object that holds it, unless it is one.
void say(const std::string& line) noexcept;

}  // namespace armilla::detail
