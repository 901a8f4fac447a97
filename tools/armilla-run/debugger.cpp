// SPDX-License-Identifier: Apache-2.0
#include "debugger.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

namespace armilla::run {
namespace {

// A rank is a child that executes the program: gdb keeps such children, and lets all of them run at a time. It would stop at
// each one's end and leave it chosen, where nothing can be continued: armilla-run itself, the first inferior, is the last to end.
// One line, for gdb takes no more here; Python reads the ends of lines.
constexpr const char* go_on_at_ends =
    R"(python exec("def armilla_go_on(event):\n)"
    R"(  def go_on():\n)"
    R"(    gdb.execute('inferior 1', to_string=True)\n)"
    R"(    gdb.execute('continue')\n)"
    R"(  if event.inferior.num != 1 and getattr(event, 'exit_code', 1) == 0: gdb.post_event(go_on)\n)"
    R"(gdb.events.exited.connect(armilla_go_on)\n"))";

std::vector<std::string> settings() {
  return {"set breakpoint pending on",
          "set detach-on-fork off",
          "set follow-fork-mode parent",
          "set schedule-multiple on",
          "set print inferior-events off",
          "set print thread-events off",
          "set startup-with-shell off",
          fmt::format("python gdb.execute('handle SIGUSR1 SIGUSR2 SIG{} nostop noprint pass', to_string=True)", SIGRTMIN + 6),
          go_on_at_ends};
}

}  // namespace

std::string become_debugger(const std::vector<std::string>& words) {
  std::vector<std::string> all{"gdb", "-q"};
  for (const std::string& setting : settings()) all.insert(all.end(), {"-iex", setting});
  all.emplace_back("--args");
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (auto& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return fmt::format("gdb cannot be started: {}; install the package gdb", std::strerror(errno));
}

}  // namespace armilla::run
