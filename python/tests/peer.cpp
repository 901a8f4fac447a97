// SPDX-License-Identifier: Apache-2.0
// The C++ half of mixed_test.py: each rank provides methods that ranks of Python call, and then calls what they provide.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <armilla/armilla.hpp>
namespace am = armilla;

namespace {

struct place {
  std::int32_t id;
  double x;
};

using counts = std::map<std::string, std::int64_t>;

// What this program provides.
constexpr am::method<double(double)> half{"demo.peer.half"};
constexpr am::method<double(am::view<double>)> sum{"demo.peer.sum"};
constexpr am::method<counts(std::vector<std::string>)> count{"demo.peer.count"};
constexpr am::method<void(std::string)> fail{"demo.peer.fail"};
constexpr am::method<void(std::int64_t)> note{"demo.peer.note"};
constexpr am::method<std::int64_t()> noted{"demo.peer.noted"};
constexpr am::method<place(place)> mirror{"demo.peer.mirror"};
// What the program in Python provides.
constexpr am::method<double(double)> score{"demo.py.score"};
constexpr am::method<float(float)> score_of_float{"demo.py.score"};
constexpr am::method<double(am::view<double>)> py_sum{"demo.py.sum"};
constexpr am::method<counts(std::vector<std::string>)> py_count{"demo.py.count"};
constexpr am::method<std::int64_t(std::int32_t)> look_up{"demo.py.look_up"};
constexpr am::method<double(am::rank_t, double)> relay{"demo.py.relay"};
constexpr am::method<std::string()> bad_result{"demo.py.bad_result"};
constexpr am::method<void(std::int64_t)> py_note{"demo.py.note"};
constexpr am::method<std::int64_t()> py_noted{"demo.py.noted"};
constexpr am::method<std::tuple<std::int32_t, std::string>(std::optional<bool>)> mixed{"demo.py.mixed"};
constexpr am::method<void()> missing{"demo.py.missing"};

counts count_words(const std::vector<std::string>& words) {
  counts all;
  for (const std::string& w : words) ++all[w];
  return all;
}

double sum_of(am::view<double> v) {
  double all = 0;
  for (const double x : v) all += x;
  return all;
}

std::int64_t notes = 0;

template <class F>
void expect_error(const char* what, F&& f) {
  try {
    f();
    std::printf("%s: no error\n", what);
  } catch (const am::remote_error& e) { std::printf("%s: %d: %s: %s\n", what, int(e.rank()), e.type_name(), e.text()); }
}

void call_python(am::rank_t there) {
  std::printf("score %g\n", am::call<score>(there, 1.5).get());
  for (int i = 0; i < 1000; ++i)
    if (am::call<score>(there, double(i)).get() != 2.0 * i) std::abort();  // with the index
  std::vector<am::future<double>> many;
  for (int i = 0; i < 300; ++i) many.push_back(am::call<score>(there, double(i)));
  for (int i = 0; i < 300; ++i)
    if (many[std::size_t(i)].get() != 2.0 * i) std::abort();
  const std::vector<double> own(1000, 0.5);
  std::printf("sum %g\n", am::call<py_sum>(there, am::view<double>(own.data(), own.size())).get());
  constexpr std::size_t n = 1 << 20;
  double* const shared = am::allocate<double>(n).local();  // stays where it is
  for (std::size_t i = 0; i < n; ++i) shared[i] = double(i % 7);
  for (int i = 0; i < 2; ++i) std::printf("long sum %.0f\n", am::call<py_sum>(there, am::view<double>(shared + 1, n - 1)).get());
  const counts words = am::call<py_count>(there, std::vector<std::string>{"a", "b", "a"}).get();
  std::printf("count a %d b %d\n", int(words.at("a")), int(words.at("b")));
  std::printf("relay %g\n", am::call<relay>(there, am::rank(), 5.0).get());
  const auto [number, text] = am::call<mixed>(there, true).get();
  std::printf("mixed %d %s\n", int(number), text.c_str());
  expect_error("look_up", [&] { (void)am::call<look_up>(there, 3).get(); });
  expect_error("bad_result", [&] { (void)am::call<bad_result>(there).get(); });
  expect_error("missing", [&] { am::call<missing>(there).get(); });
  expect_error("signature", [&] { (void)am::call<score_of_float>(there, 1.0f).get(); });
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    am::provide<half>([](double x) { return x / 2; });
    am::provide<sum, &sum_of>();
    am::provide<count, &count_words>();
    am::provide<fail>([](const std::string& why) { throw std::out_of_range(why); });
    am::provide<note>([](std::int64_t n) { notes += n; });
    am::provide<noted>([] { return notes; });
    am::provide<mirror>([](const place& p) { return place{p.id, -p.x}; });
    am::barrier();
    am::barrier();  // Python calls
    const am::rank_t there = am::ranks() - 1;
    if (am::rank() == 0) call_python(there);
    am::barrier();
    for (int i = 0; i < 100; ++i) am::async<py_note>(there, i);
    am::fence();
    if (am::rank() == 0) std::printf("noted %d\n", int(am::call<py_noted>(there).get()));
    am::fence();
    if (am::rank() == 0) am::async<look_up>(there, 4);
    expect_error("fence", [] { am::fence(); });
    expect_error("fence of Python's one-way call", [] { am::fence(); });
    double all[1] = {am::rank() == 0 ? 2.5 : 1.0};
    am::all_reduce(std::span<double>(all), std::plus<>{});
    std::printf("reduced %g\n", all[0]);
    std::fflush(stdout);
  });
}
