// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/place/agreed_exchange.hpp"

#include <new>

namespace armilla::detail {

void try_memory(std::size_t bytes, failure& why) try {
  ::operator delete(::operator new(bytes));  // as functions: compilers leave out what is written as an expression
} catch (const passing&) { throw; } catch (...) {
  why.note();
}

void try_exchange(const team& t, std::span<const parcel_size> leaving, std::size_t element, bool flat, failure& why) {
  std::vector<parcel_size> coming(leaving.size());
  t.all_to_all(leaving, std::span(coming));
  std::size_t bytes = 0;
  for (std::size_t m = 0; m < leaving.size(); ++m) {
    if (m == std::size_t(t.rank())) continue;
    bytes += leaving[m].bytes + coming[m].bytes + coming[m].elements * element + (flat ? 0 : coming[m].bytes);
  }
  if (!why.happened()) try_memory(bytes, why);
}

}  // namespace armilla::detail
