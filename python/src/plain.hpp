// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "binding.hpp"

namespace armilla::python {

/// A longer one is pickled: by then that takes no longer.
inline constexpr std::size_t most_plain = 1024;

/// Buffers that go beside a value, in their order: memory of its long arrays.
struct buffers_beside {
  std::vector<nb::object> all;
  std::size_t most = 0;
};

/// Writes a value of Python without pickling, if it is plain and fits: None, truth values, integers of 64 bits, floats, texts,
/// bytes, arrays of NumPy of numbers in C order, and tuples, lists and dicts of these. Lists, dicts and arrays that occur twice
/// are something else, and so are subclasses. Returns how many bytes it has written; 0: it is something else, or longer than
/// `room`. Arrays that are longer than some lines go into `beside`.
std::size_t write_plain(PyObject* value, std::span<std::byte> room, buffers_beside* beside = nullptr);

/// The value that `write_plain` has written; its long arrays are over the memory of the objects in `beside`. Throws decode_error,
/// or Python's error, if the bytes are not a whole value.
nb::object read_plain(std::span<const std::byte> bytes, std::span<const nb::object> beside = {});

}  // namespace armilla::python
