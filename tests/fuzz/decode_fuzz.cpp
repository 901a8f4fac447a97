// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"
#include "tests/fuzz/fuzz.hpp"

// The first byte of an input chooses a type, the rest is a message that claims to hold one. Either it is refused by a
// decode_error, or a value comes out that can be encoded, and decoded, again. All else is for the sanitizers to find.
namespace armilla::fuzz {
namespace {

using detail::decoder;

struct point {
  double x, y;
  int z;
};
struct record {
  std::string name;
  std::vector<int> numbers;
  std::optional<std::string> more;
  short codes[3];
};
struct empty {};

class polygon {
 public:
  polygon() = default;
  explicit polygon(int n) : n_(n), points_(n == 0 ? nullptr : new point[static_cast<std::size_t>(n)]()) {}
  polygon(polygon&& o) noexcept
      : name_(std::move(o.name_)), n_(std::exchange(o.n_, 0)), points_(std::exchange(o.points_, nullptr)) {}
  polygon& operator=(polygon&& o) noexcept {
    name_.swap(o.name_);
    std::swap(n_, o.n_);
    std::swap(points_, o.points_);
    return *this;
  }
  ~polygon() { delete[] points_; }
  void define_type(auto& t) {
    t.local(name_);
    t.local(n_);
    t.dynamic(points_, n_);
  }

 private:
  std::string name_ = "polygon";
  int n_ = 0;
  point* points_ = nullptr;
};

struct tree {
  int value = 0;
  std::vector<tree> children;
  void define_type(auto& t) {
    t.local(value);
    t.local(children);
  }
};

void require(bool good) {
  if (!good) std::abort();
}

/// A message in a block of exactly its size, where a sanitizer sees one byte too far.
struct message {
  explicit message(std::size_t n) : size(n), bytes(new(std::align_val_t{16}) std::byte[n]()) {}
  message(const message&) = delete;
  message& operator=(const message&) = delete;
  ~message() { ::operator delete[](bytes, std::align_val_t{16}); }
  std::size_t size;
  std::byte* bytes;
};

template <class T>
void encode_again(const T& value) {
  message again(detail::encoded_size(value));
  detail::encoder out(again.bytes);
  out.put(value);
  require(detail::align_up(out.size(), detail::arguments_align) == again.size);
  decoder in(again.bytes, again.size);
  const T twice = in.get<T>();
  require(detail::encoded_size(twice) == again.size);
}

template <class T>
void decode(const std::byte* bytes, std::size_t n) {
  message m(n);
  if (n != 0) std::memcpy(m.bytes, bytes, n);
  decoder in(m.bytes, n, 1);
  try {
    if constexpr (detail::is_view<T>) {
      const T seen = in.get<T>();
      require(seen.empty() || detail::encoded_size(seen.copy()) > 0);
    } else {
      encode_again(in.get<T>());
    }
  } catch (const decode_error&) {
    // What it is for.
  }
}

template <class T>
std::vector<std::byte> sample(const T& value) {
  std::vector<std::byte> bytes(detail::encoded_size(value));
  std::vector<std::uint64_t> aligned(bytes.size() / 8 + 1);
  detail::encode(reinterpret_cast<std::byte*>(aligned.data()), value);
  std::copy_n(reinterpret_cast<const std::byte*>(aligned.data()), bytes.size(), bytes.begin());
  return bytes;
}

struct subject {
  void (*decode)(const std::byte*, std::size_t);
  std::vector<std::byte> (*sample)();
};

template <class T, auto Make>
constexpr subject of = {&decode<T>, [] { return sample(Make()); }};

const std::string long_text(100, 'x');
constexpr double numbers[] = {1, 2, 3};
constexpr long double wide_numbers[] = {1, 2, 3};

const subject subjects[] = {
    of<int, [] { return 42; }>,
    of<point, [] { return point{1, 2, 3}; }>,
    of<bool, [] { return true; }>,
    of<std::string, [] { return std::string("hello"); }>,
    of<std::vector<double>, [] { return std::vector<double>{1, 2, 3}; }>,
    of<std::vector<long double>, [] { return std::vector<long double>{1, 2}; }>,
    of<std::vector<bool>, [] { return std::vector<bool>{true, false, true}; }>,
    of<std::vector<empty>, [] { return std::vector<empty>(5); }>,
    of<std::vector<std::string>, [] { return std::vector<std::string>{"a", "bb", long_text}; }>,
    of<std::vector<std::optional<std::array<int, 64>>>, [] { return std::vector<std::optional<std::array<int, 64>>>(7); }>,
    of<std::list<record>, [] { return std::list<record>{{"n", {1, 2}, "m", {1, 2, 3}}, {"", {}, {}, {}}}; }>,
    of<std::deque<std::pair<char, double>>, [] { return std::deque<std::pair<char, double>>{{'a', 1}, {'b', 2}}; }>,
    of<std::map<int, std::vector<std::string>>, [] { return std::map<int, std::vector<std::string>>{{1, {"a"}}, {2, {}}}; }>,
    of<std::set<std::string>, [] { return std::set<std::string>{"x", "y"}; }>,
    of<std::unordered_map<std::string, empty>, [] { return std::unordered_map<std::string, empty>{{"k", {}}, {"l", {}}}; }>,
    of<std::tuple<int, std::string, std::optional<char>>,
       [] { return std::tuple<int, std::string, std::optional<char>>{1, "t", 'c'}; }>,
    of<std::variant<int, std::string, std::vector<int>>,
       [] { return std::variant<int, std::string, std::vector<int>>(std::vector<int>{1, 2}); }>,
    of<polygon, [] { return polygon(3); }>,
    of<std::vector<polygon>,
       [] {
         std::vector<polygon> v;
         v.emplace_back(2);
         v.emplace_back(0);
         return v;
       }>,
    of<tree, [] { return tree{1, {tree{2, {}}, tree{3, {tree{4, {}}}}}}; }>,
    of<view<double>, [] { return view<double>(numbers); }>,
    of<view<long double>, [] { return view<long double>(wide_numbers); }>,
};

}  // namespace

const int mutations = 20'000;

std::vector<std::vector<std::byte>> samples() {
  std::vector<std::vector<std::byte>> all;
  for (const subject& s : subjects) {
    all.push_back(s.sample());
    all.back().insert(all.back().begin(), static_cast<std::byte>(all.size() - 1));
  }
  return all;
}

void try_input(const std::byte* bytes, std::size_t n) {
  if (n == 0) return;
  const subject& s = subjects[static_cast<std::size_t>(bytes[0]) % std::size(subjects)];
  s.decode(bytes + 1, n - 1);
}

}  // namespace armilla::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armilla::fuzz::try_input(reinterpret_cast<const std::byte*>(data), size);
  return 0;
}
