// SPDX-License-Identifier: Apache-2.0
// Compressed files to each reader of text: the same items as from the text, or an error on all ranks.
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/container/files/files_testing.hpp"
#include "armilla/files.hpp"
#include "armilla/read_graph.hpp"
#include "armilla/sparse_matrix.hpp"

namespace am = armilla;
using namespace files_testing;
using namespace std::literals;

namespace {

/// What `command` makes of a text, the same on all ranks.
std::string filtered(const std::string& text, const std::string& command) {
  const text_file file(text);
  const std::string out = file.path() + ".out";
  int failed = 0;
  if (am::rank() == 0) failed = std::system((command + " < " + file.path() + " > " + out).c_str());
  EXPECT_EQ(am::broadcast(failed), 0);
  std::string packed;
  if (am::rank() == 0) {
    std::ifstream in(out, std::ios::binary);
    packed.assign(std::istreambuf_iterator<char>(in), {});
    std::remove(out.c_str());
  }
  return am::broadcast(packed);
}
bool has_program(const char* name) { return am::broadcast(std::system(("command -v "s + name + " > /dev/null").c_str())) == 0; }

/// The bytes of bgzip, made by Python: members of some bytes each, whose headers have their sizes.
std::string blocks_of(const std::string& text, int bytes) {
  return filtered(text,
                  "python3 -c 'import sys, zlib, struct\n"
                  "t = sys.stdin.buffer.read(); n = " +
                      std::to_string(bytes) +
                      "; out = sys.stdout.buffer\n"
                      "for i in list(range(0, len(t), n)) + [len(t)]:\n"
                      "  p = t[i:i + n]; c = zlib.compressobj(6, zlib.DEFLATED, -15); d = c.compress(p) + c.flush()\n"
                      "  out.write(b\"\\x1f\\x8b\\x08\\x04\" + bytes(4) + b\"\\0\\xff\\x06\\0BC\\x02\\0\" + struct.pack(\"<H\", "
                      "len(d) + 25) + d + struct.pack(\"<II\", zlib.crc32(p), len(p)))'");
}

struct packed {
  std::string how;
  std::string bytes;
};
/// The text in all forms that this machine can make.
std::vector<packed> forms_of(const std::string& text) {
  const std::string a = text.substr(0, text.size() / 3), b = text.substr(a.size());
  std::vector<packed> all;
  all.push_back({"gzip", filtered(text, "gzip -c")});
  all.push_back({"two members, an empty one and zeros",
                 filtered(a, "gzip -c") + filtered("", "gzip -c") + filtered(b, "gzip -1 -c") + std::string(700, '\0')});
  all.push_back({"blocks", blocks_of(text, 97)});
  all.push_back({"large blocks", blocks_of(text, 60000)});
  if (text.size() < 100 || !has_program("zstd")) return all;
  all.push_back({"zstd", filtered(text, "zstd -c")});
  all.push_back({"frames", "\x50\x2a\x4d\x18\x03\0\0\0abc"s + filtered(a, "zstd -c --no-check") + filtered("", "zstd -c") +
                               filtered(b, "zstd -19 -c")});
  std::string many;
  const std::size_t piece = text.size() / 8 + 1;
  for (std::size_t at = 0; at < text.size(); at += piece) many += filtered(text.substr(at, piece), "zstd -c");
  all.push_back({"many frames", many});
  return all;
}

std::vector<std::string> lines_of(const std::string& path) { return joined(am::read_lines(path).local()); }

}  // namespace

RANK_TEST(lines_words_and_records_are_those_of_the_text) {
  std::string text = "k,s\n";
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(i * i) + ",\"" + std::string(std::size_t(i * 7 % 40), 'x') + (i % 5 == 0 ? "\n" : " ") + "\"\n";
  for (const std::string& whole : {text, text.substr(0, 5000) + std::string(20'000, 'y') + "\"", ""s, "one"s, "\n\na"s}) {
    std::vector<std::string> lines, words, records;
    const auto records_of = [](const std::string& path) {
      std::vector<std::string> mine;
      for (const auto& fields : am::read_csv(path, {.quote = 0}).local()) mine.emplace_back(fields.back());
      return am::all_gather_v(mine);
    };
    const auto quoted = [](const std::string& path) {
      std::vector<std::string> mine;
      for (const auto& [k, s] : am::read_csv<int, std::string>(path, {.header = true}).local())
        mine.push_back(std::to_string(k) + s);
      return am::all_gather_v(mine);
    };
    {
      const text_file file(whole);
      lines = lines_of(file.path());
      words = joined(am::read_words(file.path()).local());
      records = whole == text ? quoted(file.path()) : records_of(file.path());
    }
    for (const packed& p : forms_of(whole)) {
      const text_file file(p.bytes);
      EXPECT(lines_of(file.path()) == lines);
      EXPECT(joined(am::read_words(file.path()).local()) == words);
      EXPECT((whole == text ? quoted(file.path()) : records_of(file.path())) == records);
    }
  }
}

RANK_TEST(a_compressed_file_is_shared_by_all_ranks) {
  std::string text;
  for (unsigned i = 0; i < 60'000; ++i) text += std::to_string(i * 2654435761U) + "\n";
  for (const packed& p : forms_of(text)) {
    const text_file file(p.bytes);
    std::size_t mine = 0;
    for (const std::string_view line : am::read_lines(file.path()).local()) mine += line.size() + 1;
    EXPECT_EQ(am::all_reduce(mine, std::plus<>{}), text.size());
    if (p.how != "two members, an empty one and zeros")
      EXPECT(mine < text.size() / std::size_t(am::ranks()) * 3 / 2 + 300'000 / std::size_t(am::ranks()));
  }
}

RANK_TEST(errors_name_the_line_of_the_text) {
  std::string text;
  for (int i = 1; i <= 4000; ++i) text += i == 3210 ? "x\n" : std::to_string(i) + "\n";
  const text_file file(blocks_of(text, 1000));
  std::string what;
  try {
    for (const auto& [i] : am::read_csv<int>(file.path()).local()) static_cast<void>(i);
  } catch (const am::usage_error& e) { what = e.what(); }
  EXPECT_EQ(am::all_reduce(int(what.find("line 3210: 'x'") != what.npos), std::plus<>{}), 1);
}

RANK_TEST(damaged_and_cut_files_are_errors_of_all_ranks) {
  std::string text;
  for (unsigned i = 0; i < 20'000; ++i) text += std::to_string(i * 2654435761U) + "\n";
  for (packed p : forms_of(text)) {
    if (p.how == "two members, an empty one and zeros") continue;
    {
      const text_file cut(p.bytes.substr(0, p.bytes.size() - 5));
      EXPECT_THROWS_SAYING(am::usage_error, "its compressed data", am::read_lines(cut.path()));
    }
    {
      const text_file more(p.bytes + "more");
      EXPECT_THROWS_SAYING(am::usage_error, "its compressed data is damaged", am::read_lines(more.path()));
    }
    if (p.how == "many frames") continue;  // one of a few bytes may have no checksum
    for (std::size_t i = 0; i < 20; ++i) p.bytes[p.bytes.size() / 2 + i] ^= char(0x55);
    const text_file changed(p.bytes);
    EXPECT_THROWS_SAYING(am::usage_error, "its compressed data", am::read_lines(changed.path()));
  }
}

/// The frame lacks its last block, and unpacks to more than is unpacked at a time: the rest comes when all of the file is read.
RANK_TEST(a_frame_that_is_cut_off_between_blocks_is_an_error_of_all_ranks) {
  if (!has_program("zstd")) return;
  const auto block = [](std::uint32_t bytes, char of) {
    const std::uint32_t header = bytes << 3 | 1 << 1;  // one byte, repeated
    return std::string{char(header), char(header >> 8), char(header >> 16), of};
  };
  const std::string head = "\x28\xb5\x2f\xfd\0\x58"s;  // blocks of up to 128 KiB
  const text_file cut(head + block(100'000, 'a') + block(131'072, 'b') + block(131'072, 'c'));
  EXPECT_THROWS_SAYING(am::usage_error, "its compressed data ends too early", am::read_lines(cut.path()));
}

RANK_TEST(formats_inside_compressed_files_are_refused_as_those_outside) {
  const auto refused = [](const std::string& text, const char* why) {
    const text_file file(filtered(text, "gzip -c"));
    EXPECT_THROWS_SAYING(am::usage_error, why, am::read_csv(file.path()));
  };
  refused("\x93NUMPY\x01\0v\0{'descr': '<f8'}\n"s, "it is a NumPy array");
  refused("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n", "read_matrix_market");
  refused(filtered("text\n", "gzip -c"), "it is compressed");
  refused("1,2\r2,3\r", "its lines end in carriage returns alone");
  const text_file graph(filtered("4 4\n2 3\n1 4\n1 4\n2 3\n", "gzip -c"));
  EXPECT_THROWS_SAYING(am::usage_error, "METIS graph of 4 vertices", am::read_edges(graph.path()));
  const text_file matrix(filtered("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n", "gzip -c"));
  EXPECT_EQ(am::read_matrix_market(matrix.path()).non_zeros(), 1U);
}

/// The first lines look like edges, and are more than the first member's part.
RANK_TEST(a_graph_in_small_blocks_is_recognized_on_any_number_of_ranks) {
  const text_file graph(blocks_of("6 7\n2 3\n1 3\n1 2 4\n3 5 6\n4 6\n4 5\n", 4));
  const auto g = am::read_graph(graph.path());
  EXPECT_EQ(g.size(), 6U);
  EXPECT_EQ(g.edges(), 14U);
}

RANK_TEST(writers_compress_by_the_name_and_readers_share_what_they_wrote) {
  const text_file base("");
  for (const auto& [name, test, unpack] :
       {std::tuple(".gz"s, "gzip -t "s, "gzip -dc "s), std::tuple(".zst"s, "zstd -qt "s, "zstd -qdc "s)}) {
    if (!has_program(test.substr(0, 4).c_str())) continue;
    const std::string path = base.path() + name;
    for (const unsigned n : {0U, 1U, 60'000U}) {
      std::vector<std::string> mine;
      for (unsigned i = 0; i < n; ++i) mine.push_back(std::to_string((i + unsigned(am::rank()) * n) * 2654435761U));
      am::write_lines(path, mine);
      EXPECT(joined(am::read_lines(path).local()) == am::all_gather_v(mine));
      EXPECT_EQ(am::broadcast(am::rank() == 0 ? std::system((test + path).c_str()) : 0), 0);
      EXPECT_EQ(filtered("", unpack + path), [&] {
        std::string all;
        for (const std::string& line : am::all_gather_v(mine)) all += line + "\n";
        return all;
      }());
      std::size_t lines = 0;
      for ([[maybe_unused]] const auto line : am::read_lines(path).local()) ++lines;
      if (n == 60'000) EXPECT(lines > n / 2 && lines < n * 3 / 2);
    }
    std::string noise;
    for (unsigned i = 0, x = 1; i < 200'000; ++i) noise += char('!' + (x = x * 1664525 + 1013904223) / 50'000'000);
    am::write_words(path, std::vector<std::string>{noise});
    for (const auto word : am::read_words(path).local()) EXPECT(word == noise);
    using rows = std::vector<std::pair<int, std::string>>;
    am::write_csv(path, rows{{am::rank(), "a\nb"}}, {.columns = {"k", "s"}});
    for (const auto& [k, s] : am::read_csv<int, std::string>(path, {.header = true}).local())
      EXPECT(k < am::ranks() && s == "a\nb");
    am::write_binary(path, std::vector<int>{am::rank()});
    EXPECT_EQ(am::read_binary<int>(path).size(), std::uint64_t(am::ranks()));
    am::barrier();
    if (am::rank() == 0) std::remove(path.c_str());
    am::barrier();
  }
}

RANK_TEST(the_name_before_that_of_the_compression_counts) {
  const text_file file(filtered("3 3\n2 3\n1 3\n1 2\n", "gzip -c"));
  const std::string path = file.path() + ".graph.gz";
  if (am::rank() == 0) std::rename(file.path().c_str(), path.c_str());
  am::barrier();
  EXPECT_EQ(am::read_graph(path).edges(), 6U);
  am::barrier();
  if (am::rank() == 0) std::remove(path.c_str());
}
