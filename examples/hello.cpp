// SPDX-License-Identifier: Apache-2.0
// The smallest program: a one-way call and a two-way call. ARMILLA_RANKS=4 ./hello; ARMILLA_FABRIC=threads ARMILLA_RANKS=4
// ./hello
#include <cstdio>
#include <string>

#include <armilla/armilla.hpp>
namespace am = armilla;

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {  // every rank runs this
    const am::rank_t next = (am::rank() + 1) % am::ranks();
    const auto greet = [](const std::string& from) { std::printf("rank %d: hello from %s\n", am::rank(), from.c_str()); };
    am::async(next, greet, "rank " + std::to_string(am::rank()));                   // one-way call: no answer
    am::fence();                                                                    // now it has run, everywhere
    am::future<double> nine = am::call(next, [](double x) { return x * x; }, 3.0);  // two-way call
    return nine.get() == 9.0 ? 0 : 1;                                               // an int is the exit code
  });
}
