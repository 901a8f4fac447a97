// SPDX-License-Identifier: Apache-2.0
// Data that a running job exposes, mapped: armilla/exposed.hpp.
#include "armilla/exposed.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "binding.hpp"

namespace armilla::python {
namespace {

template <class Numbers>
nb::tuple as_tuple(const Numbers& numbers) {
  nb::list all;
  for (const auto n : numbers) all.append(n);
  return nb::tuple(all);
}

nb::dict as_dict(const exposed_part& part) {
  nb::dict d;
  d["rank"] = int(part.rank);
  d["name"] = part.name;
  d["type"] = part.type;
  d["element_bytes"] = part.element_bytes;
  d["shape"] = as_tuple(part.shape);
  d["extent"] = as_tuple(part.extent);
  d["origin"] = as_tuple(part.origin);
  d["stride"] = as_tuple(part.stride);
  d["block"] = part.block;
  d["turn"] = part.turn;
  d["host"] = part.host();
  return d;
}

// The bytes from the first element to the last one; they stay mapped as long as anything of Python refers to them.
nb::object memory_of(const exposed_part& part) {
  std::size_t elements = part.size() != 0;
  for (std::size_t d = 0; d < part.extent.size() && elements != 0; ++d)
    elements += (part.extent[d] - 1) * std::size_t(part.stride[d]);
  const std::size_t shape[1] = {elements * part.element_bytes};
  const nb::capsule owner(new exposed_part(part), [](void* p) noexcept { delete static_cast<exposed_part*>(p); });
  return nb::cast(nb::ndarray<std::uint8_t, nb::numpy>(part.data, 1, shape, owner));
}

// Agents may have to be asked, which takes a while.
template <class... Name>
std::vector<exposed_part> find(const client& job, const Name&... name) {
  const nb::gil_scoped_release others;
  return exposed(job, name...);
}

nb::list list_of(const client& job) {
  nb::list all;
  for (const exposed_part& part : find(job)) all.append(as_dict(part));
  return all;
}

using byte_array = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void read(const exposed_part& part, std::uint64_t offset, const byte_array& to) {
  const nb::gil_scoped_release others;
  part.read(offset, {reinterpret_cast<std::byte*>(to.data()), to.size()});
}

void write(const exposed_part& part, std::uint64_t offset, const byte_array& from) {
  const nb::gil_scoped_release others;
  part.write(offset, {reinterpret_cast<const std::byte*>(from.data()), from.size()});
}

nb::list parts_of(const client& job, const std::string& name) {
  nb::list all;
  for (const exposed_part& part : find(job, name)) {
    nb::dict d = as_dict(part);
    d["memory"] = part.far == nullptr ? memory_of(part) : nb::cast(part);
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_exposed(nb::module_& m) {
  nb::class_<exposed_part>(m, "FarPart").def("read", &read).def("write", &write);
  m.def("exposed", &list_of);
  m.def("exposed_parts", &parts_of);
}

}  // namespace armilla::python
