// SPDX-License-Identifier: Apache-2.0
// Data that a running job exposes, mapped: armilla/guest/exposed.hpp.
#include "armilla/guest/exposed.hpp"

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

nb::list list_of(const guest& job) {
  nb::list all;
  for (const exposed_part& part : exposed(job)) all.append(as_dict(part));
  return all;
}

nb::list parts_of(const guest& job, const std::string& name) {
  nb::list all;
  for (const exposed_part& part : exposed(job, name)) {
    nb::dict d = as_dict(part);
    d["memory"] = memory_of(part);
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_exposed(nb::module_& m) {
  m.def("exposed", &list_of);
  m.def("exposed_parts", &parts_of);
}

}  // namespace armilla::python
