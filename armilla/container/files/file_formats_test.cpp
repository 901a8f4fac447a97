// SPDX-License-Identifier: Apache-2.0
// Files of each format to each reader: read right, or refused on all ranks with a sentence that says what the file is.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/files/files_testing.hpp"
#include "armilla/files.hpp"
#include "armilla/read_graph.hpp"
#include "armilla/sparse_matrix.hpp"

namespace am = armilla;
using namespace files_testing;

namespace {

using rows = std::vector<std::vector<std::string>>;

/// All records of a text, or the error.
rows records_of(const std::string& text, const am::file_options& how = {}) {
  const text_file file(text);
  rows mine;
  for (const auto& row : am::read_csv(file.path(), how).local()) mine.emplace_back(row.begin(), row.end());
  return am::all_gather_v(mine);
}
rows refusal(const std::string& why) { return {{"refused", why}}; }

/// The records, or a part of the error's text; what all ranks see alike.
void expect_records(const std::string& text, const am::file_options& how, const rows& expected) {
  std::string error;
  rows all;
  try {
    all = records_of(text, how);
  } catch (const am::usage_error& e) { error = e.what(); }
  if (expected.size() == 1 && expected[0][0] == "refused") {
    EXPECT(error.find(expected[0][1]) != error.npos);
    if (error.find(expected[0][1]) == error.npos) EXPECT_EQ(error, expected[0][1]);
  } else {
    EXPECT_EQ(error, "");
    EXPECT_EQ(all, expected);
  }
}

struct reader {
  const char* name;
  void (*read)(const std::string& path);
};
/// Loops over all of the file.
template <class R>
void drain(R part) {
  for (const auto& item : part) static_cast<void>(item);
}
const std::array<reader, 7> readers = {{
    {"read_lines", [](const std::string& path) { drain(am::read_lines(path).local()); }},
    {"read_words", [](const std::string& path) { drain(am::read_words(path).local()); }},
    {"read_csv", [](const std::string& path) { drain(am::read_csv(path).local()); }},
    {"read_edges", [](const std::string& path) { drain(am::read_edges(path).local()); }},
    {"read_edges<double>", [](const std::string& path) { drain(am::read_edges<double>(path).local()); }},
    {"read_matrix_market", [](const std::string& path) { am::read_matrix_market(path); }},
    {"read_binary", [](const std::string& path) { drain(am::read_binary<double>(path).local()); }},
}};

/// A format, the readers that must refuse it (by a bit for each), and what they say.
struct format {
  std::string_view bytes;
  const char* refused_by;
  const char* why;
};
using namespace std::literals;
const format formats[] = {
    {"\x1f\x8b\x08\x00\x00\x00\x00\x00"sv, "111111.", "its compressed data ends too early"},
    {"BZh91AY&SY\x00\x00\x00\x00\x00\x00"sv, "111111.", "it is compressed; decompress it first: bunzip2"},
    {"\xfd\x37zXZ\x00\x00\x00"sv, "111111.", "it is compressed; decompress it first: unxz"},
    {"\x28\xb5\x2f\xfd\x00\x00\x00\x00"sv, "111111.", "its compressed data ends too early"},
    {"\x04\x22\x4d\x18\x00\x00\x00\x00"sv, "111111.", "it is compressed; decompress it first: unlz4"},
    {"PK\x03\x04\x00\x00\x00\x00"sv, "111111.", "it is a zip archive"},
    {"PAR1\x00\x00\x00\x00"sv, "111111.", "it is a Parquet file"},
    {"ARROW1\x00\x00\x00"sv, "111111.", "it is an Arrow file"},
    {"SQLite format 3\x00"sv, "111111.", "it is an SQLite database"},
    {"\x7f\x45LF\x02\x01"sv, "111111.", "it is a program or a library"},
    {"1 2\n3\x00 4\n\n"sv, "111111.", "byte 5 is NUL, so it is not text in UTF-8; read_binary reads elements"},
    {"\xff\xfe\x31\x00\x0a\x00\x31\x00"sv, "111111.", "it is text in UTF-16"},
    {"\xfe\xff\x00\x31\x00\x0a\x00\x31"sv, "111111.", "it is text in UTF-16"},
    {"\x93NUMPY\x01\x00"sv, "1111111", "it is a NumPy array"},
    {"\x89HDF\r\n\x1a\n"sv, "1111111", "it is an HDF5 file"},
    {"\x89\x41RM\r\n\x1a\n"sv, "1111111", "it was written by save"},
    {"%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n3 4\n"sv, "..111..", "read_matrix_market"},
    {"%%matrixmarket matrix array real general\n1 1\n1\n"sv, "..1111.", "matrix"},
    {"1 2\r2 3\r"sv, "..1111.", "its lines end in carriage returns alone"},
    {"4 4\n2 3\n1 4\n1 4\n2 3\n"sv, "...11..", "METIS graph of 4 vertices"},
    {"% text\n3 2\n2\n1 3\n2\n"sv, "...11..", "METIS graph of 3 vertices"},
    {"3 2 1\n2 5\n1 5 3 7\n2 7\n"sv, "...11..", "METIS graph of 3 vertices"},
    {"3 2 11 2\n9 9 2 5\n9 9 1 5 3 7\n9 9 2 7\n"sv, "...11..", "METIS graph of 3 vertices"},
    {"5 6\n2 3\n"sv, ".....1.", "read_edges reads lists of edges"},
};

}  // namespace

RANK_TEST(records_are_read_or_refused_with_line_field_and_reason) {
  const am::file_options none, spaces{.skip_space = true}, plain{.quote = 0}, other{.separator = ';', .quote = '\''};
  const am::file_options tabs{.separator = '\t', .skip_space = true}, skip{.skip_bad = true};
  expect_records("a,b\n\"c\"\"d\",\n", none, {{"a", "b"}, {"c\"d", ""}});
  expect_records("a\r\n\r\n\"\"\r\n b \r\n", none, {{"a"}, {""}, {" b "}});
  expect_records("lat,name\n1,\"Gol\" pyramid\n2,ok\n", none, refusal("line 2, field 2: text after the closing quote"));
  expect_records("a,\"b\"\r\n1,x\"y\"\n", none, refusal("line 2, field 2: a quote inside a field that does not begin with one"));
  expect_records("a, \"b,1\",c\n", none, refusal("line 1, field 2: spaces before a quote; file_options::skip_space allows them"));
  expect_records("a,b\n\n1,\"x\n2,y\n", none, refusal("line 3, field 2: a quote is not closed"));
  expect_records("a,b\r1,2\r3,4\r", none, refusal("its lines end in carriage returns alone"));
  expect_records("\"a\rb\",c\n\"d\re\",f\r\n", none, {{"a\rb", "c"}, {"d\re", "f"}});
  expect_records(" a , \"b,1\" ,c d\t\n  \n\"x\" ,y\n", spaces, {{"a", "b,1", "c d"}, {"x", "y"}});
  expect_records("a, \"b\" x\n", spaces, refusal("line 1, field 2: text after the closing quote"));
  expect_records("a\t\"b\"\t\t d\n", tabs, {{"a", "b", "", "d"}});
  expect_records("5\" pipe,\"x\n\"\"q\",y\n", plain, {{"5\" pipe", "\"x"}, {"\"\"q\"", "y"}});
  expect_records("'a;''b';\"\n", other, {{"a;'b", "\""}});
  expect_records("1,a\n2,\"b\" c\n3,\"d\"\n", skip, {{"1", "a"}, {"3", "d"}});
  expect_records("1,a\n2,b\" c\n3,\"d\"\n", skip, refusal("line 2, field 2: a quote inside a field"));
  expect_records("\xEF\xBB\xBF\"a\",b\n\xEF\xBB\xBF,d\n", none, {{"a", "b"}, {"\xEF\xBB\xBF", "d"}});
  expect_records("\xEF\xBB\xBF", none, {});
}

RANK_TEST(a_stray_quote_is_found_wherever_the_file_is_cut) {
  for (int bad = 0; bad < 40; bad += 3) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += i == bad ? "x\",\"y\n" : "\"a\nb\",c\n";
    expect_records(text, {}, refusal("line " + std::to_string(2 * bad + 1) + ", field 1: a quote inside a field"));
  }
}

RANK_TEST(a_binary_file_is_not_text_for_any_reader) {
  const std::string line = "0000000000000000000000000000000000000000000000000000000000000";
  const text_file early(line + "1\n" + '\0');
  EXPECT_THROWS_SAYING(am::usage_error, "byte 63 is NUL", am::read_lines(early.path()));
  EXPECT_THROWS_SAYING(am::usage_error, "byte 63 is NUL", am::read_graph(early.path()));
  EXPECT_THROWS_SAYING(am::usage_error, "skip_bad is set, but any line fits", am::read_lines(early.path(), {.skip_bad = true}));
  EXPECT_THROWS_SAYING(am::usage_error, "skip_bad is set, but a binary file has no lines",
                       am::read_graph(early.path(), {.format = am::graph_format::binary_32, .skip_bad = true}));
}

RANK_TEST(nul_after_the_beginning_or_as_the_separator_is_read) {
  const std::string line = "0000000000000000000000000000000000000000000000000000000000000";
  const text_file late(line + "12\n" + '\0' + "\n");
  EXPECT_EQ(joined(am::read_lines(late.path()).local()).size(), 2U);
  expect_records("a\0b\n\"c\"\0d\n"s, {.separator = '\0'}, {{"a", "b"}, {"c", "d"}});
}

RANK_TEST(a_carriage_return_inside_a_line_is_a_bad_line) {
  std::size_t bad = 0;
  const text_file file("1,2\n3,4\r5,6\n");
  const auto read = am::read_csv<int, int>(file.path(), {.skip_bad = true});
  drain(read.local());
  bad += read.skipped();
  const text_file edges("1 2\n3 4\r5 6\n");
  const auto list = am::read_edges(edges.path(), {.skip_bad = true});
  drain(list.local());
  EXPECT_EQ(am::all_reduce(bad + list.skipped(), std::plus<>{}), 2U);
}

RANK_TEST(an_empty_field_is_an_empty_optional) {
  const text_file file("x,y\n1,\n,2.5\n3,4\n");
  std::vector<int> mine;
  for (const auto& [x, y] : am::read_csv<std::optional<int>, std::optional<double>>(file.path(), {.header = true}).local())
    mine.push_back(x.value_or(100) + int(10 * y.value_or(100)));
  EXPECT_EQ(am::all_gather_v(mine), (std::vector<int>{1001, 125, 43}));
  const text_file bad("1,x\n");
  EXPECT_THROWS_SAYING(am::usage_error, "'x' in field 2",
                       am::rank() == 0
                           ? drain(am::read_csv<int, std::optional<int>>(bad.path()).local())
                           : (am::read_csv<int, std::optional<int>>(bad.path()), throw am::usage_error("", "'x' in field 2")));
}

RANK_TEST(errors_of_the_first_record_advise_about_types_and_later_ones_about_lines) {
  const auto error_of = [](const std::string& text, bool header = false) {
    const text_file file(text);
    const auto read = am::read_csv<int, int>(file.path(), {.header = header});
    std::string what;
    try {
      drain(read.local());
    } catch (const am::usage_error& e) { what = e.what(); }
    for (const std::string& of_one : am::all_gather_v(std::vector<std::string>{what}))
      if (!of_one.empty()) return of_one;
    return std::string();
  };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  const std::string three = error_of("1,2,3\n");
  EXPECT(says(three, "3 fields where there should be 2: '1,2,3'; give read_csv one type for each field"));
  EXPECT(!says(three, "skip_bad"));
  EXPECT(says(error_of("a,b\n1,2\n"), "file_options::header"));
  EXPECT(says(error_of("1\n"), "1 field where there should be 2"));
  for (const std::string& wrong : {error_of("1,2\n3\n"), error_of("1,2\n3,x\n"), error_of("a,b\n1,2\n3,x\n", true),
                                   error_of("a,b\n1,x\n2,3\n4,5\n6,7\n", true), error_of("1,2\n3,4\n5,6\n7,8,9\n")}) {
    EXPECT(says(wrong, "; correct the line, or set the option skip_bad to skip such lines"));
    EXPECT(!says(wrong, "give read_csv"));
  }
  EXPECT(says(error_of("1,\n"), "field 2 is empty, which only std::optional<T> and std::string can be"));
}

RANK_TEST(a_separator_that_is_a_quote_or_ends_lines_is_refused) {
  const text_file file("a\n");
  for (const am::file_options& how : {am::file_options{.separator = '"'}, am::file_options{.separator = '\n'},
                                      am::file_options{.quote = '\r'}, am::file_options{.separator = 'x', .quote = 'x'}})
    EXPECT_THROWS_SAYING(am::usage_error, "must differ", am::read_csv(file.path(), how));
}

RANK_TEST(each_reader_refuses_what_is_of_another_format) {
  for (const format& f : formats) {
    const text_file file{std::string(f.bytes)};
    for (std::size_t r = 0; r < readers.size(); ++r) {
      std::string error;
      try {
        readers[r].read(file.path());
      } catch (const am::error& e) { error = e.what(); }
      const bool refused = error.find(f.why) != error.npos;
      if (refused != (f.refused_by[r] == '1'))
        EXPECT_EQ(std::string(readers[r].name) + " of '" + std::string(f.bytes.substr(0, 20)) + "': " + error, f.why);
    }
  }
}

RANK_TEST(each_reader_refuses_what_is_not_a_regular_file) {
  const text_file place("");
  const std::string fifo = place.path() + ".fifo", socket = place.path() + ".socket";
  if (am::rank() == 0) {
    EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(::mknod(socket.c_str(), S_IFSOCK | 0600, 0), 0);
  }
  am::barrier();
  const std::pair<std::string, const char*> kinds[] = {
      {fifo, "it is a FIFO, not a regular file"},
      {socket, "it is a socket, not a regular file"},
      {"/dev/zero", "it is a device, not a regular file"},
      {"/dev/null", "it is a device, not a regular file"},
      {"/tmp", "it is a directory"},
      {"/proc/self/status", "it has contents but no size"},
      {"/no/such/file", "No such file or directory"},
      {"", "the name is empty"},
      {std::string("/etc/passwd\0x", 13), "the name contains a NUL"},
  };
  for (const auto& [path, why] : kinds)
    for (const reader& r : readers) EXPECT_THROWS_SAYING(am::usage_error, why, r.read(path));
  am::array<double> x(3);
  for (const auto& [path, why] : kinds) EXPECT_THROWS_SAYING(am::usage_error, why, x.load(path));
  const char* const shorter = "/sys/kernel/mm/transparent_hugepage/enabled";  // than its size says
  if (struct stat s{}; ::stat(shorter, &s) == 0 && s.st_size == 4096)
    for (const reader& r : readers) EXPECT_THROWS_SAYING(am::usage_error, "it changed while it was read", r.read(shorter));
  am::barrier();
  if (am::rank() == 0) ::unlink(fifo.c_str()), ::unlink(socket.c_str());
}

RANK_TEST(lists_of_edges_that_resemble_metis_are_read) {
  for (const std::string text : {"4 4\n0 1\n1 2\n2 3\n3 0\n", "# edges\n3 3\n2 3\n1 3\n1 2\n", "1 1\n1 2\n",
                                 "3 5 7\n1 2 3\n1 2\n", "3 3\n1 2\n", "2 1\n"}) {
    const text_file file(text);
    drain(am::read_edges(file.path()).local());
  }
  const text_file binary("\x1f\x8b\x08");
  EXPECT_EQ(am::read_binary<char>(binary.path()).size(), 3U);
}

RANK_TEST(a_byte_order_mark_is_skipped_by_each_reader_of_text) {
  const std::string mark = "\xEF\xBB\xBF";
  const text_file words(mark + "one two\nthree");
  EXPECT_EQ(joined(am::read_words(words.path()).local()), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(joined(am::read_lines(words.path()).local()), (std::vector<std::string>{"one two", "three"}));
  const text_file csv(mark + "id,name\n17,x\n");
  int ids = 0;
  for (const auto& [id, name] : am::read_csv<int, std::string>(csv.path(), {.header = true}).local()) ids += id;
  EXPECT_EQ(am::all_reduce(ids, std::plus<>{}), 17);
  const text_file edges(mark + "1 2\n");
  std::size_t n = 0;
  for (const am::edge e : am::read_edges(edges.path()).local()) n += e.from + e.to;
  EXPECT_EQ(am::all_reduce(n, std::plus<>{}), 3U);
  const text_file matrix(mark + "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n");
  EXPECT_EQ(am::read_matrix_market(matrix.path()).non_zeros(), 1U);
}

RANK_TEST(lines_that_are_no_edges_name_the_right_reader) {
  const auto error_of = [](const std::string& text, bool weighted) {
    const text_file file(text);
    std::string what;
    try {
      if (weighted)
        drain(am::read_edges<double>(file.path()).local());
      else
        drain(am::read_edges(file.path()).local());
    } catch (const am::usage_error& e) { what = e.what(); }
    for (const std::string& of_one : am::all_gather_v(std::vector<std::string>{what}))
      if (!of_one.empty()) return of_one;
    return std::string();
  };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  EXPECT(says(error_of("0,1\n1,2\n", false), "read_csv<std::uint64_t, std::uint64_t>"));
  EXPECT(says(error_of("alice bob\n", false), "read_csv<std::string, std::string>"));
  EXPECT(says(error_of("0 1 2.5\n1 2\n", true), "it has no weight"));
  EXPECT(says(error_of("0 1 2.5\n1 2 1e999\n", true), "its weight does not fit the type of weights"));
  EXPECT(says(error_of("1 -2\n", false), "an edge is two numbers of vertices"));
}

RANK_TEST(a_text_with_the_end_of_a_line_is_not_written_as_a_line) {
  const text_file file("before\n");
  const std::vector<std::string> mine = {am::rank() == am::ranks() - 1 ? "two\nlines" : "one"};
  EXPECT_THROWS_SAYING(am::remote_error, "holds the end of a line", am::write_lines(file.path(), mine));
  int lines = 0;
  for (const auto& line : am::read_lines(file.path()).local()) lines += std::string_view(line) == "before";
  EXPECT_EQ(am::all_reduce(lines, std::plus<>{}), 1);
}

RANK_TEST(numbers_and_counts_of_a_matrix_are_those_of_the_file) {
  const auto read = [](const std::string& text) {
    const text_file file(text);
    return am::read_matrix_market(file.path());
  };
  const auto only = [&](const std::string& value) {
    double sum = 0;
    read("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 " + value + "\n")
        .for_each_entry([&](std::size_t, std::size_t, double v) { sum += v; });
    return am::all_reduce(sum, std::plus<>{});
  };
  EXPECT_EQ(only("9007199254740992"), 0x1p53);
  EXPECT_EQ(only("-9223372036854775808"), -0x1p63);
  for (const char* value : {"9007199254740993", "9223372036854775807", "99999999999999999999", "1.5", "x", ""})
    EXPECT_THROWS_SAYING(am::error, "is not an integer that a double holds exactly", only(value));
  const std::string banner = "%%MatrixMarket matrix coordinate real ";
  EXPECT_THROWS_SAYING(am::error, "has 2 entries, and 1 by its line of sizes; these are too many",
                       read(banner + "general\n2 2 1\n1 1 1.0\n2 2 2.0\n"));
  EXPECT_THROWS_SAYING(am::error, "is it cut off?", read(banner + "general\n2 2 2\n1 1 1.0\n"));
  EXPECT_THROWS_SAYING(am::error, "they must be as many", read(banner + "symmetric\n2 3 1\n1 1 1.0\n"));
  EXPECT_THROWS_SAYING(am::error, "its values are complex",
                       read("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1.0 -2.5\n"));
  EXPECT_THROWS_SAYING(am::error, "it is a dense matrix", read("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"));
}
