// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/spawn_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "armilla/boot/host/pin.hpp"
#include "armilla/boot/wire_up/agent_line.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/boot/wire_up/launcher.hpp"

namespace armilla::detail {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view name_of(std::string_view setting) { return setting.substr(0, setting.find('=')); }

void set_in(std::vector<std::string>& environment, std::string setting) {
  for (auto& old : environment)
    if (name_of(old) == name_of(setting)) {
      old = std::move(setting);
      return;
    }
  environment.push_back(std::move(setting));
}

std::vector<std::string> environment_for(const spawn_plan& plan) {
  std::vector<std::string> all;
  for (char** setting = environ; *setting != nullptr; ++setting)
    if (!is_own_sign(name_of(*setting))) all.emplace_back(*setting);
  for (const auto& setting : plan.program->environment) set_in(all, setting);
  if (plan.line >= 0) {
    set_in(all, std::string(line_variable) + "=" + plan.line_text);
    return all;
  }
  set_in(all, std::string(job_variable) + "=" + std::to_string(plan.memory));
  set_in(all, std::string(rank_variable) + "=" + std::to_string(plan.rank));
  return all;
}

// The child borrows this process's memory until it executes the program: system calls only, and no byte of ours is changed but
// the record, which is shared memory.
[[noreturn]] void become(const spawn_plan& plan, char** arguments, char** environment, pid_t supervisor) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);  // it was killed before the line above
  for (const int inherited : {plan.line, plan.memory})
    if (inherited >= 0) fcntl(inherited, F_SETFD, 0);
  if (!plan.keep_input) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing > STDIN_FILENO) dup2(nothing, STDIN_FILENO);
  }
  if (plan.output >= 0) dup2(plan.output, STDOUT_FILENO);
  if (plan.errors >= 0) dup2(plan.errors, STDERR_FILENO);
  if (plan.bind) bind_here(plan.record->cpu);
  sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
  if (plan.program->folder.empty() || chdir(plan.program->folder.c_str()) == 0)
    execve(plan.program->path.c_str(), arguments, environment);
  plan.record->exec_error = errno;
  _exit(127);
}

}  // namespace

pid_t spawn(const spawn_plan& plan) {
  std::vector<std::string> arguments = plan.program->arguments, environment = environment_for(plan);
  const auto argument_pointers = pointers_to(arguments), environment_pointers = pointers_to(environment);
  const pid_t self = getpid();
  const pid_t child = vfork();  // cheap however large this process is
  if (child == 0)
    become(plan, const_cast<char**>(argument_pointers.data()), const_cast<char**>(environment_pointers.data()), self);
  return child;
}

}  // namespace armilla::detail
