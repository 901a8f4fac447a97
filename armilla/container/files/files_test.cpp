// SPDX-License-Identifier: Apache-2.0
// What all ranks together read of a file is what one would read: no item twice, none lost, in order, wherever the cuts fall.
#include "armilla/files.hpp"

#include <array>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "armilla/container/files/files_testing.hpp"

namespace am = armilla;
using namespace files_testing;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    all.push_back(line);
  }
  return all;
}
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

const std::vector<std::string> texts = {"",
                                        "\n",
                                        "one",
                                        "one\n",
                                        "\n\n\n",
                                        "a\nb",
                                        "a\r\nbb\r\n\r\nccc\r\n",
                                        "  spaces   and\ttabs \n at the ends  ",
                                        std::string(1000, 'x') + "\nshort\n",
                                        "a\n" + std::string(5000, 'y'),
                                        "no end of a line at the end\nas here"};

std::string random_text(int seed) {
  std::mt19937 random{unsigned(seed)};
  std::string text;
  for (int i = 0; i < 500; ++i) text += "ab \n\r\n,x"[random() % 8];
  return text;
}

}  // namespace

RANK_TEST(lines_and_words_of_any_text_are_read_once_and_in_order) {
  std::vector<std::string> all = texts;
  for (int i = 0; i < 10; ++i) all.push_back(random_text(i));
  for (const std::string& text : all) {
    const text_file file(text);
    EXPECT_EQ(joined(am::read_lines(file.path()).local()), lines_of(text));
    EXPECT_EQ(joined(am::read_words(file.path()).local()), words_of(text));
  }
}

RANK_TEST(a_part_is_about_a_share_of_the_file) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "line\n";
  const text_file file(text);
  std::size_t mine = 0;
  for (const std::string_view line : am::read_lines(file.path()).local()) mine += line.size() + 1;
  EXPECT_LT(mine, text.size() / std::size_t(am::ranks()) + 10);
}

RANK_TEST(a_line_may_be_longer_than_what_is_read_at_first) {
  const std::string text = "first\n" + std::string(1'000'000, 'z') + "\nlast\n";
  const text_file file(text);
  EXPECT(joined(am::read_lines(file.path()).local()) == lines_of(text));
}

RANK_TEST(a_missing_file_is_an_error_on_every_rank_and_no_rank_waits) {
  EXPECT_THROWS_SAYING(am::usage_error, "No such file", am::read_lines("/no/such/file"));
  const text_file file("text\n");
  const std::string path = am::rank() == am::ranks() - 1 ? "/no/such/file" : file.path();  // on one of them
  const std::string where = "on rank " + std::to_string(am::ranks() - 1);
  EXPECT_THROWS_SAYING(am::usage_error, where.c_str(), am::read_words(path));
  EXPECT_THROWS_SAYING(am::usage_error, "directory", am::read_words("/tmp"));
}

RANK_TEST(ranks_that_see_different_files_are_told) {
  if (am::ranks() == 1) return;
  const text_file file("text\n");
  const std::string other = file.path() + ".other";
  if (am::rank() == 0) std::ofstream(other) << "longer text\n";
  am::barrier();
  EXPECT_THROWS_SAYING(am::usage_error, "all must read one file", am::read_lines(am::rank() == 0 ? file.path() : other));
  if (am::rank() == 0) std::remove(other.c_str());
}

RANK_TEST(records_of_csv_may_hold_quotes_separators_and_ends_of_lines) {
  std::string text = "name,\"a \"\"title\"\"\",n\r\n";
  std::vector<std::vector<std::string>> expected = {{"name", "a \"title\"", "n"}};
  for (int i = 0; i < 100; ++i) {
    text += "row " + std::to_string(i) + ",\"two\nlines, and \"\"quotes\"\"\n\"," + std::to_string(i) + "\n";
    expected.push_back({"row " + std::to_string(i), "two\nlines, and \"quotes\"\n", std::to_string(i)});
  }
  const text_file file(text);
  std::vector<std::vector<std::string>> mine;
  for (const auto& row : am::read_csv(file.path()).local()) mine.emplace_back(row.begin(), row.end());
  EXPECT_EQ(am::all_gather_v(mine), expected);

  long sum = 0;
  std::size_t rows = 0;
  for (const auto& [name, title, n] : am::read_csv<std::string, std::string, int>(file.path(), {.header = true}).local()) {
    sum += n;
    ++rows;
  }
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 4950);
  EXPECT_EQ(am::all_reduce(rows, std::plus<>{}), 100U);
}

RANK_TEST(the_path_in_an_error_is_that_of_the_rank_that_failed) {
  const std::string good = "/proc/self/exe";  // there on every rank
  const int last = am::ranks() - 1;
  std::string text;
  try {
    (void)am::read_words(am::rank() == last ? "no such file" : good);
  } catch (const am::usage_error& e) { text = e.what(); }
  EXPECT(text.find("'no such file' on rank " + std::to_string(last)) != std::string::npos);
}

RANK_TEST(a_bad_line_is_named_or_skipped_and_counted) {
  std::string text;
  for (int i = 1; i <= 200; ++i) text += i == 150 ? "150,not a number\n" : std::to_string(i) + "," + std::to_string(i) + "\n";
  const text_file file(text);
  const auto strict = am::read_csv<int, int>(file.path());
  bool complained = false;
  try {
    for (const auto& row : strict.local()) static_cast<void>(row);
  } catch (const am::usage_error& e) {
    complained = std::string(e.what()).find("line 150: 'not a number' in field 2") != std::string::npos;
  }
  EXPECT_EQ(am::all_reduce(int(complained), std::plus<>{}), 1);

  const auto lenient = am::read_csv<int, int>(file.path(), {.skip_bad = true});
  long sum = 0;
  for (const auto& [a, b] : lenient.local()) sum += a == b ? a : 0;
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 200 * 201 / 2 - 150);
  EXPECT_EQ(am::all_reduce(lenient.skipped(), std::plus<>{}), 1U);
}

RANK_TEST(edges_are_read_with_and_without_weights) {
  const text_file file("# a comment\n1 2\n\n3\t4\r\n% another\n5 6 and more");
  std::vector<am::edge> mine;
  for (const am::edge& e : am::read_edges(file.path()).local()) mine.push_back(e);
  const std::vector<am::edge> expected = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT(am::all_gather_v(mine) == expected);
  const text_file weighted("1 2 0.5\n2 3 1e3\n");
  double sum = 0;
  for (const auto& e : am::read_edges<double>(weighted.path()).local()) sum += e.weight;
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 1000.5);
}

RANK_TEST(what_is_written_is_read_again) {
  const text_file file("something longer that was there before, and must not stay behind what is written\n");
  std::vector<double> mine(std::size_t(3 + am::rank()), am::rank() + 0.5);
  am::write_binary(file.path(), mine);
  const auto all = am::read_binary<double>(file.path());
  const std::vector<double> expected = am::all_gather_v(mine);
  const std::vector<double> part(all.local().begin(), all.local().end());
  EXPECT_EQ(all.size(), expected.size());
  EXPECT_EQ(am::all_gather_v(part), expected);
  EXPECT(part.empty() || part[0] == expected[all.offset()]);
  EXPECT_THROWS_SAYING(am::usage_error, "not a whole number of elements", am::read_binary<std::array<char, 509>>(file.path()));

  std::vector<std::string> lines = {"of rank " + std::to_string(am::rank()), "", "end"};
  am::write_lines(file.path(), lines);
  EXPECT_EQ(joined(am::read_lines(file.path()).local()), am::all_gather_v(lines));
  EXPECT_THROWS_SAYING(am::usage_error, "cannot write", am::write_lines("/no/such/folder/file", lines));
}

RANK_TEST(words_are_read_as_they_were_written) {
  const text_file file("");
  std::vector<std::string> mine;
  for (int k = 0; k < 100 * am::rank(); ++k) mine.push_back("word" + std::to_string(k * k * k));
  mine.push_back(std::string(200, 'x'));
  am::write_words(file.path(), mine);
  EXPECT_EQ(joined(am::read_words(file.path()).local()), am::all_gather_v(mine));
  for (const std::string_view line : am::read_lines(file.path()).local()) EXPECT(line.size() <= 80 || line.size() == 200);
  for (const std::string bad : {"", "two words", "line\n"}) {
    if (am::rank() == am::ranks() - 1) mine = {"good", bad};
    EXPECT_THROWS_SAYING(am::remote_error, "is not one word", am::write_words(file.path(), mine));
  }
  EXPECT(am::read_binary<char>(file.path()).size() > 200U);
  EXPECT_THROWS_SAYING(am::usage_error, "cannot write", am::write_words("/no/such/folder/file", std::vector<std::string>{"a"}));
}

RANK_TEST(a_loop_over_a_file_of_elements_that_has_no_name_keeps_them) {
  const text_file file("");
  const std::vector<int> mine(500'000, 7);
  am::write_binary(file.path(), mine);
  long sum = 0;
  for (const int e : am::read_binary<int>(file.path()).local()) sum += e;
  EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), 3'500'000L * am::ranks());
}

RANK_TEST(a_part_of_the_ranks_can_read_alone) {
  const text_file file("a b c d e f g h i j");
  const am::team half = am::world().split(am::rank() % 2);
  std::size_t mine = 0;
  for (const std::string_view word : am::read_words(file.path(), {.members = half}).local()) mine += word.size();
  EXPECT_EQ(half.all_reduce(mine, std::plus<>{}), 10U);
}
