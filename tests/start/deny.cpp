// SPDX-License-Identifier: Apache-2.0
// deny ERROR CALL[,CALL...] COMMAND...: runs COMMAND in a system that refuses these system calls with ERROR (EPERM, ENOSYS or
// EINVAL), as a container's filter or an older kernel does. A call may be one of its operations alone: MADV_HUGEPAGE, FUTEX_WAIT.
// The call `proc`: without /proc. `shm`: with /dev/shm of one page. Exit code 77: this system lets no process do that here.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
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

// Headers may be older than kernels.
constexpr unsigned guard_install = 102, populate_read = 22, populate_write = 23, collapse = 25;

struct named_call {
  std::string_view name;
  int number;
  int argument = -1;  // of it alone with this value of an argument
  unsigned value = 0;
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
    {"eventfd2", SYS_eventfd2},
    {"timerfd_create", SYS_timerfd_create},
    {"timerfd_settime", SYS_timerfd_settime},
    {"accept4", SYS_accept4},
    {"pipe2", SYS_pipe2},
    {"epoll_create1", SYS_epoll_create1},
    {"epoll_ctl", SYS_epoll_ctl},
    {"epoll_pwait", SYS_epoll_pwait},
#ifdef SYS_epoll_wait
    {"epoll_wait", SYS_epoll_wait},
#endif
#ifdef SYS_vfork
    {"vfork", SYS_vfork},
#endif
    {"ppoll", SYS_ppoll},
    {"mincore", SYS_mincore},
    {"gettid", SYS_gettid},
    {"tgkill", SYS_tgkill},
    {"flock", SYS_flock},
    {"sched_setattr", SYS_sched_setattr},
    {"sched_getattr", SYS_sched_getattr},
    {"sched_setscheduler", SYS_sched_setscheduler},
    {"MADV_HUGEPAGE", SYS_madvise, 2, MADV_HUGEPAGE},
    {"MADV_COLLAPSE", SYS_madvise, 2, collapse},
    {"MADV_DONTFORK", SYS_madvise, 2, MADV_DONTFORK},
    {"MADV_POPULATE_WRITE", SYS_madvise, 2, populate_write},
    {"MADV_POPULATE_READ", SYS_madvise, 2, populate_read},
    {"MADV_DONTNEED", SYS_madvise, 2, MADV_DONTNEED},
    {"MADV_FREE", SYS_madvise, 2, MADV_FREE},
    {"MADV_NOHUGEPAGE", SYS_madvise, 2, MADV_NOHUGEPAGE},
    {"MADV_REMOVE", SYS_madvise, 2, MADV_REMOVE},
    {"MADV_GUARD_INSTALL", SYS_madvise, 2, guard_install},
    {"FUTEX_WAIT", SYS_futex, 1, FUTEX_WAIT},
    {"FUTEX_WAKE", SYS_futex, 1, FUTEX_WAKE},
    {"FUTEX_WAIT_BITSET", SYS_futex, 1, FUTEX_WAIT_BITSET},
    {"FUTEX_WAKE_BITSET", SYS_futex, 1, FUTEX_WAKE_BITSET},
    {"PR_SET_PDEATHSIG", SYS_prctl, 0, PR_SET_PDEATHSIG},
    {"PR_SET_TIMERSLACK", SYS_prctl, 0, PR_SET_TIMERSLACK},
    {"PR_SET_PTRACER", SYS_prctl, 0, PR_SET_PTRACER},
    {"PR_SET_CHILD_SUBREAPER", SYS_prctl, 0, PR_SET_CHILD_SUBREAPER},
    {"MEMBARRIER_CMD_GLOBAL_EXPEDITED", SYS_membarrier, 0, MEMBARRIER_CMD_GLOBAL_EXPEDITED},
    {"MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED", SYS_membarrier, 0, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED},
    {"MEMBARRIER_CMD_PRIVATE_EXPEDITED", SYS_membarrier, 0, MEMBARRIER_CMD_PRIVATE_EXPEDITED},
    {"MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED", SYS_membarrier, 0, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED},
};

const named_call& call_of(std::string_view name) {
  for (const named_call& one : calls)
    if (one.name == name) return one;
  std::fprintf(stderr, "deny: %.*s: no call that is known here\n", int(name.size()), name.data());
  _exit(2);
}

bool hide(const char* place, const char* type, const char* options) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("none", place, type, 0, options) == 0;
}

bool filter(const std::vector<named_call>& denied, unsigned error) {
  std::vector<sock_filter> program;
  for (const named_call& call : denied) {
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    if (call.argument < 0) {
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, unsigned(call.number), 0, 1));
    } else {  // of the argument the lower half, which comes first
      const auto place = offsetof(seccomp_data, args) + unsigned(call.argument) * sizeof(seccomp_data::args[0]);
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, unsigned(call.number), 0, 3));
      program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, unsigned(place)));
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.value, 0, 1));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog all{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string_view how = argv[1];
  const unsigned error = how == "ENOSYS" ? ENOSYS : how == "EINVAL" ? EINVAL : EPERM;
  std::vector<named_call> denied;
  std::istringstream names(argv[2]);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "proc") {
      if (!hide("/proc", "tmpfs", "")) return cannot;
    } else if (name == "shm") {
      if (!hide("/dev/shm", "tmpfs", "size=4096")) return cannot;
    } else {
      denied.push_back(call_of(name));
    }
  }
  if (!denied.empty() && !filter(denied, error)) return cannot;
  execvp(argv[3], argv + 3);
  return cannot;
}
