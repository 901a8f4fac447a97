// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/container.hpp"
#include "armilla/container/image/save_testing.hpp"
#include "armilla/rebalance.hpp"
#include "tests/rank_test.hpp"

/// What every container promises, tested for each by one line:
///
///     static const conformance::suite<list_of<std::string>> of_list("list", __FILE__);
///
/// The argument is a description of the container, a struct with
///
///     using container = am::list<std::string>;
///     static container empty(const am::team& t);                        // over `t`, without elements
///     static container filled(const am::team& t, std::size_t n);        // the content depends on `n` alone, not on the team
///     static std::vector<std::string> contents(container& x);           // collective; the same on all members
///     static void change(container& x);                                 // collective; changes what two elements or more are
///     static constexpr bool is_frozen = true;                           // optional: nothing can change it
///
/// Tests of replicas run where ARMILLA_ON_LOSS is set.
namespace armilla::conformance {

using lines = std::vector<std::string>;

// ---- For descriptions ----

template <class T>
T element(std::size_t i) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::string(i % 30, char('a' + i % 26)) + std::to_string(i);
  else
    return T(i * 3 + 1);
}
inline std::string text(const std::string& e) { return e; }
template <class T>
  requires std::is_arithmetic_v<T>
std::string text(T e) {
  const std::string digits = std::to_string(e);
  return std::string(digits.size() < 12 ? 12 - digits.size() : 0, '0') + digits;  // in the order of the numbers
}

/// Calls f(i) for the numbers below n of which this member of `t` is in charge, in order.
template <class F>
void each_of_share(const team& t, std::size_t n, F f) {
  const auto members = std::size_t(t.size()), me = std::size_t(t.rank());
  for (std::size_t i = n * me / members; i < n * (me + 1) / members; ++i) f(i);
}
/// The lines of all members, one member after the other.
inline lines together(const team& t, const lines& mine) { return t.all_gather_v(mine); }
inline lines sorted(lines all) {
  std::ranges::sort(all);
  return all;
}

// ---- The promises ----

template <class S>
struct promises {
  using container = typename S::container;

  static std::size_t size_of(const container& x) {
    if constexpr (requires { x.size(); })
      return x.size();
    else
      return x.rows();
  }
  static lines expected(std::size_t n) {
    container x = S::filled(world(), n);
    return S::contents(x);
  }

  static void over_a_team() {
    const team half = world().split(rank() % 2);
    const lines all = expected(50);
    container x = S::filled(half, 50);
    EXPECT(x.members() == half);
    EXPECT(S::contents(x) == all);
    EXPECT_EQ(size_of(x), size_of(S::filled(world(), 50)));
    container none = S::empty(half);
    EXPECT_EQ(size_of(none), 0U);
    EXPECT(S::contents(none) == expected(0));
  }

  static bool is_left_empty(container& x) {
    try {
      return size_of(x) == 0;
    } catch (const usage_error&) { return true; }
  }
  static void moves() {
    const lines all = expected(40);
    container x = S::filled(world(), 40);
    container y = std::move(x);
    EXPECT(S::contents(y) == all);
    EXPECT(is_left_empty(x));
    EXPECT_THROWS_SAYING(usage_error, "", x.save("nowhere"));
    x = std::move(y);
    EXPECT(S::contents(x) == all);
    static_assert(!std::is_copy_constructible_v<container>);
  }

  static void is_named_by_a_handle() {
    if constexpr (requires(container& x) { x.handle(); }) {
      container x = S::filled(world(), 10);
      const auto h = x.handle();
      static_assert(std::is_trivially_copyable_v<std::remove_const_t<decltype(h)>>);
      barrier();
      async((rank() + 1) % ranks(), [](std::remove_const_t<decltype(h)> there) { static_cast<void>(there.operator->()); }, h);
      fence();
    }
  }

  static void is_saved_on_some_ranks_and_loaded_on_others() {
    const save_testing::scratch_path path;
    for (const std::size_t n : {0, 1, 70}) {
      const lines all = expected(n);
      save_testing::for_pairs([&](int writers, int readers) {
        const team from = save_testing::first_ranks(writers), to = save_testing::first_ranks(readers);
        if (save_testing::is_first(writers)) S::filled(from, n).save(path.str());
        barrier();
        if (save_testing::is_first(readers)) {
          container x = S::empty(to), other = S::filled(to, 33);
          x.load(path.str()), other.load(path.str());
          EXPECT(S::contents(x) == all);
          EXPECT(S::contents(other) == all && size_of(x) == size_of(other) && x.members() == to);
        }
        barrier();
      });
    }
  }

  /// What has a shape (a matrix, a graph) is assigned another one instead.
  static constexpr bool has_shape = requires(const container& x) { x.rows(); } || requires(const container& x) { x.edges(); } ||
                                    requires(const container& x) { x.extent(0); };
  static void is_cleared() {
    if constexpr (has_shape) {
      static_assert(!requires(container& x) { x.clear(); });
    } else {
      container x = S::filled(world(), 40);
      const lines all = S::contents(x);
      x.clear();
      if (size_of(x) == 0)
        EXPECT(S::contents(x) == expected(0));
      else  // numbers or bits, as many as before
        EXPECT(S::contents(x) != all);
      const lines none = S::contents(x);
      barrier();
      x.clear();
      EXPECT(S::contents(x) == none);
      S::change(x);
      EXPECT(size_of(x) != 0 || S::contents(x) == none);
      world().fence();
    }
  }

  struct unlike {
    long a, b, c;
  };
  static void refuses_other_files_and_stays_as_it_was() {
    const save_testing::scratch_path path;
    const lines all = expected(20);
    container x = S::filled(world(), 20);
    EXPECT_THROWS_SAYING(usage_error, "cannot load", x.load(path.str()));
    array<unlike> others(5);
    others.save(path.str());
    EXPECT_THROWS_SAYING(usage_error, "cannot load", x.load(path.str()));
    x.save(path.str());
    std::string bytes = save_testing::bytes_of(path.str());
    bytes.pop_back();
    save_testing::write_bytes(path.str(), bytes);
    EXPECT_THROWS_SAYING(usage_error, "cannot load", x.load(path.str()));
    EXPECT(S::contents(x) == all);
  }

  static void goes_back_to_its_checkpoint() {
    if (std::getenv("ARMILLA_ON_LOSS") == nullptr) return;
    for (const std::size_t n : {0, 1, 60}) {
      const lines all = expected(n);
      container x = S::filled(world(), n);
      EXPECT_THROWS_SAYING(usage_error, "x.keep(1)", x.checkpoint());
      for (const int copies : {0, -1}) EXPECT_THROWS_SAYING(usage_error, "copies; give 1 or more", x.keep(copies));
      x.keep(1);
      EXPECT_THROWS_SAYING(usage_error, "no checkpoint", x.recover(world().survivors()));
      x.checkpoint(7);
      S::change(x);
      if constexpr (!requires { requires S::is_frozen; })
        if (n > 1) EXPECT(S::contents(x) != all);
      EXPECT_THROWS_SAYING(usage_error, "give x.members().survivors()", x.recover(team()));
      const team left = world().survivors();
      auto back = x.recover(left);
      x = std::move(back.container);
      EXPECT(back.mark == 7 && back.gone.empty() && x.members() == left);
      EXPECT(S::contents(x) == all);
      S::change(x);
      x = std::move(x.recover(left.survivors()).container);  // it is kept as before, and has a checkpoint
      EXPECT(S::contents(x) == all);
      x.checkpoint(8);
      EXPECT_EQ(x.recover(x.members().survivors()).mark, 8U);
    }
  }

  static void is_replicated_as_before_after_a_load() {
    if (std::getenv("ARMILLA_ON_LOSS") == nullptr) return;
    const save_testing::scratch_path path;
    const lines all = expected(30);
    container x = S::filled(world(), 30);
    x.keep(1);
    x.save(path.str());
    S::change(x);
    x.load(path.str());
    x.checkpoint(3);
    S::change(x);
    auto back = x.recover(world().survivors());
    EXPECT(back.mark == 3 && S::contents(back.container) == all);
  }

  static void goes_over_to_a_larger_team() {
    for (const std::size_t n : {0, 1, 60}) {
      const lines all = expected(n);
      const team even = world().split(rank() % 2 == 0 ? 0 : -1);
      container x = even ? rebalance(world(), S::filled(even, n)) : rebalance<container>(world());
      EXPECT(x.members() == world());
      EXPECT(S::contents(x) == all);
      S::change(x);
    }
  }

  static void goes_over_to_a_smaller_team() {
    const bool stays = rank() % 2 == ranks() % 2;  // not the first, unless the number is even
    for (const std::size_t n : {0, 1, 60}) {
      const lines all = expected(n);
      container x = S::filled(world(), n);
      const team t = world().split(stays || ranks() == 1 ? 0 : -1);
      x = shrink(t, std::move(x));
      if (t) {
        EXPECT(x.members() == t);
        EXPECT(S::contents(x) == all);
        S::change(x);
      } else {
        EXPECT(is_left_empty(x));
      }
      barrier();
    }
  }
};

/// Registers the tests of a container.
template <class S>
class suite {
 public:
  suite(const std::string& name, const char* file) {
    using p = promises<S>;
    add(name + "_over_a_team", file, &p::over_a_team);
    add(name + "_moves", file, &p::moves);
    add(name + "_is_named_by_a_handle", file, &p::is_named_by_a_handle);
    add(name + "_is_saved_on_some_ranks_and_loaded_on_others", file, &p::is_saved_on_some_ranks_and_loaded_on_others);
    add(name + "_is_cleared", file, &p::is_cleared);
    add(name + "_refuses_other_files_and_stays_as_it_was", file, &p::refuses_other_files_and_stays_as_it_was);
    add(name + "_goes_back_to_its_checkpoint", file, &p::goes_back_to_its_checkpoint);
    add(name + "_is_replicated_as_before_after_a_load", file, &p::is_replicated_as_before_after_a_load);
    add(name + "_goes_over_to_a_larger_team", file, &p::goes_over_to_a_larger_team);
    add(name + "_goes_over_to_a_smaller_team", file, &p::goes_over_to_a_smaller_team);
  }

 private:
  static void add(std::string name, const char* file, void (*body)()) {
    static std::deque<std::string> names;
    names.push_back(std::move(name));
    rank_test::registrar(names.back().c_str(), file, body);
  }
};

}  // namespace armilla::conformance
