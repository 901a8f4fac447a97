// SPDX-License-Identifier: Apache-2.0
// Files of NumPy: as numpy.save writes them, in both orders, into containers of any distribution, and back.
#include "armilla/npy.hpp"

#include <unistd.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "armilla/matrix.hpp"
#include "armilla/vector.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::literals;

namespace {

class place {
 public:
  place() : path_("/tmp/armilla_npy_test." + std::to_string(am::broadcast(int(::getpid())))) {}
  ~place() {
    am::barrier();
    if (am::rank() == 0) std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }
  void put(const std::string& bytes) const {
    am::barrier();
    if (am::rank() == 0) std::ofstream(path_, std::ios::binary) << bytes;
    am::barrier();
  }
  std::string bytes() const {
    am::barrier();
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
};

/// A file as numpy.save writes it.
std::string npy(const std::string& type, const std::string& shape, const std::string& elements, bool fortran = false) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 11, ' ');
  return "\x93NUMPY\x01\0"s + char(text.size() + 1) + '\0' + text + "\n" + elements;
}
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
std::vector<T> some(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = T(double(i * 37 % 101) - 20);
  return all;
}

}  // namespace

RANK_TEST(an_array_is_read_and_written_in_any_distribution) {
  const place file;
  for (const std::size_t n : {0U, 1U, 5U, 1000U}) {
    const std::vector<double> all = some<double>(n);
    const std::string whole = npy("<f8", "(" + std::to_string(n) + ",)", bytes_of(all));
    for (const am::distribution& d : {am::blocks(), am::cyclic(), am::cyclic(3)}) {
      file.put(whole);
      const auto x = am::read_npy<am::array<double>>(file.path(), d);
      EXPECT_EQ(x.size(), n);
      for (std::size_t k = 0; k < x.local().size(); ++k) EXPECT_EQ(x.local()[k], all[x.index_of_local(k)]);
      file.put("");
      am::write_npy(file.path(), x);
      EXPECT(file.bytes() == whole);
    }
  }
}

RANK_TEST(a_matrix_is_read_in_both_orders_and_written) {
  const place file;
  constexpr std::size_t a = 7, b = 5, c = 6;
  const std::vector<float> all = some<float>(a * b * c);
  std::vector<float> turned(all.size());
  for (std::size_t i = 0; i < a; ++i)
    for (std::size_t j = 0; j < b; ++j)
      for (std::size_t k = 0; k < c; ++k) turned[(k * b + j) * a + i] = all[(i * b + j) * c + k];
  const std::string whole = npy("<f4", "(7, 5, 6)", bytes_of(all));
  for (const std::size_t width : {0U, 2U})
    for (const std::string& form : {whole, npy("<f4", "(7, 5, 6)", bytes_of(turned), true)}) {
      file.put(form);
      const auto m = am::read_npy<am::matrix<float, 3>>(file.path(), am::grid(), am::halo(width));
      const auto mine = m.local();
      for (std::size_t i = 0; i < mine.extent(0); ++i)
        for (std::size_t j = 0; j < mine.extent(1); ++j)
          for (std::size_t k = 0; k < mine.extent(2); ++k)
            EXPECT_EQ(mine(i, j, k), all[((i + mine.origin(0)) * b + j + mine.origin(1)) * c + k + mine.origin(2)]);
      am::write_npy(file.path(), m);
      EXPECT(file.bytes() == whole);
    }
  file.put(npy("<f4", "(6, 7)", bytes_of(some<float>(42))));
  const std::vector<float> flat = some<float>(42);
  const auto m = am::read_npy<am::matrix<float>>(file.path(), am::grid({1, am::ranks()}));
  for (std::size_t i = 0; i < m.local().extent(0); ++i)
    for (std::size_t j = 0; j < m.local().extent(1); ++j) EXPECT_EQ(m.local()(i, j), flat[i * 7 + j + m.local().origin(1)]);
}

RANK_TEST(each_type_has_its_name_and_bytes_may_be_in_the_other_order) {
  const place file;
  const auto check = [&]<class T>(T, const std::string& type, bool swapped = false) {
    std::vector<T> all;
    for (int i = 0; i < 9; ++i) all.push_back(T(i * 3 % 7));
    std::string bytes = bytes_of(all);
    const std::size_t unit = am::detail::is_complex<T> ? sizeof(T) / 2 : sizeof(T);
    if (swapped)
      for (std::size_t i = 0; i < bytes.size(); i += unit) std::reverse(bytes.begin() + long(i), bytes.begin() + long(i + unit));
    file.put(npy(type, "(9,)", bytes));
    const auto x = am::read_npy<am::vector<T>>(file.path());
    for (std::size_t k = 0; k < x.local().size(); ++k) EXPECT(x.local()[k] == all[x.index_of_local(k)]);
    am::write_npy(file.path(), x);
    EXPECT(swapped || file.bytes() == npy(type, "(9,)", bytes_of(all)));
  };
  check(std::int8_t(), "|i1");
  check(std::uint8_t(), "|u1");
  check(std::int16_t(), "<i2");
  check(std::uint16_t(), ">u2", true);
  check(std::int32_t(), "<i4");
  check(std::uint32_t(), "<u4");
  check(std::int64_t(), ">i8", true);
  check(std::uint64_t(), "<u8");
  check(float(), ">f4", true);
  check(std::complex<float>(), "<c8");
  check(std::complex<double>(), ">c16", true);
  file.put(npy("|b1", "(3,)", "\1\0\1"s));
  const auto flags = am::read_npy<am::array<bool>>(file.path(), am::cyclic());
  for (std::size_t k = 0; k < flags.local().size(); ++k) EXPECT_EQ(flags.local()[k], flags.index_of_local(k) != 1);
}

RANK_TEST(a_file_that_does_not_fit_is_an_error_of_all_ranks) {
  const place file;
  const std::string eight(8, '\0');
  const std::pair<std::string, const char*> bad[] = {
      {npy("<f4", "(2,)", eight), "its elements are '<f4', and those of the container '<f8'"},
      {npy("<i8", "(1,)", eight), "its elements are '<i8'"},
      {npy("<U2", "(1,)", eight), "its elements are '<U2'"},
      {npy("<f8", "(1, 1)", eight), "it has 2 dimensions (its shape is (1, 1)), and the container 1"},
      {npy("<f8", "()", eight), "it has 0 dimensions"},
      {npy("<f8", "(2,)", eight), "it has 8 bytes of elements, which are not those of its shape (2); is it cut off?"},
      {npy("<f8", "(0,)", eight), "which are not those of its shape"},
      {npy("<f8", "(18446744073709551615,)", eight), "which are not those of its shape"},
      {npy("<f8", "(99999999999999999999,)", eight), "its header is damaged"},
      {npy("<f8", "(1,", eight), "its header is damaged"},
      {"\x93NUMPY\x01\0\x76\0{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }"s + std::string(120, ' '),
       "its elements are structures"},
      {"\x93NUMPY\x01\0\x76\0{'descr': '<f8', 'shape': (1,), 'shape': (1,), }"s + std::string(120, ' '), "its header is damaged"},
      {"\x93NUMPY\x01\0\x76\0{'descr': '<f8', 'shape': (1,), 'fortran': True, }"s + std::string(120, ' '),
       "its header is damaged"},
      {"\x93NUMPY\x01\0\xff\xff{"s, "its header is cut off"},
      {"\x93NUMPY\x02\0\xff\xff\xff\xff{"s, "its header is too long"},
      {"\x93NUMPY\x09\0\x01\0{"s, "it is of version 9 of NumPy's format"},
      {"\x93NUMPY"s, "its header is cut off"},
      {"1,2\n", "it is not a file of NumPy"},
      {"", "it is not a file of NumPy"},
  };
  for (const auto& [bytes, why] : bad) {
    file.put(bytes);
    EXPECT_THROWS_SAYING(am::usage_error, why, am::read_npy<am::array<double>>(file.path()));
  }
  EXPECT_THROWS_SAYING(am::usage_error, "No such file", am::read_npy<am::matrix<double>>("/no/such/file"));
  EXPECT_THROWS_SAYING(am::usage_error, "cannot write", am::write_npy("/no/such/folder/file", am::array<int>(3)));
}

RANK_TEST(bytes_that_are_not_zero_are_true) {
  const place file;
  file.put(npy("|b1", "(4,)", "\x00\x01\x02\xff"s));
  const auto x = am::read_npy<am::vector<bool>>(file.path());
  std::vector<std::uint8_t> mine;
  for (const bool& value : x.local()) mine.push_back(*reinterpret_cast<const std::uint8_t*>(&value));
  EXPECT(am::all_gather_v(mine) == (std::vector<std::uint8_t>{0, 1, 1, 1}));
}

namespace {

/// Runs a program of Python, which needs no package, on the first rank. Returns whether it succeeds.
bool python(const std::string& program, const std::string& path) {
  am::barrier();
  const int rc = am::rank() == 0 ? std::system(("python3 -c '" + program + "' " + path).c_str()) : 0;
  return am::broadcast(rc) == 0;
}
/// An archive as numpy.savez writes it, of arrays that `put` writes: put(name, bytes).
std::string savez(const std::string& method, const std::string& puts) {
  return "import sys, zipfile\n"
         "def npy(type, shape, elements):\n"
         "  text = \"{%sdescr%s: %s%s%s, %sfortran_order%s: False, %sshape%s: %s, }\" % (Q, Q, Q, type, Q, Q, Q, Q, Q, shape)\n"
         "  text = text.ljust((10 + len(text) + 1 + 63) // 64 * 64 - 11)\n"
         "  return b\"\\x93NUMPY\\x01\\0\" + (len(text) + 1).to_bytes(2, \"little\") + text.encode() + b\"\\n\" + elements\n"
         "Q = chr(39)\n"
         "z = zipfile.ZipFile(sys.argv[1], \"w\", zipfile." +
         method +
         ")\n"
         "def put(name, bytes):\n"
         "  with z.open(name, \"w\", force_zip64=True) as f: f.write(bytes)\n" +
         puts + "z.close()";
}
const std::string two_arrays =
    "put(\"a.npy\", npy(\"<i4\", \"(1000,)\", b\"\".join((i * i).to_bytes(4, \"little\") for i in range(1000))))\n"
    "put(\"sub/m.npy\", npy(\"<i2\", \"(30, 40)\", b\"\".join(i.to_bytes(2, \"little\") for i in range(1200))))\n";

template <class C>
bool is_numbered(const C& x, int power) {
  bool good = true;
  for (std::size_t k = 0; k < x.local().size(); ++k) {
    const int i = int(x.index_of_local(k));
    good = good && x.local()[k] == (power == 2 ? i * i : i);
  }
  return good;
}

}  // namespace

RANK_TEST(stored_and_deflated_arrays_are_read_from_an_archive) {
  const place file;
  for (const char* method : {"ZIP_STORED", "ZIP_DEFLATED"}) {
    EXPECT(python(savez(method, two_arrays), file.path()));
    for (const am::distribution& d : {am::blocks(), am::cyclic(), am::cyclic(7)}) {
      const auto a = am::read_npz<am::array<int>>(file.path(), "a", d);
      EXPECT_EQ(a.size(), 1000U);
      EXPECT(is_numbered(a, 2));
    }
    const auto m = am::read_npz<am::matrix<short>>(file.path(), "sub/m", am::grid(), am::halo(1));
    const auto mine = m.local();
    for (std::size_t i = 0; i < mine.extent(0); ++i)
      for (std::size_t j = 0; j < mine.extent(1); ++j)
        EXPECT_EQ(mine(i, j), short((i + mine.origin(0)) * 40 + j + mine.origin(1)));
    EXPECT_THROWS_SAYING(am::usage_error, "it has no array 'b'; it has 'a', 'sub/m'",
                         am::read_npz<am::array<int>>(file.path(), "b"));
    EXPECT_THROWS_SAYING(am::usage_error, "array 'a': its elements are '<i4', and those of the container '<f8'",
                         am::read_npz<am::array<double>>(file.path(), "a"));
  }
}

RANK_TEST(numpy_reads_written_archives) {
  const place file;
  am::vector<int> a(3000, am::cyclic(5));
  for (std::size_t k = 0; k < a.local().size(); ++k) a.local()[k] = int(a.index_of_local(k));
  am::matrix<double, 3> m({4, 5, 6}, am::grid(), am::halo(1));
  const auto mine = m.local();
  for (std::size_t i = 0; i < mine.extent(0); ++i)
    for (std::size_t j = 0; j < mine.extent(1); ++j)
      for (std::size_t k = 0; k < mine.extent(2); ++k)
        mine(i, j, k) = double(((i + mine.origin(0)) * 5 + j + mine.origin(1)) * 6 + k + mine.origin(2));
  const am::array<float> empty(0);
  const auto check = [&](bool packed) {
    EXPECT(python(
        "import sys, zipfile\n"
        "z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None\n"
        "assert z.namelist() == [\"a.npy\", \"m\\xc3\\xa9.npy\".encode(\"latin1\").decode(), \"empty.npy\"], z.namelist()\n"
        "assert z.infolist()[0].compress_type == " +
            std::string(packed ? "8" : "0") +
            "\n"
            "assert z.read(\"a.npy\")[128:] == b\"\".join(i.to_bytes(4, \"little\") for i in range(3000))",
        file.path()));
    EXPECT(is_numbered(am::read_npz<am::array<int>>(file.path(), "a"), 1));
    EXPECT_EQ(am::read_npz<am::array<float>>(file.path(), "empty").size(), 0U);
    const auto again = am::read_npz<am::matrix<double, 3>>(file.path(), "m\xC3\xA9");
    const auto block = again.local();
    for (std::size_t i = 0; i < block.extent(0); ++i)
      for (std::size_t j = 0; j < block.extent(1); ++j)
        for (std::size_t k = 0; k < block.extent(2); ++k)
          EXPECT_EQ(block(i, j, k), double(((i + block.origin(0)) * 5 + j + block.origin(1)) * 6 + k + block.origin(2)));
  };
  am::write_npz(file.path(), am::npz_array("a", a), am::npz_array("m\xC3\xA9", m), am::npz_array("empty", empty));
  check(false);
  am::write_npz_compressed(file.path(), am::npz_array("a", a), am::npz_array("m\xC3\xA9", m), am::npz_array("empty", empty));
  check(true);
  am::write_npy(file.path(), a);
  EXPECT_THROWS_SAYING(am::usage_error, "it is one array (.npy), not an archive; read it with read_npy",
                       am::read_npz<am::array<int>>(file.path(), "a"));
  am::write_npz_compressed(file.path(), am::npz_array("a", a), am::npz_array("m\xC3\xA9", m), am::npz_array("empty", empty));
  EXPECT_THROWS_SAYING(am::usage_error, "two arrays have the name 'a'",
                       am::write_npz(file.path(), am::npz_array("a", a), am::npz_array("a", m)));
  EXPECT_THROWS_SAYING(am::usage_error, "the name of an array is empty", am::write_npz(file.path(), am::npz_array("", a)));
  check(true);
}

RANK_TEST(damaged_archives_are_refused_on_all_ranks) {
  const place file;
  for (const char* method : {"ZIP_STORED", "ZIP_DEFLATED"}) {
    EXPECT(python(savez(method, two_arrays), file.path()));
    const std::string good = file.bytes();
    const auto read = [&] { am::read_npz<am::array<int>>(file.path(), "a"); };
    for (const std::size_t n : {std::size_t(0), std::size_t(21), std::size_t(100), good.size() / 2, good.size() - 1}) {
      file.put(good.substr(0, n));
      EXPECT_THROWS_SAYING(am::usage_error, "it is not a complete zip archive (.npz); is it cut off?", read());
    }
    file.put(good);
    EXPECT_THROWS_SAYING(am::usage_error, "an archive of arrays (.npz); read it with read_npz",
                         am::read_npy<am::array<int>>(file.path()));
    std::string bad = good;
    bad[1000] ^= 1;
    file.put(bad);
    EXPECT_THROWS_SAYING(am::usage_error, "damaged", read());
    const auto with = [&](std::size_t at, std::size_t n, const char* why,
                          int value = 0xee) {  // a number in the directory is very large
      std::string changed = good;
      const std::size_t directory = good.find("PK\x01\x02");
      for (std::size_t i = 0; i < n; ++i) changed[directory + at + i] = char(value);
      file.put(changed);
      EXPECT_THROWS_SAYING(am::usage_error, why, read());
    };
    with(42, 4, "its entry in the archive is damaged");
    with(20, 4, "its entry in the archive is damaged");
    with(24, 4, "its entry in the archive is damaged");
    with(28, 2, "its directory, at the end of the archive, is damaged");
    with(8, 1, "is encrypted", 1);
    with(10, 2, "is compressed by method 61166");
    with(16, 4, "its checksum is wrong; it is damaged");
    const std::size_t end = good.rfind("PK\x05\x06");
    for (const std::size_t at : {12U, 16U}) {
      bad = good;
      bad[end + at + 3] = char(0x7f);
      file.put(bad);
      EXPECT_THROWS_SAYING(am::usage_error, "its directory, at the end of the archive, is damaged", read());
    }
    unsigned seed = 7;
    for (int k = 0; k < 40; ++k) {
      bad = good;
      for (int i = 0; i < 3; ++i) bad[(seed = seed * 1664525 + 1013904223) % bad.size()] = char(seed >> 24);
      file.put(bad);
      try {
        read();
      } catch (const am::usage_error&) { continue; }
    }
  }
}

RANK_TEST(a_long_match_may_go_over_the_border_of_two_ranks) {
  const place file;
  const am::team alone = am::world().split(am::rank());
  for (const std::size_t n : {132U, 133U, 134U, 400U, 70'000U}) {  // the last match of the first three needs no more input
    if (am::rank() == 0) {
      const am::vector<std::uint8_t> zeros(n, am::on(alone));
      am::write_npz_compressed(file.path(), am::npz_array("x", zeros));
    }
    am::barrier();
    const auto x = am::read_npz<am::vector<std::uint8_t>>(file.path(), "x");
    EXPECT_EQ(x.size(), n);
    for (const std::uint8_t e : x.local()) EXPECT_EQ(e, 0);
    am::barrier();
  }
}

RANK_TEST(an_archive_of_many_members_is_read_and_its_first_names_are_listed) {
  const place file;
  EXPECT(python(savez("ZIP_STORED",
                      "for i in range(9000): z.writestr(\"filler_\" + \"x\" * 200 + str(i), b\"\")\n"
                      "put(\"a.npy\", npy(\"<i4\", \"(2,)\", bytes(8)))\n"),
                file.path()));
  EXPECT_EQ(am::read_npz<am::array<int>>(file.path(), "a").size(), 2U);
  EXPECT_THROWS_SAYING(am::usage_error, "it has no array 'b'; it has 'filler_x", am::read_npz<am::array<int>>(file.path(), "b"));
}

RANK_TEST(archives_that_differ_between_ranks_are_refused_on_all) {
  const place file;
  const std::string path = file.path() + "." + std::to_string(am::rank());
  const am::team alone = am::world().split(am::rank());
  am::vector<int> x(100, am::on(alone));
  x.local()[7] = am::rank() + 1 == am::ranks() ? 1 : 0;  // the files have one size, but not one checksum
  am::write_npz(path, am::npz_array("x", x));
  am::barrier();
  const auto read = [&] { am::read_npz<am::array<int>>(path, "x"); };
  if (am::ranks() == 1)
    read();
  else
    EXPECT_THROWS_SAYING(am::usage_error, "it differs from the file of the first rank; all must read one file", read());
  am::barrier();
  std::remove(path.c_str());
}

RANK_TEST(an_array_that_changes_while_it_is_read_is_refused_on_all) {
  const place file;
  file.put(npy("<i4", "(2,)", std::string(8, '\0')));
  am::detail::npy_file open(am::world(), file.path(), am::detail::npy_type_of<int>(), 1);
  file.put(npy("<i4", "(3,)", std::string(12, '\0')));
  EXPECT_THROWS_SAYING(am::usage_error, "it changed while it was read", open.end());
}

RANK_TEST(errors_name_the_function_that_was_called) {
  const place file;
  file.put("nothing");
  EXPECT_THROWS_SAYING(am::usage_error, "read_npz: ", am::read_npz<am::array<int>>(file.path(), "x"));
  EXPECT_THROWS_SAYING(am::usage_error, "read_npy: ", am::read_npy<am::array<int>>(file.path()));
}
