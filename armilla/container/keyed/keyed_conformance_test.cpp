// SPDX-License-Identifier: Apache-2.0
// What all containers promise, of those with keys.
#include <string>
#include <utility>

#include "armilla/container/conformance_testing.hpp"

namespace am = armilla;

namespace {

using namespace am::conformance;

template <class Element>
std::string line_of(const Element& e) {
  if constexpr (requires { e.second; })
    return text(e.first) + " " + text(e.second);
  else
    return text(e);
}

/// Keys with values, or keys; each `Times` times.
template <class C, int Times = 1>
struct keyed {
  using container = C;
  using key = typename C::key_type;
  static C empty(const am::team& t) { return C(t); }
  static void insert(C& x, std::size_t i) {
    if constexpr (requires { x.insert(key(), std::string()); })
      x.insert(element<key>(i), text(element<int>(i)));
    else
      x.insert(element<key>(i));
  }
  static C filled(const am::team& t, std::size_t n) {
    C x(t);
    each_of_share(t, n, [&x](std::size_t i) {
      for (int k = 0; k < Times; ++k) insert(x, i);
    });
    t.fence();
    return x;
  }
  static lines contents(C& x) {
    lines mine;
    {
      const auto loop = x.local();
      for (const auto& e : loop) mine.push_back(line_of(e));
    }
    return sorted(together(x.members(), mine));
  }
  static void change(C& x) {
    each_of_share(x.members(), 30, [&x](std::size_t i) { x.erase(element<key>(i * 2)); });
    insert(x, 1000 + std::size_t(am::rank()));
    x.members().fence();
  }
};

/// The members have the keys in order.
template <class C>
struct ordered : keyed<C> {
  static lines contents(C& x) {
    const lines all = keyed<C>::contents(x);
    lines mine;
    {
      const auto loop = x.local();
      for (const auto& e : loop) mine.push_back(line_of(e));
    }
    EXPECT(together(x.members(), mine) == all);
    return all;
  }
};

/// Sets of up to three keys.
struct united {
  using container = am::keyed_disjoint_set<std::string>;
  static container empty(const am::team& t) { return container(t); }
  static container filled(const am::team& t, std::size_t n) {
    container x(t);
    each_of_share(t, n, [&x](std::size_t i) { x.unite(element<std::string>(i), element<std::string>(i - i % 3)); });
    t.fence();
    return x;
  }
  static lines contents(container& x) {
    x.compress();
    return keyed<am::unordered_map<std::string, std::string>>::contents(x);
  }
  static void change(container& x) {
    x.unite(element<std::string>(0), element<std::string>(7));
    x.members().fence();
  }
};

const suite<united> of_keyed_disjoint_set("keyed_disjoint_set", __FILE__);
const suite<keyed<am::unordered_map<std::string, std::string>>> of_map("unordered_map", __FILE__);
const suite<keyed<am::unordered_set<int>>> of_set("unordered_set", __FILE__);
const suite<keyed<am::counting_set<std::string>, 3>> of_counting_set("counting_set", __FILE__);
const suite<keyed<am::unordered_multimap<int, std::string>, 2>> of_multimap("unordered_multimap", __FILE__);
const suite<keyed<am::unordered_multiset<std::string>, 3>> of_multiset("unordered_multiset", __FILE__);
const suite<ordered<am::map<int, std::string>>> of_ordered_map("map", __FILE__);
const suite<ordered<am::set<int>>> of_ordered_set("set", __FILE__);

}  // namespace
