// SPDX-License-Identifier: Apache-2.0
// A file that is not whole, or is of something else, is refused by all members with the same words, and changes nothing. What
// cannot be saved leaves the file that was there.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <armilla/algorithms.hpp>

#include "armilla/container/image/checksum.hpp"
#include "armilla/container/image/save_format.hpp"
#include "armilla/container/image/save_testing.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using namespace am::save_testing;

/// What it throws, the same on all ranks behind the words that name the own rank; "" for nothing.
template <class F>
std::string refusal(F f) {
  std::string text;
  try {
    f();
  } catch (const am::usage_error& e) {
    text = e.what();
    text.erase(0, text.find("cannot "));
  }
  EXPECT_EQ(am::broadcast(text), text);
  return text;
}
bool says(const std::string& text, const char* what) {
  if (text.find(what) != std::string::npos) return true;
  if (am::rank() == 0) std::fprintf(stderr, "'%s' is not in: %s\n", what, text.c_str());
  return false;
}

using words = am::unordered_map<std::string, std::vector<int>>;

/// Containers of each way to lie in a file, which know whether they are as they were made.
struct numbers {
  am::array<double> x{700, 1.5};
  bool unchanged() const { return x.size() == 700 && am::reduce(x) == 1.5 * 700; }
};
struct texts {
  am::vector<std::string> x{60, std::string("text")};
  bool unchanged() const { return x.size() == 60 && x.local().size() == am::vector<int>(60).local().size(); }
};
struct keys {
  words x;
  keys() {
    for (int i = am::rank(); i < 20; i += am::ranks()) x.insert(std::to_string(i), std::vector<int>(3, i));
    am::fence();
  }
  bool unchanged() const { return x.size() == 20 && x.find("7").get() == std::vector<int>(3, 7); }
};
struct ordered {
  am::map<int, std::string> x;
  ordered() {
    for (int i = am::rank(); i < 20; i += am::ranks()) x.insert(i, "text");
    am::fence();
  }
  bool unchanged() const { return x.size() == 20 && x.find(7).get() == "text"; }
};
struct cells {
  am::matrix<float> x{{20, 10}};
  bool unchanged() const { return x.size() == 200 && am::reduce(x) == 0; }
};

using roads = am::graph<int, double>;
roads some_roads() {
  std::vector<am::weighted_edge<double>> mine;
  for (std::size_t i = std::size_t(am::rank()); i < 20; i += std::size_t(am::ranks())) mine.push_back({i, (i + 1) % 20, 0.5});
  return {20, mine, {.undirected = true}};
}
struct edges {
  roads x = some_roads();
  bool unchanged() const { return x.size() == 20 && x.edges() == 20 && x.undirected(); }
};

/// Bytes of each class are changed, one at a time: of header, name, table, filling and data.
template <class C>
void expect_damage_is_refused() {
  const scratch_path path;
  C made;
  made.x.save(path.str());
  const std::string good = bytes_of(path.str());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < 340; i += i < 150 ? 1 : 5) places.push_back(i);
  for (const std::size_t i : {std::size_t(3000), std::size_t(4095), std::size_t(4096), std::size_t(4104), good.size() - 1})
    if (i < good.size()) places.push_back(i);
  for (const std::size_t i : places) {
    std::string bad = good;
    bad[i] = char(bad[i] ^ 1 << i % 8);
    write_bytes(path.str(), bad);
    const std::string text = refusal([&] { made.x.load(path.str()); });
    EXPECT(says(text, "cannot load '") && says(text, path.str().c_str()) && says(text, " on rank "));
  }
  for (const std::size_t n :
       {std::size_t(1), std::size_t(8), std::size_t(143), std::size_t(144), std::size_t(4096), good.size() - 1}) {
    write_bytes(path.str(), good.substr(0, n));
    EXPECT(says(refusal([&] { made.x.load(path.str()); }), "cut"));
  }
  write_bytes(path.str(), good + "x");
  EXPECT(says(refusal([&] { made.x.load(path.str()); }), "added to"));
  write_bytes(path.str(), "");
  EXPECT(says(refusal([&] { made.x.load(path.str()); }), "it is empty"));
  EXPECT(made.unchanged());
  write_bytes(path.str(), good);
  made.x.load(path.str());
  EXPECT(made.unchanged());
}

/// With that header, whose checksum is right.
std::string with_header(std::string bytes, const std::function<void(am::detail::saved_header&)>& change) {
  am::detail::saved_header h;
  std::memcpy(&h, bytes.data(), sizeof h);
  change(h);
  h.checksum = am::detail::checksum_of(&h, offsetof(am::detail::saved_header, checksum));
  std::memcpy(bytes.data(), &h, sizeof h);
  return bytes;
}

}  // namespace

RANK_TEST(no_byte_of_an_array_may_change) { expect_damage_is_refused<numbers>(); }
RANK_TEST(no_byte_of_a_vector_of_texts_may_change) { expect_damage_is_refused<texts>(); }
RANK_TEST(no_byte_of_a_hash_container_may_change) { expect_damage_is_refused<keys>(); }
RANK_TEST(no_byte_of_a_map_may_change) { expect_damage_is_refused<ordered>(); }
RANK_TEST(no_byte_of_a_matrix_may_change) { expect_damage_is_refused<cells>(); }
RANK_TEST(no_byte_of_a_graph_may_change) { expect_damage_is_refused<edges>(); }

RANK_TEST(numbers_that_do_not_fit_to_the_records_are_refused) {
  const scratch_path path;
  const auto text = [&](auto& x, const std::array<std::uint64_t, 3>& numbers) {
    x.save(path.str());
    write_bytes(path.str(), with_header(bytes_of(path.str()), [&](auto& h) { h.grid.extents = numbers; }));
    return refusal([&] { x.load(path.str()); });
  };
  edges g;
  EXPECT(says(text(g.x, {5, 1, 0}), "it has 5 vertices, and vertex "));
  EXPECT(says(text(g.x, {20, 9, 0}), "its numbers are those of no graph"));
  EXPECT(says(text(g.x, {~std::uint64_t{0}, 1, 0}), "its numbers are those of no graph"));
  EXPECT(g.unchanged());
  am::bitmap bits(200);
  EXPECT(says(text(bits, {300, 0, 0}), "it has 4 words for 300 bits"));
  bits.set(199);
  EXPECT(says(text(bits, {193, 0, 0}), "bits beyond its end are set"));
  EXPECT(bits.size() == 200 && bits.count() == 1);
  am::sparse_matrix<double> m(9, 9, {{8, 8, 1.0}});
  EXPECT(says(text(m, {8, 9, 0}), "it has an entry (8, 8), and 8 rows of 9 columns"));
  EXPECT(m.rows() == 9 && m.non_zeros() == 1);
  am::disjoint_set sets(10);
  sets.save(path.str());
  am::array<std::uint64_t> no_forest(10, 9);
  no_forest.save(path.str());
  write_bytes(path.str(),
              with_header(bytes_of(path.str()), [&](auto& h) { h.kind = std::uint64_t(am::detail::saved_kind::disjoint_set); }));
  EXPECT(says(refusal([&] { sets.load(path.str()); }), "has a parent that is greater"));
}

RANK_TEST(another_kind_or_element_is_refused) {
  const scratch_path path;
  numbers made;
  made.x.save(path.str());
  const auto text = [&](auto&& other) { return refusal([&] { other.load(path.str()); }); };
  EXPECT(says(text(am::array<float>(3)), "its elements are float64 of 8 bytes, and those of this container float32 of 4 bytes"));
  EXPECT(says(text(am::array<std::string>(3)), "its elements are float64 of 8 bytes, and those of this container string"));
  EXPECT(says(text(am::array<std::uint64_t>(3)), "uint64"));
  EXPECT(says(text(am::matrix<double>({3, 3})), "of kind array, vector, bag, list or queue, and this one is of kind matrix"));
  EXPECT(says(text(am::unordered_set<double>()), "of kind unordered_set"));
  am::matrix<double, 3>({2, 3, 4}).save(path.str());
  EXPECT(says(text(am::matrix<double>({3, 3})), "a matrix of 3 dimensions, and this one has 2"));
  am::map<int, int>().save(path.str());
  EXPECT(says(text(am::map<int, long>()), "its elements are (int32, int32), and those of this container (int32, int64)"));
  EXPECT(says(text(am::unordered_map<int, int>()), "of kind map, and this one is of kind unordered_map"));
  EXPECT(text(am::map<int, int>()).empty());
  edges().x.save(path.str());
  EXPECT(says(text(am::graph<>()),
              "its elements are (list<uint32>, int32, list<float64>), and those of this container list<uint32>"));
  EXPECT(says(text(am::sparse_matrix<double>()), "of kind graph, and this one is of kind sparse_matrix"));
  EXPECT(says(text(am::bitmap()), "of kind graph, and this one is of kind bitmap"));
}

RANK_TEST(other_versions_and_byte_orders_are_refused) {
  const scratch_path path;
  numbers made;
  made.x.save(path.str());
  const std::string good = bytes_of(path.str());
  const auto text = [&](const std::function<void(am::detail::saved_header&)>& change) {
    write_bytes(path.str(), with_header(good, change));
    return refusal([&] { made.x.load(path.str()); });
  };
  EXPECT(says(text([](auto& h) { h.version = 2; }), "of version 2 of the format, and this library reads versions up to 1"));
  EXPECT(says(text([](auto& h) { h.byte_order = 0x04030201; }), "the other byte order"));
  EXPECT(says(text([](auto& h) { h.kind = 99; }), "of kind 99, which this version does not know"));
  EXPECT(says(text([](auto& h) { h.elements = 701; }), "damaged"));
  EXPECT(says(text([](auto& h) { h.pieces = ~0ull; }), "contradicts itself"));
  EXPECT(text([](auto&) {}).empty());
}

RANK_TEST(what_is_no_file_is_refused) {
  numbers made;
  const auto text = [&](const std::string& path) { return refusal([&] { made.x.load(path); }); };
  EXPECT(says(text("/no/such/file"), "No such file or directory"));
  EXPECT(says(text("/tmp"), "it is a directory"));
  EXPECT(says(text("/dev/null"), "not a regular file"));
  EXPECT(says(text("/proc/self/exe"), "it is no saved container"));
  const scratch_path pipe;
  if (am::rank() == 0) EXPECT_EQ(::mkfifo(pipe.str().c_str(), 0600), 0);
  am::barrier();
  EXPECT(says(text(pipe.str()), "not a regular file"));
  const auto saved = [&](const std::string& path) { return refusal([&] { made.x.save(path); }); };
  EXPECT(says(saved("/no/such/folder/file"), "cannot save '/no/such/folder/file' on rank 0: No such file or directory"));
  EXPECT(says(saved("/tmp"), "it is a directory"));
  EXPECT(says(saved("/dev/null"), "not a regular file"));
  EXPECT(says(saved(pipe.str()), "not a regular file"));
  EXPECT(made.unchanged());
}

RANK_TEST(a_path_that_is_good_on_one_rank_alone_is_refused_by_all) {
  if (am::ranks() == 1) return;
  const scratch_path path;
  numbers made;
  made.x.save(path.str());
  const bool last = am::rank() == am::ranks() - 1;
  EXPECT(says(refusal([&] { made.x.load(last ? "/no/such/file" : path.str()); }),
              ("'/no/such/file' on rank " + std::to_string(am::ranks() - 1)).c_str()));
  EXPECT(says(refusal([&] { made.x.load(last ? "/proc/self/exe" : path.str()); }), "all members must read one file"));
  EXPECT(says(refusal([&] { made.x.save(last ? "/no/such/folder/file" : path.str()); }), "No such file"));
  EXPECT(made.unchanged());
}

RANK_TEST(a_disk_that_is_full_leaves_the_old_file) {
  const scratch_path path;
  numbers made;
  made.x.save(path.str());
  const std::string good = bytes_of(path.str());
  am::vector<std::string> large(20'000, std::string(100, 'x'));
  am::array<double> plain(500'000, 1.0);
  am::barrier();
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{1'000'000, before.rlim_max};
  // On all ranks, where the first one sees it, and then on the last one alone.
  for (const int from : {0, am::ranks() - 1}) {
    am::barrier();
    if (am::rank() >= from) ::setrlimit(RLIMIT_FSIZE, &little);
    am::barrier();
    EXPECT(says(refusal([&] { large.save(path.str()); }), "File too large; make room"));
    EXPECT(says(refusal([&] { plain.save(path.str()); }), "File too large; make room"));
    am::barrier();
    ::setrlimit(RLIMIT_FSIZE, &before);
    am::barrier();
  }
  EXPECT(bytes_of(path.str()) == good);
  EXPECT(::access((path.str() + ".tmp").c_str(), F_OK) != 0);
  large.save(path.str());
  large.load(path.str());
  EXPECT_EQ(large.size(), 20'000U);
}

RANK_TEST(a_file_that_another_job_writes_is_left_alone) {
  const scratch_path path;
  numbers made;
  const std::string beside = path.str() + ".tmp";
  int held = -1;
  if (am::rank() == 0) {
    held = ::open(beside.c_str(), O_CREAT | O_WRONLY, 0600);
    EXPECT_EQ(::flock(held, LOCK_EX), 0);
    EXPECT_EQ(::write(held, "half", 4), 4);
  }
  am::barrier();
  EXPECT(says(refusal([&] { made.x.save(path.str()); }), "another job writes '"));
  EXPECT(bytes_of(beside) == "half");
  am::barrier();
  if (held >= 0) ::close(held);  // as one that died
  am::barrier();
  made.x.save(path.str());
  made.x.load(path.str());
  EXPECT(made.unchanged());
  EXPECT(::access(beside.c_str(), F_OK) != 0);
}

namespace {

struct stubborn {
  static constexpr const char* wire_name = "save.stubborn";
  int n = 0;
  template <class W>
  void define_type(W& t) {
    t.local(n);
    if (n == 13) throw std::runtime_error("thirteen");
  }
};

}  // namespace

RANK_TEST(what_marshalling_throws_all_throw) {
  const scratch_path path;
  am::vector<std::vector<stubborn>> x(20);
  EXPECT(refusal([&] { x.save(path.str()); }).empty());
  const std::string good = bytes_of(path.str());
  am::barrier();
  if (!x.local().empty() && am::rank() == am::ranks() - 1) x.local()[0].push_back({13});
  const std::string text = refusal([&] { x.save(path.str()); });
  EXPECT(says(text, "thirteen") && says(text, ("on rank " + std::to_string(am::ranks() - 1)).c_str()));
  EXPECT(bytes_of(path.str()) == good);
}
