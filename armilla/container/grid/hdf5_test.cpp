// SPDX-License-Identifier: Apache-2.0
// Datasets of HDF5 files: what each container writes is read back by each, or refused on all ranks with a reason.
#include "armilla/hdf5.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/container/files/files_testing.hpp"
#include "armilla/fabric/host_map.hpp"

namespace am = armilla;
using files_testing::text_file;

namespace {

/// False: the plug-in was not built, and the error says so.
bool available() {
  try {
    am::read_hdf5<am::vector<int>>("/no/such/file", "x");
  } catch (const am::usage_error& e) {
    const std::string why = e.what();
    if (why.find("HDF5 is not available") == why.npos) return true;
    EXPECT(why.find("libhdf5-dev") != why.npos);
    if (am::rank() == 0) std::printf("skipped: %s\n", e.what());
  }
  return false;
}

template <class T>
T number(std::size_t k) {
  return T(k % 120) * T(k % 2 == 0 || std::is_unsigned_v<T> ? 1 : -1);
}
template <class T>
void round_trip() {
  const text_file file("");
  am::vector<T> v(101);
  for (std::size_t k = 0; k < v.local().size(); ++k) v.local()[k] = number<T>(v.index_of_local(k));
  am::array<T> dealt(37, am::cyclic(3));
  for (std::size_t k = 0; k < dealt.local().size(); ++k) dealt.local()[k] = number<T>(dealt.index_of_local(k));
  am::matrix<T, 3> m({5, 4, 7}, am::grid(), am::halo(1));
  const auto block = m.local();
  for (std::size_t i = 0; i < block.extent(0); ++i)
    for (std::size_t j = 0; j < block.extent(1); ++j)
      for (std::size_t k = 0; k < block.extent(2); ++k)
        block(i, j, k) = number<T>(((block.origin(0) + i) * 4 + block.origin(1) + j) * 7 + block.origin(2) + k);
  am::write_hdf5(file.path(), am::dataset("v", v), am::dataset("of/dealt", dealt), am::dataset("of/m", m));
  const auto w = am::read_hdf5<am::array<T>>(file.path(), "v");
  EXPECT_EQ(w.size(), 101U);
  for (std::size_t k = 0; k < w.local().size(); ++k) EXPECT(w.local()[k] == number<T>(w.index_of_local(k)));
  const auto d = am::read_hdf5<am::vector<T>>(file.path(), "/of/dealt");
  EXPECT_EQ(d.size(), 37U);
  for (std::size_t k = 0; k < d.local().size(); ++k) EXPECT(d.local()[k] == number<T>(d.index_of_local(k)));
  const auto n = am::read_hdf5<am::matrix<T, 3>>(file.path(), "of/m");
  EXPECT_EQ(n.extent(2), 7U);
  for (std::size_t i = 0; i < n.size(); ++i) {
    const auto cell = n.cell_of(i);
    if (n.rank_of(cell) == am::rank()) EXPECT(T(n(cell[0], cell[1], cell[2])) == number<T>(i));
  }
  am::barrier();
}

}  // namespace

RANK_TEST(hdf5_datasets_of_each_type_and_container) {
  if (!available()) return;
  round_trip<double>();
  round_trip<float>();
  round_trip<std::int8_t>();
  round_trip<std::uint16_t>();
  round_trip<std::int32_t>();
  round_trip<std::uint64_t>();
  round_trip<std::complex<double>>();
}

RANK_TEST(hdf5_files_are_read_in_pieces_that_are_counted) {
  if (!available()) return;
  const text_file file("");
  const std::size_t n = am::ranks() == 1 ? 3'000'000 : 3'000;  // one rank reads it in two pieces
  am::matrix<double> m({n / 3, 3}, am::grid(), am::halo(1));
  const auto block = m.local();
  for (std::size_t i = 0; i < block.extent(0); ++i)
    for (std::size_t j = 0; j < block.extent(1); ++j) block(i, j) = double((block.origin(0) + i) * 3 + block.origin(1) + j);
  const auto work_of_all = [] {
    const auto& mine = am::detail::current->host->control(am::rank());
    return am::all_reduce(mine.work_done.load(), std::plus<>{});
  };
  am::write_hdf5(file.path(), am::dataset("m", m));
  EXPECT(work_of_all() >= n * sizeof(double));
  const auto again = am::read_hdf5<am::matrix<double>>(file.path(), "m");
  EXPECT_EQ(work_of_all(), n * sizeof(double));
  const auto same = again.local();
  bool alike = true;
  for (std::size_t i = 0; i < same.extent(0); ++i)
    for (std::size_t j = 0; j < same.extent(1); ++j) alike &= same(i, j) == double((same.origin(0) + i) * 3 + same.origin(1) + j);
  EXPECT(alike);
}

RANK_TEST(hdf5_numbers_are_read_into_types_that_represent_them) {
  if (!available()) return;
  const text_file file("");
  const am::vector<std::int32_t> i(3, 7);
  const am::vector<double> f(3, 0.5);
  const am::vector<std::int64_t> wide(3, std::int64_t(1) << 60), none(0);
  const am::matrix<float> m({2, 3});
  am::write_hdf5(file.path(), am::dataset("i", i), am::dataset("f", f), am::dataset("wide", wide), am::dataset("none", none),
                 am::dataset("m", m));
  const auto as_double = am::read_hdf5<am::vector<double>>(file.path(), "i");
  for (const double x : as_double.local()) EXPECT_EQ(x, 7.0);
  EXPECT_EQ(am::read_hdf5<am::vector<std::int64_t>>(file.path(), "none").size(), 0U);
  EXPECT_EQ(am::read_hdf5<am::matrix<double>>(file.path(), "m").size(), 6U);
  EXPECT_THROWS_SAYING(am::usage_error, "its numbers are double, which std::int64_t does not represent exactly",
                       am::read_hdf5<am::vector<std::int64_t>>(file.path(), "f"));
  EXPECT_THROWS_SAYING(am::usage_error, "read it into a container of std::int64_t",
                       am::read_hdf5<am::vector<double>>(file.path(), "wide"));
  EXPECT_THROWS_SAYING(am::usage_error, "read it into a container of std::int32_t",
                       am::read_hdf5<am::vector<std::uint64_t>>(file.path(), "i"));
  EXPECT_THROWS_SAYING(am::usage_error, "it has 2 dimensions: 2 x 3; read it into a matrix<T, 2>",
                       am::read_hdf5<am::vector<float>>(file.path(), "m"));
  EXPECT_THROWS_SAYING(am::usage_error, "it has 1 dimension: 3; read it into a vector",
                       am::read_hdf5<am::matrix<float>>(file.path(), "f"));
}

RANK_TEST(bad_hdf5_files_are_refused_on_all_ranks) {
  if (!available()) return;
  const text_file file("not one at all\n");
  EXPECT_THROWS_SAYING(am::usage_error, "it is not a whole HDF5 file", am::read_hdf5<am::vector<int>>(file.path(), "x"));
  am::vector<double> x(1000, 1.0);
  am::write_hdf5(file.path(), am::dataset("x", x));
  EXPECT_THROWS_SAYING(am::usage_error, "dataset 'y': no such dataset", am::read_hdf5<am::vector<double>>(file.path(), "y"));
  EXPECT_THROWS_SAYING(am::usage_error, "attribute is empty", am::read_hdf5<am::vector<double>>(file.path(), ""));
  EXPECT_THROWS_SAYING(am::usage_error, "attribute is empty", am::write_hdf5(file.path(), am::dataset("", x)));
  EXPECT_THROWS_SAYING(am::usage_error, "the dataset cannot be made",
                       am::write_hdf5(file.path(), am::dataset("x", x), am::dataset("x", x)));
  EXPECT_THROWS_SAYING(am::usage_error, "No such file", am::write_hdf5("/no/such/folder/x.h5", am::dataset("x", x)));
  EXPECT_EQ(am::read_hdf5<am::vector<double>>(file.path(), "x").size(), 1000U);  // the old file
  am::barrier();
  std::ifstream in(file.path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (const std::size_t size : {std::size_t(8), std::size_t(600), bytes.size() - 100}) {
    const text_file cut(bytes.substr(0, size));
    EXPECT_THROWS_SAYING(am::usage_error, "it is not a whole HDF5 file", am::read_hdf5<am::vector<double>>(cut.path(), "x"));
  }
}

RANK_TEST(hdf5_attributes_are_numbers_and_texts) {
  if (!available()) return;
  const text_file file("");
  const am::vector<double> x(3);
  const am::dataset of_x =
      am::dataset("g/x", x).with("unit", "K\u00e9").with("step", 17).with("dt", 0.25).with("most", UINT64_MAX);
  am::write_hdf5(file.path(), of_x);
  const auto read = [&]<class T>(const char* name, T) { return am::read_hdf5_attribute<T>(file.path(), "g/x", name); };
  EXPECT_EQ(read("unit", std::string()), "K\u00e9");
  EXPECT_EQ(read("step", std::int64_t()), 17);
  EXPECT_EQ(read("dt", double()), 0.25);
  EXPECT_EQ(read("most", std::uint64_t()), UINT64_MAX);
  EXPECT_THROWS_SAYING(am::usage_error, "attribute 'no' of dataset 'g/x': no such attribute", read("no", double()));
  EXPECT_THROWS_SAYING(am::usage_error, "it is a text; read it as std::string", read("unit", double()));
  EXPECT_THROWS_SAYING(am::usage_error, "it is a number; read it as double", read("dt", std::string()));
  EXPECT_THROWS_SAYING(am::usage_error, "it is double, which std::int64_t does not represent exactly",
                       read("dt", std::int64_t()));
  EXPECT_THROWS_SAYING(am::usage_error, "attribute is empty", am::write_hdf5(file.path(), am::dataset("x", x).with("", 1)));
  EXPECT_THROWS_SAYING(am::usage_error, "the attribute cannot be made",
                       am::write_hdf5(file.path(), am::dataset("x", x).with("a", 1).with("a", 2)));
}

namespace {

struct spot {
  float x = 0;
  bool on = false;
  bool operator==(const spot&) const = default;
};
struct particle {
  std::string name;
  std::array<double, 3> place{};
  std::int16_t kind = 0;
  spot inner;
  std::complex<float> wave;
  std::array<std::string, 2> labels;
  std::array<spot, 2> spots;
  bool operator==(const particle&) const = default;
};
particle make_particle(std::size_t i) {
  particle p;
  p.name = std::string(i % 5, 'n') + (i % 7 == 0 ? "\xC3\xA9" : "");
  p.place = {double(i), -double(i) / 3, 1e300};
  p.kind = std::int16_t(i);
  p.inner = {float(i) / 2, i % 2 == 0};
  p.wave = {float(i), -1};
  p.labels = {std::to_string(i), ""};
  p.spots = {spot{1, true}, spot{float(i), i % 3 == 0}};
  return p;
}
struct less_of_it {
  std::int64_t kind = 0;
  std::array<double, 3> place{};
};
struct other_kind {
  float kind = 0;
  std::array<float, 3> place{};
};
struct other_member {
  int colour = 0;
};
struct other_shape {
  std::array<double, 2> place{};
};

}  // namespace

RANK_TEST(hdf5_compounds_and_strings_are_aggregates_and_strings) {
  if (!available()) return;
  const text_file file("");
  am::array<particle> all(100, am::cyclic(3));
  for (std::size_t k = 0; k < all.local().size(); ++k) all.local()[k] = make_particle(all.index_of_local(k));
  am::array<std::string> names(30);
  for (std::size_t k = 0; k < names.local().size(); ++k) names.local()[k] = std::string(names.index_of_local(k) % 9, 'x');
  am::matrix<spot> board({6, 7}, am::grid(), am::halo(1));
  const auto block = board.local();
  for (std::size_t i = 0; i < block.extent(0); ++i)
    for (std::size_t j = 0; j < block.extent(1); ++j)
      block(i, j) = {float((block.origin(0) + i) * 7 + block.origin(1) + j), (i + block.origin(0)) % 2 == 0};
  const am::array<bool> flags(10, true);
  const am::array<std::string> none(0), blank(3);
  const am::array<double> numbers(5, 1.5);
  am::write_hdf5(file.path(), am::dataset("all", all).with("unit", "m"), am::dataset("g/names", names),
                 am::dataset("board", board), am::dataset("flags", flags), am::dataset("none", none), am::dataset("blank", blank),
                 am::dataset("numbers", numbers));
  const auto again = am::read_hdf5<am::vector<particle>>(file.path(), "all");
  EXPECT_EQ(again.size(), 100U);
  for (std::size_t k = 0; k < again.local().size(); ++k) EXPECT(again.local()[k] == make_particle(again.index_of_local(k)));
  const auto words = am::read_hdf5<am::array<std::string>>(file.path(), "g/names");
  for (std::size_t k = 0; k < words.local().size(); ++k)
    EXPECT_EQ(words.local()[k], std::string(words.index_of_local(k) % 9, 'x'));
  const auto cells = am::read_hdf5<am::matrix<spot>>(file.path(), "board");
  for (std::size_t i = 0; i < cells.local().extent(0); ++i)
    for (std::size_t j = 0; j < cells.local().extent(1); ++j)
      EXPECT(cells.local()(i, j) == (spot{float((cells.local().origin(0) + i) * 7 + cells.local().origin(1) + j),
                                          (i + cells.local().origin(0)) % 2 == 0}));
  const auto truths = am::read_hdf5<am::array<bool>>(file.path(), "flags");
  for (const bool b : truths.local()) EXPECT(b);
  EXPECT_EQ(am::read_hdf5<am::array<std::string>>(file.path(), "none").size(), 0U);
  const auto empty = am::read_hdf5<am::array<std::string>>(file.path(), "blank");
  for (const std::string& text : empty.local()) EXPECT(text.empty());
  EXPECT_EQ(am::read_hdf5_attribute<std::string>(file.path(), "all", "unit"), "m");
  const auto part = am::read_hdf5<am::array<less_of_it>>(file.path(), "all");
  for (std::size_t k = 0; k < part.local().size(); ++k) {
    EXPECT_EQ(part.local()[k].kind, std::int64_t(part.index_of_local(k)));
    EXPECT_EQ(part.local()[k].place[2], 1e300);
  }
  const auto refused = [&](const char* why, auto x, const char* name) {
    EXPECT_THROWS_SAYING(am::usage_error, why, am::read_hdf5<decltype(x)>(file.path(), name));
  };
  refused("dataset 'all': its member 'place' is double, which float does not represent", am::array<other_kind>(0), "all");
  refused("its elements have no member 'colour'", am::array<other_member>(0), "all");
  refused("its member 'place' is not an array of 2", am::array<other_shape>(0), "all");
  refused("its elements are not a structure", am::array<spot>(0), "numbers");
  refused("its elements are double, which std::string does not represent", am::array<std::string>(0), "numbers");
  refused("its elements are structures; read them into a container of an aggregate", am::array<double>(0), "all");
  refused("its elements are std::string; read it", am::array<double>(0), "g/names");
  refused("it has 2 dimensions: 6 x 7", am::array<spot>(0), "board");
  const am::array<std::string> with_nul(1, std::string(1, '\0'));
  EXPECT_THROWS_SAYING(am::remote_error, "contains a NUL", am::write_hdf5(file.path(), am::dataset("x", with_nul)));
  am::barrier();
}

RANK_TEST(a_part_is_read_in_pieces_that_split_any_dimension) {
  am::detail::hdf5_part part;
  part.first = {10, 20, 30}, part.count = part.room = {2, 3, 5};
  for (const std::uint64_t most : {1U, 4U, 5U, 9U, 10U, 15U, 16U, 100U}) {
    std::vector<std::array<std::uint64_t, 3>> cells;
    EXPECT(am::detail::each_piece_of<3>(part, most, [&](const am::detail::hdf5_part& p) {
      EXPECT(p.count[0] * p.count[1] * p.count[2] <= most);
      for (std::uint64_t i = 0; i < p.count[0]; ++i)
        for (std::uint64_t j = 0; j < p.count[1]; ++j)
          for (std::uint64_t k = 0; k < p.count[2]; ++k) cells.push_back({p.first[0] + i, p.first[1] + j, p.first[2] + k});
      return true;
    }));
    EXPECT_EQ(cells.size(), 30U);
    EXPECT(std::ranges::is_sorted(cells) && std::ranges::adjacent_find(cells) == cells.end());
    EXPECT(
        (cells.front() == std::array<std::uint64_t, 3>{10, 20, 30} && cells.back() == std::array<std::uint64_t, 3>{11, 22, 34}));
  }
  int seen = 0;
  EXPECT(!am::detail::each_piece_of<1>(part, 1, [&](const am::detail::hdf5_part&) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

RANK_TEST(the_size_of_a_compound_is_not_cut_to_32_bits) {
  using kind = am::detail::hdf5_type::kind;
  std::vector<am::detail::hdf5_node> nodes(3);
  nodes[0] = {.type = {kind::compound, 0}, .members = 1};
  nodes[1] = {.type = {kind::compound, 0}, .members = 1};
  nodes[2] = {.type = {kind::text, 1U << 26}, .array = 64};
  EXPECT_EQ(am::detail::lay_out(nodes), std::uint64_t(1) << 32);
  nodes[0].array = 3;
  EXPECT_EQ(am::detail::lay_out(nodes), std::uint64_t(3) << 32);
}
