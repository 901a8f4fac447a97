// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/base/error.hpp>

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

RANK_TEST_MAIN()
