// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/corpus_pack.hpp"

#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

namespace armilla::fuzz {
namespace {

namespace fs = std::filesystem;

corpus_entry entry(std::string name, std::size_t n, int first = 0) {
  corpus_entry e{.name = std::move(name), .bytes = {}};
  for (std::size_t i = 0; i < n; ++i) e.bytes.push_back(std::byte(first + int(i)));
  return e;
}

corpus some() { return {entry("a", 0), entry("b-1.x", 33), entry("c", 64, 200)}; }

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), by);
}

void expect_damaged(const std::string& text, const std::string& says) {
  try {
    parse_pack(text, "x.pack");
    FAIL() << "not refused: " << text;
  } catch (const corpus_error& e) {
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("damaged; take it from git again"), std::string::npos) << e.what();
  }
}

struct folder {
  fs::path path = fs::temp_directory_path() / ("armilla-corpus-" + std::to_string(getpid()));
  folder() { fs::create_directories(path); }
  ~folder() { fs::remove_all(path); }
};

TEST(corpus_pack, holds_every_byte_of_every_entry) { EXPECT_EQ(parse_pack(pack_text(some()), "x"), some()); }

TEST(corpus_pack, is_sorted_by_name_whatever_the_order) {
  const corpus all = some();
  EXPECT_EQ(pack_text({all[2], all[0], all[1]}), pack_text(all));
}

TEST(corpus_pack, of_nothing_has_no_entries) { EXPECT_TRUE(parse_pack(pack_text({}), "x").empty()); }

TEST(corpus_pack, changed_byte_is_refused) {
  expect_damaged(replaced(pack_text(some()), "0a0b", "0a0c"), "x.pack, line 7: the bytes of entry 'b-1.x' have checksum");
}

TEST(corpus_pack, byte_that_is_none_is_refused) {
  expect_damaged(replaced(pack_text(some()), "0a0b", "0aXb"), "line 6: 'Xb' is no byte");
}

TEST(corpus_pack, lost_bytes_are_refused) {
  expect_damaged(replaced(pack_text(some()), "0a0b", "0a"), "line 6: 32 bytes of entry 'b-1.x'");
}

TEST(corpus_pack, lost_line_is_refused) {
  expect_damaged(replaced(pack_text(some()), "\n  20\n", "\n"), "1 bytes of entry 'b-1.x'");
}

TEST(corpus_pack, lost_entry_is_refused) {
  const std::string text = pack_text(some());
  const std::size_t at = text.find("entry a"), n = text.find('\n', at) + 1 - at;
  expect_damaged(replaced(text, text.substr(at, n), ""), "it holds 2 entries and not 3");
}

TEST(corpus_pack, lost_end_is_refused) {
  expect_damaged(replaced(pack_text(some()), "end 3\n", ""), "it ends without its last line");
}

TEST(corpus_pack, line_that_breaks_off_is_refused) {
  expect_damaged(replaced(pack_text(some()), "end 3\n", "end 3"), "does not end");
}

TEST(corpus_pack, what_follows_the_end_is_refused) {
  expect_damaged(pack_text(some()) + "entry d 0 811c9dc5\n", "more lines follow the end");
}

TEST(corpus_pack, other_file_is_refused) { expect_damaged("hello\n", "line 1: does not begin with 'armilla corpus 1'"); }

TEST(corpus_pack, merge_that_left_its_marks_is_refused) {
  expect_damaged(replaced(pack_text(some()), "entry c", "<<<<<<< HEAD\nentry c"),
                 "'<<<<<<< HEAD' is neither an entry nor the end");
}

TEST(corpus_pack, entry_out_of_order_is_refused) {
  expect_damaged(replaced(pack_text(some()), "entry c", "entry aa"), "'aa' does not follow 'b-1.x'");
}

TEST(corpus_pack, name_that_leaves_its_folder_is_refused) {
  expect_damaged(replaced(pack_text(some()), "entry b-1.x", "entry ../x"), "'../x' is no name of an entry");
  EXPECT_THROW(pack_text({entry("../x", 1)}), corpus_error);
}

TEST(corpus_pack, two_entries_of_one_name_are_refused) { EXPECT_THROW(pack_text({entry("a", 1), entry("a", 2)}), corpus_error); }

TEST(corpus_pack, add_takes_bytes_once) {
  corpus all = some();
  EXPECT_TRUE(add_entry(all, entry("d", 5)));
  EXPECT_FALSE(add_entry(all, entry("e", 5)));
  EXPECT_EQ(all.size(), 4u);
}

TEST(corpus_pack, add_refuses_the_name_of_another_entry) {
  corpus all = some();
  EXPECT_THROW(add_entry(all, entry("a", 7)), corpus_error);
  EXPECT_EQ(all, some());
}

TEST(corpus_pack, folder_comes_back_as_it_went) {
  const folder f;
  unpack(some(), f.path / "in");
  EXPECT_EQ(read_folder(f.path / "in"), some());
}

TEST(corpus_pack, unpacking_keeps_a_find_that_the_pack_does_not_hold) {
  const folder f;
  std::ofstream(f.path / "find") << "new";
  unpack(some(), f.path);
  EXPECT_EQ(read_folder(f.path).size(), some().size() + 1);
}

TEST(corpus_pack, file_is_replaced_as_a_whole) {
  const folder f;
  write_pack(f.path / "x.pack", some());
  EXPECT_THROW(write_pack(f.path / "x.pack", {entry("a", 1), entry("a", 2)}), corpus_error);
  EXPECT_EQ(read_pack(f.path / "x.pack"), some());
}

TEST(corpus_pack, missing_file_is_named) {
  try {
    read_pack("/nowhere/x.pack");
    FAIL();
  } catch (const corpus_error& e) { EXPECT_STREQ(e.what(), "/nowhere/x.pack cannot be read"); }
}

}  // namespace
}  // namespace armilla::fuzz
