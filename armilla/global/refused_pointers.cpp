// SPDX-License-Identifier: Apache-2.0
// What does not compile, one case at a time; CMakeLists.txt has the sentences.
#include <string>
#include <vector>

#include "armilla/global/global.hpp"

#if defined(CASE_READ)
std::string refused(armilla::global_ptr<std::string> p) { return *p; }
#elif defined(CASE_WRITE)
void refused(armilla::global_ptr<std::string> p) { *p = std::string("text"); }
#elif defined(CASE_GET)
void refused(armilla::global_ptr<std::string> p, std::vector<std::string>& v) { armilla::get(v, p); }
#elif defined(CASE_SPREAD)
armilla::spread_array<std::string> refused(10);
#elif defined(CASE_CONST)
void refused(armilla::global_ptr<const int> p) { *p = 1; }
#elif defined(CASE_COPY)
void refused(armilla::global_ptr<int> p) {
  auto a = *p;
  auto b = a;
}
#elif defined(CASE_NAMED_READ)
long refused(const armilla::spread_array<long>& x) {
  auto z = x[3];
  return z;
}
#elif defined(CASE_NAMED_CONST_READ)
long refused(const armilla::spread_array<long>& x) {
  const auto z = x[3];
  return z;
}
#elif defined(CASE_NAMED_WRITE)
void refused(armilla::spread_array<long>& x) {
  auto z = x[3];
  z = 5;
}
#elif defined(CASE_NAMED_UPDATE)
void refused(armilla::spread_array<long>& x) {
  auto z = x[3];
  z += 5;
}
#elif defined(CASE_LOOP)
long refused(const armilla::spread_array<long>& x) {
  long sum = 0;
  for (const long e : x) sum += e;
  return sum;
}
#elif defined(CASE_ATOMIC)
void refused(armilla::global_ptr<short> p) { armilla::atomic_add(p, short(1)); }
#endif
