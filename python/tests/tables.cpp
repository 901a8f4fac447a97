// SPDX-License-Identifier: Apache-2.0
// The job of tables_test.py: it exposes maps, and one of them no more when it is told.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
namespace am = armilla;
using namespace std::chrono_literals;

namespace {

constexpr am::method<void()> stop{"demo.tables.stop"};
constexpr am::method<void()> compute{"demo.tables.compute"};
am::per_rank<bool> stopped;

void say(const char* word) {
  am::barrier();
  if (am::rank() == 0) std::printf("%s\n", word);
  std::fflush(stdout);
}

void provide_all() {
  am::provide<stop>([] { *stopped = true; });
  am::provide<compute>([] {
    for (const auto end = std::chrono::steady_clock::now() + 500ms; std::chrono::steady_clock::now() < end;) {}
  });
}

void expose_all() {
  am::unordered_map<std::string, long> words;
  am::unordered_map<int, std::vector<double>> lists;
  am::unordered_set<int> numbers;
  const int first = am::rank(), step = am::ranks();
  for (int i = first; i < 10'000; i += step) words.insert("word " + std::to_string(i), i);
  for (int i = first; i < 50; i += step) lists.insert(i, std::vector<double>(std::size_t(i), 0.5));
  for (int i = first; i < 50; i += step) numbers.insert(i);
  am::array<double> array(10);
  am::fence();
  const am::exposure shown[] = {am::expose("words", words), am::expose("numbers", numbers), am::expose("array", array)};
  {
    const am::exposure more = am::expose("lists", lists);
    say("ready");
    while (!*stopped) am::sleep_for(1ms);
  }
  say("ended");
  for (;;) am::sleep_for(10ms);
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    provide_all();
    expose_all();
  });
}
