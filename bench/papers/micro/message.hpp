// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "bench/papers/common/measure.hpp"

namespace papers {

/// What a message of 16 bytes costs its sender and its receiver, apart. Paper: Split-C and Active Messages on the Paragon,
/// figures 2 and 4.
struct message_options {
  long rounds = 200;  ///< of a sample
  int messages = 32;  ///< sent in a row: as many as wait at a receiver that does not look
  long settle = 100;  ///< microseconds after which all have arrived

  void add_to(command_line& line) {
    line.number("--rounds", rounds, "rounds of a sample", 1, 1'000'000);
    line.number("--messages", messages, "messages of 16 bytes that are sent in a row", 1, 64);
    line.number("--settle", settle, "microseconds that the receiver does not look, so that all are there when it does", 0,
                1'000'000);
  }
};

/// Nanoseconds since some moment.
inline double now() { return seconds_now() * 1e9; }

/// One way to send 16 bytes from a rank to its partner, measured on ranks 0 and 1 (or 0 to itself). A channel has
///     void send(long n);      sends n messages; they leave at once
///     void take(long n);      waits for n more and takes them in
///     bool right(long sent, long taken);   whether so many came, with the right words
template <job Job, class Channel>
class message_test {
 public:
  message_test(runner<Job>& run, const message_options& how, std::string name, Channel& channel, std::string by = "")
      : run_(run), how_(how), name_(std::move(name)), channel_(channel), by_(std::move(by)) {
    const Job& j = run.job();
    sends_ = j.rank() == 0;
    receives_ = j.rank() == (j.ranks() > 1 ? 1 : 0);
  }

  void measure() {
    if (!run_.wants(name_)) return;
    record send = describe("send"), receive = describe("receive"), one_way = describe("one-way");
    for (int i = -1; i < run_.samples(); ++i) {
      const std::pair<double, double> parts = apart();
      const double whole = there_and_back() / 2;
      if (i < 0) continue;
      send.samples.push_back(parts.first);
      receive.samples.push_back(parts.second);
      one_way.samples.push_back(whole);
    }
    const bool wrong = run_.job().greatest(channel_.right(sent_, taken_) ? 0 : 1) != 0;
    for (record* r : {&send, &receive, &one_way}) {
      r->verified = !wrong;
      run_.add(std::move(*r));
    }
  }

 private:
  record describe(const char* part) const {
    return {.version = name_ + "/" + part, .by = by_, .size = {{"bytes", 16}, {"messages", how_.messages}}, .unit = "ns"};
  }

  /// Nanoseconds a message, of the sender and of a receiver at which all have arrived: medians of the rounds, as in some of them
  /// another process had a core.
  std::pair<double, double> apart() {
    std::vector<double> sending, receiving;
    for (long r = 0; r < how_.rounds; ++r) {
      run_.job().barrier();
      const double start = now();
      if (sends_) {
        send(how_.messages);
        sending.push_back(now() - start);
      }
      if (!receives_) continue;
      while (now() < start + 1e3 * double(how_.settle)) {}
      const double arrived = now();
      take(how_.messages);
      receiving.push_back(now() - arrived);
    }
    return {run_.job().greatest(median(sending)) / how_.messages, run_.job().greatest(median(receiving)) / how_.messages};
  }

  /// Nanoseconds of a message and one back.
  double there_and_back() {
    const long n = how_.rounds * how_.messages;
    const double seconds = seconds_of_slowest(run_.job(), [&] {
      for (long i = 0; i < n; ++i) {
        if (sends_) send(1);
        if (receives_) take(1);
        if (receives_) send(1);
        if (sends_) take(1);
      }
    });
    return seconds * 1e9 / double(n);
  }

  void send(long n) {
    channel_.send(n);
    sent_ += n;
  }
  void take(long n) {
    channel_.take(n);
    taken_ += n;
  }

  runner<Job>& run_;
  const message_options& how_;
  std::string name_;
  Channel& channel_;
  std::string by_;
  bool sends_, receives_;
  long sent_ = 0, taken_ = 0;
};

}  // namespace papers
