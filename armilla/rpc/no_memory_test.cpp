// SPDX-License-Identifier: Apache-2.0
// A rank has no memory for what it is sent: that is an error of the call, of the fence, or of the future. All other messages
// arrive.
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

/// Blocks of so many bytes and more are refused on this rank's thread.
thread_local std::size_t refused_from = ~std::size_t(0);
class no_memory {
 public:
  explicit no_memory(std::size_t from) { refused_from = from; }
  ~no_memory() { refused_from = ~std::size_t(0); }
  no_memory(const no_memory&) = delete;
};

constexpr std::size_t much = 20'000;  // of which no part of the library allocates as much at once
using text = std::string;
text small(int i) { return text(std::size_t(i % 40), 'a'); }
text large() { return text(much, 'x'); }

/// Not as bytes, and in a class that says of what it is made.
struct letter {
  int number = 0;
  std::vector<text> words;
  std::map<int, text> notes;
  std::optional<text> end;
  std::unique_ptr<text> owned;
  std::variant<int, text> either;
  void define_type(auto& t) {
    t.local(number);
    t.local(words);
    t.local(notes);
    t.local(end);
    t.local(owned);
    t.local(either);
  }
};
letter letter_of(int i, bool too_long) {
  letter l{i, {small(i), small(i + 1)}, {{i, small(i)}, {i + 1, small(2)}}, {}, std::make_unique<text>(small(3)), i};
  if (too_long) l.words.push_back(large());
  if (i % 2 == 0) l.either = small(7);
  return l;
}

am::per_rank<std::vector<int>> came;
void note(int i) { came->push_back(i); }
void take_letter(const letter& l) { note(l.number); }
void take_text(int i, const text&) { note(i); }
void take_words(int i, const std::vector<text>&, const text&) { note(i); }
int size_of_letter(const letter& l) {
  note(l.number);
  return int(l.words.size());
}
text give_text(bool long_one) { return long_one ? large() : text("short"); }
std::vector<text> give_texts(bool long_one) { return {"a", long_one ? large() : text("b"), "c"}; }

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

/// While it lives this rank has memory again: to send.
class memory_again {
 public:
  memory_again() : before_(std::exchange(refused_from, ~std::size_t(0))) {}
  ~memory_again() { refused_from = before_; }
  memory_again(const memory_again&) = delete;

 private:
  std::size_t before_;
};

/// Every third of these, from each rank to the next, is too long: the others come, once and in order.
template <class Send>
void expect_all_but_each_third(Send send) {
  constexpr int messages = 30;
  came->clear();
  {
    const no_memory here(much);
    am::barrier();
    {
      const memory_again now;
      for (int i = 0; i < messages; ++i) send(i, i % 3 == 1);
    }
    EXPECT_THROWS_SAYING(am::remote_error, "bad_alloc", am::fence());
    am::fence();
  }
  std::vector<int> expected;
  for (int i = 0; i < messages; ++i)
    if (i % 3 != 1) expected.push_back(i);
  EXPECT(*came.operator->() == expected);
  am::barrier();
}

template <class Send>
void with_and_without_aggregation(Send send) {
  const std::size_t usual = am::aggregation();
  for (const std::size_t bytes : {std::size_t(0), usual}) {
    am::set_aggregation(bytes);
    expect_all_but_each_third(send);
  }
  am::set_aggregation(usual);
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const p = bytes >= refused_from ? nullptr : std::malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

RANK_TEST(a_one_way_call_that_does_not_fit_into_memory_is_an_error_of_the_fence) {
  with_and_without_aggregation([](int i, bool long_one) { am::async(next(), &take_text, i, long_one ? large() : small(i)); });
  with_and_without_aggregation([](int i, bool long_one) { am::async(next(), &take_letter, letter_of(i, long_one)); });
  with_and_without_aggregation([](int i, bool long_one) {
    am::async(next(), &take_words, i, std::vector{small(i), long_one ? large() : small(1)}, text("end"));
  });
}

RANK_TEST(a_call_that_does_not_fit_into_memory_is_an_error_of_its_caller) {
  came->clear();
  {
    const no_memory here(much);
    am::barrier();
    std::vector<am::future<int>> sizes;
    {
      const memory_again now;
      const am::batch together;
      for (int i = 0; i < 30; ++i) sizes.push_back(am::call(next(), &size_of_letter, letter_of(i, i % 3 == 1)));
    }
    for (int i = 0; i < 30; ++i)
      if (i % 3 == 1)
        EXPECT_THROWS_SAYING(am::remote_error, "bad_alloc", sizes[std::size_t(i)].get());
      else
        EXPECT_EQ(sizes[std::size_t(i)].get(), 2);
    am::barrier();  // until then others ask
  }
  EXPECT_EQ(came->size(), 20u);
}

RANK_TEST(a_result_that_does_not_fit_into_memory_is_an_error_of_its_future) {
  if (am::ranks() == 1) return;
  for (const bool of_first : {true, false}) {
    am::barrier();
    if ((am::rank() == 0) == of_first && am::rank() < 2) {
      const am::rank_t other = 1 - am::rank();
      const no_memory here(much);
      for (int i = 0; i < 10; ++i) {
        am::future<text> one = am::call(other, &give_text, false), long_one = am::call(other, &give_text, true);
        am::future<std::vector<text>> some = am::call(other, &give_texts, false), longer = am::call(other, &give_texts, true);
        am::future<text> last = am::call(other, &give_text, false);
        EXPECT_THROWS(std::bad_alloc, long_one.get());
        EXPECT_THROWS(std::bad_alloc, longer.get());
        EXPECT_EQ(one.get(), "short");
        EXPECT_EQ(some.get().size(), 3u);
        EXPECT_EQ(last.get(), "short");
      }
    }
    am::barrier();
  }
}

RANK_TEST(a_value_of_a_collective_that_does_not_fit_into_memory_is_an_error_of_its_receiver_alone) {
  const am::team t = am::world().split(0);
  const bool other = am::rank() == am::ranks() - 1 && am::ranks() > 1;
  const std::vector<text> words(am::rank() == 0 ? 2000 : 0);  // smaller on their way
  {
    const no_memory here(other ? much : ~std::size_t(0));
    for (int i = 0; i < 3; ++i)
      if (other)
        EXPECT_THROWS(std::bad_alloc, t.broadcast(words, 0));
      else
        EXPECT_EQ(t.broadcast(words, 0).size(), 2000u);
  }
  EXPECT_EQ(t.all_gather(text("whole")).size(), std::size_t(t.size()));
}

RANK_TEST(a_rank_without_memory_in_the_middle_of_a_collective_is_an_error_of_all) {
  if (am::ranks() == 1) return;
  const am::team t = am::world().split(0);
  const text mine(much, 'x');
  if (am::rank() == 0) {
    const no_memory here(much);
    EXPECT_THROWS(std::bad_alloc, t.all_gather(mine));
  } else {
    EXPECT_THROWS_SAYING(am::usage_error, "by an exception", (t.all_gather(mine), t.barrier()));
  }
  am::barrier();
  EXPECT_EQ(am::world().split(0).all_gather(mine).size(), std::size_t(am::ranks()));
}
