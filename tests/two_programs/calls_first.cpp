// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/two_programs/calls.hpp"

thread_local long noted = 0;

namespace {

double half(double x) { return x / 2; }
int fails(int n) { throw std::runtime_error("no " + std::to_string(n)); }

}  // namespace

void provide_all() {
  am::provide<api::half, &half>();
  am::provide<api::fails, &fails>();
  am::provide<api::note>([](int n) { noted += n; });
  am::provide<api::noted>([] { return noted; });
  am::provide<api::echo>([](const std::vector<double>& v) { return v; });
  am::provide<api::sum>([](am::view<double> v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum;
  });
  am::provide<api::reverse>([](api_route r) {
    r.number = -r.number;
    std::reverse(r.name.begin(), r.name.end());
    std::reverse(r.points.begin(), r.points.end());
    return r;
  });
  am::provide<api::layout>([](const api_layout& l) { return l.large; });
  am::provide<api::assign>([](am::global_ptr<long> p, long value) { *p = value; });
  am::provide<api::enlarge>([](am::global_ptr<api_layout> p, long by) { p->*& api_layout::large = by; });
  am::provide<api::flood>([](int n) {
    for (int i = 0; i < n; ++i) am::async<api::note>(next(), 1);
  });
  am::provide<api::differs>([](double x) { return int(x); });
  am::provide<api::relay>([](int left) {
    if (left != 0) am::async<api::note>(next(), 0);
    return 0;
  });
}
