// SPDX-License-Identifier: Apache-2.0
// Threads of the system on one core; rank 0 works, the others wait.
#include <pthread.h>
#include <semaphore.h>

#include <thread>

#include "bench/baseline/hand.hpp"

namespace bench::hand {
namespace {

template <class F>
double alone(row_context& c, F&& loop) {
  const double result = c.rank == 0 ? time_per(c.iterations, loop) : 0.0;
  c.sync_sleeping();
  return result;
}

/// Two threads of one core wake each other; one way.
double thread_switch(row_context& c) {
  return alone(c, [](long n) {
    sem_t turn[2];
    sem_init(&turn[0], 0, 1);
    sem_init(&turn[1], 0, 0);
    long turns[2] = {0, 0};
    const auto go = [&](int me) {
      for (long i = 0; i < (n + 1) / 2; ++i) {
        while (sem_wait(&turn[me]) != 0) {}
        ++turns[me];
        sem_post(&turn[1 - me]);
      }
    };
    std::thread other([&] {
      pin(0);
      go(1);
    });
    go(0);
    other.join();
    verify(turns[0] == turns[1] && turns[0] == (n + 1) / 2, "turns of two threads");
    sem_destroy(&turn[0]);
    sem_destroy(&turn[1]);
  });
}

double thread_create_join(row_context& c) {
  return alone(c, [](long n) {
    long ran = 0;
    for (long i = 0; i < n; ++i) std::thread([&ran] { ++ran; }).join();
    verify(ran == n, "number of threads");
  });
}

double thread_mutex(row_context& c) {
  return alone(c, [](long n) {
    pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    long inside = 0;
    for (long i = 0; i < n; ++i) {
      pthread_mutex_lock(&one);
      ++inside;
      keep(inside);
      pthread_mutex_unlock(&one);
    }
    verify(inside == n, "lockings");
  });
}

}  // namespace

void add_threads(row_table& rows) {
  rows.insert(rows.end(),
              {{"pthread_switch", thread_switch}, {"pthread_create_join", thread_create_join}, {"pthread_mutex", thread_mutex}});
}

}  // namespace bench::hand
