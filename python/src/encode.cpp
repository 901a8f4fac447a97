// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "armilla/base/values/types.hpp"
#include "codec.hpp"

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
    if (PyUnicode_Check(value.ptr())) refuse(type, value);  // complex("1+2j")
    const nb::object z =
        nb::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), value.ptr(), nullptr));
    if (!z.is_valid()) PyErr_Clear(), refuse(type, value);
    write_real(to, type.size / 2, PyComplex_RealAsDouble(z.ptr()));
    write_real(to + type.size / 2, type.size / 2, PyComplex_ImagAsDouble(z.ptr()));
  }
  static nb::object members_of(const wire_type& type, nb::handle value, std::size_t count) {
    if (PyUnicode_Check(value.ptr())) refuse(type, value);
    const nb::object all = nb::steal(PySequence_Tuple(value.ptr()));
    if (!all.is_valid() || std::size_t(PyTuple_Size(all.ptr())) != count) PyErr_Clear(), refuse(type, value);
    return all;
  }
  static void write_sequence(std::byte* to, const wire_type& type, nb::handle value) {
    const nb::object all = members_of(type, value, type.extent);
    for (std::size_t i = 0; i < type.extent; ++i)
      write(to + i * type.parts[0].size, type.parts[0], PyTuple_GetItem(all.ptr(), Py_ssize_t(i)));
  }
  static void write_aggregate(std::byte* to, const wire_type& type, nb::handle value) {
    const nb::object all = members_of(type, value, type.parts.size());
    std::memset(to, 0, type.size);
    std::size_t at = 0;
    for (std::size_t i = 0; i < type.parts.size(); at += type.parts[i++].size) {
      at = align_up(at, type.parts[i].align);
      write(to + at, type.parts[i], PyTuple_GetItem(all.ptr(), Py_ssize_t(i)));
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
    const nb::object all = nb::steal(PySequence_Tuple(value.ptr()));
    if (!all.is_valid()) PyErr_Clear(), refuse(type, value);
    const Py_ssize_t n = PyTuple_Size(all.ptr());
    put_count(std::uint64_t(n));
    for (Py_ssize_t i = 0; i < n; ++i) put_element(element, PyTuple_GetItem(all.ptr(), i));
  }
  void put_element(const wire_type& element, nb::handle value) {
    if (element.least() == 0) room(1, 1);
    put(element, value);
  }
  void put_view(const wire_type& type, nb::handle value) {
    const wire_type& element = type.parts[0];
    const std::size_t align = element.align <= 8 ? 8 : 16;  // as in cursor
    if (put_buffer(element, align, value)) return;
    const nb::object all = nb::steal(PySequence_Tuple(value.ptr()));
    if (!all.is_valid()) PyErr_Clear(), refuse(type, value);
    const auto n = std::size_t(PyTuple_Size(all.ptr()));
    put_count(n);
    const std::size_t first = std::size_t(room(n * element.size, align) - message_.data());
    for (std::size_t i = 0; i < n; ++i)
      write(message_.data() + first + i * element.size, element, PyTuple_GetItem(all.ptr(), Py_ssize_t(i)));
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
      put(type.parts[type.is == kind::array ? 0 : i], PyTuple_GetItem(all.ptr(), Py_ssize_t(i)));
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

}  // namespace

void encode(std::vector<std::byte>& message, std::size_t begin, const wire_type& type, nb::handle value) {
  writer(message, begin).put(type, value);
}

}  // namespace armilla::python
