// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

// Living objects of each rank; threads are ranks, too.
thread_local long living = 0;

struct counted {
  counted() { ++living; }
  counted(const counted&) = delete;
  ~counted() { --living; }
};

struct account : counted {
  account() = default;
  explicit account(long start, std::string owner = "") : balance(start), owner(std::move(owner)) {
    if (start < 0) throw std::invalid_argument("no account begins with a debt");
  }
  long add(long n) { return balance += n; }
  std::string name() const { return owner; }
  void quit() { am::destroy(me); }
  void keep(am::remote<account> r) { friend_of = std::move(r); }
  am::remote<account> other() const { return friend_of; }
  long balance = 0;
  std::string owner;
  am::remote<account> me, friend_of;
};

struct printable {
  virtual ~printable() = default;
  virtual std::string print() const = 0;
  int pages = 7;
};
struct scalable {
  virtual ~scalable() = default;
  virtual double scale(double by) { return by; }
};
struct shape : virtual counted {
  virtual ~shape() = default;
  double area = 1;
};
struct square : shape, printable, scalable {
  explicit square(double side) { area = side * side; }
  std::string print() const override { return "square"; }
  double scale(double by) override { return area *= by; }
};

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
am::rank_t last() { return am::ranks() - 1; }

long all_living() {
  const long mine = living;  // a copy: bodies run meanwhile
  return am::all_reduce(mine, [](long a, long b) { return a + b; });
}

}  // namespace

RANK_TEST(an_object_is_created_called_and_destroyed) {
  {
    am::remote<account> a = am::create<account>(next(), 10, std::string("ann")).get();
    EXPECT_EQ(a.rank(), next());
    EXPECT_EQ(am::call<&account::add>(a, 5).get(), 15);
    EXPECT_EQ(am::call<&account::name>(a).get(), std::string("ann"));
    am::async<&account::balance>(a, 40L);
    EXPECT_EQ(am::call<&account::balance>(a).get(), 40);
    EXPECT_EQ(a.local() != nullptr, am::ranks() == 1);
    am::barrier();  // all have made theirs
    EXPECT_EQ(all_living(), long(am::ranks()));
    am::barrier();
  }
  am::fence();
  EXPECT_EQ(living, 0);
}

RANK_TEST(what_a_constructor_throws_arrives) {
  auto f = am::create<account>(last(), -1);
  auto g = am::call<&account::add>(f, 1);
  EXPECT_THROWS_SAYING(am::remote_error, "no account begins", f.get());
  EXPECT_THROWS_SAYING(am::remote_error, "its constructor threw", g.get());
  am::barrier();
}

RANK_TEST(copies_are_one_reference) {
  {
    am::remote<account> a = am::create<account>(next()).get();
    am::remote<account> b = a, c, null = nullptr;
    c = b;
    EXPECT(a == c && !(a < c) && a != null && !null && a);
    std::unordered_set<am::remote<account>> set{a, b, c};
    EXPECT_EQ(set.size(), 1u);
    a.reset();
    b = {};
    EXPECT(!a);
    EXPECT_EQ(am::call<&account::add>(c, 1).get(), 1);
    EXPECT_THROWS_SAYING(am::usage_error, "null", (void)am::call<&account::add>(a, 1));
  }
  am::fence();
  EXPECT_EQ(living, 0);
}

RANK_TEST(a_call_outlives_the_reference_it_was_made_with) {
  am::future<long> f;
  {
    auto a = am::create<account>(last(), 3).get();
    f = am::call<&account::add>(a, 4);
    am::async<&account::add>(a, 4);
  }
  EXPECT_EQ(f.get(), 7);
  am::fence();
  EXPECT_EQ(living, 0);
}

RANK_TEST(a_call_to_a_destroyed_object_is_an_error) {
  auto a = am::create<account>(last(), 3).get();
  auto b = a;
  am::destroy(a);
  EXPECT_THROWS_SAYING(am::remote_error, "has been destroyed", am::call<&account::add>(a, 1).get());
  am::fence();
  EXPECT_EQ(living, 0);
  am::barrier();
  am::destroy(b);                            // harmless, as letting go is
  a = am::create<account>(last(), 3).get();  // in the same slot, perhaps
  EXPECT(a != b);
  EXPECT_THROWS_SAYING(am::remote_error, "has been destroyed", am::call<&account::add>(b, 1).get());
  am::fence();
}

RANK_TEST(an_object_can_destroy_itself) {
  auto a = am::create<account>(last(), 3).get();
  am::async<&account::me>(a, a);
  am::call<&account::quit>(a).get();
  am::fence();
  EXPECT_EQ(living, 0);
  am::barrier();
  EXPECT_THROWS(am::remote_error, am::call<&account::quit>(a).get());
  am::barrier();
}

RANK_TEST(references_go_through_third_ranks) {
  {
    std::vector<am::remote<account>> mine;
    for (int i = 0; i < 5; ++i) mine.push_back(am::create<account>(next(), i).get());
    auto a = am::create<account>(last()).get();
    am::call<&account::keep>(a, mine[3]).get();
    am::async(
        next(),
        [](std::vector<am::remote<account>> all) {
          for (auto& r : all) am::async<&account::add>(r, 100);
          am::async(next(), [](am::remote<account> r) { am::async<&account::add>(r, 1000); }, all[2]);
        },
        mine);
    mine.erase(mine.begin(), mine.begin() + 2);
    am::fence();
    EXPECT_EQ(am::call<&account::balance>(mine[0]).get(), 1102);
    EXPECT(am::call<&account::other>(a).get() == mine[1]);
    am::fence();
    EXPECT_EQ(all_living(), 4L * am::ranks());
    mine.clear();
    am::fence();
    EXPECT_EQ(all_living(), 2L * am::ranks());  // one is held by the account a
    am::barrier();
  }
  am::fence();
  EXPECT_EQ(living, 0);
}

RANK_TEST(references_take_part_in_collectives) {
  {
    am::remote<account> shared;
    if (am::rank() == 0) shared = am::create<account>(last()).get();
    shared = am::world().broadcast(shared, 0);
    am::async<&account::add>(shared, 1);
    am::fence();
    EXPECT_EQ(am::call<&account::balance>(shared).get(), long(am::ranks()));
    const auto all = am::all_gather(am::create<account>(am::rank(), am::rank()).get());
    for (am::rank_t r = 0; r < am::ranks(); ++r) EXPECT_EQ(am::call<&account::balance>(all[std::size_t(r)]).get(), long(r));
    am::barrier();
  }
  am::fence();
  EXPECT_EQ(living, 0);
}

RANK_TEST(methods_of_bases_are_virtual) {
  {
    am::remote<square> s = am::create<square>(next(), 2.0).get();
    am::remote<printable> p = s;
    am::remote<scalable> c = s;
    am::remote<shape> h = s;
    am::remote<counted> v = h;
    EXPECT_EQ(am::call<&printable::print>(p).get(), std::string("square"));
    EXPECT_EQ(am::call<&printable::pages>(p).get(), 7);
    EXPECT_EQ(am::call<&scalable::scale>(c, 2.0).get(), 8.0);
    EXPECT_EQ(am::call<&shape::area>(h).get(), 8.0);
    EXPECT_EQ(am::call<&scalable::scale>(s, 0.5).get(), 4.0);
    am::remote<square> again = am::remote_cast<square>(c);
    EXPECT(am::remote<scalable>(again) == c);
    EXPECT_EQ(am::call<&square::print>(again).get(), std::string("square"));
    am::remote<account> none = am::remote_cast<account>(v);
    EXPECT_THROWS_SAYING(am::remote_error, "has no accessible", am::call<&account::add>(none, 1).get());
    s.reset();
    p.reset();
    am::fence();
    EXPECT_EQ(all_living(), long(am::ranks()));
    am::barrier();
  }
  am::fence();
  EXPECT_EQ(living, 0);
}

RANK_TEST(a_call_need_not_wait_for_the_creation) {
  {
    auto f = am::create<account>(next(), 1);
    auto first = am::call<&account::add>(f, 1);
    am::async<&account::add>(f, 10);
    auto second = am::call<&account::add>(f, 1);
    EXPECT_EQ(first.get(), 2);
    EXPECT_EQ(second.get(), 13);
    am::remote<account> a = f.get();
    EXPECT_EQ(am::call<&account::balance>(a).get(), 13);
    EXPECT_EQ(am::call<&account::add>(am::create<account>(next(), 1), 1).get(), 2);
    // from elsewhere
    am::call<&account::keep>(a, am::create<account>(last(), 50).get()).get();
    auto g = am::call<&account::other>(a);
    auto z = am::call<&account::add>(g, 1);
    am::async<&account::add>(g, 1);
    EXPECT_EQ(z.get(), 51);
    EXPECT_EQ(am::call<&account::add>(g, 0).get(), 52);
    am::remote<account> other = g.get();
    EXPECT_EQ(other.rank(), last());
    auto bad = am::call(next(), []() -> am::remote<account> { throw std::runtime_error("no reference today"); });
    auto never = am::call<&account::add>(bad, 1);
    EXPECT_THROWS_SAYING(am::remote_error, "no reference today", never.get());
    EXPECT_THROWS_SAYING(am::remote_error, "no reference today", bad.get());
  }
  am::fence();
  EXPECT_EQ(living, 0);
}

// Its constructor waits until calls have come, and later ones are there but, where rank 1 sees the memory of rank 0, not taken
// in. Then so many fibers have their turn that the loop finds those before the early ones have begun.
RANK_TEST(later_calls_stand_behind_those_that_waited_for_the_creation) {
  static thread_local bool have_come, may_end;
  struct late {
    late() {
      while (!may_end) am::yield();
    }
    void hit(int i) {
      begun.push_back(i);
      am::yield();
    }
    std::vector<int> get() const { return begun; }
    std::vector<int> begun;
  };
  if (am::ranks() == 1) return;
  constexpr int early = 100, later = 200, all = 300;
  have_come = may_end = false;
  const auto sent = am::world().broadcast(am::rank() == 0 ? am::create_global<int>() : am::global_ptr<int>(), 0);
  am::barrier();
  if (am::rank() == 0) {
    auto creation = am::create<late>(1);
    for (int i = 0; i < early; ++i) am::async<&late::hit>(creation, i);
    am::call(1, [] { have_come = true; }).get();
    for (int i = early; i < later; ++i) am::async<&late::hit>(creation, i);
    am::flush();
    std::atomic_ref(*sent.local()).store(1);
    am::remote<late> there = creation.get();
    for (int i = later; i < all; ++i) am::async<&late::hit>(there, i);
    std::vector<int> begun;
    while (begun.size() != all) begun = am::call<&late::get>(there).get();
    EXPECT(std::is_sorted(begun.begin(), begun.end()));
  } else if (am::rank() == 1) {
    while (!have_come) am::poll();
    while (sent.is_mapped() && std::atomic_ref(*sent.local()).load() == 0) {}
    std::vector<am::fiber<void>> others;
    for (int i = 0; i < 300; ++i)
      others.push_back(am::spawn([] {
        for (int turn = 0; turn < all; ++turn) am::yield();
      }));
    may_end = true;
    for (auto& f : others) f.join();
  }
  am::fence();
  if (am::rank() == 0) am::destroy_global(sent);
}

// More sendings than the weight of a reference lasts for, and chains longer than it can be split.
RANK_TEST(weight_never_runs_out) {
  struct relay {
    static void pass(am::remote<account> r, int hops) {
      if (hops == 0)
        am::async<&account::add>(r, 1);
      else
        am::async(next(), &relay::pass, r, hops - 1);
    }
  };
  {
    auto a = am::create<account>(last()).get();
    for (int i = 0; i < 60000; ++i) am::async(next(), [](am::remote<account>) {}, a);
    for (int i = 0; i < 50; ++i) relay::pass(a, 40);
    am::fence();
    EXPECT_EQ(am::call<&account::balance>(a).get(), 50);
    EXPECT_EQ(all_living(), long(am::ranks()));
    am::barrier();
  }
  am::fence();
  EXPECT_EQ(living, 0);
}

// Ranks create objects, hand references around at random and forget them.
RANK_TEST(no_object_dies_early_or_lives_on) {
  static thread_local std::vector<am::remote<account>> bag;
  std::uint64_t seed = 12345u + std::uint64_t(am::rank());
  const auto dice = [&](std::uint64_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
  };
  for (int i = 0; i < 4000; ++i) {
    const auto r = am::rank_t(dice(std::uint64_t(am::ranks())));
    switch (bag.empty() ? 0 : dice(6)) {
      case 0: bag.push_back(am::create<account>(r).get()); break;
      case 1: am::async(r, [](am::remote<account> x) { bag.push_back(std::move(x)); }, bag[dice(bag.size())]); break;
      case 2: am::async<&account::add>(bag[dice(bag.size())], 1); break;
      case 3: {  // a new one that holds an old one: never in a circle
        auto holder = am::create<account>(r);
        am::async<&account::keep>(holder, bag[dice(bag.size())]);
        bag.push_back(holder.get());
        break;
      }
      case 4: (void)am::call<&account::add>(am::create<account>(r), 1); break;
      default: std::swap(bag[dice(bag.size())], bag.back()); bag.pop_back();
    }
  }
  am::fence();
  for (auto& r : bag) EXPECT(am::call<&account::add>(r, 1).get() > 0);
  am::fence();
  bag.clear();
  am::fence();
  EXPECT_EQ(living, 0);
}

// What is left is destroyed at the end, and may still call then; the test is that the job ends well.
RANK_TEST(objects_may_be_left_to_the_end) {
  struct farewell {
    am::remote<account> other;
    ~farewell() {
      if (other) am::async<&account::add>(other, 1);
    }
    void set(am::remote<account> r) { other = std::move(r); }
  };
  static thread_local std::vector<am::remote<farewell>> left;
  left.push_back(am::create<farewell>(next()).get());
  am::call<&farewell::set>(left[0], am::create<account>(last()).get()).get();
  am::barrier();
}
