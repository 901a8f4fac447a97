// SPDX-License-Identifier: Apache-2.0
// What all containers promise, of those whose elements have an index, an order, or none.
#include <string>
#include <vector>

#include "armilla/container/conformance_testing.hpp"

namespace am = armilla;

namespace {

using namespace am::conformance;

template <class Range>
lines texts(const Range& elements) {
  lines all;
  for (const auto& each : elements) all.push_back(text(each));
  return all;
}

template <class C>
struct indexed {
  using container = C;
  using value = typename C::value_type;
  static C empty(const am::team& t) { return C(0, am::on(t)); }
  static C filled(const am::team& t, std::size_t n) {
    C x(n, am::on(t));
    for (std::size_t k = 0; k < x.local().size(); ++k) x.local()[k] = element<value>(x.index_of_local(k));
    t.barrier();
    return x;
  }
  static lines contents(C& x) { return together(x.members(), texts(x.local())); }
  static void change(C& x) {
    for (value& e : x.local()) e = value();
    x.members().barrier();
  }
};

template <class T>
struct bag_of {
  using container = am::bag<T>;
  static container empty(const am::team& t) { return container(am::on(t)); }
  static container filled(const am::team& t, std::size_t n) {
    container x = empty(t);
    each_of_share(t, n, [&x](std::size_t i) { x.push(element<T>(i)); });
    t.fence();
    return x;
  }
  static lines contents(container& x) { return sorted(together(x.members(), texts(x.local()))); }
  static void change(container& x) {
    x.push(T());
    x.members().fence();
  }
};

template <class T>
struct list_of {
  using container = am::list<T>;
  static container empty(const am::team& t) { return container(t); }
  static container filled(const am::team& t, std::size_t n) {
    container x(t);
    each_of_share(t, n, [&x](std::size_t i) { x.push_local(element<T>(i)); });
    t.fence();
    return x;
  }
  static lines contents(container& x) { return together(x.members(), texts(x.local())); }
  static void change(container& x) {
    x.clear_local();
    x.push_local(T());
    x.members().fence();
  }
};

/// On the last member.
template <class C>
struct queue_as {
  using container = C;
  using value = typename C::value_type;
  static C empty(const am::team& t) { return C(t, t.size() - 1); }
  static C filled(const am::team& t, std::size_t n) {
    C x = empty(t);
    for (std::size_t i = 0; i < n && t.rank() == 0; ++i) x.push(element<value>(i));
    t.fence();
    return x;
  }
  static lines contents(C& x) {
    const am::team& t = x.members();
    std::vector<value> all;
    if (t.rank() == 0) {
      all = x.pop_some(x.count().get()).get();
      x.push_range(all);
    }
    t.fence();
    return texts(t.broadcast(all, 0));
  }
  static void change(C& x) {
    x.push(value());
    x.members().fence();
  }
};

template <class T>
struct work_of {
  using container = am::work_queue<T>;
  static container empty(const am::team& t) { return container(t); }
  static container filled(const am::team& t, std::size_t n) {
    container x(t);
    each_of_share(t, n, [&x](std::size_t i) { x.push(element<T>(i)); });
    t.fence();
    return x;
  }
  static lines contents(container& x) {
    std::vector<T> mine;
    x.process([&mine](T item) { mine.push_back(std::move(item)); });
    for (const T& item : mine) x.push(item);
    x.members().fence();
    return sorted(together(x.members(), texts(mine)));
  }
  static void change(container& x) {
    x.clear_local();
    x.members().fence();
  }
};

struct bits {
  using container = am::bitmap;
  static container empty(const am::team& t) { return container(0, t); }
  static container filled(const am::team& t, std::size_t n) {
    container x(n * 5, t);
    each_of_share(t, n, [&x](std::size_t i) { x.set(i * 3); });
    t.fence();
    return x;
  }
  static lines contents(container& x) {
    lines mine;
    x.for_each_set([&mine](std::size_t i) { mine.push_back(text(i)); });
    lines all = together(x.members(), mine);
    all.push_back(std::to_string(x.size()) + " bits");
    return all;
  }
  static void change(container& x) { x.clear(); }
};

struct sets {
  using container = am::disjoint_set;
  static container empty(const am::team& t) { return container(0, t); }
  static container filled(const am::team& t, std::size_t n) {
    container x(n, t);
    each_of_share(t, n, [&x](std::size_t i) { x.unite(i, i / 4 * 2 + i % 2); });  // the even ones, and the odd ones
    t.fence();
    return x;
  }
  static lines contents(container& x) {
    x.compress();
    return together(x.members(), texts(x.local()));
  }
  static void change(container& x) {
    if (x.size() > 1) x.unite(0, x.size() - 1);
    x.members().fence();
  }
};

const suite<indexed<am::array<double>>> of_array("array", __FILE__);
const suite<indexed<am::array<std::string>>> of_array_of_strings("array_of_strings", __FILE__);
const suite<indexed<am::vector<int>>> of_vector("vector", __FILE__);
const suite<bag_of<int>> of_bag("bag", __FILE__);
const suite<bag_of<std::string>> of_bag_of_strings("bag_of_strings", __FILE__);
const suite<list_of<int>> of_list("list", __FILE__);
const suite<list_of<std::string>> of_list_of_strings("list_of_strings", __FILE__);
const suite<queue_as<am::queue<std::string>>> of_queue("queue", __FILE__);
const suite<queue_as<am::priority_queue<int>>> of_priority_queue("priority_queue", __FILE__);
const suite<work_of<std::string>> of_work_queue("work_queue", __FILE__);
const suite<bits> of_bitmap("bitmap", __FILE__);
const suite<sets> of_disjoint_set("disjoint_set", __FILE__);

}  // namespace
