// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <atomic>
#include <exception>
#include <string>
#include <thread>

#include <armilla/armilla.hpp>

#include "armilla/attach.hpp"

namespace rank_test {

/// All ranks call it: `work(job)` in a thread of rank 0 that is an attached client of the job, while all ranks look for messages.
/// What it throws is thrown on rank 0.
template <class Work>
void as_client(Work&& work) {
  armilla::barrier();
  std::exception_ptr failure;
  if (armilla::rank() == 0) {
    std::atomic<bool> done = false;
    std::thread client([&] {
      try {
        work(armilla::attach(std::to_string(getpid())));
      } catch (...) { failure = std::current_exception(); }
      done = true;
    });
    while (!done) armilla::poll();
    client.join();
  }
  armilla::barrier();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace rank_test
