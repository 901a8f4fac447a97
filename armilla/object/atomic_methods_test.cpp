// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

class log_book {
 public:
  void write(int n) { entries_.push_back(n); }
  virtual void write_twice(int n) { write(n), write(n); }
  std::vector<int> entries() const { return entries_; }
  virtual ~log_book() = default;
  static constexpr am::atomic_list<&log_book::write, &log_book::write_twice> atomic_methods{};

 private:
  std::vector<int> entries_;
};
struct fancy_book : log_book {
  void write_twice(int n) override { write(-n), write(-n); }
};

static_assert(am::detail::is_atomic_method<&log_book::write>);
static_assert(am::detail::is_atomic_method<&fancy_book::write>);
static_assert(!am::detail::is_atomic_method<&log_book::entries>);
static_assert(!am::detail::is_atomic_method<&fancy_book::write_twice>);  // named as the derived class declares it

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

}  // namespace

RANK_TEST(atomic_methods_are_called_like_others) {
  am::remote<log_book> book = am::create<fancy_book>(next()).get();
  for (int i = 1; i < 100; ++i) am::async<&log_book::write>(book, i);
  am::async<&log_book::write_twice>(book, 5);
  const auto entries = am::call<&log_book::entries>(book).get();
  EXPECT_EQ(entries.size(), 101u);
  EXPECT_EQ(entries.back(), -5);
  am::fence();
}

RANK_TEST(parts_of_distributed_objects_have_atomic_methods) {
  am::distributed<log_book> book;
  am::call<&log_book::write>(book.on(next()), 7).get();
  am::async<&log_book::write_twice>(book.on(next()), 8);
  am::fence();
  EXPECT_EQ(book->entries().size(), 3u);
  am::fence();
}

namespace {

// Counts the calls inside; an atomic method that waits keeps others out.
class turnstile {
 public:
  int enter(int n, am::rank_t back) {
    const int inside = ++inside_;
    if (inside != 1) ++collisions_;
    order_.push_back(n);
    if (n % 2 == 0) am::call(back, [] {}).get();
    --inside_;
    return inside;
  }
  int collisions() const { return collisions_; }
  std::vector<int> order() const { return order_; }
  static constexpr am::atomic_list<&turnstile::enter> atomic_methods{};

 private:
  int inside_ = 0, collisions_ = 0;
  std::vector<int> order_;
};

template <class Object>
void pass(const Object& object) {
  std::vector<am::future<int>> all;
  for (int i = 0; i < 60; ++i) all.push_back(am::call<&turnstile::enter>(object, i, am::rank()));
  for (auto& f : all) EXPECT_EQ(f.get(), 1);
}

}  // namespace

RANK_TEST(atomic_methods_exclude_each_other_while_they_wait_and_keep_their_order) {
  am::remote<turnstile> gate = am::create<turnstile>(next()).get();
  pass(gate);
  const std::vector<int> order = am::call<&turnstile::order>(gate).get();
  for (int i = 0; i < 60; ++i) EXPECT_EQ(order[std::size_t(i)], i);
  EXPECT_EQ(am::call<&turnstile::collisions>(gate).get(), 0);
  am::fence();
}

RANK_TEST(many_ranks_pass_one_atomic_method) {
  am::distributed<turnstile> gates;
  am::barrier();
  pass(gates.on(0));
  am::fence();
  EXPECT_EQ(gates->collisions(), 0);
  am::fence();
}
