// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/inner/openmp.hpp"

#include <omp.h>

#include "bench/papers/common/large_pages.hpp"
#include "bench/papers/inner/numbers.hpp"

namespace inner {

openmp_vector::openmp_vector(std::size_t n, const papers::seats& threads)
    : size_(n), threads_(threads.count()), elements_(new double[n]) {
#pragma omp parallel num_threads(threads_)
  threads.take(omp_get_thread_num());
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::size_t i = 0; i < size_; ++i) elements_[i] = element(i);  // by the thread that reads it: its pages lie there
  papers::in_large_pages(std::span(elements_.get(), size_));
}

// parallel
double openmp_vector::square() const {
  const double* const x = elements_.get();
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads_) schedule(static)
  for (std::size_t i = 0; i < size_; ++i) sum += x[i] * x[i];
  return sum;
}
// end of parallel

}  // namespace inner
