// SPDX-License-Identifier: Apache-2.0
// A user's program, built against an installed Armilla: a call around the ring of ranks, checked.
#include <cstdio>

#include <armilla/armilla.hpp>

int main(int argc, char** argv) {
  return armilla::run(argc, argv, [] {
    const int right = (armilla::rank() + 1) % armilla::ranks();
    const int answer = armilla::call(right, [](int from) { return 100 * from + armilla::rank(); }, armilla::rank()).get();
    armilla::barrier();
    if (answer != 100 * armilla::rank() + right) return 1;
    if (armilla::rank() == 0) std::printf("consumer: %d ranks, all answers right\n", armilla::ranks());
    return 0;
  });
}
