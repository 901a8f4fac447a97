// SPDX-License-Identifier: Apache-2.0
// Ranks of one program send each other one-way calls by way of a rank that runs another one, which does not know these.
#include <cstdio>

#include <armilla/armilla.hpp>

namespace am = armilla;

#ifdef SECOND_PROGRAM

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    am::fence();
    return 0;
  });
}

#else

static long told = 0;
static void tell(long n) { told += n; }

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    const auto peers = am::program_ranks(am::this_program());
    for (const am::rank_t r : peers)
      for (long i = 0; i < 100; ++i) am::async<&tell>(r, 1L);
    am::fence();
    const auto routed = am::detail::current_head->out->count().routed_sent;
    if (told == 100 * long(peers.size()) && (routed != 0 || am::rank() != 3)) return 0;
    std::printf("rank %d was told %ld, %llu messages went by way of others\n", int(am::rank()), told,
                static_cast<unsigned long long>(routed));
    return 1;
  });
}

#endif
