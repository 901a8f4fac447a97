// SPDX-License-Identifier: Apache-2.0
// A thread posts functions to its rank until the job has ended. Each that was taken has run. The process ends with 0 if so.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include <armilla/armilla.hpp>
#include <armilla/post.hpp>

namespace am = armilla;

namespace {

std::atomic<long> ran = 0;
long posted = 0;
bool refused_in_words = false;

void post_until_the_end() try {
  for (;;) try {
      am::post([] {
        am::call((am::rank() + 1) % am::ranks(), [] { return 1; }).get();
        ++ran;
      });
      ++posted;
    } catch (const am::limit_error&) { std::this_thread::yield(); }
} catch (const am::usage_error& e) {
  refused_in_words = std::string_view(e.what()).find("it has ended") != std::string_view::npos;
}

}  // namespace

int main(int argc, char** argv) {
  std::thread other;
  const int code = am::run(argc, argv, [&other] {
    other = std::thread(post_until_the_end);
    am::sleep_for(std::chrono::milliseconds(50));
  });
  other.join();
  std::printf("%ld posted, %ld ran\n", posted, ran.load());
  return code != 0 || posted == 0 || posted != ran || !refused_in_words ? 1 : 0;
}
