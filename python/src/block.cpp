// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <cstdint>
#include <cstring>

#include "armilla/error.hpp"

namespace armilla::python {
namespace {

constexpr std::size_t rounded(std::size_t n) { return (n + block::alignment - 1) / block::alignment * block::alignment; }

/// One part of a block, by the buffer protocol.
struct part_of_block {
  std::shared_ptr<block> whole;
  std::size_t number;
};

int give_buffer(PyObject* self, Py_buffer* view, int flags) {
  const auto* const part = nb::inst_ptr<part_of_block>(nb::handle(self));
  const std::span<std::byte> bytes = part->whole->part(part->number);
  return PyBuffer_FillInfo(view, self, bytes.data(), Py_ssize_t(bytes.size()), 0, flags);
}

PyType_Slot part_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(give_buffer)}, {0, nullptr}};

}  // namespace

block::block(std::span<const bytes_view> parts) { take(parts); }

block block::empty(std::span<const bytes_view> sizes) {
  block made;
  made.reserve(sizes);
  return made;
}

void block::reserve(std::span<const bytes_view> parts) {
  std::size_t all = 0;
  parts_.reserve(parts.size());
  for (const bytes_view& p : parts) {
    parts_.push_back({all, p.size()});
    all += rounded(p.size());
  }
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, all != 0 ? all : alignment)));
  if (memory_ == nullptr) throw std::bad_alloc();
}

void block::take(std::span<const bytes_view> parts) {
  reserve(parts);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty()) std::memcpy(memory_.get() + parts_[i].first, parts[i].data(), parts[i].size());
}

block::block(bytes_view run) {
  std::uint64_t count = 0;
  std::vector<bytes_view> parts;
  const auto damaged = [] { detail::throw_decode(no_rank, "collective", "its parts are longer than it"); };
  if (run.size() < sizeof count) damaged();
  std::memcpy(&count, run.data(), sizeof count);
  if (count > (run.size() - sizeof count) / sizeof(std::uint64_t)) damaged();
  bytes_view sizes = run.subspan(sizeof count, count * sizeof(std::uint64_t)), rest = run.subspan(sizeof count + sizes.size());
  for (; !sizes.empty(); sizes = sizes.subspan(sizeof(std::uint64_t))) {
    std::uint64_t size;
    std::memcpy(&size, sizes.data(), sizeof size);
    if (size > rest.size()) damaged();
    parts.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  take(parts);
}

std::vector<std::byte> packed(std::span<const bytes_view> parts) {
  std::size_t all = sizeof(std::uint64_t) * (parts.size() + 1);
  for (const bytes_view& p : parts) all += p.size();
  std::vector<std::byte> run(all);
  std::byte* at = run.data();
  const auto write = [&](const void* from, std::size_t n) {
    if (n != 0) std::memcpy(at, from, n);
    at += n;
  };
  const std::uint64_t count = parts.size();
  write(&count, sizeof count);
  for (const bytes_view& p : parts) {
    const std::uint64_t size = p.size();
    write(&size, sizeof size);
  }
  for (const bytes_view& p : parts) write(p.data(), p.size());
  return run;
}

nb::list as_list(block&& b) {
  const auto whole = std::make_shared<block>(std::move(b));
  nb::list all;
  for (std::size_t i = 0; i < whole->parts(); ++i) {
    const std::span<std::byte> bytes = whole->part(i);
    if (i == 0 && bytes.size() <= 4096) {  // a pickle, as a rule: bytes are quicker to read
      all.append(nb::bytes(bytes.data(), bytes.size()));
      continue;
    }
    const nb::object part = nb::cast(part_of_block{whole, i});
    all.append(nb::steal(PyMemoryView_FromObject(part.ptr())));
  }
  return all;
}

held_buffers::held_buffers(nb::handle sequence) {
  try {
    for (nb::handle one : sequence) {
      Py_buffer view;
      if (PyObject_GetBuffer(one.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
      held_.push_back(view);
      parts_.emplace_back(static_cast<const std::byte*>(view.buf), std::size_t(view.len));
    }
  } catch (...) {
    release();
    throw;
  }
}

held_buffers::~held_buffers() { release(); }

void held_buffers::release() noexcept {
  for (Py_buffer& view : held_) PyBuffer_Release(&view);
}

void bind_block(nb::module_& m) { nb::class_<part_of_block>(m, "Part", nb::type_slots(part_slots)); }

}  // namespace armilla::python
