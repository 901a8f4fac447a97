// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/keyed/hash_table.hpp"

#include <sys/sysinfo.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/fiber/sanitizer.hpp"
#include "armilla/hash.hpp"

namespace {

namespace am = armilla;
template <class K, class V>
using table = am::detail::hash_table<K, V, std::equal_to<>>;
using am::hash;

template <class T, class K, class V>
bool put(T& t, const K& key, V value) {
  return t.template obtain<hash>(key, hash{}(key), [&] { return std::move(value); }).fresh;
}

/// Keys of which the hashes collide as the test wants.
struct chosen {
  std::uint64_t number, hash;
  bool operator==(const chosen&) const = default;
};
struct chosen_hash {
  std::uint64_t operator()(const chosen& c) const { return c.hash; }
};

// Keys of which operator== compares all members, some, or is not seen.
struct of_all {
  int id, note;
  bool operator==(const of_all&) const = default;
};
struct bit_fields {
  unsigned a : 16, b : 16;
  bool operator==(const bit_fields&) const = default;
};
struct by_hand {
  int id, note;
  friend constexpr bool operator==(const by_hand& a, const by_hand& b) { return a.id == b.id && a.note == b.note; }
};
struct of_some {
  int id, note;
  friend constexpr bool operator==(const of_some& a, const of_some& b) { return a.id == b.id; }
};
// Of which it compares all of the members, but not each difference.
struct angle {
  int degrees;
  constexpr bool operator==(const angle& o) const { return degrees % 360 == o.degrees % 360; }
};
struct turned {
  int degrees;
  constexpr bool operator==(const turned& o) const { return (degrees - o.degrees) % 360 == 0; }
};
class hidden_angle {
 public:
  constexpr explicit hidden_angle(int degrees) : degrees_(degrees) {}
  constexpr bool operator==(const hidden_angle& o) const { return degrees_ % 360 == o.degrees_ % 360; }

 private:
  int degrees_;
};
struct edge {
  long a, b;
  constexpr bool operator==(const edge& o) const { return (a == o.a && b == o.b) || (a == o.b && b == o.a); }
};
struct letter {
  char c;
  constexpr bool operator==(const letter& o) const { return (c | 32) == (o.c | 32); }
};
struct word {
  std::string text;
  constexpr bool operator==(const word& o) const {
    if (text.size() != o.text.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
      if ((text[i] | 32) != (o.text[i] | 32)) return false;
    return true;
  }
};
struct low_bits {
  std::uint64_t n;
  constexpr bool operator==(const low_bits& o) const { return std::uint32_t(n) == std::uint32_t(o.n); }
};
struct cut {
  int n;
  constexpr bool operator==(const cut& o) const { return (n < 1'000'000 ? n : 1'000'000) == (o.n < 1'000'000 ? o.n : 1'000'000); }
};
struct length {
  double d;
  constexpr bool operator==(const length& o) const { return d - o.d < 1e-8 && o.d - d < 1e-8; }
};
struct around {
  angle at;
  int note;
  bool operator==(const around&) const = default;
};
struct hidden_part {
  hidden_angle at;
  int note;
  bool operator==(const hidden_part&) const = default;
};
// Of which it compares all.
enum class color { red, blue };
struct of_many_types {
  color c = color::blue;
  bool on = true;
  float x = 1;
  std::array<short, 3> numbers{};
  std::pair<of_all, char> more{};
  std::vector<int> list;
  bool operator==(const of_many_types&) const = default;
};
class hidden {
 public:
  constexpr explicit hidden(bool b, std::uint16_t n) : b_(b), m_(b), n_(n) {}
  bool operator==(const hidden&) const = default;

 private:
  bool b_, m_;
  std::uint16_t n_;
};
struct unseen {
  int id, note;
  friend bool operator==(const unseen& a, const unseen& b) { return a.id == b.id; }
};
/// Compares without its letters' case, and converts to a string_view.
struct name {
  std::string text;
  operator std::string_view() const { return text; }
  [[maybe_unused]] friend bool operator==(const name& a, const name& b) { return a.text.size() == b.text.size(); }
};
/// With a std::hash of its own.
struct hashed {
  int id, note;
  hashed(int i, int n = 0) : id(i), note(n) {}  // NOLINT(google-explicit-constructor): keys are looked up by their id
  [[maybe_unused]] friend bool operator==(const hashed& a, const hashed& b) { return a.id == b.id; }
};
struct same_id {
  constexpr bool operator()(const of_all& a, const of_all& b) const { return a.id == b.id; }
};
struct same_all {
  constexpr bool operator()(const of_all& a, const of_all& b) const { return a == b; }
};

}  // namespace

template <>
struct std::hash<hashed> {
  std::size_t operator()(const hashed& k) const { return std::size_t(k.id); }
};
template <>
struct std::hash<name> {
  std::size_t operator()(const name& k) const { return k.text.size(); }
};

namespace armilla::detail {
namespace {

template <hash_way Way, class... T>
constexpr bool all_by = ((hash_way_of<T> == Way) && ...);
static_assert(all_by<hash_way::bytes, of_all, bit_fields, by_hand, std::array<int, 3>>);
static_assert(all_by<hash_way::none, of_some, unseen>);
static_assert(all_by<hash_way::none, angle, turned, hidden_angle, edge, letter, word, low_bits, cut, length, around, hidden_part,
                     std::array<hidden_angle, 2>>);
static_assert(all_by<hash_way::aggregate, of_many_types> && all_by<hash_way::bytes, hidden>);
static_assert(all_by<hash_way::user, hashed, name, std::bitset<130>, std::optional<hashed>, std::thread::id>);
static_assert(all_by<hash_way::text, std::string, std::string_view, const char*, char[4], std::pmr::string>);
static_assert(hash_agrees<std::pair<int, hashed>> && hash_agrees<std::tuple<of_all, std::string>>);
static_assert(!hash_agrees<std::pair<int, of_some>> && !hash_agrees<std::tuple<std::tuple<unseen>>>);

// What a container is given.
static_assert(container_hash_agrees<of_some, chosen_hash, std::equal_to<>>());
static_assert(container_hash_agrees<of_all, am::hash, same_all>() && !container_hash_agrees<of_all, am::hash, same_id>());
static_assert(!container_hash_agrees<int, am::hash, std::less_equal<>>());

}  // namespace
}  // namespace armilla::detail

TEST(hash_table, an_empty_one_finds_nothing_and_has_no_memory) {
  table<int, int> t;
  EXPECT_EQ(t.find(1, hash{}(1)), nullptr);
  EXPECT_EQ(t.capacity(), 0U);
  EXPECT_TRUE(t.begin() == t.end());
  EXPECT_FALSE(t.erase(1, hash{}(1)));
}

TEST(hash_table, random_operations_do_what_the_standard_one_does) {
  std::mt19937_64 random(5);
  for (const std::uint64_t range : {40U, 3000U, 200000U}) {
    table<std::uint64_t, std::string> t;
    std::unordered_map<std::uint64_t, std::string> oracle;
    for (int i = 0; i < 60000; ++i) {
      const std::uint64_t key = random() % range;
      switch (random() % 4) {
        case 0:
        case 1: {
          const std::string value = "a value that needs memory of its own " + std::to_string(i);
          EXPECT_EQ(put(t, key, value), oracle.try_emplace(key, value).second);
          break;
        }
        case 2: EXPECT_EQ(t.erase(key, hash{}(key)), oracle.erase(key) == 1); break;
        default: {
          const auto* const found = t.find(key, hash{}(key));
          const auto expected = oracle.find(key);
          ASSERT_EQ(found != nullptr, expected != oracle.end());
          EXPECT_TRUE(found == nullptr || found->second == expected->second);
        }
      }
      ASSERT_EQ(t.size(), oracle.size());
    }
    std::size_t seen = 0;
    for (const auto& [key, value] : t) {
      EXPECT_EQ(oracle.at(key), value);
      ++seen;
    }
    EXPECT_EQ(seen, oracle.size());
  }
}

TEST(hash_table, keys_of_one_hash_are_told_apart_and_erased_places_are_used_again) {
  am::detail::hash_table<chosen, int, std::equal_to<>> t;
  const auto put_chosen = [&](std::uint64_t n) { t.obtain<chosen_hash>(chosen{n, 77}, 77, [&] { return int(n); }); };
  for (std::uint64_t n = 0; n < 100; ++n) put_chosen(n);
  for (std::uint64_t n = 0; n < 100; n += 2) EXPECT_TRUE(t.erase(chosen{n, 77}, 77));
  for (std::uint64_t n = 1; n < 100; n += 2) EXPECT_EQ(t.find(chosen{n, 77}, 77)->second, int(n));
  const std::size_t before = t.capacity();
  for (int round = 0; round < 1000; ++round) {  // as many as before, again and again
    put_chosen(1000);
    EXPECT_TRUE(t.erase(chosen{1000, 77}, 77));
  }
  EXPECT_EQ(t.capacity(), before);
  EXPECT_EQ(t.size(), 50U);
}

TEST(hash_table, a_text_is_found_by_any_text) {
  table<std::string, int> t;
  put(t, "one", 1);
  put(t, std::string_view("a longer text, which has memory of its own"), 2);
  EXPECT_EQ(t.find(std::string_view("one"), hash{}(std::string_view("one")))->second, 1);
  EXPECT_EQ(t.find(std::string("one"), hash{}("one"))->second, 1);
  const char* const longer = "a longer text, which has memory of its own";
  EXPECT_EQ(t.find(longer, hash{}(longer))->second, 2);
}

TEST(hash_table, what_can_only_be_moved_stays_whole_while_the_table_grows) {
  table<int, std::unique_ptr<int>> t;
  for (int i = 0; i < 5000; ++i) put(t, i, std::make_unique<int>(i));
  table<int, std::unique_ptr<int>> other(std::move(t));
  EXPECT_EQ(t.size(), 0U);
  EXPECT_EQ(t.find(3, hash{}(3)), nullptr);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(*other.find(i, hash{}(i))->second, i);
  other.clear();
  EXPECT_TRUE(other.begin() == other.end());
  put(other, 1, std::make_unique<int>(1));
  EXPECT_EQ(other.size(), 1U);
}

TEST(hash_table, a_key_that_cannot_be_made_leaves_the_table_as_it_was) {
  table<int, std::string> t;
  for (int i = 0; i < 100; ++i) {
    const auto make = [&]() -> std::string {
      if (i % 3 == 0) throw std::runtime_error("no");
      return std::to_string(i);
    };
    if (i % 3 == 0)
      EXPECT_THROW(t.obtain<hash>(i, hash{}(i), make), std::runtime_error);
    else
      t.obtain<hash>(i, hash{}(i), make);
  }
  EXPECT_EQ(t.size(), 66U);
  EXPECT_EQ(t.find(3, hash{}(3)), nullptr);
  EXPECT_EQ(t.find(4, hash{}(4))->second, "4");
}

#if !defined(ARMILLA_ASAN) && !defined(ARMILLA_TSAN)  // whose allocators end the program
TEST(hash_table, one_for_which_the_host_has_not_the_memory_is_refused_and_stays_as_it_was) {
  table<int, int> t;
  put(t, 1, 2);
  struct sysinfo host{};
  ASSERT_EQ(sysinfo(&host), 0);
  const std::uint64_t more_than_all = (host.totalram + host.totalswap) * host.mem_unit;
  EXPECT_THROW(t.reserve<hash>(more_than_all / 8), am::limit_error);
  ASSERT_NE(t.find(1, hash{}(1)), nullptr);
  EXPECT_EQ(t.find(1, hash{}(1))->second, 2);
  t.reserve<hash>(std::size_t{12} << 20);  // 128 MiB, looked at and touched
  EXPECT_EQ(t.find(1, hash{}(1))->second, 2);
}
#endif

TEST(hash_table, a_set_keeps_keys_alone) {
  table<std::string, void> t;
  for (int i = 0; i < 300; ++i) t.obtain<hash>(std::to_string(i % 100), hash{}(std::to_string(i % 100)), [] { return 0; });
  EXPECT_EQ(t.size(), 100U);
  std::size_t letters = 0;
  for (const std::string& key : t) letters += key.size();
  EXPECT_EQ(letters, 190U);
  static_assert(sizeof(table<std::uint64_t, void>::slot) == 8);
}

TEST(hash_table, pages_hold_each_slot_once_until_the_table_is_rebuilt) {
  table<std::uint64_t, int> t;
  EXPECT_EQ(t.page(0, 10, [](const auto&) { FAIL(); }), 0U);
  for (std::uint64_t k = 0; k < 1000; ++k) put(t, k, 1);
  const auto rebuilds = t.rebuilds();
  std::unordered_map<std::uint64_t, int> times;
  std::size_t at = 0;
  do {
    std::size_t seen = 0;
    at = t.page(at, 100, [&](const auto& slot) { ++times[slot.first], ++seen; });
    EXPECT_LT(seen, 116U);
    EXPECT_TRUE(seen >= 100 || at == 0);
    t.erase(at, hash{}(at));  // others stay where they are
  } while (at != 0);
  for (const auto& [key, n] : times) EXPECT_EQ(n, 1) << key;
  EXPECT_GT(times.size(), 980U);
  EXPECT_EQ(t.rebuilds(), rebuilds);
  for (std::uint64_t k = 1000; k < 3000; ++k) put(t, k, 1);
  EXPECT_NE(t.rebuilds(), rebuilds);
}

TEST(hash, of_equal_numbers_and_texts_is_equal_whatever_their_type) {
  EXPECT_EQ(hash{}(7), hash{}(std::uint64_t(7)));
  EXPECT_EQ(hash{}(std::int8_t(-3)), hash{}(std::int64_t(-3)));
  EXPECT_EQ(hash{}("text"), hash{}(std::string("text")));
  EXPECT_EQ(hash{}(0.0), hash{}(-0.0));
  EXPECT_EQ(hash{}(-7), hash{}(am::detail::wide_signed(-7)));
  EXPECT_NE(hash{}(am::detail::wide_unsigned(1) << 64), hash{}(0));
  EXPECT_EQ(hash{}(std::pair(1, std::string("a"))), hash{}(std::pair(1L, std::string_view("a"))));
}

TEST(hash, of_texts_depends_on_every_letter_and_on_the_length) {
  for (std::size_t n = 1; n < 70; ++n) {
    const std::string text(n, 'a');
    EXPECT_NE(hash{}(text), hash{}(std::string(n - 1, 'a')));
    for (std::size_t i = 0; i < n; ++i) {
      std::string other = text;
      other[i] = 'b';
      EXPECT_NE(hash{}(text), hash{}(other)) << n << " " << i;
    }
  }
}

TEST(hash, of_a_class_is_its_std_hash_also_within_pairs) {
  EXPECT_EQ(hash{}(hashed{1, 10}), hash{}(hashed{1, 20}));
  EXPECT_EQ(hash{}(std::pair(5, hashed{1, 10})), hash{}(std::pair(5, hashed{1, 20})));
  EXPECT_EQ(hash{}(name{"Ab"}), hash{}(name{"aB"}));
}

TEST(hash, that_a_user_gives_is_mixed) {
  const am::detail::key_hash<chosen, chosen_hash, std::equal_to<>> given;
  EXPECT_NE(given(chosen{0, 1}) >> 56, given(chosen{0, 2}) >> 56);
  EXPECT_NE(hash{}(hashed{1}) >> 56, hash{}(hashed{2}) >> 56);
}

TEST(hash, of_another_type_that_is_looked_up_is_that_of_the_key) {
  const am::detail::key_hash<hashed, hash, std::equal_to<>> of_classes;
  EXPECT_EQ(of_classes(3), of_classes(hashed{3, 4}));
  const am::detail::key_hash<double, hash, std::equal_to<>> of_doubles;
  EXPECT_EQ(of_doubles(3), of_doubles(3.0));
  const am::detail::key_hash<long, hash, std::equal_to<>> of_integers;
  EXPECT_EQ(of_integers(3.0), of_integers(3));
  const am::detail::key_hash<std::pair<std::string, double>, hash, std::equal_to<>> of_pairs;
  EXPECT_EQ(of_pairs(std::pair("a", 1)), of_pairs(std::pair(std::string("a"), 1.0)));
}
