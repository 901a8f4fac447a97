// SPDX-License-Identifier: Apache-2.0
#include "signature.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "armilla/error.hpp"

namespace armilla::python {
namespace {

using kind = wire_type::kind;

constexpr int deepest = 64;

class parser {
 public:
  explicit parser(std::string_view text) : text_(text), rest_(text) {}

  wire_signature signature() {
    wire_signature result;
    result.result = type();
    if (!take('(')) fail("'(' is missing");
    result.parameters = list(')');
    if (!rest_.empty()) fail("more than a signature");
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    detail::throw_usage(
        "call", fmt::format("'{}' cannot be called from Python: {} at letter {}", text_, why, text_.size() - rest_.size()));
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::size_t number() {
    std::size_t n = 0, letters = 0;
    for (; letters < rest_.size() && letters < 12 && rest_[letters] >= '0' && rest_[letters] <= '9'; ++letters)
      n = 10 * n + std::size_t(rest_[letters] - '0');
    if (letters == 0) fail("a number is missing");
    rest_.remove_prefix(letters);
    return n;
  }

  // Types up to the bracket that ends the list.
  std::vector<wire_type> list(char end) {
    std::vector<wire_type> all;
    if (take(end)) return all;
    do { all.push_back(type()); } while (take(", "));
    if (!take(end)) fail(fmt::format("'{}' is missing", end));
    return all;
  }

  wire_type type() {
    if (++depth_ > deepest) fail("types nest too deep");
    const std::string_view from = rest_;
    wire_type t = plain();
    while (take('[')) {
      wire_type whole;
      whole.is = kind::array;
      whole.extent = number();
      if (!take(']')) fail("']' is missing");
      whole.as_bytes = t.as_bytes;
      whole.size = t.size * whole.extent;
      whole.align = t.align;
      whole.parts.push_back(std::move(t));
      t = std::move(whole);
    }
    t.name = std::string(from.substr(0, from.size() - rest_.size()));
    --depth_;
    return t;
  }

  wire_type plain() {
    take("enum ");  // travels as its number
    wire_type t;
    if (take("void")) return t;
    if (take("bool")) return bytes(kind::boolean, 1);
    if (take("string")) return of(kind::text, {});
    if (take("char")) return bytes(kind::character, rest_.empty() || rest_.front() < '0' || rest_.front() > '9' ? 1 : bits());
    if (take("int")) return bytes(kind::sign, bits());
    if (take("uint")) return bytes(kind::unsign, bits());
    if (take("float")) return bytes(kind::real, bits());
    if (take("complex<")) return complex();
    if (take("list<")) return of(kind::list, list('>'));
    if (take("set<")) return of(kind::set, list('>'));
    if (take("map<")) return of(kind::map, list('>'));
    if (take("optional<")) return of(kind::optional, list('>'));
    if (take("variant<")) return of(kind::variant, list('>'));
    if (take("view<")) return of(kind::view, list('>'));
    if (take('(')) return of(kind::tuple, list(')'));
    if (take('{')) return aggregate();
    fail("a type that Python does not know");
  }

  std::size_t bits() {
    const std::size_t n = number();
    if (n != 8 && n != 16 && n != 32 && n != 64) fail("a number of that length");
    return n / 8;
  }
  static wire_type bytes(kind k, std::size_t size) {
    wire_type t;
    t.is = k;
    t.size = t.align = size;
    t.as_bytes = true;
    return t;
  }
  wire_type of(kind k, std::vector<wire_type> parts) const {
    const std::size_t wanted = k == kind::map ? 2 : 1;
    if (k != kind::tuple && k != kind::variant && k != kind::text && parts.size() != wanted)
      fail("a container of too many types");
    if (k == kind::view && !parts[0].as_bytes) fail("a view of what does not travel as bytes");
    wire_type t;
    t.is = k;
    t.parts = std::move(parts);
    return t;
  }
  wire_type complex() {
    std::vector<wire_type> part = list('>');
    if (part.size() != 1 || part[0].is != kind::real) fail("complex numbers of no floating-point type");
    wire_type t = bytes(kind::complex, 2 * part[0].size);
    t.align = part[0].size;
    return t;
  }
  // In one piece if all members are; member by member if one has no bytes of its own. Whether an optional, a tuple or a variant
  // has that, the text does not tell.
  wire_type aggregate() {
    wire_type t = of(kind::tuple, list('}'));
    t.is = kind::aggregate;
    if (rest_.starts_with(" size ")) fail("a class that does not lie as its members do");
    t.as_bytes = std::ranges::all_of(t.parts, &wire_type::as_bytes);
    const auto has_none = [](const wire_type& p) {
      return p.is == kind::text || p.is == kind::list || p.is == kind::set || p.is == kind::map;
    };
    const auto open = [](const wire_type& p) {
      return p.is == kind::optional || p.is == kind::tuple || p.is == kind::variant || p.is == kind::view;
    };
    if (std::ranges::any_of(t.parts, open) && std::ranges::none_of(t.parts, has_none))
      fail("an aggregate with an optional, a tuple, a variant or a view among its members");
    for (const wire_type& p : t.parts) {
      t.align = std::max(t.align, p.align);
      t.size = (t.size + p.align - 1) / p.align * p.align + p.size;
    }
    t.size = (t.size + t.align - 1) / t.align * t.align;
    return t;
  }

  std::string_view text_, rest_;
  int depth_ = 0;
};

}  // namespace

std::size_t wire_type::least() const noexcept {
  if (as_bytes) return size;
  switch (is) {
    case kind::text:
    case kind::list:
    case kind::set:
    case kind::map:
    case kind::view: return 8;
    case kind::optional: return 1;
    case kind::variant: return 2;
    default: break;
  }
  std::size_t all = 0;
  for (const wire_type& p : parts) all += p.least();
  return is == kind::array ? all * extent : all;
}

wire_signature parse_signature(std::string_view text) { return parser(text).signature(); }

std::uint64_t signature_hash(std::string_view text) noexcept {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

}  // namespace armilla::python
