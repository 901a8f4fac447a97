// SPDX-License-Identifier: Apache-2.0
// deny ERROR CALL[,CALL...] COMMAND...: runs COMMAND in a system that refuses these system calls with ERROR (EPERM or ENOSYS), as
// a container's filter does. The call `proc`: without /proc. `shm`: with /dev/shm of one page. Exit code 77: this system lets
// no process do that here.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int cannot = 77;

struct named_call {
  std::string_view name;
  int number;
};
constexpr named_call calls[] = {
    {"membarrier", SYS_membarrier},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"memfd_create", SYS_memfd_create},
    {"pidfd_open", SYS_pidfd_open},
    {"clone3", SYS_clone3},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"set_mempolicy", SYS_set_mempolicy},
    {"get_mempolicy", SYS_get_mempolicy},
    {"mbind", SYS_mbind},
    {"perf_event_open", SYS_perf_event_open},
    {"ptrace", SYS_ptrace},
    {"userfaultfd", SYS_userfaultfd},
    {"close_range", SYS_close_range},
    {"statx", SYS_statx},
    {"rseq", SYS_rseq},
    {"io_uring_setup", SYS_io_uring_setup},
    {"madvise", SYS_madvise},
    {"prctl", SYS_prctl},
    {"sched_yield", SYS_sched_yield},
    {"signalfd4", SYS_signalfd4},
    {"sysinfo", SYS_sysinfo},
    {"getrandom", SYS_getrandom},
    {"clone", SYS_clone},
};

int number_of(std::string_view name) {
  for (const named_call& one : calls)
    if (one.name == name) return one.number;
  std::fprintf(stderr, "deny: %.*s: no call that is known here\n", int(name.size()), name.data());
  _exit(2);
}

bool hide(const char* place, const char* type, const char* options) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("none", place, type, 0, options) == 0;
}

bool filter(const std::vector<int>& numbers, unsigned error) {
  std::vector<sock_filter> program;
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const int number : numbers) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, unsigned(number), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog all{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const unsigned error = std::string_view(argv[1]) == "ENOSYS" ? ENOSYS : EPERM;
  std::vector<int> numbers;
  std::istringstream names(argv[2]);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "proc") {
      if (!hide("/proc", "tmpfs", "")) return cannot;
    } else if (name == "shm") {
      if (!hide("/dev/shm", "tmpfs", "size=4096")) return cannot;
    } else {
      numbers.push_back(number_of(name));
    }
  }
  if (!numbers.empty() && !filter(numbers, error)) return cannot;
  execvp(argv[3], argv + 3);
  return cannot;
}
