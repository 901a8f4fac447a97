// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nanobind/nanobind.h>

namespace armilla::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_attach(nb::module_& m);

}  // namespace armilla::python
