// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include "armilla/base/values/types.hpp"
#include "armilla/error.hpp"
#include "codec.hpp"

namespace armilla::python {
namespace {

using kind = wire_type::kind;
using detail::align_up;

/// A place in a message. What the bytes say is not believed.
class cursor {
 public:
  cursor(std::span<const std::byte> bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::size_t at() const noexcept { return at_; }

 protected:
  [[noreturn]] void fail(const char* why) const {
    detail::throw_decode(no_rank, "call", fmt::format("a message of {} bytes: {} at byte {}", bytes_.size(), why, at_));
  }
  const std::byte* take(std::size_t n, std::size_t align) {
    const std::size_t first = align_up(at_, align);
    if (first > bytes_.size() || n > bytes_.size() - first) fail("it is too short");
    at_ = first + n;
    return bytes_.data() + first;
  }
  std::uint64_t take_number() {
    std::uint64_t n;
    std::memcpy(&n, take(sizeof n, sizeof n), sizeof n);
    return n;
  }
  std::size_t take_count(std::size_t least) { return judged(take_number(), least); }
  std::size_t judged(std::uint64_t n, std::size_t least) const {
    if (n > (bytes_.size() - at_) / std::max<std::size_t>(least, 1)) fail("a count beyond its end");
    return std::size_t(n);
  }
  static std::size_t align_of_view(const wire_type& element) noexcept { return element.align <= 8 ? 8 : 16; }

  std::span<const std::byte> bytes_;
  std::size_t at_;
};

/// Makes nothing of the values. Needs no interpreter.
class skipper : public cursor {
 public:
  using cursor::cursor;

  void skip(const wire_type& type) {
    if (type.as_bytes) return void(take(type.size, std::min<std::size_t>(type.align, 8)));
    switch (type.is) {
      case kind::text: return void(take(take_count(1), 1));
      case kind::list:
      case kind::set: return skip_elements(type.parts[0]);
      case kind::view: return skip_view(type.parts[0]);
      case kind::map: return skip_map(type);
      case kind::optional:
        if (*take(1, 1) != std::byte{0}) skip(type.parts[0]);
        return;
      case kind::variant: return skip_variant(type);
      case kind::array:
        for (std::size_t i = 0; i < type.extent; ++i) skip(type.parts[0]);
        return;
      default:
        for (const wire_type& part : type.parts) skip(part);
    }
  }

 private:
  void skip_element(const wire_type& element) {
    if (element.least() == 0) take(1, 1);
    skip(element);
  }
  void skip_elements(const wire_type& element) {
    const std::size_t n = take_count(element.least());
    if (element.is_number()) return void(take(n * element.size, 1));
    for (std::size_t i = 0; i < n; ++i) skip_element(element);
  }
  void skip_view(const wire_type& element) {
    const std::uint64_t n = take_number();
    if ((n & detail::stable_view_bit) != 0)
      take_number();
    else
      take(judged(n, element.size) * element.size, align_of_view(element));
  }
  void skip_map(const wire_type& type) {
    for (std::size_t n = take_count(type.parts[0].least() + std::max<std::size_t>(type.parts[1].least(), 1)); n != 0; --n) {
      skip(type.parts[0]);
      skip_element(type.parts[1]);
    }
  }
  void skip_variant(const wire_type& type) {
    std::uint16_t index;
    std::memcpy(&index, take(sizeof index, sizeof index), sizeof index);
    if (index >= type.parts.size()) fail("a variant has an alternative that its type has not");
    skip(type.parts[index]);
  }
};

class reader : public cursor {
 public:
  reader(std::span<const std::byte> bytes, std::size_t at, const detail::shared_range& memory)
      : cursor(bytes, at), memory_(memory) {}

  nb::object get(const wire_type& type) {
    if (type.as_bytes) return read(take(type.size, std::min<std::size_t>(type.align, 8)), type);
    switch (type.is) {
      case kind::text: return get_text();
      case kind::list: return get_list(type.parts[0]);
      case kind::view: return get_view(type.parts[0]);
      case kind::set: return get_set(type);
      case kind::map: return get_map(type);
      case kind::optional: return *take(1, 1) == std::byte{0} ? nb::none() : get(type.parts[0]);
      case kind::variant: return get_variant(type);
      case kind::array:
      case kind::tuple:
      case kind::aggregate: return get_members(type);
      default: return nb::none();
    }
  }

 private:
  template <class T>
  static T number_at(const std::byte* at) {
    T n;
    std::memcpy(&n, at, sizeof n);
    return n;
  }
  static double real_at(const std::byte* at, std::size_t size) {
    return size == 8 ? number_at<double>(at) : double(number_at<float>(at));
  }

  static nb::object read(const std::byte* at, const wire_type& type) {
    std::uint64_t bits = 0;
    switch (type.is) {
      case kind::boolean: return nb::bool_(*at != std::byte{0});
      case kind::sign: {
        std::memcpy(&bits, at, type.size);
        const unsigned unused = unsigned(64 - 8 * type.size);
        return nb::steal(PyLong_FromLongLong(std::int64_t(bits << unused) >> unused));
      }
      case kind::unsign: std::memcpy(&bits, at, type.size); return nb::steal(PyLong_FromUnsignedLongLong(bits));
      case kind::character: {
        std::memcpy(&bits, at, type.size);
        return nb::steal(PyUnicode_FromOrdinal(bits <= 0x10ffff ? int(bits) : 0xfffd));
      }
      case kind::real: return nb::float_(real_at(at, type.size));
      case kind::complex:
        return nb::steal(PyComplex_FromDoubles(real_at(at, type.size / 2), real_at(at + type.size / 2, type.size / 2)));
      case kind::array: return read_array(at, type);
      default: return read_aggregate(at, type);
    }
  }
  static nb::object read_array(const std::byte* at, const wire_type& type) {
    nb::object all = nb::steal(PyTuple_New(Py_ssize_t(type.extent)));
    for (std::size_t i = 0; i < type.extent; ++i)
      PyTuple_SetItem(all.ptr(), Py_ssize_t(i), read(at + i * type.parts[0].size, type.parts[0]).release().ptr());
    return all;
  }
  static nb::object read_aggregate(const std::byte* at, const wire_type& type) {
    nb::object all = nb::steal(PyTuple_New(Py_ssize_t(type.parts.size())));
    std::size_t offset = 0;
    for (std::size_t i = 0; i < type.parts.size(); offset += type.parts[i++].size) {
      offset = align_up(offset, type.parts[i].align);
      PyTuple_SetItem(all.ptr(), Py_ssize_t(i), read(at + offset, type.parts[i]).release().ptr());
    }
    return all;
  }

  nb::object get_text() {
    const std::size_t n = take_count(1);
    const nb::object text =
        nb::steal(PyUnicode_DecodeUTF8(reinterpret_cast<const char*>(take(n, 1)), Py_ssize_t(n), "surrogateescape"));
    if (!text.is_valid()) throw nb::python_error();
    return text;
  }
  nb::object get_list(const wire_type& element) {
    const std::size_t n = take_count(element.least());
    if (element.is_number()) return numbers(element, n, take(n * element.size, 1));
    nb::list all;
    for (std::size_t i = 0; i < n; ++i) all.append(get_element(element));
    return all;
  }
  // Its elements may lie with the sender, which keeps them until it has its reply.
  nb::object get_view(const wire_type& element) {
    const std::uint64_t count = take_number();
    const bool stable = (count & detail::stable_view_bit) != 0;
    const std::size_t n = stable ? std::size_t(count & ~detail::stable_view_bit) : judged(count, element.size);
    const std::byte* const from = stable ? elements_at_sender(n, element.size) : take(n * element.size, align_of_view(element));
    if (element.is_number()) return numbers(element, n, from);
    nb::list all;
    for (std::size_t i = 0; i < n; ++i) all.append(read(from + i * element.size, element));
    return all;
  }
  const std::byte* elements_at_sender(std::size_t n, std::size_t size) {
    const std::uint64_t offset = take_number();
    if (memory_.base == nullptr || offset > memory_.bytes || n > (memory_.bytes - offset) / size)
      fail("a view beyond its rank's memory");
    return memory_.base + offset;
  }
  nb::object get_element(const wire_type& element) {
    if (element.least() == 0) take(1, 1);
    return get(element);
  }
  static nb::object numbers(const wire_type& element, std::size_t n, const std::byte* from) {
    auto* const copy = new std::byte[n * element.size + 1];
    std::memcpy(copy, from, n * element.size);
    const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); });
    const std::size_t shape[1] = {n};
    using code = nb::dlpack::dtype_code;
    const code c = element.is == kind::real      ? code::Float
                   : element.is == kind::complex ? code::Complex
                   : element.is == kind::boolean ? code::Bool
                   : element.is == kind::sign    ? code::Int
                                                 : code::UInt;
    return nb::cast(nb::ndarray<nb::numpy>(copy, 1, shape, owner, nullptr, {std::uint8_t(c), std::uint8_t(8 * element.size), 1}));
  }
  nb::object get_set(const wire_type& type) {
    nb::object all = nb::steal(PySet_New(nullptr));
    for (std::size_t n = take_count(type.parts[0].least()); n != 0; --n) {
      const nb::object element = get_element(type.parts[0]);
      if (PySet_Add(all.ptr(), element.ptr()) != 0) throw nb::python_error();
    }
    return all;
  }
  nb::object get_map(const wire_type& type) {
    nb::dict all;
    for (std::size_t n = take_count(type.parts[0].least() + std::max<std::size_t>(type.parts[1].least(), 1)); n != 0; --n) {
      const nb::object key = get(type.parts[0]);
      all[key] = get_element(type.parts[1]);
    }
    return all;
  }
  nb::object get_variant(const wire_type& type) {
    const auto index = number_at<std::uint16_t>(take(2, 2));
    if (index >= type.parts.size()) fail("a variant has an alternative that its type has not");
    return get(type.parts[index]);
  }
  nb::object get_members(const wire_type& type) {
    const std::size_t n = type.is == kind::array ? type.extent : type.parts.size();
    nb::object all = nb::steal(PyTuple_New(Py_ssize_t(n)));
    for (std::size_t i = 0; i < n; ++i)
      PyTuple_SetItem(all.ptr(), Py_ssize_t(i), get(type.parts[type.is == kind::array ? 0 : i]).release().ptr());
    return all;
  }

  detail::shared_range memory_;
};

}  // namespace

nb::object decode(std::span<const std::byte> bytes, std::size_t& at, const wire_type& type, const detail::shared_range& memory) {
  reader in(bytes, at, memory);
  nb::object value = in.get(type);
  at = in.at();
  return value;
}

std::size_t extent_of(std::span<const std::byte> bytes, const std::vector<wire_type>& types) {
  skipper in(bytes, 0);
  for (const wire_type& type : types) in.skip(type);
  return in.at();
}

}  // namespace armilla::python
