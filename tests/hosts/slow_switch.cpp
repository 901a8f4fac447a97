// SPDX-License-Identifier: Apache-2.0
// slow_switch DELAY_US MBIT TAP...: an Ethernet switch between TAP devices that it makes, as slow as it is told.
//
// Every frame waits DELAY_US, then leaves its port no faster than MBIT. It stands in for the kernel's netem, which not every
// kernel has. Prints "ready" when the devices exist; runs until killed.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
using address = std::array<std::byte, 6>;

constexpr std::size_t largest_frame = 65536;
constexpr std::size_t largest_queue = 256 * 1024;  // bytes that wait for a port; more are dropped, as by any switch
constexpr std::size_t frame_overhead = 24;         // preamble, check sum and gap: 8 + 4 + 12 bytes on the wire

struct frame {
  clock_type::time_point due;
  std::vector<std::byte> bytes;
};

struct port {
  int file = -1;
  std::deque<frame> waiting;
  std::size_t waiting_bytes = 0;
  clock_type::time_point free_at;  // when the last frame that waits will have left
};

int open_tap(const char* name) {
  const int file = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (file < 0 || ::ioctl(file, TUNSETIFF, &request) != 0) {
    std::fprintf(stderr, "slow_switch: cannot make the device %s: %s\n", name, std::strerror(errno));
    std::exit(1);
  }
  return file;
}

class slow_switch {
 public:
  slow_switch(std::chrono::nanoseconds delay, double mbit, std::span<char*> names) : delay_(delay), mbit_(mbit) {
    for (const char* name : names) {
      ports_.emplace_back().file = open_tap(name);
      polled_.push_back({ports_.back().file, POLLIN, 0});
    }
  }

  [[noreturn]] void run() {
    for (;;) {
      wait();
      for (std::size_t i = 0; i < ports_.size(); ++i) { receive(i); }
      for (port& out : ports_) { send_due(out); }
    }
  }

 private:
  // Until a frame comes, or one is due.
  void wait() {
    auto next = clock_type::time_point::max();
    for (const port& out : ports_) {
      if (!out.waiting.empty()) { next = std::min(next, out.waiting.front().due); }
    }
    if (next == clock_type::time_point::max()) {
      ::ppoll(polled_.data(), polled_.size(), nullptr, nullptr);
      return;
    }
    const auto left = std::max<std::int64_t>(std::chrono::nanoseconds(next - clock_type::now()).count(), 0);
    const timespec limit{left / 1'000'000'000, left % 1'000'000'000};
    ::ppoll(polled_.data(), polled_.size(), &limit, nullptr);
  }

  void receive(std::size_t from) {
    for (;;) {
      const ssize_t length = ::read(ports_[from].file, buffer_.data(), buffer_.size());
      if (length < 14) {  // nothing more, or a device that is down
        return;
      }
      forward(from, std::span(buffer_).first(static_cast<std::size_t>(length)));
    }
  }

  void forward(std::size_t from, std::span<const std::byte> bytes) {
    address to;
    address source;
    std::memcpy(to.data(), bytes.data(), to.size());
    std::memcpy(source.data(), bytes.data() + to.size(), source.size());
    port_of_[source] = from;
    const auto known = port_of_.find(to);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (i != from && (known == port_of_.end() || known->second == i)) { queue(ports_[i], bytes); }
    }
  }

  void queue(port& out, std::span<const std::byte> bytes) {
    if (out.waiting_bytes + bytes.size() > largest_queue) { return; }
    const double bits = 8.0 * static_cast<double>(bytes.size() + frame_overhead);
    const std::chrono::nanoseconds on_the_wire(static_cast<std::int64_t>(bits * 1000 / mbit_));
    out.free_at = std::max(clock_type::now() + delay_, out.free_at) + on_the_wire;
    out.waiting.push_back({out.free_at, {bytes.begin(), bytes.end()}});
    out.waiting_bytes += bytes.size();
  }

  static void send_due(port& out) {
    while (!out.waiting.empty() && out.waiting.front().due <= clock_type::now()) {
      const std::vector<std::byte>& bytes = out.waiting.front().bytes;
      // A device that is down refuses the frame: then it is lost.
      [[maybe_unused]] const ssize_t written = ::write(out.file, bytes.data(), bytes.size());
      out.waiting_bytes -= bytes.size();
      out.waiting.pop_front();
    }
  }

  std::chrono::nanoseconds delay_;
  double mbit_;
  std::vector<port> ports_;
  std::vector<pollfd> polled_;
  std::map<address, std::size_t> port_of_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(largest_frame);
};

}  // namespace

int main(int argc, char** argv) {
  const double delay_us = argc > 4 ? std::atof(argv[1]) : -1;
  const double mbit = argc > 4 ? std::atof(argv[2]) : 0;
  if (delay_us < 0 || mbit <= 0) {
    std::fprintf(stderr, "usage: slow_switch DELAY_US MBIT TAP TAP...\n");
    return 2;
  }
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // the default of 50 us would be half a round trip
  slow_switch all(std::chrono::nanoseconds(static_cast<std::int64_t>(delay_us * 1000)), mbit,
                  std::span(argv, static_cast<std::size_t>(argc)).subspan(3));
  std::puts("ready");
  std::fflush(stdout);
  all.run();
}
