// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

namespace armilla::python {

void bind_array_f8(nb::module_& m) { bind_array<double>(m, "Array_f8"); }

}  // namespace armilla::python
