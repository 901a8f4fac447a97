// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

namespace armilla::python {

void bind_array_f4(nb::module_& m) { bind_array<float>(m, "Array_f4"); }

}  // namespace armilla::python
