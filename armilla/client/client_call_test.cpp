// SPDX-License-Identifier: Apache-2.0
// A thread of rank 0 is an attached client of the job, while all ranks wait.
#include "armilla/client_call.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client_thread.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

namespace api {
inline constexpr am::method<double(double)> half{"test.half"};
inline constexpr am::method<float(float)> half_of_float{"test.half"};
inline constexpr am::method<std::vector<double>(std::vector<double>)> reversed{"test.reversed"};
inline constexpr am::method<std::map<std::string, int>(std::string, std::pair<int, double>)> count{"test.count"};
inline constexpr am::method<long(int)> fails{"test.fails"};
inline constexpr am::method<int()> missing{"test.mising"};
inline constexpr am::method<int(int)> sum_of_all{"test.sum_of_all"};
inline constexpr am::method<void(int)> note_everywhere{"test.note_everywhere"};
inline constexpr am::method<long()> noted{"test.noted"};
inline constexpr am::method<void(int)> nap{"test.nap"};
inline constexpr am::method<double(am::view<double>)> sum{"test.sum"};
inline constexpr am::method<void(const std::string& file)> compute{"test.compute"};
}  // namespace api

thread_local long noted = 0;

void note(int n) { noted += n; }
int rank_plus(int n) { return int(am::rank()) + n; }

struct file_guard {
  std::filesystem::path path;
  ~file_guard() { std::filesystem::remove(path); }
};

void provide_all() {
  static thread_local bool done = false;
  if (std::exchange(done, true)) return am::barrier();
  am::provide<api::half>([](double x) { return x / 2; });
  am::provide<api::reversed>([](std::vector<double> v) { return std::vector<double>(v.rbegin(), v.rend()); });
  am::provide<api::count>([](const std::string& text, std::pair<int, double> more) {
    std::map<std::string, int> result{{text, more.first}};
    result["half"] = int(more.second * 2);
    return result;
  });
  am::provide<api::fails>([](int n) -> long { throw std::out_of_range("n is " + std::to_string(n)); });
  am::provide<api::sum_of_all>([](int n) {
    int sum = 0;
    for (am::rank_t r = 0; r < am::ranks(); ++r) sum += am::call(r, &rank_plus, n).get();
    return sum;
  });
  am::provide<api::note_everywhere>([](int n) {
    for (am::rank_t r = 0; r < am::ranks(); ++r) am::async(r, &note, n);
  });
  am::provide<api::noted>([] { return noted; });
  am::provide<api::nap>([](int ms) { am::sleep_for(std::chrono::milliseconds(ms)); });
  am::provide<api::sum>([](am::view<double> v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum;
  });
  am::provide<api::compute>([](const std::string& file) {
    while (std::filesystem::exists(file)) {}
  });
  am::barrier();
}

/// `work(job)` in an attached client, while all ranks look for messages.
template <class Work>
void as_client(Work&& work) {
  provide_all();
  rank_test::as_client(std::forward<Work>(work));
}

}  // namespace

RANK_TEST(a_client_calls_what_ranks_provide) {
  as_client([](const am::client& job) {
    for (am::rank_t r = 0; r < job.ranks(); ++r)
      for (int i = 0; i < 20; ++i) EXPECT_EQ(am::call<api::half>(job.on(r), i).get(), i / 2.0);
  });
}

RANK_TEST(arguments_and_results_of_any_type_and_length_travel) {
  as_client([](const am::client& job) {
    for (am::rank_t r = 0; r < job.ranks(); ++r) {
      EXPECT(am::call<api::count>(job.on(r), "word", std::pair{3, 2.5}).get() ==
             (std::map<std::string, int>{{"word", 3}, {"half", 5}}));
      for (const std::size_t n : {0u, 1u, 495u, 496u, 497u, 300'000u}) {
        std::vector<double> sent(n);
        for (std::size_t i = 0; i < n; ++i) sent[i] = double(i);
        EXPECT(am::call<api::reversed>(job.on(r), sent).get() == std::vector<double>(sent.rbegin(), sent.rend()));
        EXPECT_EQ(am::call<api::sum>(job.on(r), am::view<double>(sent)).get(), double(n) * (double(n) - 1) / 2 * (n != 0));
      }
    }
  });
}

RANK_TEST(what_a_method_throws_comes_back_to_the_client) {
  as_client([](const am::client& job) {
    const am::client_rank last = job.on(job.ranks() - 1);
    EXPECT_THROWS_SAYING(am::remote_error, "n is 4", am::call<api::fails>(last, 4).get());
    EXPECT_THROWS_SAYING(
        am::remote_error,
        "an attached client called 'test.mising' int32(), which this rank does not provide; provided here: 'test.",
        am::call<api::missing>(last).get());
    EXPECT_THROWS_SAYING(am::remote_error, "'test.half' as float32(float32), but here it is float64(float64)",
                         am::call<api::half_of_float>(last, 1).get());
    EXPECT_EQ(am::call<api::half>(last, 1).get(), 0.5);
    EXPECT_THROWS_SAYING(am::usage_error, "rank", job.on(job.ranks()));
  });
}

RANK_TEST(more_calls_than_slots_may_be_under_way) {
  as_client([](const am::client& job) {
    std::vector<am::client_reply<double>> all;
    for (int i = 0; i < 200; ++i) all.push_back(am::call<api::half>(job.on(am::rank_t(i) % job.ranks()), i));
    for (int i = 200; i-- > 0;) EXPECT_EQ(all[std::size_t(i)].get(), i / 2.0);
  });
}

RANK_TEST(one_call_more_begins_when_any_other_has_ended) {
  as_client([](const am::client& job) {
    const auto slow = am::call<api::nap>(job.on(0), 1500);
    std::vector<am::client_reply<void>> others;
    for (int i = 0; i < 15; ++i) others.push_back(am::call<api::nap>(job.on(0), 10));
    const auto more = am::call<api::half>(job.on(0), 1);
    EXPECT(!slow.ready());
  });
}

RANK_TEST(a_body_may_wait_and_others_go_on_meanwhile) {
  as_client([](const am::client& job) {
    const int ranks = int(job.ranks());
    for (am::rank_t r = 0; r < job.ranks(); ++r) {
      auto slow = am::call<api::nap>(job.on(r), 30);
      EXPECT_EQ(am::call<api::sum_of_all>(job.on(r), 10).get(), 10 * ranks + ranks * (ranks - 1) / 2);
      slow.get();
    }
  });
}

RANK_TEST(one_way_calls_of_a_clients_call_are_done_at_the_next_fence) {
  noted = 0;
  am::barrier();
  as_client([](const am::client& job) {
    for (int i = 1; i <= 50; ++i) am::call<api::note_everywhere>(job.on(am::rank_t(i) % job.ranks()), i).get();
  });
  am::fence();
  EXPECT_EQ(noted, 50 * 51 / 2);
}

RANK_TEST(a_fence_and_messages_go_on_beside_a_client_that_floods) {
  provide_all();
  std::atomic<bool> stop = false;
  std::thread flood;
  if (am::rank() == 0)
    flood = std::thread([&] {
      const am::client job = am::attach(std::to_string(getpid()));
      while (!stop) {
        std::vector<am::client_reply<void>> all;
        for (int i = 0; i < 16; ++i) all.push_back(am::call<api::note_everywhere>(job.on(am::rank_t(i) % job.ranks()), 0));
        for (auto& each : all) each.get();
      }
    });
  noted = 0;
  am::barrier();
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 50; ++i) am::async((am::rank() + 1) % am::ranks(), &note, 1);
    am::fence();
    EXPECT_EQ(noted, 50 * (round + 1));
    am::barrier();
  }
  stop = true;
  while (am::rank() == 0 && flood.joinable()) {
    std::atomic<bool> ended = false;
    std::thread joiner([&] { flood.join(), ended = true; });
    while (!ended) am::poll();
    joiner.join();
  }
  am::barrier();
}

RANK_TEST(a_rank_that_computes_is_named_and_the_call_does_not_begin) {
  noted = 0;
  as_client([](const am::client& job) {
    const am::client_rank last = job.on(job.ranks() - 1);
    const auto goes_on = std::filesystem::temp_directory_path() / ("armilla_computes." + std::to_string(getpid()));
    std::ofstream(goes_on) << "until this file is removed";
    const auto calls_begun = [&] { return job.look()[std::size_t(last.rank())].counts.client_calls; };
    const auto before = calls_begun();
    const auto busy = am::call<api::compute>(last, goes_on.string());
    const file_guard ends{goes_on};  // before `busy` goes, which waits, and where a test fails
    while (calls_begun() == before) {}
    std::this_thread::sleep_for(20ms);
    auto late = am::call<api::note_everywhere>(last, 1000);
    EXPECT_THROWS_SAYING(am::timeout_error, "not begun within 0.0 s: the rank is busy", late.get(40ms));
    EXPECT(!late.ready());
    { const auto dropped = std::move(late); }
    std::filesystem::remove(goes_on);
    while (!busy.ready()) {}
    EXPECT_EQ(am::call<api::noted>(last).get(), 0);
  });
}

RANK_TEST(a_rank_has_eight_clients_at_most) {
  as_client([](const am::client& job) {
    std::vector<std::optional<am::client>> others(8);
    for (auto& each : others) each = am::attach(std::to_string(job.process()));
    for (auto& each : others) EXPECT_EQ(am::call<api::half>(each->on(0), 1).get(), 0.5);
    EXPECT_THROWS_SAYING(am::limit_error, "rank 0 has 8 attached clients already", (void)am::call<api::half>(job.on(0), 1));
    others[3].reset();
    EXPECT_EQ(am::call<api::half>(job.on(0), 1).get(), 0.5);
  });
}

RANK_TEST(a_client_lists_methods_and_counts_its_calls) {
  as_client([](const am::client& job) {
    const auto before = job.look()[0].counts.client_calls;
    const auto all = job.on(0).methods();
    const auto at = std::find_if(all.begin(), all.end(), [](const auto& each) { return each.name == "test.count"; });
    EXPECT(at != all.end());
    EXPECT_EQ(at->signature, "map<string, int32>(string, (int32, float64))");
    EXPECT(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
    EXPECT_EQ(job.look()[0].counts.client_calls - before, 1u);
  });
}

RANK_TEST(a_client_asks_who_waits_for_what) {
  as_client([](const am::client& job) {
    const std::string text = job.who_waits();
    for (am::rank_t r = 0; r < job.ranks(); ++r) EXPECT(text.find("rank " + std::to_string(r) + " (") != text.npos);
    if (job.ranks() > 1) EXPECT(text.find("barrier") != text.npos);
  });
}
