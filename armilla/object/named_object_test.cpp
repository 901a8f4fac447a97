// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace api {

struct counter;  // never defined
inline constexpr am::method<am::remote<counter>(int)> make_up{"test.counter.up"};
inline constexpr am::method<am::remote<counter>()> make_down{"test.counter.down"};
inline constexpr am::method<int(int)> count{"test.counter.count"};
inline constexpr am::method<std::string()> name{"test.counter.name"};
inline constexpr am::method<int(std::string, am::view<int>)> take{"test.counter.take"};
inline constexpr am::method<am::remote<counter>(const am::remote<counter>&)> swap{"test.counter.swap"};

}  // namespace api

namespace {

struct base {
  virtual ~base() = default;
  virtual std::string name() const = 0;
};
struct up : base {
  explicit up(int first) : n(first) {
    if (first == 13) throw std::runtime_error("not that one");
  }
  int count(int by) { return n += by; }
  int take(const std::string& text, const am::view<int>& more) {
    return n += int(text.size()) + std::accumulate(more.begin(), more.end(), 0);
  }
  std::string name() const override { return "up"; }
  am::remote<api::counter> swap(am::remote<api::counter> r) {
    std::swap(r, held);
    return r;
  }
  int n;
  am::remote<api::counter> held;
};
struct down : base {
  int count(int by) { return n -= by; }
  std::string name() const override { return "down"; }
  int n = 0;
};
struct further : down {
  int count(int by) { return n -= 2 * by; }
  int recount(int by) { return n -= 3 * by; }
};

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

void provide_all() {
  am::provide_class<api::make_up, up>();
  am::provide_class<api::make_down, further>();
  am::provide<api::count, &up::count>();
  am::provide<api::count, &down::count>();
  am::provide<api::name, &base::name>();
  am::provide<api::swap, &up::swap>();
  am::provide<api::take, &up::take>();
}

}  // namespace

RANK_TEST(objects_are_made_and_called_by_name) {
  provide_all();
  am::barrier();
  {
    am::remote<api::counter> u = am::create<api::make_up>(next(), 5).get();
    am::remote<api::counter> d = am::create<api::make_down>(next()).get();
    EXPECT_EQ(am::call<api::count>(u, 2).get(), 7);
    EXPECT_EQ(am::call<api::count>(d, 2).get(), -2);
    am::async<api::count>(u, 1);
    am::async<api::count>(d, 1);
    EXPECT_EQ(am::call<api::count>(u, 0).get(), 8);
    EXPECT_EQ(am::call<api::name>(d).get(), std::string("down"));
    EXPECT_EQ(am::call<api::name>(u).get(), std::string("up"));
    EXPECT(!am::call<api::swap>(u, d).get());
    d.reset();
    am::fence();
    d = am::call<api::swap>(u, nullptr).get();
    EXPECT_EQ(am::call<api::count>(d, 0).get(), -3);
    EXPECT_THROWS_SAYING(am::remote_error, "provides no method 'test.counter.swap'", am::call<api::swap>(d, u).get());
    auto f = am::create<api::make_up>(next(), 1);
    EXPECT_EQ(am::call<api::count>(f, 1).get(), 2);
    am::async<api::count>(f, 1);  // may come behind what is asked next: its reference has to come first
    am::fence();
    EXPECT_EQ(am::call<api::count>(f.get(), 1).get(), 4);
    EXPECT_EQ(am::call<api::count>(am::create<api::make_up>(next(), 20), 1).get(), 21);
    am::async<api::count>(am::create<api::make_up>(next(), 30), 1);
    am::fence();
    EXPECT_THROWS_SAYING(am::remote_error, "not that one", am::create<api::make_up>(next(), 13).get());
    am::destroy(u);
    EXPECT_THROWS_SAYING(am::remote_error, "has been destroyed", am::call<api::name>(u).get());
  }
  am::fence();
  EXPECT_EQ(am::detail::current_head->objects->slots.size(), 0u);
  am::barrier();
}

RANK_TEST(a_call_that_waits_for_its_object_keeps_what_it_was_given) {
  {
    am::future<am::remote<api::counter>> object = am::create<api::make_up>(next(), 0);
    std::string text(100, 'x');
    std::vector<int> numbers(100, 1);
    am::async<api::take>(object, text.c_str(), am::view(numbers));
    am::future<int> all = am::call<api::take>(object, text, am::view(numbers));
    text = std::string();
    numbers.assign(100, 1000);
    EXPECT_EQ(all.get(), 400);
    am::fence();
    EXPECT_EQ(am::call<api::count>(object, 0).get(), 400);
  }
  am::async<api::count>(am::create<api::make_up>(next(), 13), 1);
  EXPECT_THROWS_SAYING(am::remote_error, "not that one", am::fence());
  am::barrier();
}

RANK_TEST(a_derived_class_may_provide_its_own) {
  am::provide<api::count, &further::count>();
  am::barrier();
  auto d = am::create<api::make_down>(next()).get();
  EXPECT_EQ(am::call<api::count>(d, 2).get(), -4);
  am::provide<api::count, &further::count>();  // again, the same
  EXPECT_THROWS_SAYING(am::usage_error, "provides a name once", am::provide<api::count, &further::recount>());
  am::fence();
}

RANK_TEST(nothing_is_loaded_without_leave) {
  EXPECT_THROWS_SAYING(am::remote_error, "ARMILLA_LIBRARIES names no folder", am::load_library(next(), "libm.so").get());
  am::barrier();
}
