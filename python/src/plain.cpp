// SPDX-License-Identifier: Apache-2.0
// Plain values of Python as bytes: a kind, then a number, a text with its length, or the values of a container after their count.
// Most calls, messages and collectives carry such values, and a pickle of one takes ten times as long.
#include "plain.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "armilla/error.hpp"
#include "block.hpp"

namespace armilla::python {
namespace {

enum class kind : std::uint8_t { none, no, yes, byte, half, whole, real, text, bytes, tuple, list, dict, array, long_array };

constexpr std::size_t longest = std::numeric_limits<std::uint16_t>::max();  // of a text or a container
constexpr int deepest = 32;
constexpr Py_ssize_t most_axes = 8, most_inline = 256;  // bytes of an array beside which nothing goes

// Of NumPy, once the program has imported it. They live as long as the interpreter.
struct numpy {
  PyObject *array = nullptr, *from_buffer = nullptr, *dtype = nullptr, *empty = nullptr, *pickle_buffer = nullptr;
};
const numpy* numpy_if_loaded() {
  static numpy found;
  if (found.array != nullptr) return &found;
  const nb::object name = nb::str("numpy"), module = nb::steal(PyImport_GetModule(name.ptr()));
  if (!module.is_valid() || !nb::hasattr(module, "frombuffer")) {
    PyErr_Clear();
    return nullptr;
  }
  const auto kept = [&](const nb::object& of, const char* what) { return nb::object(of.attr(what)).release().ptr(); };
  found.from_buffer = kept(module, "frombuffer");
  found.dtype = kept(module, "dtype");
  found.empty = kept(module, "empty");
  found.pickle_buffer = kept(nb::module_::import_("pickle"), "PickleBuffer");
  found.array = kept(module, "ndarray");
  return &found;
}
bool is_array(PyObject* v) {
  const numpy* const np = numpy_if_loaded();
  return np != nullptr && reinterpret_cast<PyObject*>(Py_TYPE(v)) == np->array;
}

// NumPy's letter of a type of numbers for that of the buffer protocol; 0: it is another type.
char letter_of(const char* format) {
  if (format == nullptr) return 'B';
  const std::string_view all = "?bBhHiIlLqQefdg", complex = "fdg";
  if (format[0] != 0 && format[1] == 0 && all.find(format[0]) != all.npos) return format[0];
  if (format[0] == 'Z' && format[1] != 0 && format[2] == 0 && complex.find(format[1]) != complex.npos)
    return char(format[1] - 'a' + 'A');
  return 0;
}
bool is_letter(char c) { return c != 0 && std::string_view("?bBhHiIlLqQefdgFDG").find(c) != std::string_view::npos; }

class writer {
 public:
  writer(std::span<std::byte> room, buffers_beside* beside)
      : begin_(room.data()), at_(room.data()), end_(room.data() + room.size()), beside_(beside) {}

  std::size_t size() const { return std::size_t(at_ - begin_); }
  bool put(PyObject* v) {
    if (v == Py_None) return put(kind::none);
    if (v == Py_True || v == Py_False) return put(v == Py_True ? kind::yes : kind::no);
    if (PyLong_CheckExact(v)) return put_integer(v);
    if (PyFloat_CheckExact(v)) return put(kind::real) && put_value(PyFloat_AsDouble(v));
    if (PyUnicode_CheckExact(v)) return put_text(v);
    if (PyBytes_CheckExact(v)) return put_bytes(kind::bytes, PyBytes_AsString(v), PyBytes_Size(v));
    if (PyTuple_CheckExact(v)) return put_items(kind::tuple, v, PyTuple_Size(v), PyTuple_GetItem);
    if (PyList_CheckExact(v)) return is_new(v) && put_items(kind::list, v, PyList_Size(v), PyList_GetItem);
    if (PyDict_CheckExact(v)) return is_new(v) && put_dict(v);
    return is_array(v) && is_new(v) && put_array(v);
  }

 private:
  bool put(kind what) { return put_value(what); }
  template <class T>
  bool put_value(const T& value) {
    if (std::size_t(end_ - at_) < sizeof value) return false;
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
    return true;
  }
  bool put_integer(PyObject* v) {
    int overflow = 0;
    const long long n = PyLong_AsLongLongAndOverflow(v, &overflow);
    if (overflow != 0) return false;
    if (n == std::int8_t(n)) return put(kind::byte) && put_value(std::int8_t(n));
    if (n == std::int32_t(n)) return put(kind::half) && put_value(std::int32_t(n));
    return put(kind::whole) && put_value(std::int64_t(n));
  }
  bool put_text(PyObject* v) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(v, &size);
    if (text != nullptr) return put_bytes(kind::text, text, size);
    PyErr_Clear();  // it has half a character
    return false;
  }
  bool put_bytes(kind what, const char* from, Py_ssize_t size) {
    return std::size_t(size) <= longest && put(what) && put_value(std::uint16_t(size)) && put_run(from, size);
  }
  bool put_run(const char* from, Py_ssize_t size) {
    if (end_ - at_ < size) return false;
    if (size != 0) std::memcpy(at_, from, std::size_t(size));
    at_ += size;
    return true;
  }
  // A list that occurs twice is one list when it arrives, too: only a pickle knows how.
  bool is_new(PyObject* container) {
    const auto end = seen_.begin() + count_;
    if (count_ == seen_.size() || std::find(seen_.begin(), end, container) != end) return false;
    seen_[count_++] = container;
    return true;
  }
  bool begin_items(kind what, Py_ssize_t n) {
    return ++depth_ <= deepest && std::size_t(n) <= longest && put(what) && put_value(std::uint16_t(n));
  }
  template <class Get>
  bool put_items(kind what, PyObject* v, Py_ssize_t n, Get get) {
    if (!begin_items(what, n)) return false;
    for (Py_ssize_t i = 0; i < n; ++i)
      if (!put(get(v, i))) return false;
    --depth_;
    return true;
  }
  bool put_dict(PyObject* v) {
    if (!begin_items(kind::dict, PyDict_Size(v))) return false;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(v, &at, &key, &value) != 0;)
      if (!put(key) || !put(value)) return false;
    --depth_;
    return true;
  }

  bool put_array(PyObject* v) {
    Py_buffer b;
    if (PyObject_GetBuffer(v, &b, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {  // it is in another order, or of another type
      PyErr_Clear();
      return false;
    }
    const bool done = put_array(v, b);
    PyBuffer_Release(&b);
    return done;
  }
  bool put_array(PyObject* v, const Py_buffer& b) {
    const char letter = letter_of(b.format);
    const bool inlined = b.len <= most_inline;
    if (letter == 0 || b.ndim > most_axes || !(inlined || (beside_ != nullptr && beside_->all.size() < beside_->most)))
      return false;
    if (!put(inlined ? kind::array : kind::long_array) || !put_value(letter) || !put_value(std::uint8_t(b.ndim))) return false;
    for (int i = 0; i < b.ndim; ++i)
      if (!put_value(std::int64_t(b.shape[i]))) return false;
    if (inlined) return put_run(static_cast<const char*>(b.buf), b.len);
    beside_->all.push_back(nb::steal(PyObject_CallFunctionObjArgs(numpy_if_loaded()->pickle_buffer, v, nullptr)).attr("raw")());
    return true;
  }

  std::byte *begin_, *at_, *end_;
  buffers_beside* beside_;
  std::array<PyObject*, 16> seen_{};  // lists, dicts and arrays
  std::size_t count_ = 0;
  int depth_ = 0;
};

[[noreturn]] void throw_damaged(const char* what) { detail::throw_decode(no_rank, "a plain value", what); }

class reader {
 public:
  reader(std::span<const std::byte> bytes, std::span<const nb::object> beside) : rest_(bytes), beside_(beside) {}

  bool done() const { return rest_.empty(); }
  nb::object get() {
    switch (const auto what = get_value<kind>(); what) {
      case kind::none: return nb::none();
      case kind::no: return nb::bool_(false);
      case kind::yes: return nb::bool_(true);
      case kind::byte: return nb::int_(get_value<std::int8_t>());
      case kind::half: return nb::int_(get_value<std::int32_t>());
      case kind::whole: return nb::int_(get_value<std::int64_t>());
      case kind::real: return nb::float_(get_value<double>());
      case kind::text:
      case kind::bytes: {
        const std::size_t size = get_value<std::uint16_t>();
        const char* const from = reinterpret_cast<const char*>(take(size));
        return what == kind::text ? nb::object(nb::str(from, size)) : nb::object(nb::bytes(from, size));
      }
      case kind::tuple: return items(PyTuple_New, PyTuple_SetItem);
      case kind::list: return items(PyList_New, PyList_SetItem);
      case kind::dict: return dict();
      case kind::array:
      case kind::long_array: return array(what == kind::long_array);
    }
    throw_damaged("it is of no kind that there is");
  }

 private:
  const std::byte* take(std::size_t n) {
    if (n > rest_.size()) throw_damaged("it is longer than its bytes");
    const std::byte* const from = rest_.data();
    rest_ = rest_.subspan(n);
    return from;
  }
  template <class T>
  T get_value() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  // Each value takes a byte at least.
  std::size_t count(std::size_t bytes_each) {
    const std::size_t n = get_value<std::uint16_t>();
    if (n * bytes_each > rest_.size()) throw_damaged("it has more values than bytes");
    if (++depth_ > deepest) throw_damaged("it is too deep");
    return n;
  }
  template <class Make, class Set>
  nb::object items(Make make, Set set) {
    const auto n = Py_ssize_t(count(1));
    nb::object all = nb::steal(make(n));
    if (!all.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0; i < n; ++i) set(all.ptr(), i, get().release().ptr());
    --depth_;
    return all;
  }
  nb::object dict() {
    nb::dict all;
    for (std::size_t n = count(2); n != 0; --n) {
      const nb::object key = get(), value = get();
      if (PyDict_SetItem(all.ptr(), key.ptr(), value.ptr()) != 0) throw nb::python_error();
    }
    --depth_;
    return all;
  }

  nb::object array(bool is_long) {
    const numpy* const np = (nb::module_::import_("numpy"), numpy_if_loaded());
    const char letter = get_value<char>();
    const std::size_t axes = get_value<std::uint8_t>();
    if (!is_letter(letter) || axes > most_axes) throw_damaged("an array is of no type that there is");
    const nb::object shape = nb::steal(PyTuple_New(Py_ssize_t(axes)));
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < axes; ++i) {
      const auto n = get_value<std::int64_t>();
      if (n < 0 || __builtin_mul_overflow(elements, std::uint64_t(n), &elements)) throw_damaged("an array has no such shape");
      PyTuple_SetItem(shape.ptr(), Py_ssize_t(i), nb::int_(n).release().ptr());
    }
    const nb::object type = type_of(*np, letter);
    if (elements == 0) return called(np->empty, shape.ptr(), type.ptr());
    const nb::object flat = called(np->from_buffer, memory(is_long, elements, type).ptr(), type.ptr());
    if (nb::len(flat) != elements) throw_damaged("an array has other memory than its shape says");
    return axes == 1 ? flat : nb::object(flat.attr("reshape")(shape));
  }
  nb::object memory(bool is_long, std::uint64_t elements, const nb::object& type) {
    if (!is_long) {
      const auto each = nb::cast<std::uint64_t>(type.attr("itemsize"));
      if (elements > rest_.size() / each) throw_damaged("an array is longer than its bytes");
      const auto bytes = Py_ssize_t(elements * each);
      return nb::steal(PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(take(std::size_t(bytes))), bytes));
    }
    if (beside_.empty()) throw_damaged("an array has no memory");
    nb::object next = beside_.front();
    beside_ = beside_.subspan(1);
    return next;
  }
  static nb::object type_of(const numpy& np, char letter) {
    static std::array<PyObject*, 128> known{};
    PyObject*& type = known[std::size_t(letter)];
    if (type == nullptr) type = called(np.dtype, nb::str(&letter, 1).ptr()).release().ptr();
    return nb::borrow(type);
  }
  template <class... A>
  static nb::object called(PyObject* f, A... arguments) {
    nb::object result = nb::steal(PyObject_CallFunctionObjArgs(f, arguments..., nullptr));
    if (!result.is_valid()) throw nb::python_error();
    return result;
  }

  std::span<const std::byte> rest_;
  std::span<const nb::object> beside_;
  int depth_ = 0;
};

}  // namespace

std::size_t write_plain(PyObject* value, std::span<std::byte> room, buffers_beside* beside) {
  writer to(room, beside);
  return to.put(value) ? to.size() : 0;
}

nb::object read_plain(std::span<const std::byte> bytes, std::span<const nb::object> beside) {
  reader from(bytes, beside);
  nb::object value = from.get();
  if (!from.done()) throw_damaged("bytes follow it");
  return value;
}

// As the package has it: the bytes and what goes beside them, or None.
void bind_plain(nb::module_& m) {
  m.def(
      "write_plain",
      [](nb::handle value, std::size_t most) -> nb::object {
        std::array<std::byte, most_plain> room;
        buffers_beside beside{{}, most};
        const std::size_t size = write_plain(value.ptr(), room, &beside);
        if (size == 0) return nb::none();
        nb::list parts;
        parts.append(nb::bytes(room.data(), size));
        for (const nb::object& one : beside.all) parts.append(one);
        return parts;
      },
      nb::arg("value").none(), nb::arg("most"));
  m.def("read_plain", [](nb::handle parts, std::size_t begin) {  // a list or tuple of them
    const nb::object first = parts[0];
    std::vector<nb::object> beside;
    for (std::size_t i = 1; i < nb::len(parts); ++i) beside.push_back(nb::object(parts[i]));
    const held_buffer held(first, false);
    return read_plain(held.bytes().subspan(std::min(begin, held.bytes().size())), beside);
  });
}

}  // namespace armilla::python
