// SPDX-License-Identifier: Apache-2.0
// Other code than calls_first.cpp, in another order: only names and signatures are the same.
#define SECOND_PROGRAM
#include "tests/two_programs/calls.hpp"

thread_local long noted = 0;

namespace {

am::per_rank<std::array<char, 70000>> ballast;  // so that the programs' variables lie at different places

struct collector {
  void note(int n) { noted += n; }
  long sum() const { return noted; }
};
thread_local collector mine;

template <class... Unused>
void more_handlers() {
  (static_cast<void>(am::call(am::rank(), [](Unused) { return sizeof(Unused); }, Unused{}).get()), ...);
}

}  // namespace

void provide_all() {
  more_handlers<char, short, int, long, float>();
  am::provide<api::relay>([](int left) {
    if (left > 0) am::async<api::note>(next(), left - left);
    return left - left;
  });
  am::provide<api::assign>([](am::global_ptr<long> p, long value) { *p = value; });
  am::provide<api::enlarge>([](am::global_ptr<api_layout> p, long by) { p->*& api_layout::large = by; });
  am::provide<api::flood>([](int n) {
    for (int i = 0; i < n; ++i) am::async<api::note>(next(), 1);
  });
  am::provide<api::differs>([](float x) { return int(x); });
  am::provide<api::layout>([](api_layout l) { return long(l.small); });
  am::provide<api::reverse>([](const api_route& r) {
    return api_route{-r.id, {r.label.rbegin(), r.label.rend()}, {r.spots.rbegin(), r.spots.rend()}};
  });
  am::provide<api::sum>([](am::view<double> v) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += v[i];
    return sum;
  });
  am::provide<api::noted, &collector::sum>(mine);
  am::provide<api::note, &collector::note>(mine);
  am::provide<api::echo>([](std::vector<double> v) { return v; });
  am::provide<api::fails>([](int n) -> int { throw std::logic_error("no " + std::to_string(n)); });
  am::provide<api::half>([](float x) { return x * 0.5F; });
}
