// SPDX-License-Identifier: Apache-2.0
#include "armilla/error.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "armilla/base/core/context.hpp"
#include "armilla/base/core/error_text.hpp"
#include "armilla/rank.hpp"

namespace armilla {
namespace {

/// Makes the test's thread a rank.
class as_rank {
 public:
  as_rank(rank_t rank, rank_t ranks) {
    mine_.rank = rank;
    mine_.places = mine_.world_size = ranks;
    detail::set_current(&mine_);
  }
  ~as_rank() { detail::set_current(nullptr); }

 private:
  detail::context mine_;
};

template <class Error, class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "nothing was thrown";
}

TEST(error, names_rank_and_operation_inside_a_job) {
  const as_rank me(3, 4);
  EXPECT_EQ(text_of<usage_error>([] { detail::throw_usage("put", "the pointer is null; give another"); }),
            "armilla: rank 3: put: the pointer is null; give another");
}

TEST(error, names_the_operation_only_outside_a_job) {
  EXPECT_EQ(text_of<limit_error>([] { detail::throw_limit("call", "too large"); }), "armilla: call: too large");
}

TEST(error, every_kind_is_an_error_and_a_std_system_error_with_its_code) {
  const auto code_of = [](auto&& f) {
    try {
      f();
    } catch (const std::system_error& e) {
      EXPECT_NE(dynamic_cast<const error*>(&e), nullptr);
      return e.code();
    }
    return std::error_code();
  };
  EXPECT_EQ(code_of([] { detail::throw_usage("x", ""); }), errc::usage);
  EXPECT_EQ(code_of([] { detail::throw_limit("x", ""); }), errc::limit);
  EXPECT_EQ(code_of([] { detail::throw_timeout("x", ""); }), errc::timeout);
  EXPECT_EQ(code_of([] { detail::throw_decode(1, "x", ""); }), errc::decode);
  EXPECT_EQ(code_of([] { detail::throw_rank_lost(1, "x", ""); }), errc::rank_lost);
  EXPECT_EQ(code_of([] { throw remote_error(1, "x", "", ""); }), errc::remote);
  EXPECT_STREQ(error_category().name(), "armilla");
  EXPECT_EQ(make_error_code(errc::timeout).message(), "time is over");
}

TEST(error, remote_error_carries_rank_type_and_text_of_what_the_body_threw) {
  const remote_error e(2, "call", "std::out_of_range", "index 9");
  EXPECT_EQ(e.rank(), 2);
  EXPECT_STREQ(e.type_name(), "std::out_of_range");
  EXPECT_STREQ(e.text(), "index 9");
  EXPECT_NE(std::string(e.what()).find("rank 2 threw std::out_of_range (index 9)"), std::string::npos);
}

constexpr const char* advice = "; catch it there, or catch armilla::remote_error here";

TEST(error, an_error_that_arises_where_it_is_thrown_is_one_sentence) {
  const as_rank me(0, 4);
  const auto what = [](const char* text) { return std::string(remote_error(0, "sort", "armilla::usage_error", text).what()); };
  EXPECT_EQ(what("armilla: rank 0: get: the index is 9; give less"), "armilla: rank 0: sort: get: the index is 9; give less");
  EXPECT_EQ(what("element 3: armilla: rank 0: get: the index is 9; give less"),
            "armilla: rank 0: sort: element 3: get: the index is 9; give less");
  EXPECT_EQ(what("armilla: rank 0: sort: the range is too long; take less"),
            "armilla: rank 0: sort: the range is too long; take less");
  EXPECT_EQ(text_of<usage_error>([] { detail::throw_usage("start", "armilla: rank 0: options: no; yes"); }),
            "armilla: rank 0: start: options: no; yes");
}

TEST(error, a_chain_over_ranks_is_a_line_a_rank_and_the_innermost_comes_first) {
  const as_rank me(0, 4);
  const std::string inner = "armilla: rank 2: get: the index is 9; give less";
  const std::string at_1 = inner + "\n  rank 1: call: rank 2 threw this armilla::usage_error" + advice;
  EXPECT_EQ(remote_error(2, "call", "armilla::usage_error", inner).what(),
            inner + "\n  rank 0: call: rank 2 threw this armilla::usage_error" + advice);
  EXPECT_EQ(remote_error(1, "sort", "armilla::remote_error", "element 7: " + at_1).what(),
            at_1 + "\n  rank 0: sort: element 7: rank 1 threw this armilla::remote_error" + advice);
  const std::string here = inner + "\n  rank 0: call: rank 2 threw this armilla::usage_error" + advice;
  EXPECT_EQ(remote_error(0, "for_each", "armilla::remote_error", here).what(),
            inner + "\n  rank 0: for_each: call: rank 2 threw this armilla::usage_error" + advice);
}

TEST(error, a_text_without_a_line_is_no_harm) {
  const as_rank me(0, 4);
  EXPECT_EQ(remote_error(1, "call", "armilla::usage_error", "armilla: ").what(),
            std::string("armilla: rank 0: call: rank 1 threw this armilla::usage_error") + advice);
}

TEST(error, a_chain_leaves_two_of_six_lines_for_its_places) {
  std::string text = "armilla: rank 9: get: no; yes";
  for (rank_t r = 8; r >= 0; --r) {
    const as_rank me(r, 10);
    text = remote_error(r + 1, "call", "armilla::remote_error", text).what();
  }
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_TRUE(text.starts_with("armilla: rank 9: get: no; yes\n  rank 8: ")) << text;
  EXPECT_NE(text.find("\n  rank 0: call: rank 1 threw this"), text.npos) << text;
}

TEST(error, texts_of_users_stay_in_their_line) {
  const std::string bad = "a\n  rank 0: b";
  EXPECT_EQ(std::string(remote_error(2, "call", "std::runtime_error", "armilla: rank 2: " + bad).what()).find('\n'),
            std::string::npos);
  EXPECT_EQ(text_of<usage_error>([&] { detail::throw_usage("call", bad); }).find('\n'), std::string::npos);
}

TEST(error, decode_error_names_the_sender) {
  const decode_error e(7, "decode", "short");
  EXPECT_EQ(e.rank(), 7);
  EXPECT_NE(std::string(e.what()).find("bytes from rank 7: short"), std::string::npos);
}

TEST(error, a_rank_out_of_range_is_named_with_what_is_allowed) {
  EXPECT_EQ(text_of<usage_error>([] { detail::require_rank("async", 4, 4); }),
            "armilla: async: rank 4 does not exist (ranks of this job: 4); give a rank from 0 to 3");
  EXPECT_THROW(detail::require_rank("async", -1, 4), usage_error);
  EXPECT_NO_THROW(detail::require_rank("async", 3, 4));
}

TEST(error, describes_the_exception_that_is_caught) {
  const auto describe = [](auto&& value) {
    try {
      throw value;
    } catch (...) { return detail::describe_current_exception(); }
  };
  EXPECT_EQ(describe(std::out_of_range("nine")).type_name, "std::out_of_range");
  EXPECT_EQ(describe(std::out_of_range("nine")).text, "nine");
  struct mute : std::exception {
    const char* what() const noexcept override { return nullptr; }
  };
  EXPECT_EQ(describe(mute()).text, "no text: its what() gives a null pointer");
  EXPECT_EQ(describe(42).type_name, "int");
  EXPECT_EQ(describe(42).text, "no text: it is no std::exception");
}

TEST(error, a_report_says_each_word_of_an_exception_once) {
  EXPECT_EQ(detail::in_one_line({"std::bad_alloc", "std::bad_alloc", {}}, 0), "std::bad_alloc");
  EXPECT_EQ(detail::in_one_line({"std::out_of_range", "nine", {}}, 0), "std::out_of_range: nine");
  EXPECT_EQ(detail::in_one_line({"armilla::usage_error", "armilla: rank: the calling thread", {}}, 0),
            "armilla::usage_error: rank: the calling thread");
  EXPECT_EQ(detail::in_one_line({"armilla::usage_error", "armilla: rank 3: async: no", {}}, 3),
            "armilla::usage_error: async: no");
}

TEST(error, fatal_prints_the_one_message_and_aborts) {
  EXPECT_DEATH(detail::fatal("poll", "the ring is broken"), "armilla: poll: the ring is broken");
  EXPECT_DEATH(detail::fatal("poll", std::string(5000, 'x')), "armilla: poll: xxx");
}

TEST(context, rank_and_ranks_answer_inside_a_job) {
  const as_rank me(1, 4);
  EXPECT_EQ(rank(), 1);
  EXPECT_EQ(ranks(), 4);
}

TEST(context, outside_a_job_the_error_names_operation_and_thread) {
  const std::string text = text_of<usage_error>([] { rank(); });
  EXPECT_NE(text.find("armilla: rank: the calling thread (\""), std::string::npos) << text;
  EXPECT_NE(text.find("call it inside armilla::run"), std::string::npos) << text;
}

}  // namespace
}  // namespace armilla
