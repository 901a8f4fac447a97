// SPDX-License-Identifier: Apache-2.0
// A job whose lost ranks are replaced: replaced SEED MILLISECONDS. Until its time is over each rank sends to all others, of every
// kind and length, and checks what it gets: replies are to what this very process has asked; of the one-way calls of one process
// to another none is missing, comes twice, or out of order. Something else kills ranks meanwhile.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <armilla/armilla.hpp>

#include "deaths.hpp"

namespace am = armilla;
using deaths::require;

namespace {

unsigned seed = 0;
std::int64_t end_ms = 0;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// This process, also where hosts number their processes each for itself.
std::int64_t this_process() { return std::int64_t(am::rank()) << 32 | getpid(); }

/// What has come from one process: the number of its last one-way call.
std::map<std::int64_t, std::uint64_t> last_from;
long one_way_calls = 0, calls = 0, lost_calls = 0;

std::vector<std::uint64_t> payload(std::uint64_t number, std::size_t words) {
  std::vector<std::uint64_t> all(words);
  for (std::size_t i = 0; i < words; ++i) all[i] = number * 1'000'003 + i;
  return all;
}

void take(std::int64_t process, std::uint64_t number, const std::vector<std::uint64_t>& words) {
  const auto known = last_from.find(process);
  if (known != last_from.end())
    require(number == known->second + 1, "one-way call " + std::to_string(number) + " behind " + std::to_string(known->second));
  last_from[process] = number;
  require(words == payload(number, words.size()), "the words of a one-way call");
}

void close(std::int64_t process, std::uint64_t number) {
  const auto known = last_from.find(process);
  require(known == last_from.end() || known->second == number, "the last one-way call is missing");
}

std::uint64_t answer(std::uint64_t two_way_call, const std::vector<std::uint64_t>& words, bool waits) {
  if (waits) am::sleep_for(std::chrono::microseconds(two_way_call % 300));
  require(words == payload(two_way_call, words.size()), "the words of a two-way call");
  return two_way_call * 3 + std::uint64_t(am::rank());
}

/// By way of another rank, which waits for it.
std::uint64_t relay(std::uint64_t two_way_call, am::rank_t by) {
  return am::call(by, answer, two_way_call, payload(two_way_call, 3), two_way_call % 2 == 0).get();
}

class sender {
 public:
  sender() : dice_(seed * 1000003u + unsigned(getpid())), sent_(std::size_t(am::ranks())) {}

  void one_step() {
    const auto to = am::rank_t(dice_() % unsigned(am::ranks()));
    switch (dice_() % 8) {
      case 0: return ask(to);
      case 1: return ask_by_another(to);
      case 2: return am::flush();
      case 3: return void(am::poll());
      default: return tell(to, dice_() % 50 == 0 ? 4096 + dice_() % 60000 : dice_() % 40);
    }
  }
  void finish() {
    for (am::rank_t r = 0; r < am::ranks(); ++r) try {
        am::async(r, close, this_process(), sent_[std::size_t(r)]);
      } catch (const am::rank_lost&) {}
  }

 private:
  // Numbers count what was not dropped: behind a loss the next process begins anywhere.
  void tell(am::rank_t to, std::size_t words) try {
    std::uint64_t& sent = sent_[std::size_t(to)];
    const std::uint64_t dropped = am::stats().one_way_calls_dropped;
    am::async(to, take, this_process(), sent + 1, payload(sent + 1, words));
    if (am::stats().one_way_calls_dropped == dropped) ++sent;
    ++one_way_calls;
  } catch (const am::rank_lost&) {}

  void ask(am::rank_t to) try {
    const std::uint64_t two_way_call = dice_();
    const std::size_t words = dice_() % 30 == 0 ? 20000 : dice_() % 20;
    const std::uint64_t got = am::call(to, answer, two_way_call, payload(two_way_call, words), dice_() % 4 == 0).get();
    require(got == two_way_call * 3 + std::uint64_t(to), "an answer");
    ++calls;
  } catch (const am::rank_lost& e) {
    require(e.rank() == to, "rank_lost names another rank");
    ++lost_calls;
  }

  void ask_by_another(am::rank_t to) try {
    const std::uint64_t two_way_call = dice_();
    const auto by = am::rank_t(dice_() % unsigned(am::ranks()));
    require(am::call(to, relay, two_way_call, by).get() == two_way_call * 3 + std::uint64_t(by), "an answer by another rank");
    ++calls;
  } catch (const am::rank_lost& e) { ++lost_calls; } catch (const am::remote_error& e) {
    require(std::string(e.type_name()) == "armilla::rank_lost", e.what());
    ++lost_calls;
  }

  std::mt19937_64 dice_;
  std::vector<std::uint64_t> sent_;
};

void live() {
  sender all;
  while (now_ms() < end_ms) all.one_step();
  all.finish();
  am::flush();
  std::printf("%s %d: %ld one-way calls, %ld calls, %ld lost\n", am::joined() ? "new_rank" : "rank", int(am::rank()),
              one_way_calls, calls, lost_calls);
  std::fflush(stdout);
}

}  // namespace

// The end is an hour of the clock, so that those that come later know it.
int main(int argc, char** argv) {
  if (argc < 3) return 98;
  seed = unsigned(std::atoi(argv[1]));
  end_ms = std::atoll(argv[2]);
  am::on_join(live);
  return am::run(argc, argv, live);
}
