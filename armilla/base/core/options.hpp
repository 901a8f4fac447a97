// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "armilla/base/values/collective_pattern.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/base/values/wait_mode.hpp"

namespace armilla::detail {

enum class launcher_use { automatic, none };
enum class pin_kind { automatic, core, share, none };
enum class output_kind { raw, lines };
enum class access_kind { all, opened };
enum class progress_mode { automatic, poll, thread, signal };
enum class progress_use { as_asked, on, off };
enum class bar_use { off, on, terminal };
enum class error_form { text, json };
enum class loss_use { end, go_on, replace };

/// Physical memory of this machine, rounded up to a power of two: a segment can never be too small to reserve.
std::uint64_t default_segment_bytes() noexcept;

/// The values of the variables ARMILLA_*, read once at the start. The members' initialisers are the defaults; the table
/// in option_table.cpp gives each a name, its limits and its text, and nothing else in the library reads the environment
/// (but boot, whose ARMILLA_INTERNAL_* are skipped here). A new option is a member here and a row there.
struct options {
  // the job
  int ranks = 1;
  int max_ranks = 0;
  std::string fabric = "auto";
  pin_kind pin = pin_kind::automatic;
  bool label = false;
  output_kind output = output_kind::raw;
  launcher_use launcher = launcher_use::automatic;
  std::string backends;
  bool trust_network = false;
  // messages; sizes in bytes, times in nanoseconds
  std::uint64_t ring = 128 * 1024;
  std::uint64_t aggregate = 4096;
  int poll_every = 0;
  struct {
    std::uint64_t bodies = 0, ns = 0;  // one of them; 0: no limit
  } poll_budget;
  std::uint64_t eager = 16 * 1024;
  std::uint64_t backlog_limit = std::uint64_t{1} << 30;
  std::uint64_t backlog = 1024 * 1024;
  std::uint64_t receive_buffers = 4 * 1024 * 1024;
  std::uint64_t network_window = 256 * 1024;
  int route_hosts = 512;
  std::string faults;
  bool cross_copy = true;
  // waiting
  std::uint64_t spin_ns = 50'000;
  std::uint64_t yield_ns = 200'000;
  bool crowding = true;
  wait_mode wait = wait_mode::in_place;
  progress_mode progress = progress_mode::automatic;
  std::uint64_t progress_after_ns = 50'000;
  std::uint64_t stall_ns = 2'000'000'000;
  std::uint64_t wait_report_ns = 0;
  // when something dies
  loss_use on_loss = loss_use::end;
  std::uint64_t loss_grace_ns = 400'000'000;
  std::uint64_t loss_timeout_ns = 10'000'000'000;
  // fibers
  std::uint64_t stack = 256 * 1024;
  int stacks_kept = 1024;
  // teams
  pattern barrier = pattern::automatic;
  pattern fence = pattern::automatic;
  exchange_pattern collectives = exchange_pattern::automatic;
  // global memory
  std::uint64_t segment = default_segment_bytes();
  access_kind access = access_kind::all;
  bool access_by_message = false;
  bool large_pages = true;
  // insight
  std::string stats;
  progress_use show_progress = progress_use::as_asked;
  bar_use progress_bar = bar_use::off;
  std::string trace;
  std::uint64_t trace_events = 64 * 1024;
  bool checked = true;
  std::string record;
  std::string replay;
  error_form errors = error_form::text;
  // layer object
  std::string libraries;

  // what armilla-tune measured: see tuned_file
  std::string tuned;

  /// Reads the tuned file, if there is one, then ARMILLA_* from the environment, which win. Throws `usage_error` that names the
  /// variable, its value, what is allowed and, for an unknown one, the nearest known name; of the file also the line.
  static options from_environment();
  /// From any list of "NAME=value", ended by null, and no file.
  static options from(const char* const* environment);

  /// Sets one by its name ("ring" or "ARMILLA_RING"); the launcher's command line goes through here too. Throws as above.
  void set(std::string_view name, std::string_view value);
  /// Its value as one would write it.
  std::string get(std::string_view name) const;

  /// Those that all ranks of a job must have alike, for they decide what ranks do together: to be told to another rank.
  std::string shared() const;
  /// What was given here and counts for nothing, and what counts instead: "ARMILLA_STATS=1 ARMILLA_FENCE=flat". Empty: none.
  struct overruled {
    std::string here, there;
  };
  /// Takes over what `shared` of another rank gave. Where nothing was given here there is nothing to overrule: launchers do not
  /// carry every variable to every host. Throws `usage_error` if `text` is not what `shared`
  /// writes.
  overruled take_shared(std::string_view text);
};

/// Where armilla-tune writes and `from_environment` reads what was measured on this host: ARMILLA_TUNED if that names a file,
/// else `armilla/tuned` in $XDG_CONFIG_HOME or ~/.config. Empty if there is no such place. The file need not exist.
std::string tuned_file();

/// The manual of all variables, from the same table.
void print_manual(std::FILE* out);
/// The same as the page docs/guide/options.md.
void print_options_page(std::FILE* out);
/// Those that are not at their defaults, a line "  ARMILLA_X=value" each; how many.
int print_changes(const options& settings, std::FILE* out);

/// "64K" -> 65536; suffixes K, M, G, T (powers of 1024), with or without B. False if it is no size.
bool parse_bytes(std::string_view text, std::uint64_t& bytes) noexcept;
/// "200us" -> 200000; suffixes ns, us, ms, s; without one: `unit_ns`. False if it is no duration.
bool parse_duration(std::string_view text, std::uint64_t unit_ns, std::uint64_t& ns) noexcept;
/// How many letters must be changed, added or left out to get from one to the other, case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace armilla::detail
