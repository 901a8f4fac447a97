// SPDX-License-Identifier: Apache-2.0
// Access to a shared array by any rank. Its block begins with a line whose first word is the array's number, which changes when
// the block is freed; the elements follow. Places are offsets in bytes from the first element, each of so many bytes.
#include <array>
#include <cstring>
#include <type_traits>

#include <nanobind/stl/string.h>

#include "armilla/atomic.hpp"
#include "armilla/error.hpp"
#include "armilla/transfer.hpp"
#include "block.hpp"
#include "rank.hpp"

namespace armilla::python {
namespace {

using detail::global_address;

constexpr std::size_t before_elements = 64;

/// A shared array as any rank knows it: address of its block, its number, bytes of its elements.
struct shared_array {
  global_address block;
  std::uint64_t number = 0;
  std::size_t size = 0;

  shared_array(const nb::bytes& address, std::uint64_t its_number, std::size_t bytes) : number(its_number), size(bytes) {
    if (address.size() != sizeof block) detail::throw_usage("shared", "this is not the address of a block");
    std::memcpy(&block, address.c_str(), sizeof block);
  }
  /// Throws usage_error if the rank that has shared it has dropped it.
  void check(const char* operation) const {
    here(operation);
    std::uint64_t found = 0;
    get(found, global_ptr<std::uint64_t>(block));
    sync_memory();
    if (found != number)
      detail::throw_usage(operation, "the array is gone: rank " + std::to_string(rank()) +
                                         " has dropped what armilla.shared returned; keep that as long as other ranks use it");
  }
  int rank() const { return int(global_ptr<std::byte>(block).rank()); }
  template <class T>
  global_ptr<T> at(std::int64_t offset, std::size_t bytes) const {
    if (offset < 0 || std::size_t(offset) > size || bytes > size - std::size_t(offset))
      detail::throw_usage("shared", "an element is outside of the array");
    return global_ptr<T>(block.plus(std::int64_t(before_elements) + offset));
  }
};

template <class T>
std::span<T> of(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// `work(offset, buffer)` for each run of elements that follow each other.
template <class Work>
void each_run(std::span<const std::int64_t> places, std::span<std::byte> buffer, std::size_t width, Work work) {
  if (buffer.size() != places.size() * width) detail::throw_usage("shared", "the buffer does not fit the index");
  for (std::size_t i = 0, end = 0; i < places.size(); i = end) {
    for (end = i + 1; end < places.size() && places[end] == places[end - 1] + std::int64_t(width);) ++end;
    work(places[i], buffer.subspan(i * width, (end - i) * width));
  }
}

void read_elements(const shared_array& a, nb::handle places, std::size_t width, nb::handle to) {
  const held_buffer index(places, false), room(to, true);
  a.check("shared.get");
  each_run(of<const std::int64_t>(index.bytes()), room.bytes(), width, [&](std::int64_t offset, std::span<std::byte> run) {
    get(run, global_ptr<const std::byte>(a.at<std::byte>(offset, run.size())));
  });
  sync_memory();
}

void write_elements(const shared_array& a, nb::handle places, std::size_t width, nb::handle from) {
  const held_buffer index(places, false), values(from, false);
  a.check("shared.put");
  each_run(of<const std::int64_t>(index.bytes()), values.bytes(), width, [&](std::int64_t offset, std::span<std::byte> run) {
    put(a.at<std::byte>(offset, run.size()), std::span<const std::byte>(run));
  });
  sync_memory();
}

template <class T>
void add_as(const shared_array& a, std::span<const std::int64_t> places, std::span<const T> values, std::span<T> before) {
  if (values.size() != places.size() || (!before.empty() && before.size() != places.size()))
    detail::throw_usage("shared.add", "the values do not fit the index");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const global_ptr<T> p = a.at<T>(places[i], sizeof(T));
    if (before.empty())
      atomic_add(p, values[i]);
    else
      before[i] = atomic_fetch_add(p, values[i]);
  }
  sync_memory();
}

/// Adds to each of these elements as one atomic operation. `before`: takes their values before, or is empty.
void add_elements(const shared_array& a, const std::string& kind, nb::handle places, nb::handle values, nb::handle before) {
  const held_buffer index(places, false), given(values, false), old(before, true);
  a.check("shared.add");
  const auto add = [&](auto number) {
    using T = decltype(number);
    add_as<T>(a, of<const std::int64_t>(index.bytes()), of<const T>(given.bytes()), of<T>(old.bytes()));
  };
  if (kind == "i4") return add(std::int32_t());
  if (kind == "u4") return add(std::uint32_t());
  if (kind == "i8") return add(std::int64_t());
  if (kind == "u8") return add(std::uint64_t());
  if (kind == "f8") return add(double());
  detail::throw_usage("shared.add", "elements of " + kind + " have no atomic addition; use integers of 32 or 64 bits or float64");
}

}  // namespace

void bind_shared(nb::module_& m) {
  nb::class_<shared_array>(m, "SharedElements")
      .def(nb::init<const nb::bytes&, std::uint64_t, std::size_t>())
      .def("check", [](const shared_array& a, const std::string& what) { a.check(kept_name(what)); })
      .def("read", &read_elements)
      .def("write", &write_elements)
      .def("add", &add_elements);
}

}  // namespace armilla::python
