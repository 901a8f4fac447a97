// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "binding.hpp"

namespace armilla::python {

using bytes_view = std::span<const std::byte>;

/// Parts of a message one behind the other in memory of their own: a pickle, and the buffers that travelled beside it. Made by
/// C++ code that does not hold the interpreter's lock; Python sees each part as a writable memoryview, without a copy.
class block {
 public:
  static constexpr std::size_t alignment = 64;  // of each part, as NumPy likes it

  block() = default;
  explicit block(std::span<const bytes_view> parts);
  /// The same parts from one run of bytes that `packed` made. Throws decode_error.
  explicit block(bytes_view run);

  /// Parts of these sizes, to be filled.
  static block empty(std::span<const bytes_view> sizes);

  std::size_t parts() const noexcept { return parts_.size(); }
  std::span<std::byte> part(std::size_t i) const noexcept { return {memory_.get() + parts_[i].first, parts_[i].size}; }

 private:
  struct place {
    std::size_t first, size;
  };
  struct freed {
    void operator()(std::byte* p) const noexcept { std::free(p); }
  };
  void take(std::span<const bytes_view> parts);
  void reserve(std::span<const bytes_view> parts);

  std::unique_ptr<std::byte[], freed> memory_;
  std::vector<place> parts_;
};

/// Parts in one run of bytes, for what carries one value.
std::vector<std::byte> packed(std::span<const bytes_view> parts);

/// A list of the parts for Python: memoryviews that keep the block alive.
nb::list as_list(block&& b);

/// Holds a contiguous buffer of Python.
class held_buffer {
 public:
  held_buffer(nb::handle object, bool writable) {
    if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  held_buffer(const held_buffer&) = delete;
  ~held_buffer() { PyBuffer_Release(&view_); }
  std::span<std::byte> bytes() const noexcept { return {static_cast<std::byte*>(view_.buf), std::size_t(view_.len)}; }

 private:
  Py_buffer view_{};
};

/// Buffers of Python objects, held as long as this lives.
class held_buffers {
 public:
  explicit held_buffers(nb::handle sequence);
  held_buffers(const held_buffers&) = delete;
  ~held_buffers();

  std::span<const bytes_view> parts() const noexcept { return parts_; }

 private:
  void release() noexcept;

  std::vector<Py_buffer> held_;
  std::vector<bytes_view> parts_;
};

}  // namespace armilla::python
