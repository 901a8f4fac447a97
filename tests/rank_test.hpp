// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests of several ranks, without a framework: a test program is an Armilla program, and every rank executes each test.
//
//     #include "tests/rank_test.hpp"
//     RANK_TEST(a_message_arrives) {
//       EXPECT_EQ(armilla::ranks(), 2);
//       EXPECT_THROWS(armilla::usage_error, armilla::call(99, f));
//     }
//
// A barrier stands before each test and after the last. A failed expectation prints rank, test, place and values, and the
// test goes on, so that ranks stay together; in the end the program returns 1. The files of a layer are one program:
// `./container_rank_test --of array_test` runs the tests of array_test.cpp (more files: separated by commas),
// `./container_rank_test --of array_test PART` those of them whose names contain PART, `./container_rank_test PART` those of
// all files. The build registers each file on each fabric with 1, 2 and 4 ranks: armilla_rank_test().
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <armilla/armilla.hpp>

namespace rank_test {

struct test {
  const char* name;
  std::string_view file;  ///< without folders and ending
  void (*body)();
};

/// The tests of this program in the order of their definition.
inline std::vector<test>& tests() {
  static std::vector<test> all;
  return all;
}

/// Adds a test while the program's constants are initialised.
struct registrar {
  registrar(const char* name, std::string_view file, void (*body)()) {
    file.remove_prefix(file.rfind('/') + 1);
    tests().push_back({name, file.substr(0, file.rfind('.')), body});
  }
};

/// Failed expectations of this process: of one rank, or of all where ranks are threads.
inline std::atomic<int> failures = 0;
/// The test that this rank runs, and how often it failed so far.
inline thread_local const char* current_test = "";
inline thread_local int failed_here = 0;

/// Prints one failure in one piece, as ranks share the terminal; of many in one test, the first ten.
inline void fail(const char* file, int line, const std::string& what) {
  ++failures;
  if (++failed_here > 10) return;
  std::fprintf(stderr, "FAILED rank %d of %d, %s, %s:%d: %s\n", int(armilla::rank()), int(armilla::ranks()), current_test, file,
               line, what.c_str());
}

/// A value for a message; what cannot be printed is a two-way call mark.
template <class T>
std::string print(const T& value) {
  std::ostringstream out;
  if constexpr (requires { out << value; }) {
    out << std::boolalpha << value;
  } else if constexpr (requires {
                         value.begin();
                         value.end();
                       }) {
    out << '{';
    for (const auto& item : value) out << ' ' << print(item);
    out << " }";
  } else {
    out << '?';
  }
  return out.str();
}

inline bool expect(bool holds, const char* text, const char* file, int line) {
  if (!holds) fail(file, line, std::string("expected ") + text);
  return holds;
}

/// What is compared: a global_ref is read where it is made.
template <class T>
T&& read(T&& value) {
  return std::forward<T>(value);
}
template <class T>
std::remove_cv_t<T> read(armilla::global_ref<T>&& value) {
  return value.get();
}
template <class T>
std::remove_cv_t<T> read(const armilla::global_ref<T>&& value) {
  return value.get();
}

template <class A, class B, class Compare>
bool expect_compare(const A& a, const B& b, const char* text, const char* file, int line, Compare compare) {
  if (compare(a, b)) return true;
  fail(file, line, std::string("expected ") + text + ", got " + print(a) + " and " + print(b));
  return false;
}

/// Runs `f`, which must throw `Error` with `part` in its text.
template <class Error, class F>
bool expect_throws(F&& f, const char* part, const char* text, const char* file, int line) {
  try {
    f();
  } catch (const Error& e) {
    if (std::strstr(e.what(), part) != nullptr) return true;
    fail(file, line, std::string(text) + ": expected an error that says '" + part + "', got: " + e.what());
    return false;
  } catch (const std::exception& e) {
    fail(file, line, std::string(text) + ": threw another type: " + e.what());
    return false;
  }
  fail(file, line, std::string(text) + ": expected an error, none came");
  return false;
}

inline void run_one(const test& t) {
  current_test = t.name;
  failed_here = 0;
  if (armilla::rank() == 0) std::fprintf(stderr, "test %s\n", t.name);
  try {
    t.body();
  } catch (const std::exception& e) { fail("body", 0, std::string("threw ") + e.what()); }
}

/// Which tests run: of these files (names separated by commas; empty: all), those whose names contain `part`.
struct selection {
  std::string_view files, part;

  bool has(const test& t) const {
    if (std::string_view(t.name).find(part) == std::string_view::npos) return false;
    for (std::string_view rest = files; !rest.empty();) {
      const std::string_view file = rest.substr(0, rest.find(','));
      if (file == t.file) return true;
      rest.remove_prefix(std::min(rest.size(), file.size() + 1));
    }
    return files.empty();
  }
};

/// Runs the selected tests; every rank does. A selection of none fails.
inline int run_tests(const selection& wanted) {
  int count = 0;
  for (const test& t : tests()) {
    if (!wanted.has(t)) continue;
    armilla::barrier();
    run_one(t);
    ++count;
  }
  armilla::barrier();  // a rank that ends with an error ends the others: let them say theirs first
  if (armilla::rank() == 0) std::fprintf(stderr, "%d tests on %d ranks\n", count, int(armilla::ranks()));
  return failures == 0 && count > 0 ? 0 : 1;
}

inline int main(int argc, char** argv) {
  selection wanted;
  int next = 1;
  if (argc > 2 && std::string_view(argv[1]) == "--of") wanted.files = argv[2], next = 3;
  if (argc > next) wanted.part = argv[next];
  return armilla::run(argc, argv, [wanted] { return run_tests(wanted); });
}

}  // namespace rank_test

#define RANK_TEST(name)                                                                  \
  static void rank_test_##name();                                                        \
  static const rank_test::registrar registrar_##name(#name, __FILE__, rank_test_##name); \
  static void rank_test_##name()

/// For a program of its own; those of a layer have tests/rank_test_main.cpp.
#define RANK_TEST_MAIN() \
  int main(int argc, char** argv) { return rank_test::main(argc, argv); }

// Each is an expression that says whether it held: `if (!EXPECT(p != nullptr)) return;`
#define EXPECT(...) rank_test::expect(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define RANK_TEST_COMPARE(a, op, b)                                                                        \
  rank_test::expect_compare(rank_test::read(a), rank_test::read(b), #a " " #op " " #b, __FILE__, __LINE__, \
                            [](const auto& rank_test_a, const auto& rank_test_b) { return rank_test_a op rank_test_b; })
#define EXPECT_EQ(a, b) RANK_TEST_COMPARE(a, ==, b)
#define EXPECT_NE(a, b) RANK_TEST_COMPARE(a, !=, b)
#define EXPECT_LT(a, b) RANK_TEST_COMPARE(a, <, b)
#define EXPECT_LE(a, b) RANK_TEST_COMPARE(a, <=, b)
#define EXPECT_GT(a, b) RANK_TEST_COMPARE(a, >, b)
#define EXPECT_GE(a, b) RANK_TEST_COMPARE(a, >=, b)
#define EXPECT_THROWS(error_type, ...) EXPECT_THROWS_SAYING(error_type, "", __VA_ARGS__)
#define EXPECT_THROWS_SAYING(error_type, part, ...) \
  rank_test::expect_throws<error_type>([&] { static_cast<void>(__VA_ARGS__); }, part, #__VA_ARGS__, __FILE__, __LINE__)
