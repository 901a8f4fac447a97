// SPDX-License-Identifier: Apache-2.0
// The first process of a small machine: runs what /programs lists, one a line as `name NAME=value ... program arguments`, says
// how each ended, and switches the machine off.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <net/if.h>

namespace {

constexpr unsigned most_seconds = 600;  // of one program

void mount_all() {
  const char* const what[][2] = {
      {"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/dev/shm"}, {"tmpfs", "/tmp"}};
  for (const auto& [kind, place] : what) {
    mkdir(place, 0755);
    if (mount(kind, place, kind, 0, nullptr) != 0) std::perror(place);
  }
}

// The address 127.0.0.1.
void begin_loopback() {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq what{};
  std::strcpy(what.ifr_name, "lo");
  what.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(any, SIOCSIFFLAGS, &what) != 0) std::perror("lo");
  close(any);
}

[[noreturn]] void become(std::istringstream words) {
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (arguments.empty() && equals != std::string::npos)
      setenv(word.substr(0, equals).c_str(), word.substr(equals + 1).c_str(), 1);
    else
      arguments.push_back(word);
  }
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  alarm(most_seconds);
  execv(pointers[0], pointers.data());
  std::perror(pointers[0]);
  _exit(127);
}

}  // namespace

int main() {
  mount_all();
  begin_loopback();
  const int console = open("/dev/console", O_RDWR);  // the kernel may have opened none for its first process
  for (int i = 0; i <= STDERR_FILENO; ++i) dup2(console, i);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("machine: pages of %ld bytes\n", sysconf(_SC_PAGESIZE));
  std::ifstream programs("/programs");
  for (std::string line; std::getline(programs, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const pid_t child = fork();
    if (child == 0) become(std::move(words));
    int how = 0;
    waitpid(child, &how, 0);
    std::printf("machine: %s %#x: %s\n", how == 0 ? "passed" : "FAILED", unsigned(how), name.c_str());
  }
  std::printf("machine: end\n");
  sync();
  reboot(RB_POWER_OFF);
  return 1;
}
