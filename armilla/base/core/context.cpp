// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/context.hpp"

#include <pthread.h>
#include <unistd.h>

#include <string>

#include "armilla/base/core/forked.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

void throw_no_rank(const char* operation) {
  if (is_forked_child())
    throw_usage(operation, forked_child_name() +
                               " is no rank; let the rank do this, and in a child only what needs nothing of the job, and then "
                               "_exit or exec");
  char name[32] = "?";
  pthread_getname_np(pthread_self(), name, sizeof name);
  throw_usage(operation,
              std::string("the calling thread (\"") + name + "\", id " + std::to_string(gettid()) +
                  ") is no rank of a running job; call it inside armilla::run, run_main or a session, from the thread that "
                  "entered it");
}

}  // namespace armilla::detail
