// SPDX-License-Identifier: Apache-2.0
// Sets of keys against a union-find in one place, joined by all ranks at once.
#include "armilla/keyed_disjoint_set.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "armilla/container/image/save_testing.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using words = am::keyed_disjoint_set<std::string>;

/// Sets by name, all in one place.
class oracle {
 public:
  const std::string& root(const std::string& a) {
    const auto at = above_.try_emplace(a, a).first;
    return at->second == a ? at->first : at->second = root(at->second);
  }
  void unite(const std::string& a, const std::string& b) { above_[root(a)] = root(b); }
  std::size_t keys() const { return above_.size(); }
  std::size_t sets() {
    std::set<std::string> roots;
    for (const auto& [key, up] : std::map(above_)) roots.insert(root(key));
    return roots.size();
  }

 private:
  std::map<std::string, std::string> above_;
};

std::string word(std::uint64_t i) { return std::string(i % 20, 'w') + std::to_string(i); }

std::vector<std::pair<std::string, std::string>> matches_of(am::rank_t r, std::uint64_t keys, int n) {
  std::mt19937_64 random(std::uint64_t(r) + 1);
  std::vector<std::pair<std::string, std::string>> all;
  for (int i = 0; i < n; ++i) {
    std::string a = word(random() % keys), b = word(random() % keys);
    all.emplace_back(std::move(a), std::move(b));
  }
  return all;
}

/// Each key is in the set in which the oracle has it, and in no other.
void expect_same(words& sets, oracle& right, std::uint64_t keys) {
  std::map<std::string, std::string> name_of;  // by the oracle's root
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::string found = sets.find(word(i)).get();
    EXPECT_EQ(name_of.try_emplace(right.root(word(i)), found).first->second, found);
  }
  for (const auto& [root, name] : name_of) EXPECT(names.insert(name).second);
  am::barrier();
}

void joined_by_all(std::uint64_t keys, int n) {
  words sets;
  oracle right;
  for (const auto& [a, b] : matches_of(am::rank(), keys, n)) sets.unite(a, b);
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    for (const auto& [a, b] : matches_of(r, keys, n)) right.unite(a, b);
  am::fence();
  const std::size_t n_sets = right.sets();
  EXPECT_EQ(sets.size(), right.keys());
  EXPECT_EQ(sets.num_sets(), n_sets);
  expect_same(sets, right, keys);
  sets.compress();
  for (const auto& [key, parent] : sets.local()) EXPECT_EQ(sets.rank_of(key), am::rank());
  EXPECT_EQ(sets.num_sets(), n_sets);
  expect_same(sets, right, keys);
}

}  // namespace

RANK_TEST(many_small_sets) { joined_by_all(300, 60); }
RANK_TEST(some_large_sets) { joined_by_all(150, 150); }

RANK_TEST(a_chain_in_the_order_of_the_keys_becomes_one_set_of_low_trees) {
  words sets;
  constexpr std::uint64_t n = 2000;
  for (std::uint64_t i = std::uint64_t(am::rank()); i + 1 < n; i += std::uint64_t(am::ranks())) sets.unite(word(i), word(i + 1));
  am::fence();
  EXPECT_EQ(sets.size(), n);
  EXPECT_EQ(sets.num_sets(), 1U);
  EXPECT(sets.same(word(0), word(n - 1)).get());
  am::barrier();
}

RANK_TEST(an_inserted_key_is_a_set) {
  words sets;
  if (am::rank() == 0) sets.insert("alone"), sets.unite("self", "self"), sets.unite("a", "b");
  am::fence();
  EXPECT_EQ(sets.size(), 4U);
  EXPECT_EQ(sets.num_sets(), 3U);
  EXPECT_EQ(sets.find("alone").get(), "alone");
  EXPECT_EQ(sets.find("never added").get(), "never added");
  EXPECT(sets.same("a", "b").get());
  EXPECT(!sets.same("a", "alone").get());
  EXPECT_EQ(sets.size(), 4U);
  am::barrier();
}

RANK_TEST(exactly_one_caller_unites_two_sets) {
  words sets;
  std::uint64_t joined = 0;
  for (std::uint64_t i = 0; i < 50; ++i) joined += sets.test_and_unite(word(i), word(i + 1)).get() ? 0 : 1;
  EXPECT_EQ(am::all_reduce(joined, std::plus<>{}), 50U);
  EXPECT(sets.test_and_unite(word(0), word(50)).get());
  am::fence();
  EXPECT_EQ(sets.num_sets(), 1U);
}

RANK_TEST(called_functions_unite_by_a_handle) {
  am::keyed_disjoint_set<std::pair<int, int>> cells;
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  am::async(
      next, [](decltype(cells)::handle_type h, int row) { h->unite(std::pair(row, 0), std::pair(row, 1)); }, cells.handle(),
      am::rank());
  am::fence();
  EXPECT_EQ(cells.size(), std::size_t(2 * am::ranks()));
  EXPECT(cells.handle()->same(std::pair(am::rank(), 0), std::pair(am::rank(), 1)).get());
  EXPECT_EQ(cells.num_sets(), std::size_t(am::ranks()));
}

RANK_TEST(a_file_of_a_map_that_is_not_a_forest_is_refused) {
  const am::save_testing::scratch_path path;
  am::unordered_map<std::string, std::string> circle;
  circle.insert("a", "b"), circle.insert("b", "a");
  circle.save(path.str());
  words sets;
  sets.unite("x", "y");
  EXPECT_THROWS_SAYING(am::usage_error, "values are not parents of its keys", sets.load(path.str()));
  EXPECT_EQ(sets.num_sets(), 1U);
  EXPECT(sets.same("x", "y").get());
  am::barrier();
}
