// SPDX-License-Identifier: Apache-2.0
// Graphs from files of each format, by names, and the way back to them; or refused on all ranks with line and reason.
#include "armilla/read_graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "armilla/container/files/files_testing.hpp"

namespace am = armilla;
using files_testing::text_file;

namespace {

/// All edges, as "from>to:weight", by the names of their vertices, in the order of the vertices.
template <class V, class E>
std::vector<std::string> edges_of(const am::named_graph<V, E>& g) {
  std::vector<std::string> mine;
  for (const am::vertex_id v : g.local())
    for (std::size_t k = 0; k < g.degree(v); ++k) {
      std::string text = g.name(v) + ">" + g.name(g.neighbours(v)[k]);
      if constexpr (!std::is_void_v<E>) text += ":" + std::to_string(g.edge_data(v)[k]);
      mine.push_back(text);
    }
  return am::all_gather_v(mine);
}
template <class E = void>
std::vector<std::string> read(const std::string& text, const am::read_graph_options& how = {}) {
  const text_file file(text);
  return edges_of(am::read_graph<E>(file.path(), how));
}
std::size_t vertices_of(const std::string& text, const am::read_graph_options& how = {}) {
  const text_file file(text);
  return am::read_graph(file.path(), how).size();
}
using list = std::vector<std::string>;

}  // namespace

RANK_TEST(lists_of_numbers_with_each_separator) {
  const list two = {"0>1", "1>2"};
  for (const char* text :
       {"0 1\n1 2\n", "# c\n0\t1\n% c\n\n1\t2", "0,1\n1,2\n", "0, 1\r\n1 ,2\r\n", "0;1\n1;2\n", "0 1 x\n1  2 y z\n"})
    EXPECT_EQ(read(text), two);
  EXPECT_EQ(read<int>("0,1,5\n1,2,-3\n"), (list{"0>1:5", "1>2:-3"}));
  EXPECT_EQ(read<int>("from,to,weight\n0,1,5\n1,2,-3\n", {.header = true}), (list{"0>1:5", "1>2:-3"}));
  EXPECT_EQ(read<int>("0 1 5\n1 2\n", {.default_weight = 7}), (list{"0>1:5", "1>2:7"}));
  EXPECT_EQ(read("1 2\n2 3\n", {.base = 1}), (list{"1>2", "2>3"}));
  EXPECT_EQ(vertices_of("1 2\n2 3\n", {.base = 1}), 3U);
  EXPECT_EQ(vertices_of("1 2\n2 3\n"), 4U);
  EXPECT_EQ(vertices_of("# nothing\n"), 0U);
  EXPECT_EQ(vertices_of(""), 0U);
}

RANK_TEST(duplicates_and_loops_remain_on_request) {
  const std::string text = "0 1\n0 1\n1 1\n1 0\n";
  EXPECT_EQ(read(text), (list{"0>1", "1>0"}));
  EXPECT_EQ(read(text, {.keep_duplicates = true, .keep_loops = true}), (list{"0>1", "0>1", "1>0", "1>1"}));
  EXPECT_EQ(read(text, {.undirected = true}), (list{"0>1", "1>0"}));
}

RANK_TEST(vertices_with_names_and_the_way_back) {
  EXPECT_EQ(read("alice bob\nbob carol\ncarol alice\n"), (list{"alice>bob", "bob>carol", "carol>alice"}));
  EXPECT_EQ(read<double>("\"New York\",\"a \"\"b\"\"\",2.5\n\"a \"\"b\"\"\",x\n", {.default_weight = 1}),
            (list{"New York>a \"b\":2.500000", "a \"b\">x:1.000000"}));
  EXPECT_EQ(read("New York\tParis\nParis\tRome\n"), (list{"New York>Paris", "Paris>Rome"}));
  EXPECT_EQ(read("a b {}\nb c {'weight': 3, 'x': 1}\n"), (list{"a>b", "b>c"}));
  std::string text;
  for (int k = 0; k < 300; ++k) text += "v" + std::to_string(k * 7 % 100) + " w" + std::to_string(k) + "\n";
  const text_file file(text);
  const am::named_graph<> g = am::read_graph(file.path());
  EXPECT_EQ(g.size(), 400U);
  EXPECT_EQ(g.name(0), "v0");
  EXPECT_EQ(g.name(1), "w0");
  EXPECT_EQ(g.name(2), "v7");
  EXPECT_EQ(g.vertex("w1"), 3U);
  EXPECT(!g.find_vertex("w300"));
  EXPECT_THROWS_SAYING(am::usage_error, "none of the 400 vertices is named 'w300'", g.vertex("w300"));
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 400", g.name(400));
  const am::array<std::string> names = g.names();
  for (const am::vertex_id v : g.local()) EXPECT_EQ(g.vertex(g.name(v)), v);
  for (std::size_t k = 0; k < names.local().size(); ++k) EXPECT_EQ(names.local()[k], g.name(names.index_of_local(k)));
  const am::graph<> nameless = am::read_graph(file.path());
  EXPECT_EQ(nameless.size(), 400U);
  am::barrier();
}

RANK_TEST(names_in_quotes_between_white_space) {
  const std::string towns = "Bern Thun\n\"St. Gallen\" Zurich\nZurich\t\"St. Gallen\" \r\n";
  EXPECT_EQ(read(towns), (list{"Bern>Thun", "St. Gallen>Zurich", "Zurich>St. Gallen"}));
  const text_file file(towns);
  const am::named_graph<> g = am::read_graph(file.path());
  EXPECT_EQ(g.size(), 4U);
  EXPECT_EQ(g.vertex("St. Gallen"), 2U);
  EXPECT_EQ(read<double>("\"a, b; c\" \"say \"\"hi\"\" x\" 2.5 more\n\"say \"\"hi\"\" x\"  d \"4\"\n"),
            (list{"a, b; c>say \"hi\" x:2.500000", "say \"hi\" x>d:4.000000"}));
  EXPECT_EQ(read("\"#1\" 5\" \"not closed\n5\" b\"\n", {.separator = ' '}), (list{"#1>5\"", "5\">b\""}));
  EXPECT_EQ(read("\"0\" 1\n1 \"2\"\n"), (list{"0>1", "1>2"}));
  EXPECT_EQ(read("\"a b\", c\nc, \"d, e\"\n"), (list{"a b>c", "c>d, e"}));
  EXPECT_EQ(read("a b\n\"c d\nb c\n\"c\"d b\n", {.skip_bad = true}), (list{"a>b", "b>c"}));
  EXPECT_THROWS_SAYING(am::error, "line 2: '\"b c' is not an edge: a quote is not closed", read("a b\n\"b c\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: 'b \"c' is not an edge: a quote is not closed", read("a b\nb \"c\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: '\"b c\"d e' is not an edge: text after the closing quote", read("a b\n\"b c\"d e\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: '\"b c\"' is not an edge: it has one field", read("a b\n\"b c\"\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: '\"\" b' is not an edge: the name of a vertex is empty", read("a b\n\"\" b\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: 'x y' is not a weight", read<int>("a b 1\na c \"x y\"\n"));
}

RANK_TEST(numbers_that_are_not_dense_are_names) {
  const std::string text = "10000000000 7\n7 10000000000\n5 18446744073709551615\n";
  EXPECT_EQ(read(text), (list{"10000000000>7", "7>10000000000", "5>18446744073709551615"}));
  const text_file file(text);
  const auto g = am::read_graph(file.path());
  EXPECT_EQ(g.size(), 4U);
  EXPECT_EQ(g.name(0), "10000000000");
  EXPECT_EQ(g.vertex("5"), 2U);
  EXPECT(!g.find_vertex("x"));
  EXPECT_EQ(g.names().size(), 4U);
  EXPECT_EQ(vertices_of("5 7\n7 9\n"), 10U);
  EXPECT_EQ(vertices_of("5 7\n7 9\n", {.naming = am::vertex_naming::always}), 3U);
  const text_file dense("1 2\n");
  const auto d = am::read_graph(dense.path(), {.base = 1});
  EXPECT_EQ(d.name(1), "2");
  EXPECT_EQ(d.vertex("1"), 0U);
  EXPECT(!d.find_vertex("0"));
  EXPECT(!d.find_vertex("3"));
}

RANK_TEST(formats_with_a_header) {
  const std::string market = "%%MatrixMarket matrix coordinate ";
  const list both = {"1>2", "2>1", "2>3", "3>2"};
  EXPECT_EQ(read(market + "pattern general\n4 4 2\n1 2\n2 3\n"), (list{"1>2", "2>3"}));
  EXPECT_EQ(vertices_of(market + "pattern general\n4 4 2\n1 2\n2 3\n"), 4U);
  EXPECT_EQ(read(market + "pattern symmetric\n3 3 2\n2 1\n3 2\n"), both);
  EXPECT_EQ(read(market + "pattern symmetric\n3 3 2\n2 1\n3 2\n", {.undirected = true, .keep_duplicates = true}), both);
  EXPECT_EQ(read<int>(market + "integer general\n2 2 1\n1 2 -5\n"), (list{"1>2:-5"}));
  EXPECT_EQ(read<int>(market + "pattern general\n2 2 1\n1 2\n"), (list{"1>2:1"}));
  EXPECT_EQ(read("% c\n3 2\n2\n1 3\n2\n"), both);
  EXPECT_EQ(read("3 2\n2\n1 3\n2\n", {.undirected = true, .keep_duplicates = true}), both);
  EXPECT_EQ(read("4 2\n2\n1 3\n2\n\n"), both);
  EXPECT_EQ(read<int>("3 2 1\n2 5\n1 5 3 7\n2 7\n"), (list{"1>2:5", "2>1:5", "2>3:7", "3>2:7"}));
  EXPECT_EQ(read<int>("3 2 11 2\n9 9 2 5\n9 9 1 5 3 7\n9 9 2 7\n"), (list{"1>2:5", "2>1:5", "2>3:7", "3>2:7"}));
  EXPECT_EQ(read<int>("c text\np sp 3 2\na 1 2 5\nc\na 2 3 7\n"), (list{"1>2:5", "2>3:7"}));
  EXPECT_EQ(read("c text\np edge 3 2\nn 1 4\ne 1 2\ne 2 3\n"), both);
  EXPECT_EQ(read("p col 3 2\ne 1 2\ne 2 3\n", {.undirected = true}), both);
}

RANK_TEST(binary_pairs) {
  const std::uint32_t small[] = {1, 2, 2, 3};
  const std::uint64_t wide[] = {1, 2, 2, 3};
  const std::string of_small(reinterpret_cast<const char*>(small), sizeof small),
      of_wide(reinterpret_cast<const char*>(wide), sizeof wide);
  EXPECT_EQ(read(of_small, {.format = am::graph_format::binary_32}), (list{"1>2", "2>3"}));
  EXPECT_EQ(read<int>(of_wide, {.format = am::graph_format::binary_64, .base = 1}), (list{"1>2:1", "2>3:1"}));
  EXPECT_THROWS_SAYING(am::error, "not a whole number", read(of_small.substr(1), {.format = am::graph_format::binary_32}));
  EXPECT_THROWS_SAYING(am::error, "pair 0 is (1, 2), below 2",
                       read(of_small, {.format = am::graph_format::binary_32, .base = 2}));
}

RANK_TEST(bad_files_are_refused_with_line_and_reason) {
  using enum am::graph_format;
  using am::vertex_naming;
  EXPECT_THROWS_SAYING(am::error, "line 2: '2' is not an edge: it has one field", read("0 1\n2\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: ',1' is not an edge: the name of a vertex is empty", read("0,1\n,1\n"));
  EXPECT_THROWS_SAYING(am::error, "a quote is not closed", read("0,1\n\"a,1\n"));
  EXPECT_THROWS_SAYING(am::error, "only its first line does not name vertices by numbers", read("source,target\n0,1\n1,2\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: 'a b' does not name", read("0 1\na b\n", {.naming = vertex_naming::never}));
  EXPECT_THROWS_SAYING(am::error, "must be dense", read("0 1\n1 100000000\n", {.naming = vertex_naming::never}));
  EXPECT_THROWS_SAYING(am::error, "line 2: '0 1' names a vertex below 1", read("1 2\n0 1\n", {.base = 1}));
  EXPECT_THROWS_SAYING(am::error, "line 2: an edge has no weight", read<int>("0 1 5\n1 2\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: 'x' is not a weight", read<int>("0 1 5\n1 2 x\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: 'a,c,\"1\"\"2\"' is not a weight", read<int>("a,b,5\na,c,\"1\"\"2\"\n"));
  EXPECT_THROWS_SAYING(am::error, "default_weight is 0.5", read<int>("0 1 5\n", {.default_weight = 0.5}));
  EXPECT_THROWS_SAYING(am::error, "line 2: 'e 1 4' is not 'e FROM TO' with vertices from 1 to 3", read("p edge 3 1\ne 1 4\n"));
  EXPECT_THROWS_SAYING(am::error, "has 1 edges, and 2 by its header; is it cut off?", read("p sp 3 2\na 1 2 5\n"));
  EXPECT_THROWS_SAYING(am::error, "line 2: 'a 1 2' is not 'a FROM TO WEIGHT'", read("p sp 3 1\na 1 2\n"));
  EXPECT_THROWS_SAYING(am::error, "has 1 ends of edges, and 4 by its header", read("3 2\n2\n\n\n", {.format = metis}));
  EXPECT_THROWS_SAYING(am::error, "line 2: the edges of vertex 1: '4' is not a vertex from 1 to 3",
                       read("3 2\n4\n1 3\n2\n", {.format = metis}));
  EXPECT_THROWS_SAYING(am::error, "has 1 lines of vertices, and 3 by its header", read("3 2\n2", {.format = metis}));
  EXPECT_THROWS_SAYING(am::error, "has 2 rows and 3 columns",
                       read("%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n"));
  EXPECT_THROWS_SAYING(am::error, "it is a dense matrix", read("%%MatrixMarket matrix array real general\n1 1\n1\n"));
  EXPECT_THROWS_SAYING(am::limit_error, "vertices", read("p edge 4294967296 1\ne 1 2\n"));
  EXPECT_EQ(read("0 1\nx\n1 2\n", {.skip_bad = true}), (list{"0>1", "1>2"}));
  EXPECT_EQ(read<int>("a,b,5\na,c,\"1\"\"2\"\n", {.skip_bad = true}), (list{"a>b:5"}));
  EXPECT_EQ(read("2 1\n2\n1\n1\n\n", {.format = metis, .skip_bad = true}), (list{"1>2", "2>1"}));
  EXPECT_EQ(read("3 3\n2 3 x\n1 3\n1 9\n", {.format = metis, .skip_bad = true}), (list{"2>1", "2>3"}));
  EXPECT_THROWS_SAYING(am::error, "line 2: the edges of vertex 1: 'x' is not a vertex",
                       read("3 3\n2 3 x\n1 3\n1 2\n", {.format = metis}));
}
