// SPDX-License-Identifier: Apache-2.0
// A job that goes on when ranks die: survivor SEED STEPS DEATH... Driven by survivors_test.py.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

#include "tests/death/deaths.hpp"

namespace am = armilla;

namespace {

using deaths::require;

unsigned seed = 0;

// How many one-way calls this rank has sent to each, and run from each.
std::vector<long> sent, run;
am::per_rank<long> words;

void note(int from) { ++run[std::size_t(from)]; }
void note_and_pass_on(int from, int to) {
  ++run[std::size_t(from)];
  am::async(to, [] {});
}
long plus_one(long n) { return n + 1; }

class work {
 public:
  explicit work(unsigned number) : own_(seed * 7919 + unsigned(am::rank()) + number * 31) {}

  void step(const am::team& t, long number) {
    std::mt19937 common(seed * 104729u + unsigned(number));
    for (unsigned i = own_() % 8; i-- > 0;) to_a_member(t);
    if (t.size() == am::ranks())
      of_all_.update(long(own_() % 1000), 1, std::plus<>{});  // held back, perhaps for a rank that dies
    if (deaths::to_throw) throw std::runtime_error("had enough");
    together(t, common);
  }

 private:
  void to_a_member(const am::team& t) try {
    const int to = t.world_rank(am::rank_t(own_() % unsigned(t.size())));
    const long n = long(own_() % 1000);
    switch (own_() % 5) {
      case 0: require(am::call(to, plus_one, n).get() == n + 1, "a reply"); break;
      case 1:
        for (int i = 0; i < 100; ++i) {
          am::async(to, note, am::rank());
          ++sent[std::size_t(to)];
        }
        break;
      case 2:
        am::async(to, note_and_pass_on, am::rank(), t.world_rank(0));
        ++sent[std::size_t(to)];
        break;
      case 3: am::atomic_fetch_add(words.on(to), n); break;
      default:
        require(am::call(
                    to, [](const std::vector<long>& v) { return v.size(); }, std::vector<long>(8000))
                        .get() == 8000,
                "a long call");
    }
  } catch (const am::remote_error& e) {  // a body met a rank that is lost
    if (std::string(e.type_name()) != "armilla::rank_lost") throw;
  }

  static void together(const am::team& t, std::mt19937& common) {
    switch (common() % 8) {
      case 0: return t.barrier();
      case 1: return fence(t);
      case 2: return require(t.all_reduce(1, std::plus<>{}) == t.size(), "all_reduce");
      case 3: {
        std::vector<long> all(20'000, t.rank());
        t.all_reduce(std::span<long>(all), std::plus<>{});
        return require(all[17'000] == long(t.size()) * (t.size() - 1) / 2, "all_reduce of an array");
      }
      case 4: {
        const am::rank_t root = am::rank_t(common() % unsigned(t.size()));
        std::vector<long> all(common() % 50'000, t.rank());
        t.broadcast(std::span<long>(all), root);
        return require(all.empty() || all.back() == root, "broadcast");
      }
      case 5: return require(t.all_gather(t.rank()).back() == t.size() - 1, "all_gather");
      case 6: return sort(t, common());
      default: {
        const am::team half = t.split(t.rank() % 2, t.rank());
        return require(half.all_reduce(1, std::plus<>{}) == half.size(), "all_reduce of a half");
      }
    }
  }

  // Behind it all that members have sent to members has run, once.
  static void fence(const am::team& t) {
    t.fence();
    std::vector<long> to_each, from_each;
    for (am::rank_t i = 0; i < t.size(); ++i) to_each.push_back(sent[std::size_t(t.world_rank(i))]);
    from_each = t.all_to_all(to_each);
    for (am::rank_t i = 0; i < t.size(); ++i) {
      const long has_run = run[std::size_t(t.world_rank(i))];
      require(has_run == from_each[std::size_t(i)], "of " + std::to_string(from_each[std::size_t(i)]) +
                                                        " one-way calls of rank " + std::to_string(t.world_rank(i)) + " " +
                                                        std::to_string(has_run) + " have run");
    }
    t.barrier();  // before anything more is sent
  }

  static void sort(const am::team& t, unsigned salt) {
    am::array<unsigned> all(3000, am::on(t));
    am::vector<unsigned> grown(0, am::on(t));
    grown.push_back(salt);
    unsigned k = salt + unsigned(t.rank()) * 97;
    for (unsigned& x : all.local()) x = k = k * 1664525u + 1013904223u;
    am::sort(all);
    t.fence();
    require(grown.size() == std::size_t(t.size()), "the size of a vector");
    const auto part = all.local();
    require(std::ranges::is_sorted(part), "sort");
    require(t.all_reduce(part.size(), std::plus<>{}) == 3000, "sizes of a sorted array");
  }

  am::unordered_map<long, long> of_all_;
  std::mt19937 own_;
};

void say_agreed(const am::team& t) {
  std::ostringstream line;
  line << "rank " << am::rank() << " team " << t.id() << ":";
  for (am::rank_t i = 0; i < t.size(); ++i) line << ' ' << t.world_rank(i);
  line << '\n';
  std::fputs(line.str().c_str(), stdout);
  std::fflush(stdout);
}

int live(unsigned s, long steps) {
  seed = s;
  sent.assign(std::size_t(am::ranks()), 0);
  run.assign(std::size_t(am::ranks()), 0);
  work todo(0);
  bool whole = deaths::begin();
  am::team t = am::world();
  for (long number = 0; number < steps;) try {
      if (!whole) {
        t = t.survivors();
        say_agreed(t);
        require(t.world_rank(t.rank()) == am::rank() && t.rank_of(am::rank()) == t.rank(), "a rank's place");
        number = t.all_reduce(number, [](long a, long b) { return std::max(a, b); });
        whole = true;
        continue;
      }
      todo.step(t, number);
      ++number;
    } catch (const am::remote_error& e) {  // a fence: a body met a rank that is lost; on all members
      if (std::string(e.type_name()) != "armilla::rank_lost") throw;
    } catch (const am::rank_lost&) {
      whole = false;
      deaths::hear_of_loss();
    }
  std::printf("rank %d done\n", int(am::rank()));
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return deaths::run(argc, argv, live); }
