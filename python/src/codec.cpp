// SPDX-License-Identifier: Apache-2.0
#include "codec.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "armilla/base/error.hpp"
#include "armilla/base/types.hpp"

namespace armilla::python {
namespace {

using kind = wire_type::kind;
using detail::align_up;

[[noreturn]] void refuse(const wire_type& type, nb::handle value) {
  throw nb::type_error(fmt::format("{} is no {}", nb::cast<std::string>(nb::repr(value)), type.name).c_str());
}
[[noreturn]] void throw_overflow(const wire_type& type, nb::handle value) {
  PyErr_SetString(PyExc_OverflowError,
                  fmt::format("{} does not fit into {}", nb::cast<std::string>(nb::repr(value)), type.name).c_str());
  throw nb::python_error();
}

// ---- to bytes ----

class writer {
 public:
  writer(std::vector<std::byte>& message, std::size_t begin) : message_(message), begin_(begin) {}

  void put(const wire_type& type, nb::handle value) {
    if (type.as_bytes) {
      std::byte* const to = room(type.size, std::min<std::size_t>(type.align, 8));
      return write(to, type, value);
    }
    switch (type.is) {
      case kind::nothing: break;
      case kind::text: return put_text(value, type);
      case kind::list:
      case kind::set: return put_elements(type, value);
      case kind::view: return put_view(type, value);
      case kind::map: return put_map(type, value);
      case kind::optional: return put_optional(type, value);
      case kind::array:
      case kind::tuple:
      case kind::aggregate: return put_members(type, value);
      case kind::variant: return put_variant(type, value);
      default: break;
    }
    refuse(type, value);
  }

 private:
  std::byte* room(std::size_t bytes, std::size_t align) {
    const std::size_t at = begin_ + align_up(message_.size() - begin_, align);
    message_.resize(at + bytes);
    return message_.data() + at;
  }
  void put_count(std::uint64_t n) { std::memcpy(room(sizeof n, sizeof n), &n, sizeof n); }

  static void write(std::byte* to, const wire_type& type, nb::handle value) {
    switch (type.is) {
      case kind::boolean: return write_bool(to, type, value);
      case kind::sign:
      case kind::unsign: return write_integer(to, type, value);
      case kind::character: return write_character(to, type, value);
      case kind::real: return write_real(to, type.size, real_of(type, value));
      case kind::complex: return write_complex(to, type, value);
      case kind::array: return write_sequence(to, type, value);
      default: return write_aggregate(to, type, value);
    }
  }
  static void write_bool(std::byte* to, const wire_type& type, nb::handle value) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0 || (!PyBool_Check(value.ptr()) && !PyIndex_Check(value.ptr()))) PyErr_Clear(), refuse(type, value);
    *to = std::byte(truth);
  }
  static void write_integer(std::byte* to, const wire_type& type, nb::handle value) {
    if (!PyIndex_Check(value.ptr())) refuse(type, value);
    const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    const unsigned unused = unsigned(64 - 8 * type.size);
    std::uint64_t bits;
    if (type.is == kind::sign) {
      int overflow = 0;
      const long long n = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
      if (overflow != 0 || (n << unused >> unused) != n) throw_overflow(type, value);
      bits = std::uint64_t(n);
    } else {
      bits = PyLong_AsUnsignedLongLong(index.ptr());
      if (PyErr_Occurred() != nullptr || (bits << unused >> unused) != bits) PyErr_Clear(), throw_overflow(type, value);
    }
    std::memcpy(to, &bits, type.size);  // little-endian
  }
  static void write_character(std::byte* to, const wire_type& type, nb::handle value) {
    if (!PyUnicode_Check(value.ptr()) || PyUnicode_GetLength(value.ptr()) != 1) refuse(type, value);
    const Py_UCS4 letter = PyUnicode_ReadChar(value.ptr(), 0);
    if (type.size < 4 && letter >> 8 * type.size != 0) throw_overflow(type, value);
    std::memset(to, 0, type.size);
    std::memcpy(to, &letter, std::min(type.size, sizeof letter));
  }
  static double real_of(const wire_type& type, nb::handle value) {
    const double x = PyFloat_AsDouble(value.ptr());
    if (x == -1.0 && PyErr_Occurred() != nullptr) PyErr_Clear(), refuse(type, value);
    return x;
  }
  static void write_real(std::byte* to, std::size_t size, double x) {
    const auto narrow = float(x);
    std::memcpy(to, size == 8 ? static_cast<const void*>(&x) : &narrow, size);
  }
  static void write_complex(std::byte* to, const wire_type& type, nb::handle value) {
    const Py_complex z = PyComplex_AsCComplex(value.ptr());
    if (z.real == -1.0 && PyErr_Occurred() != nullptr) PyErr_Clear(), refuse(type, value);
    write_real(to, type.size / 2, z.real);
    write_real(to + type.size / 2, type.size / 2, z.imag);
  }
  static nb::object members_of(const wire_type& type, nb::handle value, std::size_t count) {
    if (PyUnicode_Check(value.ptr())) refuse(type, value);
    const nb::object all = nb::steal(PySequence_Fast(value.ptr(), ""));
    if (!all.is_valid() || std::size_t(PySequence_Fast_GET_SIZE(all.ptr())) != count) PyErr_Clear(), refuse(type, value);
    return all;
  }
  static void write_sequence(std::byte* to, const wire_type& type, nb::handle value) {
    const nb::object all = members_of(type, value, type.extent);
    for (std::size_t i = 0; i < type.extent; ++i)
      write(to + i * type.parts[0].size, type.parts[0], PySequence_Fast_GET_ITEM(all.ptr(), Py_ssize_t(i)));
  }
  static void write_aggregate(std::byte* to, const wire_type& type, nb::handle value) {
    const nb::object all = members_of(type, value, type.parts.size());
    std::memset(to, 0, type.size);
    std::size_t at = 0;
    for (std::size_t i = 0; i < type.parts.size(); at += type.parts[i++].size) {
      at = align_up(at, type.parts[i].align);
      write(to + at, type.parts[i], PySequence_Fast_GET_ITEM(all.ptr(), Py_ssize_t(i)));
    }
  }

  void put_text(nb::handle value, const wire_type& type) {
    char* letters = nullptr;
    Py_ssize_t n = 0;
    if (PyBytes_Check(value.ptr()))
      PyBytes_AsStringAndSize(value.ptr(), &letters, &n);
    else if (PyUnicode_Check(value.ptr()))
      letters = const_cast<char*>(PyUnicode_AsUTF8AndSize(value.ptr(), &n));
    else
      refuse(type, value);
    if (letters == nullptr) throw nb::python_error();
    put_count(std::uint64_t(n));
    std::memcpy(room(std::size_t(n), 1), letters, std::size_t(n));
  }

  // An array of NumPy with elements of this type, one behind the other, is copied at once.
  bool put_buffer(const wire_type& element, std::size_t align, nb::handle value) {
    if (!element.is_number() || !PyObject_CheckBuffer(value.ptr())) return false;
    Py_buffer view;
    if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_CONTIG_RO | PyBUF_FORMAT) != 0) return PyErr_Clear(), false;
    const bool same = view.ndim == 1 && std::size_t(view.itemsize) == element.size && kind_of(view.format) == element.is;
    if (same) {
      put_count(std::uint64_t(view.shape[0]));
      std::memcpy(room(std::size_t(view.len), align), view.buf, std::size_t(view.len));
    }
    PyBuffer_Release(&view);
    return same;
  }
  static kind kind_of(const char* format) noexcept {
    std::string_view text = format == nullptr ? "B" : format;
    if (!text.empty() && (text[0] == '<' || text[0] == '=' || text[0] == '@')) text.remove_prefix(1);
    if (text == "Zd" || text == "Zf") return kind::complex;
    if (text.size() != 1) return kind::nothing;
    if (text[0] == '?') return kind::boolean;
    if (std::string_view("bhilq").find(text[0]) != text.npos) return kind::sign;
    if (std::string_view("BHILQ").find(text[0]) != text.npos) return kind::unsign;
    return text[0] == 'd' || text[0] == 'f' ? kind::real : kind::nothing;
  }

  void put_elements(const wire_type& type, nb::handle value) {
    const wire_type& element = type.parts[0];
    if (put_buffer(element, 1, value)) return;
    if (PyUnicode_Check(value.ptr()) || PyDict_Check(value.ptr())) refuse(type, value);
    const nb::object all = nb::steal(PySequence_Fast(value.ptr(), ""));
    if (!all.is_valid()) PyErr_Clear(), refuse(type, value);
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(all.ptr());
    put_count(std::uint64_t(n));
    for (Py_ssize_t i = 0; i < n; ++i) put_element(element, PySequence_Fast_GET_ITEM(all.ptr(), i));
  }
  void put_element(const wire_type& element, nb::handle value) {
    if (element.least() == 0) room(1, 1);
    put(element, value);
  }
  void put_view(const wire_type& type, nb::handle value) {
    const wire_type& element = type.parts[0];
    const std::size_t align = element.align <= 8 ? 8 : 16;  // as in cursor
    if (put_buffer(element, align, value)) return;
    const nb::object all = nb::steal(PySequence_Fast(value.ptr(), ""));
    if (!all.is_valid()) PyErr_Clear(), refuse(type, value);
    const auto n = std::size_t(PySequence_Fast_GET_SIZE(all.ptr()));
    put_count(n);
    const std::size_t first = std::size_t(room(n * element.size, align) - message_.data());
    for (std::size_t i = 0; i < n; ++i)
      write(message_.data() + first + i * element.size, element, PySequence_Fast_GET_ITEM(all.ptr(), Py_ssize_t(i)));
  }
  void put_map(const wire_type& type, nb::handle value) {
    if (!PyDict_Check(value.ptr())) refuse(type, value);
    put_count(std::uint64_t(PyDict_Size(value.ptr())));
    for (const auto& [key, mapped] : nb::borrow<nb::dict>(value)) {
      put(type.parts[0], key);
      put_element(type.parts[1], mapped);
    }
  }
  void put_optional(const wire_type& type, nb::handle value) {
    *room(1, 1) = std::byte(!value.is_none());
    if (!value.is_none()) put(type.parts[0], value);
  }
  void put_members(const wire_type& type, nb::handle value) {
    const std::size_t n = type.is == kind::array ? type.extent : type.parts.size();
    const nb::object all = members_of(type, value, n);
    for (std::size_t i = 0; i < n; ++i)
      put(type.parts[type.is == kind::array ? 0 : i], PySequence_Fast_GET_ITEM(all.ptr(), Py_ssize_t(i)));
  }
  // The first alternative that takes the value.
  void put_variant(const wire_type& type, nb::handle value) {
    const std::size_t before = message_.size();
    for (std::size_t i = 0; i < type.parts.size(); ++i) try {
        const auto index = std::uint16_t(i);
        std::memcpy(room(sizeof index, sizeof index), &index, sizeof index);
        return put(type.parts[i], value);
      } catch (const nb::builtin_exception&) { message_.resize(before); } catch (const nb::python_error&) {
        message_.resize(before);
      }
    refuse(type, value);
  }

  std::vector<std::byte>& message_;
  std::size_t begin_;
};

// ---- from bytes ----

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
    if ((n & detail::view_stays) != 0)
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
      PyTuple_SET_ITEM(all.ptr(), Py_ssize_t(i), read(at + i * type.parts[0].size, type.parts[0]).release().ptr());
    return all;
  }
  static nb::object read_aggregate(const std::byte* at, const wire_type& type) {
    nb::object all = nb::steal(PyTuple_New(Py_ssize_t(type.parts.size())));
    std::size_t offset = 0;
    for (std::size_t i = 0; i < type.parts.size(); offset += type.parts[i++].size) {
      offset = align_up(offset, type.parts[i].align);
      PyTuple_SET_ITEM(all.ptr(), Py_ssize_t(i), read(at + offset, type.parts[i]).release().ptr());
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
    const bool stays = (count & detail::view_stays) != 0;
    const std::size_t n = stays ? std::size_t(count & ~detail::view_stays) : judged(count, element.size);
    const std::byte* const from = stays ? elements_at_sender(n, element.size) : take(n * element.size, align_of_view(element));
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
      PyTuple_SET_ITEM(all.ptr(), Py_ssize_t(i), get(type.parts[type.is == kind::array ? 0 : i]).release().ptr());
    return all;
  }

  detail::shared_range memory_;
};

}  // namespace

void encode(std::vector<std::byte>& message, std::size_t begin, const wire_type& type, nb::handle value) {
  writer(message, begin).put(type, value);
}

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
